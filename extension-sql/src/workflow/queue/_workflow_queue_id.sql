create or replace function queue._workflow_queue_id(name text)
returns integer
language plpgsql
stable
parallel safe
as $function$
begin
  return (select q.queue_id from queue.queue as q where q.name = '__wf_' || _workflow_queue_id.name);
end
$function$;

comment on function queue._workflow_queue_id(text) is
$comment$Returns the number of a workflow's queue, to which its continuations refer.
Returns null if the workflow was never started.
Touches: nothing; reads queue.queue.$comment$;
