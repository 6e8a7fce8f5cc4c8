create or replace function queue.schedule_trigger(name text)
returns queue.started_run
language plpgsql
volatile
security definer
as $function$
declare
  v_now      constant timestamptz := clock_timestamp();
  v_schedule record;
  v_started  queue.started_run;
begin
  perform queue._require_own_schedule(name);
  select s.workflow_name, s.input, s.workflow_version, s.retention_days, s.tags
  into v_schedule
  from queue.schedule as s
  where s.name = schedule_trigger.name
  for no key update;
  if not found then
    perform queue._raise_schedule_not_found(name);
  end if;
  perform queue._require_free_schedule(name);

  v_started := queue.workflow_start(
    v_schedule.workflow_name,
    v_schedule.input,
    version => v_schedule.workflow_version,
    retention_days => v_schedule.retention_days,
    tags => coalesce(v_schedule.tags, '{}') || jsonb_build_object('schedule', schedule_trigger.name),
    route => queue._run_route(name)
  );
  update queue.workflow_run as r
  set scheduled_at = v_now
  where r.run_id = v_started.run_id;
  update queue.schedule as s
  set last_run_id = v_started.run_id,
    -- The new run may end before the one of a tick. That stays until it ends, however often the schedule is triggered.
    earlier_run_id = coalesce(
      queue._unended_run('skip', array[s.earlier_run_id]), queue._unended_run('skip', array[s.last_run_id])
    )
  where s.name = schedule_trigger.name;
  perform queue._record_action('schedule.trigger', 'schedule', array[name],
    jsonb_build_object('run_id', v_started.run_id::text));
  return v_started;
end
$function$;

comment on function queue.schedule_trigger(text) is
$comment$Starts a run of a schedule immediately, in the caller's transaction, even if it is paused, and regardless of overlap. Its ticks stay as they are planned; one that overlap skips waits for this run, and for the one that was running before it.
Returns the run.
Errors: OX004 it belongs to a trigger of a definition, OX011 no such schedule, OX028 it is at home in another shard.
Touches: queue.schedule; as workflow_start(); queue.audit.$comment$;
