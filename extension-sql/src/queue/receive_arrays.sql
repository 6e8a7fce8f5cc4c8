create or replace function queue.receive_arrays(
  queue              text,
  max_messages       integer default 1,
  visibility_timeout integer default null,
  matching           jsonb default null,
  suspects           integer default null,
  max_per_group      integer default 1,
  out msg_ids           bigint[],
  out receipts          bigint[],
  out read_cts          integer[],
  out enqueued_ats      timestamptz[],
  out visible_ats       timestamptz[],
  out message_group_ids text[],
  out messages          jsonb[],
  out headers           jsonb[],
  out suspect           bigint
)
language plpgsql
volatile
security definer
as $function$
begin
  select r.msg_ids, r.receipts, r.read_cts, r.enqueued_ats, r.visible_ats, r.message_group_ids, r.messages, r.headers,
    r.suspect
  into msg_ids, receipts, read_cts, enqueued_ats, visible_ats, message_group_ids, messages, headers, suspect
  from queue._receive(
    queue._find_queue(receive_arrays.queue, null, 'receive'), receive_arrays.max_messages,
    receive_arrays.visibility_timeout, receive_arrays.matching, receive_arrays.suspects, receive_arrays.max_per_group
  ) as r;
end
$function$;

comment on function queue.receive_arrays(text, integer, integer, jsonb, integer, integer) is
$comment$Receives messages of a standard or FIFO queue, as receive() or receive_fifo() does, in one row of arrays rather than one row per message. Clients read one row of five hundred messages in a third of the time.
max_messages, visibility_timeout, matching, suspects: as in receive(). max_per_group: as in receive_fifo(); 1 for a standard queue.
Returns parallel arrays, a suspect first, then the oldest message first. If nothing is ready, msg_ids is empty and the others are null. message_group_ids contains nulls in a standard queue. suspect is the receipt of the suspect, or null.
Errors: OX001 no such queue, OX004 invalid argument or, of a FIFO queue, a transaction that is not read committed, OX007 the queue belongs to a workflow or to Oxbow.
Touches: as receive() and receive_fifo().$comment$;
