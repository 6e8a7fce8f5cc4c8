create or replace function queue._pause_schedule(name text, reason text)
returns boolean
language plpgsql
volatile
as $function$
declare
  v_paused_at  timestamptz;
  v_is_stopped boolean;
begin
  select s.paused_at, s.is_stopped into v_paused_at, v_is_stopped
  from queue.schedule as s
  where s.name = _pause_schedule.name
  for no key update;
  if not found then
    perform queue._raise_schedule_not_found(name);
  end if;
  if v_paused_at is not null and not v_is_stopped then
    perform queue._record_action('schedule.pause', 'schedule', array[name], changed => false);
    return false;
  end if;

  perform queue._cancel_tick(name);
  update queue.schedule as s
  set paused_at = clock_timestamp(),
    pause_reason = _pause_schedule.reason,
    is_stopped = false,
    next_tick_at = null
  where s.name = _pause_schedule.name;
  perform queue._record_action('schedule.pause', 'schedule', array[name], jsonb_build_object('reason', reason));
  return true;
end
$function$;

comment on function queue._pause_schedule(text, text) is
$comment$Pauses a schedule that is in this shard, for schedule_pause(), and for the release of a copy, whose schedules may be at home elsewhere.
Returns as schedule_pause().
Errors: OX011 no such schedule.
Touches: as schedule_pause().$comment$;
