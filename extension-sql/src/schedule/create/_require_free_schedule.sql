create or replace function queue._require_free_schedule(name text)
returns void
language plpgsql
stable
as $function$
declare
  v_definition text;
begin
  select s.workflow_name into v_definition
  from queue.schedule as s
  where s.name = _require_free_schedule.name
    and s.definition_id is not null;
  if found then
    perform queue._raise('OX004', format('schedule "%s" belongs to a trigger of definition "%s"', name, v_definition), null,
      'Change the triggers of the definition, pause the schedule, or start a run with definition_start().');
  end if;
end
$function$;

comment on function queue._require_free_schedule(text) is
$comment$Requires a schedule that does not belong to a trigger of a definition.
Errors: OX004 it does.
Touches: nothing; reads queue.schedule.$comment$;
