create or replace function queue.sqs_cancel_move(source text, task_id bigint)
returns bigint
language plpgsql
volatile
security definer
as $function$
declare
  v_source queue.sqs_queue_state;
  v_moved  bigint;
begin
  v_source := queue.sqs_find_queue(sqs_cancel_move.source);
  update queue.sqs_move_task as t
  set status = 'cancelled'
  where t.source = v_source.name
    and t.task_id = sqs_cancel_move.task_id
    and t.status = 'running'
  returning t.moved
  into v_moved;
  if v_moved is not null then
    perform queue._record_action('queue.cancel_move', 'queue', array[v_source.name],
      jsonb_build_object('messages', v_moved));
  end if;
  return v_moved;
end
$function$;

comment on function queue.sqs_cancel_move(text, bigint) is
$comment$Ends a task that moves messages out of a queue. Messages that it has moved stay where they are.
source: the queue, by its name for clients of SQS.
task_id: as sqs_start_move() returned it.
Returns how many messages were moved; null if the queue has no such task, or it has ended.
Errors: OX001 no such queue, OX006 the tables are older than the functions.
Touches: queue.sqs_move_task (waits for messages that are being moved); queue.audit.$comment$;
