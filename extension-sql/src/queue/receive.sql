create or replace function queue.receive(
  queue              text,
  max_messages       integer default 1,
  visibility_timeout integer default null,
  matching           jsonb default null,
  suspects           integer default null
)
returns setof queue.delivery
language plpgsql
volatile
security definer
as $function$
begin
  return query
    select d.msg_id, d.receipt, d.read_ct, d.enqueued_at, d.visible_at, d.message_group_id, d.message, d.headers
    from queue._receive(
      queue._find_queue(receive.queue, 'standard', 'receive'), receive.max_messages, receive.visibility_timeout,
      receive.matching, receive.suspects
    ) as r
    cross join unnest(
      r.msg_ids, r.receipts, r.read_cts, r.enqueued_ats, r.visible_ats, r.message_group_ids, r.messages, r.headers
    ) as d (msg_id, receipt, read_ct, enqueued_at, visible_at, message_group_id, message, headers);
end
$function$;

comment on function queue.receive(text, integer, integer, jsonb, integer) is
$comment$Receives messages of a standard queue, oldest first. Each is invisible to other consumers until its visibility timeout ends or it is deleted. A message that was delivered max_receives times moves to the dead letter queue instead.
A delivery counts towards max_receives if its consumer calls change_visibility(), or if the visibility timeout of a message ends that was received by itself. If it ends for messages that were received together, it doesn't count, because any of them may have ended the consumer. After two such deliveries a message is a suspect, and a call returns at most one suspect.
max_messages: 1 to 10000.
visibility_timeout: seconds; null means that of the queue.
matching: receives only messages that contain this JSON (message @> matching), at the cost of reading past the others.
suspects: null is for consumers that don't keep track of suspects: a call returns at most one, and with max_messages 1 every message counts as received by itself. 1 returns at most one suspect, for a process without one; 0 returns no suspect, for a process that has one or has only just started. With 0 or 1, only a suspect counts as received by itself. 2 returns at most one suspect, and every message counts as received by itself: for consumers that give messages back by letting their time run out, as those of SQS do.
Returns one row per message, a suspect first; fewer than max_messages, even no rows, if no more are ready. One call returns at most 64 MiB, or a single larger message.
Errors: OX001 no such queue, OX004 invalid argument, OX007 not a standard queue, or an internal one.
Touches: the queue's table, by its ready index (SKIP LOCKED); queue.suspect; the dead letter queue's table for messages that move there.$comment$;
