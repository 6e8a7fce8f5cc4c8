create or replace function queue._correct_clock_setback()
returns void
language plpgsql
volatile
-- plans: index
as $function$
declare
  v_now       constant timestamptz := clock_timestamp();
  -- A transaction that was under way ends within seconds as a rule, and a worker trusts its estimate until an answer.
  v_pauses    constant interval[] := array[interval '1 second', '5 seconds', '30 seconds', '2 minutes'];
  v_shown     timestamptz;
  v_lead      interval;
  v_floor     timestamptz;
  v_is_repeat boolean;
  v_queue     record;
begin
  if current_setting('transaction_isolation') <> 'read committed'
    or not pg_try_advisory_xact_lock(hashtextextended('oxbow:clock', 0))
  then
    return;
  end if;
  v_shown := queue._clock_shown();
  v_is_repeat := not queue._is_clock_set_back(v_shown, v_now);
  -- A sequence is not rolled back. So it follows the clock once the correction is committed.
  if not v_is_repeat and exists (select from queue.clock_correction as c where c.shown = v_shown) then
    perform queue._record_clock(v_now);
    v_is_repeat := true;
  end if;
  if v_is_repeat then
    with due as (
      delete from queue.clock_correction as c
      where c.again_at <= v_now
      returning c.shown, c.lead
    )
    select max(due.shown), max(due.lead) into v_shown, v_lead
    from due;
    if v_shown is null then
      return;
    end if;
    -- What was under way had read the clock shortly before it was set back.
    v_floor := greatest(v_now, v_shown - interval '1 minute');
  else
    v_lead := v_shown - v_now;
    v_floor := v_now;
    insert into queue.clock_correction (again_at, shown, lead)
    select v_now + p.pause, v_shown, v_lead
    from unnest(v_pauses) as p (pause);
  end if;
  perform pg_current_xact_id();  -- before the times that are written

  for v_queue in
    select q.name, q.kind, greatest(make_interval(secs => q.visibility_timeout), interval '1 minute') as patience
    from queue.queue as q
    where q.kind <> 'workflow'
    order by q.name
  loop
    -- The lock comes before the time is read: see _advance_ready_mark().
    execute format('lock table %s in row exclusive mode', queue._queue_table(v_queue.name));
    execute format($sql$
      with moved as materialized (
        select m.ctid,
          case
            when m.receipt is not null and m.visible_at <= $2 then $5 + $4
            else greatest(m.visible_at - $3, $5)
          end as visible_at
        from %1$s as m
        where %2$s
          and m.visible_at > $6
          and case
            when m.receipt is null then not $7 and m.visible_at <= $2 or m.enqueued_at > $1
            else m.visible_at > $1 + $4
          end
        for no key update of m skip locked
      )
      update %1$s as m
      set visible_at = moved.visible_at,
        enqueued_at = least(m.enqueued_at, $1)
      from moved
      where m.ctid = moved.ctid
    $sql$, queue._queue_table(v_queue.name), case v_queue.kind when 'fifo' then 'm.head' else 'true' end)
    using v_now, v_shown, v_lead, v_queue.patience, clock_timestamp(), v_floor, v_is_repeat;
    perform queue._wake('queue_' || v_queue.name);
  end loop;

  lock table queue.workflow_continuation in row exclusive mode;
  perform queue._correct_run_times(clock_timestamp(), v_shown, v_lead, v_floor, v_is_repeat);
  -- Events that are published from now on are not earlier than their trigger.
  update queue.definition_trigger as t
  set listening_since = v_now
  from (
    select l.definition_id, l.name
    from queue.definition_trigger as l
    where l.listening_since > v_now
    for no key update of l skip locked
  ) as ahead
  where t.definition_id = ahead.definition_id
    and t.name = ahead.name;
  if not v_is_repeat then
    -- Marks contain times that are now in the future. Without marks, the next receives read the whole index.
    delete from queue.ready_mark;
  end if;
end
$function$;

comment on function queue._correct_clock_setback() is
$comment$Corrects the times that were written while the database's clock was ahead, after it was set back.
Messages and runs that were due stay due. Leases are shortened to their remaining time, or to a minute if they had expired, so that the run of a dead worker is received again; a living worker extends them. Delays and deadlines that were written by the wrong clock are shifted by the correction. Triggers that were published by the wrong clock listen immediately.
The recorded time shows how far the clock was ahead. Transactions that were under way, and workers that had not heard of the change, commit times of the wrong clock later, and rows that were locked are left out. So the correction is repeated four times within two minutes, for rows that show such a time.
Touches: all rows with a time to come, except locked ones, in one transaction; queue.ready_mark, queue.clock_correction, queue.clock_shown; as _wake(). It is expensive and rarely needed.$comment$;
