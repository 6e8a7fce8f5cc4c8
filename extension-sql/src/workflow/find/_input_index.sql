create or replace function queue._input_index(queue_id integer)
returns text
language sql
as $function$
  select 'workflow_run_input_' || queue_id
$function$;

comment on function queue._input_index(integer) is
$comment$What the index of the inputs of a workflow is named, where there is one.
Returns null for a workflow that isn't there.
Touches: nothing.$comment$;
