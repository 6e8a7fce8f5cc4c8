create or replace function queue.schedule_tick(
  receipt      bigint,
  ticks        timestamptz[],
  next_tick_at timestamptz,
  problem      text default null
)
returns queue.ticked_schedule
language plpgsql
volatile
security definer
as $function$
declare
  v_now      constant timestamptz := clock_timestamp();
  v_queue    constant queue.queue_settings := queue._internal_queue('__schedules');
  v_count    constant integer := coalesce(cardinality(ticks), 0);
  v_last     constant timestamptz := ticks[cardinality(ticks)];
  v_schedule record;
  v_is_held  boolean;
  v_starts   timestamptz[] := coalesce(ticks, '{}');
  v_route    text;
  v_key      text;
  v_result   queue.ticked_schedule;
begin
  if queue._hand_over_due_schedule(schedule_tick.receipt) then
    v_result.outcome := 'lost';
    return v_result;
  end if;
  -- Locked first, as by all transactions that change a schedule, except for its home.
  select s.name, s.definition_id, s.trigger_name, s.workflow_name, s.workflow_version, s.retention_days, s.input, s.overlap, s.done_until,
    queue._jitter_of(s.name, s.jitter) as jitter,
    coalesce(s.tags, '{}') || jsonb_build_object('schedule', s.name) as tags,
    array[s.last_run_id, s.earlier_run_id] as last_runs
  into v_schedule
  from queue.schedule as s
  where s.msg_id = queue._receipt_msg_id(schedule_tick.receipt)
  for no key update;
  v_is_held := cardinality(queue._delete_messages(v_queue, array[schedule_tick.receipt], null)) > 0;
  if not v_is_held or v_schedule.name is null then
    v_result.outcome := 'lost';
    return v_result;
  end if;

  problem := coalesce(problem, queue._start_refusal(v_schedule.workflow_name, v_schedule.workflow_version) ->> 'message');
  if problem is not null then
    update queue.schedule as s
    set msg_id = null,
      next_tick_at = null,
      paused_at = v_now,
      pause_reason = left(schedule_tick.problem, 1000),
      is_stopped = true
    where s.name = v_schedule.name;
    v_result.outcome := 'ok';
    v_result.run_ids := '{}';
    return v_result;
  end if;
  perform queue._check_ticks(v_schedule.name, ticks, next_tick_at, v_schedule.done_until, v_now - v_schedule.jitter);

  if v_schedule.overlap = 'skip' then
    v_starts := case
      when v_count = 0 or queue._unended_run(v_schedule.overlap, v_schedule.last_runs) is not null then '{}'
      else array[v_last]
    end;
  end if;
  if v_schedule.definition_id is not null then
    perform queue._send_directed(
      v_schedule.definition_id, v_schedule.trigger_name,
      jsonb_build_object('scheduled_at', to_char(i.tick at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'))
    )
    from unnest(v_starts) with ordinality as i (tick, position)
    order by i.position;
    v_result.run_ids := array_fill(null::bigint, array[v_count]);
  elsif cardinality(v_starts) > 0 then
    v_route := queue._run_route(v_schedule.name);
    v_key := case
      when v_route is null then 'schedule:' || v_schedule.name
      else format('%s/schedule:%s', v_route, substr(v_schedule.name, length(v_route) + 1))
    end;
    with started as (
      select i.tick, r.run_id, r.created
      from queue.workflow_start_batch(
          v_schedule.workflow_name,
          array_fill(v_schedule.input, array[cardinality(v_starts)]),
          array_fill(v_schedule.workflow_version, array[cardinality(v_starts)]),
          -- Exactly one run per tick, whatever happens to schedules, messages and tickers.
          array(
            select v_key || to_char(t.tick at time zone 'UTC', '":"YYYY-MM-DD"T"HH24:MI:SS"Z"')
            from unnest(v_starts) with ordinality as t (tick, position)
            order by t.position
          ),
          array_fill(v_schedule.retention_days, array[cardinality(v_starts)]),
          tags => array_fill(v_schedule.tags, array[cardinality(v_starts)]),
          routes => case when v_route is not null then array_fill(v_route, array[cardinality(v_starts)]) end
        ) with ordinality as r (run_id, created, status, receipt, started_at, deadline, position)
      join unnest(v_starts) with ordinality as i (tick, position) using (position)
    )
    select array_agg(started.run_id order by t.position) into v_result.run_ids
    from unnest(ticks) with ordinality as t (tick, position)
    left join started on started.tick = t.tick;

    update queue.workflow_run as r
    set scheduled_at = t.tick
    from unnest(ticks, v_result.run_ids) as t (tick, run_id)
    where r.run_id = t.run_id
      and r.scheduled_at is null;
  else
    v_result.run_ids := array_fill(null::bigint, array[v_count]);
  end if;

  update queue.schedule as s
  set msg_id = null,
    next_tick_at = schedule_tick.next_tick_at,
    done_until = coalesce(v_last, s.done_until),
    last_tick_at = coalesce(v_last, s.last_tick_at),
    last_run_id = coalesce(
      (
        select i.run_id
        from unnest(v_result.run_ids) with ordinality as i (run_id, position)
        where i.run_id is not null
        order by i.position desc
        limit 1
      ),
      s.last_run_id
    )
  where s.name = v_schedule.name;
  if next_tick_at is not null then
    perform queue._plan_tick(v_schedule.name, next_tick_at + v_schedule.jitter);
  end if;
  v_result.outcome := 'ok';
  return v_result;
end
$function$;

comment on function queue.schedule_tick(bigint, timestamptz[], timestamptz, text) is
$comment$For tickers: carries out ticks of a schedule and plans the next one, in one transaction. A ticker receives messages of queue __schedules with schedule_receive(). Each message describes its schedule: cron or every_seconds, time_zone, late_by_seconds, grace_seconds, catch_up, catch_up_limit, done_until. The due ticks are those after done_until and up to the time of the delivery minus late_by_seconds, except for ticks that catch_up leaves out. The time of the delivery is visible_at minus the visibility timeout; the ticker's clock is not used.
receipt: of the delivery.
ticks: whole seconds, ascending, at most 1000.
next_tick_at: the first later tick to carry out, which may have passed; null after the last one.
problem: why the ticks cannot be computed; pauses the schedule with this reason, until schedule_create() or a publication writes it again. So does a definition that is archived, or has no such version.
Returns ok with the run of each tick, null for a tick that overlap skipped and for one of a trigger of a definition, which is an event of the trigger; or lost, which started nothing: another ticker has the message, or the schedule was changed, paused, deleted, or is not at home in this shard.
Errors: OX001 no schedule was ever created, OX004 a tick is not due, already done, or out of order.
Touches: as _hand_over_due_schedule(); queue.schedule, the table of queue __schedules; as workflow_start_batch(), or _send_directed().$comment$;
