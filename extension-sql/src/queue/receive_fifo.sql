create or replace function queue.receive_fifo(
  queue              text,
  max_messages       integer default 1,
  visibility_timeout integer default null,
  matching           jsonb default null,
  suspects           integer default null,
  max_per_group      integer default 1
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
      queue._find_queue(receive_fifo.queue, 'fifo', 'receive'), receive_fifo.max_messages,
      receive_fifo.visibility_timeout, receive_fifo.matching, receive_fifo.suspects, receive_fifo.max_per_group
    ) as r
    cross join unnest(
      r.msg_ids, r.receipts, r.read_cts, r.enqueued_ats, r.visible_ats, r.message_group_ids, r.messages, r.headers
    ) as d (msg_id, receipt, read_ct, enqueued_at, visible_at, message_group_id, message, headers);
end
$function$;

comment on function queue.receive_fifo(text, integer, integer, jsonb, integer, integer) is
$comment$Receives messages of a FIFO queue: of each message group the oldest one, and with max_per_group those directly behind it; nothing while a message of the group is in flight, or the oldest one is delayed. A message that becomes visible again after its visibility timeout keeps its place. A message that was delivered max_receives times moves to the dead letter queue instead. The cost does not grow with the depth of a group.
Which deliveries count, and which messages are suspects: as in receive(). A suspect keeps its place in its group.
max_messages: 1 to 10000.
visibility_timeout: seconds; null means that of the queue.
matching: receives only messages that contain this JSON (message @> matching); the head of a group that does not is not skipped.
suspects: as in receive().
max_per_group: 1 to 10. More than 1 also returns messages behind the oldest one of a group, in their order and without a gap, up to one that is delayed, locked or doesn't match. Handle them in this order, and acknowledge them in any. One that comes back is received before those behind it, and not before the last of those that were received with it is acknowledged, given back, or at the end of its lease. A lease that has ended can be extended until the message is received again, while an earlier one is received by another consumer. A message whose next delivery may be its last, or that may be a suspect, is received without others of its group.
Returns one row per message, a suspect first, then the group whose oldest message has been ready for the longest, each group's messages together; fewer than max_messages, even no rows, if no more groups are ready. One call returns at most 64 MiB, or a single larger message.
Errors: OX001 no such queue, OX004 invalid argument or a repeatable read transaction, OX007 not a FIFO queue, or an internal one.
Touches: the queue's table, by its ready index (SKIP LOCKED); queue.suspect; for messages that move to the dead letter queue and for tombstones, advisory locks of groups (without waiting) and the dead letter queue's table.$comment$;
