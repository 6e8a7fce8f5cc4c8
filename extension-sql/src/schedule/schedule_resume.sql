create or replace function queue.schedule_resume(name text)
returns boolean
language plpgsql
volatile
security definer
as $function$
declare
  v_now       constant timestamptz := clock_timestamp();
  v_paused_at timestamptz;
begin
  perform queue._require_own_schedule(name);
  select s.paused_at into v_paused_at
  from queue.schedule as s
  where s.name = schedule_resume.name
  for no key update;
  if not found then
    perform queue._raise_schedule_not_found(name);
  end if;
  if v_paused_at is null then
    perform queue._record_action('schedule.resume', 'schedule', array[name], changed => false);
    return false;
  end if;

  update queue.schedule as s
  set paused_at = null,
    pause_reason = null,
    is_stopped = false,
    done_until = v_now
  where s.name = schedule_resume.name;
  perform queue._plan_tick(name, v_now);
  perform queue._record_action('schedule.resume', 'schedule', array[name]);
  return true;
end
$function$;

comment on function queue.schedule_resume(text) is
$comment$Resumes a paused schedule with the first tick from now on. Ticks during the pause are not missed ticks and start nothing.
Returns true if this call resumed the schedule; false if it was not paused.
Errors: OX011 no such schedule, OX028 it is at home in another shard.
Touches: queue.schedule, the table of queue __schedules; queue.audit.$comment$;
