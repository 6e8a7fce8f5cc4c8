create or replace function queue.sqs_purge_queue(sqs_name text)
returns bigint
language plpgsql
volatile
security definer
as $function$
declare
  v_now    constant timestamptz := clock_timestamp();
  v_queue  queue.sqs_queue_state;
  v_purged bigint;
begin
  v_queue := queue.sqs_find_queue(sqs_purge_queue.sqs_name);
  if exists (
    select
    from queue.sqs_queue as s
    where s.queue_name = v_queue.name
      and s.purged_at > v_now - interval '60 seconds'
  ) then
    return null;
  end if;
  v_purged := queue.purge_queue(v_queue.name);
  perform queue._record_sqs_queue(v_queue, purged_at => v_now);
  return v_purged;
end
$function$;

comment on function queue.sqs_purge_queue(text) is
$comment$Deletes all messages of a queue for a client of SQS, at most once in 60 seconds.
Returns how many messages were deleted; null if the queue was purged less than 60 seconds ago.
Errors: OX001 no such queue, OX009 an open transaction has used the queue for longer than 2 seconds.
Touches: queue.sqs_queue, and as purge_queue().$comment$;
