create or replace function queue._record_schedule(
  name           text,
  workflow       text,
  cron           text,
  every_seconds  integer,
  time_zone      text,
  input          jsonb,
  version        integer,
  tags           jsonb,
  retention_days integer,
  jitter_seconds numeric,
  catch_up       text,
  catch_up_limit integer,
  grace_seconds  numeric,
  overlap        text
)
returns text
language plpgsql
volatile
as $function$
declare
  v_now      constant timestamptz := clock_timestamp();
  v_jitter   interval;
  v_grace    interval;
  v_before   record;
  v_is_moved boolean;
begin
  perform queue._check_schedule(
    name, workflow, cron, every_seconds, time_zone, input, tags, jitter_seconds, catch_up, catch_up_limit,
    grace_seconds, overlap
  );
  perform queue._check_start(array[version], null, array[retention_days], null, null, null);
  v_jitter := queue._duration(jitter_seconds, 'jitter');
  v_grace := queue._duration(grace_seconds, 'grace');
  perform queue._create_internal_queue('__schedules', 'standard');

  insert into queue.schedule as s (
    created_at, changed_at, done_until, jitter, grace, every_seconds, workflow_version, retention_days,
    catch_up_limit, slot, name, workflow_name, cron, time_zone, catch_up, overlap, input, tags
  )
  values (
    v_now, v_now, v_now, v_jitter, v_grace, _record_schedule.every_seconds, _record_schedule.version,
    _record_schedule.retention_days, _record_schedule.catch_up_limit, queue._schedule_slot(_record_schedule.name),
    _record_schedule.name, _record_schedule.workflow, _record_schedule.cron, _record_schedule.time_zone,
    _record_schedule.catch_up, _record_schedule.overlap, _record_schedule.input, _record_schedule.tags
  )
  on conflict on constraint schedule_pkey do nothing;
  if found then
    perform queue._plan_tick(name, v_now);
    perform queue._record_action('schedule.create', 'schedule', array[name],
      jsonb_build_object('workflow', _record_schedule.workflow, 'cron', _record_schedule.cron, 'every_seconds', _record_schedule.every_seconds));
    return 'created';
  end if;

  select s.msg_id, s.paused_at, s.next_tick_at, s.is_stopped,
    (s.cron, s.every_seconds, s.time_zone, s.jitter)
      is distinct from (_record_schedule.cron, _record_schedule.every_seconds, _record_schedule.time_zone, v_jitter)
      as other_ticks,
    (s.grace, s.catch_up, s.catch_up_limit)
      is distinct from (v_grace, _record_schedule.catch_up, _record_schedule.catch_up_limit) as other_catch_up,
    (s.workflow_name, s.workflow_version, s.retention_days, s.overlap, s.input, s.tags)
      is distinct from (
        _record_schedule.workflow, _record_schedule.version, _record_schedule.retention_days,
        _record_schedule.overlap, _record_schedule.input, _record_schedule.tags
      ) as other_runs
  into v_before
  from queue.schedule as s
  where s.name = _record_schedule.name
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
      every_seconds = _record_schedule.every_seconds,
      workflow_version = _record_schedule.version,
      retention_days = _record_schedule.retention_days,
      catch_up_limit = _record_schedule.catch_up_limit,
      workflow_name = _record_schedule.workflow,
      cron = _record_schedule.cron,
      time_zone = _record_schedule.time_zone,
      catch_up = _record_schedule.catch_up,
      overlap = _record_schedule.overlap,
      input = _record_schedule.input,
      tags = _record_schedule.tags
    where s.name = _record_schedule.name;
    perform queue._record_action('schedule.change', 'schedule', array[name],
      jsonb_build_object('workflow', _record_schedule.workflow, 'cron', _record_schedule.cron, 'every_seconds', _record_schedule.every_seconds));
  end if;
  if v_before.is_stopped then
    perform queue.schedule_resume(name);
  elsif v_before.paused_at is null and (v_is_moved or v_before.msg_id is not null and not queue._has_tick(v_before.msg_id)) then
    perform queue._plan_tick(name, v_now);
  end if;
  return case when v_is_moved or v_before.other_runs or v_before.is_stopped then 'changed' else 'unchanged' end;
end
$function$;

comment on function queue._record_schedule(text, text, text, integer, text, jsonb, integer, jsonb, integer, numeric, text, integer, numeric, text) is
$comment$Creates or changes a schedule: see schedule_create(). One that Oxbow has paused, because its ticks could not be computed, resumes; one that a person has paused stays so.
Returns created, changed or unchanged.
Errors: OX003 invalid name, OX004 invalid argument, OX008 input too large, OX010 the schedule was deleted at the same time.
Touches: queue.schedule; the table of queue __schedules, which is created with the first schedule; queue.audit.$comment$;
