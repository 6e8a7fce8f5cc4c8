create or replace function queue.peek(
  queue        text,
  max_messages integer default 10,
  after        bigint default 0,
  matching     jsonb default null
)
returns setof queue.peeked_message
language plpgsql
volatile
security definer
-- plans: index, no bitmap, no sort
as $function$
declare
  v_now   constant timestamptz := clock_timestamp();
  v_queue constant queue.queue_settings := queue._find_queue(peek.queue, null, 'peek');
begin
  perform queue._check_count(max_messages, 'max_messages', 1000, 'Peek at between 1 and 1000 messages at a time.');

  -- As a receive, a peek returns at most 64 MiB, or one message.
  return query execute format($sql$
    with sized as (
      select m.msg_id, queue._json_size(m.message) + queue._json_size(m.headers) as size
      from %1$s as m
      where m.msg_id > $1
        and m.message is not null
        and ($2 is null or m.message @> $2)
      order by m.msg_id
      limit $3
    ),
    chosen as (
      select s.msg_id, sum(s.size) over (order by s.msg_id) - s.size as bytes_before
      from sized as s
    )
    select m.msg_id,
      case
        when m.visible_at > $4 and m.visible_at < 'infinity' and m.receipt is not null then 'in-flight'
        when %2$s then 'blocked'
        when m.visible_at > $4 and m.visible_at < 'infinity' then 'delayed'
        else 'ready'
      end,
      m.read_ct, m.enqueued_at, coalesce(nullif(m.visible_at, 'infinity'), $4), %3$s, m.message, m.headers
    from chosen as c
    join %1$s as m on m.msg_id = c.msg_id
    where c.bytes_before < 67108864
    order by m.msg_id
  $sql$,
    queue._queue_table(v_queue.name),
    case v_queue.kind when 'fifo' then 'not m.head' else 'false' end,
    case v_queue.kind when 'fifo' then 'm.message_group_id' else 'null::text' end
  )
  using coalesce(peek.after, 0), peek.matching, peek.max_messages, v_now;
end
$function$;

comment on function queue.peek(text, integer, bigint, jsonb) is
$comment$Returns messages of a queue without receiving them: no lease, no counted delivery, no lock.
max_messages: 1 to 1000.
after: id of the last message that the caller has; 0 for the oldest.
matching: returns only messages that contain this JSON (message @> matching), at the cost of reading past the others.
Returns one row per message, in the order of ids: ready, delayed, in-flight, or blocked behind an earlier message of its group. At most 64 MiB, but at least one message.
Errors: OX001 no such queue, OX004 invalid argument, OX007 the queue belongs to a workflow, 42501 not allowed.
Touches: nothing; reads the queue's table by its primary key.$comment$;
