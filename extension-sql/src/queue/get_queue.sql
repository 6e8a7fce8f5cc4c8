create or replace function queue.get_queue(name text)
returns queue.queue_settings
language plpgsql
volatile
security definer
as $function$
declare
  v_queue queue.queue_settings := queue._find_queue(get_queue.name, null, 'read');
begin
  v_queue.sqs_name := queue._sqs_given_name(v_queue.name);
  return v_queue;
end
$function$;

comment on function queue.get_queue(text) is
$comment$Reads the settings of a queue.
Returns its row of list_queues().
Errors: OX001 no such queue, OX007 the queue belongs to a workflow, 42501 the caller may not look at the queue.
Touches: nothing; reads queue.queue, queue.sqs_queue.$comment$;
