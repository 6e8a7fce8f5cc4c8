create or replace function queue._correct_clock_setback()
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
-- plans: index
as $function$
declare
  v_now   constant timestamptz := clock_timestamp();
  v_shown timestamptz;
  v_by    interval;
  v_queue record;
begin
  if current_setting('transaction_isolation') <> 'read committed'
    or not pg_try_advisory_xact_lock(hashtextextended('oxbow:clock', 0))
  then
    return;
  end if;
  select max(n.taken_at) into v_shown
  from (
    select distinct on (r.queue_name, r.part) r.taken_at
    from queue.ready_mark as r
    order by r.queue_name, r.part, r.mark_id desc
  ) as n;
  if not queue._is_clock_set_back(v_shown, v_now) then
    return;
  end if;
  v_by := v_shown - v_now;
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
          and m.visible_at > $1
          and case
            when m.receipt is null then m.visible_at <= $2 or m.enqueued_at > $1
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
    using v_now, v_shown, v_by, v_queue.patience, clock_timestamp();
    perform queue._wake('queue_' || v_queue.name);
  end loop;

  if to_regclass('queue.workflow_run') is not null then
    lock table queue.workflow_continuation in row exclusive mode;
    perform queue._correct_run_times(clock_timestamp(), v_shown);
  end if;
  -- Marks contain times that are now in the future. Without marks, the next receives read the whole index.
  delete from queue.ready_mark;
end
$function$;

comment on function queue._correct_clock_setback() is
$comment$Corrects the times that were written while the database's clock was ahead, after it was set back.
Messages and runs that were due stay due. Leases are shortened to their remaining time, or to a minute if they had expired, so that the run of a dead worker is received again; a living worker extends them. Delays and deadlines that were written by the wrong clock are shifted by the correction.
The newest marks show how far the clock was ahead; they are at most a second old where messages or runs are received.
Touches: all rows with a time to come, except locked ones, in one transaction; queue.ready_mark; as _wake(). It is expensive and rarely needed.$comment$;
