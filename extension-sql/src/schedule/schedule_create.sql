create or replace function queue.schedule_create(
  name           text,
  workflow       text,
  cron           text default null,
  every_seconds  integer default null,
  time_zone      text default 'UTC',
  input          jsonb default null,
  version        integer default null,
  tags           jsonb default null,
  retention_days integer default null,
  jitter_seconds numeric default 0,
  catch_up       text default 'latest',
  catch_up_limit integer default null,
  grace_seconds  numeric default 60,
  overlap        text default 'allow'
)
returns text
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_now      constant timestamptz := clock_timestamp();
  v_jitter   interval;
  v_grace    interval;
  v_before   record;
  v_is_moved boolean;
  v_settings queue.queue_settings;
begin
  perform queue._ensure_migrated();
  perform queue._check_schedule(
    name, workflow, cron, every_seconds, time_zone, input, tags, jitter_seconds, catch_up, catch_up_limit,
    grace_seconds, overlap
  );
  perform queue._check_start(array[version], null, array[retention_days], null, null, null);
  v_jitter := queue._duration(jitter_seconds, 'jitter');
  v_grace := queue._duration(grace_seconds, 'grace');
  if to_regclass('queue.q___schedules') is null then
    v_settings.name := '__schedules';
    v_settings.kind := 'standard';
    v_settings.visibility_timeout := 30;
    perform queue._register_queue(v_settings);
  end if;

  insert into queue.schedule as s (
    created_at, changed_at, done_until, jitter, grace, every_seconds, workflow_version, retention_days,
    catch_up_limit, name, workflow_name, cron, time_zone, catch_up, overlap, input, tags
  )
  values (
    v_now, v_now, v_now, v_jitter, v_grace, schedule_create.every_seconds, schedule_create.version,
    schedule_create.retention_days, schedule_create.catch_up_limit, schedule_create.name, schedule_create.workflow,
    schedule_create.cron, schedule_create.time_zone, schedule_create.catch_up, schedule_create.overlap,
    schedule_create.input, schedule_create.tags
  )
  on conflict on constraint schedule_pkey do nothing;
  if found then
    perform queue._plan_tick(name, v_now);
    perform queue._record_action(
      'schedule.create', 'schedule', array[name], 'changed',
      jsonb_build_object('workflow', schedule_create.workflow, 'cron', schedule_create.cron, 'every_seconds', schedule_create.every_seconds)
    );
    return 'created';
  end if;

  select s.msg_id, s.paused_at, s.next_tick_at,
    (s.cron, s.every_seconds, s.time_zone, s.jitter)
      is distinct from (schedule_create.cron, schedule_create.every_seconds, schedule_create.time_zone, v_jitter)
      as other_ticks,
    (s.grace, s.catch_up, s.catch_up_limit)
      is distinct from (v_grace, schedule_create.catch_up, schedule_create.catch_up_limit) as other_catch_up,
    (s.workflow_name, s.workflow_version, s.retention_days, s.overlap, s.input, s.tags)
      is distinct from (
        schedule_create.workflow, schedule_create.version, schedule_create.retention_days,
        schedule_create.overlap, schedule_create.input, schedule_create.tags
      ) as other_runs
  into v_before
  from queue.schedule as s
  where s.name = schedule_create.name
  for no key update;
  if not found then
    perform queue._raise('OX010', format('schedule "%s" was deleted at the same time', name), null,
      'Create it again.');
  end if;

  v_is_moved := v_before.other_ticks or v_before.other_catch_up;
  if v_is_moved or v_before.other_runs then
    update queue.schedule as s
    set changed_at = v_now,
      -- Ticks that were due before are started by the old rule or not at all.
      done_until = case when v_before.other_ticks then v_now else s.done_until end,
      next_tick_at = case when v_before.other_ticks then null else s.next_tick_at end,
      jitter = v_jitter,
      grace = v_grace,
      every_seconds = schedule_create.every_seconds,
      workflow_version = schedule_create.version,
      retention_days = schedule_create.retention_days,
      catch_up_limit = schedule_create.catch_up_limit,
      workflow_name = schedule_create.workflow,
      cron = schedule_create.cron,
      time_zone = schedule_create.time_zone,
      catch_up = schedule_create.catch_up,
      overlap = schedule_create.overlap,
      input = schedule_create.input,
      tags = schedule_create.tags
    where s.name = schedule_create.name;
    perform queue._record_action(
      'schedule.change', 'schedule', array[name], 'changed',
      jsonb_build_object('workflow', schedule_create.workflow, 'cron', schedule_create.cron, 'every_seconds', schedule_create.every_seconds)
    );
  end if;
  if v_before.paused_at is null and (v_is_moved or v_before.msg_id is not null and not queue._has_tick(v_before.msg_id)) then
    perform queue._plan_tick(name, v_now);
  end if;
  return case when v_is_moved or v_before.other_runs then 'changed' else 'unchanged' end;
end
$function$;

comment on function queue.schedule_create(text, text, text, integer, text, jsonb, integer, jsonb, integer, numeric, text, integer, numeric, text) is
$comment$Creates a schedule, which starts a run of a workflow at each of its ticks, or changes the schedule of that name, in the caller's transaction. Tickers carry out the ticks; every worker and every server is one.
A change of cron, every_seconds, time_zone or jitter_seconds applies from the moment of the call. A paused schedule stays paused.
name: 1 to 256 characters without control characters that neither begin nor end with a space.
workflow, input, version, tags, retention_days: of the runs, as in workflow_start(). Without a version, each tick starts the highest registered one. Each run also has the tag "schedule" with the name.
cron: minute, hour, day of the month, month, day of the week, with the second before them if there are six fields; or @hourly, @daily, @weekly, @monthly, @yearly. A ticker parses it; if that fails, the schedule is paused with the reason.
every_seconds: an interval, instead of cron. Its ticks are the multiples of the interval since 1970-01-01T00:00Z.
time_zone: IANA name of the time zone of cron.
jitter_seconds: the most by which all runs of the schedule are delayed. The name determines the delay, which spreads schedules evenly.
catch_up: what happens to missed ticks: skip them; latest starts a run for the newest one; backfill starts a run for each of the newest catch_up_limit, in order.
catch_up_limit: 1 to 1000, with backfill only.
grace_seconds: a tick is missed if no ticker carries it out within this time, 10 to 86400.
overlap: allow, or skip ticks while the schedule's last run is running.
Returns created, changed or unchanged.
Errors: OX003 invalid name, OX004 invalid argument, OX008 input too large, OX010 the schedule was deleted at the same time.
Touches: queue.schedule; the table of queue __schedules, which is created with the first schedule; queue.audit.$comment$;
