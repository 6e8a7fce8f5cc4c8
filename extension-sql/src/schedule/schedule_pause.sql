create or replace function queue.schedule_pause(name text, reason text default null)
returns boolean
language plpgsql
volatile
security definer
as $function$
begin
  perform queue._require_own_schedule(name);
  return queue._pause_schedule(name, reason);
end
$function$;

comment on function queue.schedule_pause(text, text) is
$comment$Pauses a schedule: it starts nothing until schedule_resume(). Its runs continue. A pause that Oxbow made, because the ticks could not be computed, becomes one of the caller.
reason: shown with the schedule.
Returns true if this call paused the schedule; false if it was already paused.
Errors: OX011 no such schedule, OX028 it is at home in another shard.
Touches: queue.schedule, the table of queue __schedules; queue.audit.$comment$;
