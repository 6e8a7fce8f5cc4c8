create or replace function queue._max_retention_days()
returns integer
language plpgsql
stable
parallel safe
as $function$
begin
  return (select s.max_retention_days from queue.workflow_setting as s);
end
$function$;

comment on function queue._max_retention_days() is
$comment$Returns the ceiling that workflow_set_max_retention() has set: no run that is started is kept for longer.
Returns days; null without a ceiling.
Touches: nothing; reads queue.workflow_setting.$comment$;
