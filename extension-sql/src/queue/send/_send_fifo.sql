create or replace function queue._send_fifo(
  queue             text,
  messages          jsonb[],
  message_group_ids text[],
  delay             interval,
  headers           jsonb[],
  delays            interval[] default null
)
returns bigint[]
language plpgsql
volatile
-- plans: index, no bitmap, no sort, generic
as $function$
declare
  v_is_current constant boolean := current_setting('transaction_isolation') = 'read committed';
  v_began_at   timestamptz;
  v_msg_ids    bigint[];
  v_groups     text[];
  v_heads      bigint[];
  v_least_id   bigint;
  v_has_marks  boolean;
begin
  if current_setting('oxbow.ids_are_ahead', true) is distinct from 'on' then
    perform queue._skip_lost_ids();
  end if;
  perform queue._lock_groups(_send_fifo.queue, message_group_ids);
  perform pg_current_xact_id();  -- before the clock: see _advance_ready_mark()
  v_began_at := clock_timestamp();

  execute format('select * from queue.%I($1, $2, $3, $4, $5, $6)', '_send_q_' || _send_fifo.queue)
  into v_msg_ids, v_groups, v_heads, v_least_id, v_has_marks
  using messages, message_group_ids, delay, headers, v_is_current, delays;

  -- If the mark of the queue is near, few entries are read in any group.
  if v_heads is not null then
    perform queue._mark_groups(
      _send_fifo.queue, v_groups, v_heads, v_has_marks,
      clock_timestamp() - v_began_at
          > interval '250 microseconds' + cardinality(messages) * interval '25 microseconds'
        and v_heads[1] - coalesce(v_least_id, 0) > 20000
    );
  end if;

  -- A snapshot older than the lock does not show whether a group has a head: the next receive finds out.
  if not v_is_current then
    execute format($sql$
      insert into %1$s (msg_id, visible_at, enqueued_at, head, message_group_id)
      overriding system value
      select -min(i.msg_id), clock_timestamp(), clock_timestamp(), true, i.message_group_id
      from unnest($1, $2) as i (msg_id, message_group_id)
      group by i.message_group_id
    $sql$, queue._queue_table(_send_fifo.queue))
    using v_msg_ids, message_group_ids;
  end if;
  perform queue._wake('queue_' || _send_fifo.queue);
  return v_msg_ids;
end
$function$;

comment on function queue._send_fifo(text, jsonb[], text[], interval, jsonb[], interval[]) is
$comment$Appends messages to their groups.
messages, message_group_ids, headers: parallel arrays with one element per message; headers may be null.
delays: null, or one element per message, which replaces delay.
Returns the message ids, in order.
Touches: the groups' advisory locks (waits); the queue's table, by its indexes of heads and of waiting messages, from the marks of the queue and of the group on; queue.group_mark if the search took long or groups have marks; NOTIFY only if a consumer listens.$comment$;
