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
as $function$
declare
  v_table      constant regclass := queue._queue_table(_send_fifo.queue);
  v_is_current constant boolean := current_setting('transaction_isolation') = 'read committed';
  v_now        timestamptz;
  v_msg_ids    bigint[];
begin
  perform queue._lock_groups(_send_fifo.queue, message_group_ids);
  v_now := clock_timestamp();

  -- A snapshot older than the lock may show a head that has gone, or miss one: then these fail with a
  -- serialization failure, and nothing is sent in the wrong place.
  if not v_is_current then
    execute format($sql$
      select
      from %1$s as m
      where m.message_group_id = any ($1)
        and m.head
      for key share
    $sql$, v_table)
    using message_group_ids;
  end if;

  execute format($sql$
    with inserted as (
      insert into %1$s as m (visible_at, enqueued_at, head, message_group_id, message, headers)
      select $1 + $2, $1,
        row_number() over (partition by i.message_group_id order by i.position) = 1
          and not exists (select from %1$s as h where h.message_group_id = i.message_group_id and h.head),
        i.message_group_id, i.message, i.headers
      from unnest($3, $4, $5) with ordinality as i (message, message_group_id, headers, position)
      order by i.position
      %2$s
      returning m.msg_id
    )
    select array_agg(inserted.msg_id) from inserted
  $sql$, v_table, case when not v_is_current then 'on conflict (message_group_id) where head do nothing' end)
  into v_msg_ids
  using v_now, delay, messages, message_group_ids, headers;

  perform queue._wake('queue_' || _send_fifo.queue);
  return v_msg_ids;
end
$function$;

comment on function queue._send_fifo(text, jsonb[], text[], interval, jsonb[]) is
$comment$Appends messages to their groups.
Every array has one element a message; headers may be null.
Returns the message ids, in order.
Errors: 40001 in a repeatable read transaction, when a group has changed since it began.
Touches: the groups' advisory locks (waits), the queue's table; NOTIFY only where somebody waits.$comment$;
