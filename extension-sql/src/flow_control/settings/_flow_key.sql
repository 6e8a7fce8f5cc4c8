create or replace function queue._flow_key(input jsonb, path text)
returns text
language plpgsql
immutable
parallel safe
as $function$
declare
  v_key constant text := queue._at_path(input, path) #>> '{}';
begin
  -- Longer keys don't fit into an index.
  return case when length(v_key) > 512 then md5(v_key) else v_key end;
end
$function$;

comment on function queue._flow_key(jsonb, text) is
$comment$Returns the key under which the limits per key count a run.
input: of the run.
path: as in _at_path().
Returns the key, as a digest if it is longer than 512 characters; null if there is no value at the path.$comment$;
