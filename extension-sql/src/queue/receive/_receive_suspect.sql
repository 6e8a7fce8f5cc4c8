create or replace function queue._receive_suspect(
  settings queue.queue_settings,
  lease    interval,
  matching jsonb,
  out msg_ids           bigint[],
  out receipts          bigint[],
  out read_cts          integer[],
  out enqueued_ats      timestamptz[],
  out visible_ats       timestamptz[],
  out message_group_ids text[],
  out messages          jsonb[],
  out headers           jsonb[]
)
language plpgsql
volatile
-- plans: index, no bitmap, nested loop
as $function$
declare
  v_table   constant regclass := queue._queue_table((settings).name);
  v_expired bigint[];
begin
  execute format($sql$
    with first as materialized (
      select m.ctid
      from queue.suspect as s
      join %1$s as m on m.msg_id = s.msg_id
      where s.queue_name = $1
        and m.visible_at = 'infinity'
        and ($3 is null or m.message @> $3)
      order by s.msg_id
      limit 1
      for no key update of m skip locked
    ),
    claimed as (
      update %1$s as m
      set receipt = queue._message_receipt(m.msg_id, m.receipt, true),
        visible_at = clock_timestamp() + $2,
        read_ct = m.read_ct + 1
      from first
      where m.ctid = first.ctid
      returning m.msg_id, m.receipt, m.read_ct, m.enqueued_at, m.visible_at, %2$s as message_group_id, m.message,
        m.headers, coalesce(m.enqueued_at < $4, false) as is_expired
    ),
    taken as (
      delete from queue.suspect as s
      using claimed as c
      where s.queue_name = $1
        and s.msg_id = c.msg_id
    )
    select array_agg(c.msg_id) filter (where not c.is_expired),
      array_agg(c.receipt) filter (where not c.is_expired),
      array_agg(c.read_ct) filter (where not c.is_expired),
      array_agg(c.enqueued_at) filter (where not c.is_expired),
      array_agg(c.visible_at) filter (where not c.is_expired),
      array_agg(c.message_group_id) filter (where not c.is_expired),
      array_agg(c.message) filter (where not c.is_expired),
      array_agg(c.headers) filter (where not c.is_expired),
      array_agg(c.receipt) filter (where c.is_expired)
    from claimed as c
  $sql$, v_table, case (settings).kind when 'fifo' then 'm.message_group_id' else 'null::text' end)
  into msg_ids, receipts, read_cts, enqueued_ats, visible_ats, message_group_ids, messages, headers, v_expired
  using (settings).name, lease, matching,
    clock_timestamp() - make_interval(secs => (settings).retention_seconds);

  if v_expired is not null then
    perform queue._clear_undeliverable(settings, null, v_expired);
  elsif msg_ids is null then
    -- A consumer that was alive after all has deleted or postponed its message.
    execute format($sql$
      with gone as materialized (
        select s.ctid
        from queue.suspect as s
        where s.queue_name = $1
          and not exists (select from %1$s as m where m.msg_id = s.msg_id and m.visible_at = 'infinity')
        for update skip locked
      )
      delete from queue.suspect as s
      using gone
      where s.ctid = gone.ctid
    $sql$, v_table)
    using (settings).name;
  end if;
end
$function$;

comment on function queue._receive_suspect(queue.queue_settings, interval, jsonb) is
$comment$Leases the suspect that was sent first: see _judge_redelivered().
lease, matching: as in _receive().
Returns one message at most, as _receive() does; msg_ids is null without a suspect.
Touches: the queue's table (rows locked with SKIP LOCKED), queue.suspect.$comment$;
