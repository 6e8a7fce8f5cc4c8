create or replace function queue._flow_priority(input jsonb, path text)
returns integer
language plpgsql
immutable
parallel safe
as $function$
declare
  v_priority constant jsonb := queue._at_path(input, path);
begin
  if jsonb_typeof(v_priority) is distinct from 'number' then
    return 0;
  end if;
  return greatest(-1000000, least(1000000, round(v_priority::numeric)))::integer;
end
$function$;

comment on function queue._flow_priority(jsonb, text) is
$comment$Returns the priority of a run.
input: of the run.
path: as in _at_path(); null if runs have no priority.
Returns a whole number; 0 if there is no number at the path.$comment$;
