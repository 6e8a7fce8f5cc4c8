create or replace function queue.schedule_pause(name text, reason text default null)
returns boolean
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_paused_at  timestamptz;
  v_is_stopped boolean;
begin
  perform queue._require_own_schedule(name);
  select s.paused_at, s.is_stopped into v_paused_at, v_is_stopped
  from queue.schedule as s
  where s.name = schedule_pause.name
  for no key update;
  if not found then
    perform queue._raise_schedule_not_found(name);
  end if;
  if v_paused_at is not null and not v_is_stopped then
    perform queue._record_action('schedule.pause', 'schedule', array[name], 'unchanged');
    return false;
  end if;

  perform queue._cancel_tick(name);
  update queue.schedule as s
  set paused_at = clock_timestamp(),
    pause_reason = schedule_pause.reason,
    is_stopped = false,
    next_tick_at = null
  where s.name = schedule_pause.name;
  perform queue._record_action('schedule.pause', 'schedule', array[name], 'changed', jsonb_build_object('reason', reason));
  return true;
end
$function$;

comment on function queue.schedule_pause(text, text) is
$comment$Pauses a schedule: it starts nothing until schedule_resume(). Its runs continue. A pause that Oxbow made, because the ticks could not be computed, becomes one of the caller.
reason: shown with the schedule.
Returns true if this call paused the schedule; false if it was already paused.
Errors: OX011 no such schedule, OX028 it is at home in another shard.
Touches: queue.schedule, the table of queue __schedules; queue.audit.$comment$;
