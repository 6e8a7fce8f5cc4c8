create or replace function queue.release_incarnation(mode text, timers text default 'fire')
returns queue.released_incarnation
language plpgsql
volatile
security definer
as $function$
declare
  v_copied_at timestamptz;
  v_guarded   boolean;
  v_result    queue.released_incarnation;
begin
  perform queue._ensure_migrated();
  if (mode in ('live', 'sandbox')) is not true then
    perform queue._raise('OX004', format('invalid mode "%s"', mode), null,
      'The mode is "sandbox", which captures deliveries to urls, or "live".');
  elsif (timers in ('fire', 'shift', 'hold')) is not true then
    perform queue._raise('OX004', format('invalid timers "%s"', timers), null,
      'Timers "fire" when they are due, "shift" by the time since the copy, or "hold" until their run is resumed.');
  end if;
  v_result.released := queue._must_hold(true);
  if not v_result.released then
    return v_result;
  end if;

  -- Concurrent releases wait here. The transaction id comes before the clock: see _advance_ready_mark().
  perform pg_current_xact_id();
  lock table queue.own_incarnation in share row exclusive mode;
  lock table queue.workflow_continuation in row exclusive mode;
  select i.copied_at, i.guarded_timeline is not null into v_copied_at, v_guarded
  from queue.own_incarnation as i
  where i.state = 'held';
  if not found and exists (select from queue.own_incarnation) then
    v_result.released := false;
    return v_result;
  end if;
  -- Otherwise it has a history up to the latest start, end or step.
  v_copied_at := coalesce(
    v_copied_at,
    greatest(
      (select greatest(max(r.started_at), max(r.completed_at)) from queue.workflow_run as r),
      -- Runs that have ended did so after their last step. One lookup per run in flight, whatever the statistics are.
      (
        select max(s.completed_at)
        from queue.workflow_continuation as m
        cross join lateral (
          select o.completed_at from queue.workflow_step as o where o.run_id = m.msg_id offset 0
        ) as s
      )
    ),
    clock_timestamp()
  );

  if mode = 'sandbox' then
    perform queue._stop_departing(array(select d.run_id from queue.departing as d));
    perform queue._resume_group(l.queue_name, l.message_group_id) from queue.leaving_group as l;
  end if;
  v_result.leases := queue._revoke_leases(v_copied_at);
  v_result.timers := case timers
    when 'shift' then queue._shift_timers(clock_timestamp() - v_copied_at, v_copied_at)
    when 'hold' then queue._pause_timed_runs(v_copied_at)
    else 0
  end;
  v_result.timers := v_result.timers + queue._spread_overdue();
  perform queue._restart_schedules(timers);
  v_result.captured := case when mode = 'sandbox' then queue._capture_deliveries() else 0 end;
  if mode = 'sandbox' then
    -- Their urls lead to functions of the source.
    update queue.endpoint as e
    set paused_at = clock_timestamp(), check_at = null
    where e.paused_at is null;
  end if;
  v_result.incarnation_id := gen_random_uuid();

  delete from queue.own_incarnation as i
  where i.is_the_only_one
  returning i.incarnation_id into v_result.incarnation_id;
  insert into queue.own_incarnation (
    became_at, copied_at, system_identifier, written_by, incarnation_id, parent_id, database_oid, table_oid,
    server_version, state, origin, guarded_timeline
  )
  select clock_timestamp(), v_copied_at, c.system_identifier, pg_current_xact_id(), gen_random_uuid(),
    v_result.incarnation_id, split_part(pg_relation_filepath('queue.own_incarnation'), '/', -2)::oid,
    'queue.own_incarnation'::regclass::oid, current_setting('server_version_num')::integer, mode,
    'released by ' || queue._caller(), case when v_guarded then queue._wal_timeline() end
  from pg_control_system() as c
  returning incarnation_id into v_result.incarnation_id;

  -- Routes and ids lead to the source of a sandbox, which is therefore no shard. A live database is what they lead to now.
  if mode = 'sandbox' then
    delete from queue.fleet;
    delete from queue.fleet_shard;
    delete from queue.outbox;
    delete from queue.accepted;
    delete from queue.elsewhere;
    delete from queue.key_elsewhere;
    delete from queue.fleet_pin;
    delete from queue.fleet_slot;
    delete from queue.leaving_home;
    delete from queue.group_elsewhere;
    perform queue._mark_fleet(false);
  end if;
  -- A database that takes over may lack ids that its source has given out since.
  if mode = 'live' then
    perform queue._advance_ids();
  end if;
  perform queue._wake('queue_' || q.name) from queue.queue as q;
  perform queue._record_action('database.release', 'database', array[current_database()],
    jsonb_build_object('mode', mode, 'timers', timers, 'incarnation_id', v_result.incarnation_id));
  return v_result;
end
$function$;

comment on function queue.release_incarnation(text, text) is
$comment$Releases a held database under a new identity. Leases that came with the copy are dead: their runs and messages can be received again immediately, and the interrupted deliveries do not count. Messages that were postponed for longer than a lease stay postponed. If more than 1000 runs are due, they become ready one by one within a minute.
mode: live, or sandbox, which captures deliveries to urls instead of sending them, including the copied ones: see captured_deliveries(). A sandbox also pauses all endpoints, so that it pushes no run to functions of its source; resume the ones you want, or add others.
timers: what happens to sleeps, timeouts, retries, delayed starts and schedules.
- fire: each timer fires at its time, or now if that has passed; schedules catch up by their settings.
- shift: all timers, deadlines of runs, delayed messages and used-up rates are postponed by the time since the copy was made, or since the last event in its history if that is unknown. Schedules continue with their next tick.
- hold: runs with a timer and all schedules are paused; resume the ones you want. Messages are unaffected.
A live database that was a shard of a fleet is that shard still, as for a restored backup; a sandbox leaves the fleet, and all its runs stay.
Returns what it did; released is false if the database was not held, and then nothing was done.
Errors: OX004 invalid argument.
Touches: queue.own_incarnation, locked against other releases; queue.workflow_continuation, queue.workflow_run, queue.workflow_admission, queue.workflow_gate, queue.schedule, queue.deduplication, queue.subscription, queue.endpoint; the tables of all queues; queue.captured_delivery; queue.fleet, queue.fleet_shard, queue.outbox, queue.accepted, queue.elsewhere, queue.key_elsewhere, queue.fleet_pin, queue.fleet_slot, queue.leaving_home, queue.departing; queue.audit.$comment$;
