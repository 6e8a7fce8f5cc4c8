create or replace function queue.sqs_find_queue(sqs_name text)
returns queue.sqs_queue_state
language plpgsql
volatile
security definer
as $function$
declare
  v_queue queue.sqs_queue_state;
begin
  if queue._require_current_tables() then
    select q.*
    into v_queue
    from queue._sqs_queues() as q
    where q.name = queue._sqs_queue_name(sqs_find_queue.sqs_name);
  end if;
  if v_queue.name is null then
    perform queue._raise_queue_not_found(sqs_find_queue.sqs_name);
  end if;
  perform queue._find_queue(v_queue.name, null, 'read');
  return v_queue;
end
$function$;

comment on function queue.sqs_find_queue(text) is
$comment$Finds a queue by its name for clients of SQS. A queue that no such client has created has its own name there, with ".fifo" behind it if it is a FIFO queue.
sqs_name: in capitals and small letters, as in a queue url.
Returns the queue.
Errors: OX001 no such queue, OX006 the tables are older than the functions, 42501 the caller may not look at the queue.
Touches: nothing; reads queue.queue, queue.sqs_queue.$comment$;
