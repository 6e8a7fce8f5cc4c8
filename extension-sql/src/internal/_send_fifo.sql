create or replace function queue._send_fifo(
  queue             text,
  messages          jsonb[],
  message_group_ids text[],
  delay             interval,
  headers           jsonb[]
)
returns bigint[]
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_sort = on
as $function$
declare
  v_table      constant regclass := queue._queue_table(_send_fifo.queue);
  v_is_current constant boolean := current_setting('transaction_isolation') = 'read committed';
  v_began_at   timestamptz;
  v_msg_ids    bigint[];
  v_groups     text[];
  v_heads      bigint[];
begin
  perform queue._lock_groups(_send_fifo.queue, message_group_ids);
  perform pg_current_xact_id();  -- before the clock: see _advance_ready_mark()
  v_began_at := clock_timestamp();

  execute format($sql$
    with inserted as (
      insert into %1$s as m (visible_at, enqueued_at, head, message_group_id, message, headers)
      select n.now + $1, n.now,
        $5 and row_number() over (partition by i.message_group_id order by i.position) = 1 and (
          -- The newest first: in a group that is not empty, it is there. As a comparison of rows, which only the
          -- index of groups can answer: by the primary key the planner would read what all groups have lost.
          select h.msg_id
          from %1$s as h
          where (h.message_group_id, h.msg_id) between (i.message_group_id, coalesce((
              select g.empty_below
              from queue.group_mark as g
              where g.queue_name = $6
                and g.message_group_id = i.message_group_id
              order by g.mark_id desc
              limit 1
            ), -9223372036854775808)) and (i.message_group_id, 9223372036854775807)
          order by h.message_group_id desc, h.msg_id desc
          limit 1
        ) is null,
        i.message_group_id, i.message, i.headers
      from (select clock_timestamp()) as n (now)
      cross join unnest($2, $3, $4) with ordinality as i (message, message_group_id, headers, position)
      order by i.position
      returning m.msg_id, m.message_group_id, m.head
    )
    select array_agg(inserted.msg_id), array_agg(inserted.message_group_id) filter (where inserted.head),
      array_agg(inserted.msg_id) filter (where inserted.head)
    from inserted
  $sql$, v_table)
  into v_msg_ids, v_groups, v_heads
  using delay, messages, message_group_ids, headers, v_is_current, _send_fifo.queue;

  if v_heads is not null then
    perform queue._mark_groups(
      _send_fifo.queue, v_groups, v_heads, clock_timestamp() - v_began_at
        > interval '250 microseconds' + cardinality(messages) * interval '25 microseconds'
    );
  end if;

  -- A snapshot older than the lock does not tell whether a group has a head: whoever receives next finds out.
  if not v_is_current then
    execute format($sql$
      insert into %1$s (msg_id, visible_at, enqueued_at, head, message_group_id)
      overriding system value
      select -min(i.msg_id), clock_timestamp(), clock_timestamp(), true, i.message_group_id
      from unnest($1, $2) as i (msg_id, message_group_id)
      group by i.message_group_id
    $sql$, v_table)
    using v_msg_ids, message_group_ids;
  end if;
  perform queue._wake('queue_' || _send_fifo.queue);
  return v_msg_ids;
end
$function$;

comment on function queue._send_fifo(text, jsonb[], text[], interval, jsonb[]) is
$comment$Appends messages to their groups.
Every array has one element a message; headers may be null.
Returns the message ids, in order.
Touches: the groups' advisory locks (waits), the queue's table, by its group index, from the group's mark on; queue.group_mark when that took long, and where groups have marks already; NOTIFY only where somebody waits.$comment$;
