create or replace function queue._receive(
  settings           queue.queue_settings,
  max_messages       integer,
  visibility_timeout integer,
  matching           jsonb
)
returns queue.delivery[]
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $function$
declare
  v_is_first     constant boolean := pg_current_xact_id_if_assigned() is null;
  v_now          constant timestamptz := clock_timestamp();
  v_lease        constant interval := queue._duration(
    coalesce(_receive.visibility_timeout, (_receive.settings).visibility_timeout), 'visibility timeout'
  );
  v_is_fifo      constant boolean := (_receive.settings).kind = 'fifo';
  v_max_receives constant integer := coalesce((_receive.settings).max_receives, 2147483646);
  v_table        constant regclass := queue._queue_table((_receive.settings).name);
  v_eligible     constant text := case when v_is_fifo then 'm.head' else 'true' end;
  v_claim        constant text := format($sql$
    with ready as materialized (
      select m.ctid, m.visible_at
      from %1$s as m
      where %2$s
        and m.visible_at between $6 and $1
        and ($2 is null or m.message is null or m.message @> $2)
        and m.msg_id <> all ($7)
      order by m.visible_at, m.msg_id
      limit $3
      for no key update skip locked
    ),
    claimed as (
      update %1$s as m
      set receipt = queue._new_receipt(m.msg_id, m.receipt),
        visible_at = (select clock_timestamp()) + $4,
        read_ct = m.read_ct + 1
      from ready
      where m.ctid = ready.ctid
      returning ready.visible_at as ready_at, m.message is null or m.read_ct > $5 as is_undeliverable,
        coalesce(m.enqueued_at < $8, false) as is_expired,
        row(
          m.msg_id, m.receipt, m.read_ct, m.enqueued_at, m.visible_at, %3$s, m.message, m.headers
        )::queue.delivery as delivery
    )
    select
      array_agg(c.delivery order by c.ready_at, (c.delivery).msg_id) filter (where not c.is_undeliverable and not c.is_expired),
      array_agg((c.delivery).receipt) filter (where c.is_undeliverable and not c.is_expired),
      array_agg((c.delivery).receipt) filter (where c.is_expired)
    from claimed as c
  $sql$,
    v_table,
    v_eligible,
    case when v_is_fifo then 'm.message_group_id' else 'null' end
  );
  v_mark          queue.queue_mark;
  v_deliveries    queue.delivery[] := array[]::queue.delivery[];
  v_claimed       queue.delivery[];
  v_undeliverable bigint[];
  v_expired       bigint[];
begin
  if max_messages is null or max_messages not between 1 and 10000 then
    perform queue._raise('OX004', format('invalid max_messages %s', coalesce(max_messages::text, 'null')), null,
      'Receive between 1 and 10000 messages at a time.');
  end if;

  select r.mark_id, r.taken_at, r.ready_from, r.swept_at, r.sweep_took, r.horizon
  into v_mark
  from queue.ready_mark as r
  where r.queue_name = (_receive.settings).name
    and r.part = 0
  order by r.mark_id desc
  limit 1;

  -- Whoever finds dead letters or tombstones where messages were expected clears them away and looks again.
  for v_round in 1 .. 100 loop
    execute v_claim
    into v_claimed, v_undeliverable, v_expired
    using clock_timestamp(), matching, max_messages - cardinality(v_deliveries), v_lease, v_max_receives,
      case when v_mark.taken_at <= v_now then v_mark.ready_from else '-infinity' end,
      -- With a visibility timeout of 0, what an earlier round has delivered is ready again.
      array(select d.msg_id from unnest(v_deliveries) as d),
      v_now - make_interval(secs => (_receive.settings).retention_seconds);

    v_deliveries := v_deliveries || v_claimed;
    exit when v_undeliverable is null and v_expired is null;
    perform queue._clear_undeliverable(_receive.settings, v_undeliverable, v_expired);
    exit when cardinality(v_deliveries) = max_messages;
  end loop;

  if v_is_first and queue._is_mark_due(v_mark, v_now, cardinality(v_deliveries)) then
    perform queue._advance_ready_mark(v_mark, (_receive.settings).name, 0, v_table, v_eligible, v_now);
  end if;
  return v_deliveries;
end
$function$;

comment on function queue._receive(queue.queue_settings, integer, integer, jsonb) is
$comment$Leases ready messages; of a FIFO queue, heads of groups only. Messages that were delivered max_receives times move to the dead letter queue instead; those older than the queue's retention are dropped.
visibility_timeout: null means the queue's. matching: null takes any.
The planner has no choice but the order of the ready index: statistics of a queue are always out of date, and every other plan reads all that waits.
Returns the deliveries, oldest first; an empty array when nothing is ready, or when a hundred rounds found dead letters only.
Errors: OX004 invalid argument.
Touches: the queue's table, rows of the ready index (locked with SKIP LOCKED), from its mark on, which moves now and then; see _clear_undeliverable() for dead letters.$comment$;
