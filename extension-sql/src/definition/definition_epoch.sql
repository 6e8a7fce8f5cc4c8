create or replace function queue.definition_epoch()
returns bigint
language plpgsql
stable
security definer
as $function$
begin
  if not queue._require_current_tables() then
    return 0::bigint;
  end if;
  return (select e.epoch from queue.definition_setting as e);
end
$function$;

comment on function queue.definition_epoch() is
$comment$Returns a counter that rises whenever a definition is published, paused, resumed, archived, configured or deleted, by which workers know that their copy is out of date. A pause by failures that coincides with another change may be counted only with the next one.
Returns 0 if there are no definitions.
Touches: nothing; reads queue.definition_setting.$comment$;
