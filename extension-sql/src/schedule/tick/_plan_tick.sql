create or replace function queue._plan_tick(name text, due_at timestamptz)
returns void
language plpgsql
volatile
as $function$
declare
  v_now    constant timestamptz := clock_timestamp();
  v_body   jsonb;
  v_msg_id bigint;
begin
  perform queue._cancel_tick(_plan_tick.name);
  select jsonb_strip_nulls(jsonb_build_object(
      'schedule', s.name,
      'cron', s.cron,
      'every_seconds', s.every_seconds,
      'time_zone', s.time_zone,
      'late_by_seconds', extract(epoch from queue._jitter_of(s.name, s.jitter)),
      'grace_seconds', extract(epoch from s.grace),
      'catch_up', s.catch_up,
      'catch_up_limit', s.catch_up_limit,
      'done_until', s.done_until
    ))
  into v_body
  from queue.schedule as s
  where s.name = _plan_tick.name;

  v_msg_id := (
    queue._send_messages('__schedules', array[v_body], greatest(due_at - v_now, '0'), array[null::jsonb])
  )[1];
  update queue.schedule as s
  set msg_id = v_msg_id
  where s.name = _plan_tick.name;
end
$function$;

comment on function queue._plan_tick(text, timestamptz) is
$comment$Creates the message that is the next tick of a schedule, in place of the previous one. The message contains everything that a ticker needs.
name: of a schedule whose row the caller has locked.
due_at: when a ticker must look at the schedule.
Touches: queue.schedule, the table of queue __schedules.$comment$;
