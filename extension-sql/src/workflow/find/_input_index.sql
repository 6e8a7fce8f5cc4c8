create or replace function queue._input_index(queue_id integer)
returns text
language sql
as $function$
  select 'workflow_run_input_' || queue_id
$function$;

comment on function queue._input_index(integer) is
$comment$Returns the name of the index on the inputs of a workflow.
Returns the name, whether or not the index exists; null for an unknown workflow.
Touches: nothing.$comment$;
