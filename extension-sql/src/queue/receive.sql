create or replace function queue.receive(
  queue              text,
  max_messages       integer default 1,
  visibility_timeout integer default null,
  matching           jsonb default null
)
returns setof queue.delivery
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  return query
    select d.msg_id, d.receipt, d.read_ct, d.enqueued_at, d.visible_at, d.message_group_id, d.message, d.headers
    from queue._receive(
      queue._find_queue(receive.queue, 'standard', 'receive'), receive.max_messages, receive.visibility_timeout,
      receive.matching
    ) as r
    cross join unnest(
      r.msg_ids, r.receipts, r.read_cts, r.enqueued_ats, r.visible_ats, r.message_group_ids, r.messages, r.headers
    ) as d (msg_id, receipt, read_ct, enqueued_at, visible_at, message_group_id, message, headers);
end
$function$;

comment on function queue.receive(text, integer, integer, jsonb) is
$comment$Receives messages of a standard queue: oldest first, each invisible to others until its visibility timeout ends or it is deleted. A message that was received max_receives times already moves to the dead letter queue instead.
max_messages: 1 to 10000. visibility_timeout: seconds; null means the queue's. matching: receives only messages that contain this JSON (message @> matching), at the cost of reading past the others.
Returns a row a message; fewer than asked for, or none, when no more are ready, and never more than 64 MiB, of one message apart.
Errors: OX001 no such queue, OX004 invalid argument, OX007 not a standard queue, or one of Oxbow's own.
Touches: the queue's table, by its ready index (rows locked with SKIP LOCKED); the dead letter queue's table for messages that move there.$comment$;
