create or replace function queue._restart_schedules(timers text)
returns void
language plpgsql
volatile
as $function$
declare
  v_now      constant timestamptz := clock_timestamp();
  v_schedule record;
begin
  for v_schedule in
    select s.name
    from queue.schedule as s
    where s.msg_id is not null
    order by s.name
    for no key update
  loop
    if timers = 'hold' then
      perform queue._pause_schedule(v_schedule.name, 'held since the copy');
      continue;
    elsif timers = 'shift' then
      update queue.schedule as s
      set done_until = greatest(s.done_until, v_now),
        next_tick_at = null
      where s.name = v_schedule.name;
    end if;
    -- A new message, so that a ticker of the source cannot report.
    perform queue._plan_tick(v_schedule.name, v_now);
  end loop;
end
$function$;

comment on function queue._restart_schedules(text) is
$comment$Plans the ticks of all schedules of a copy again, so that no ticker of the source can carry them out.
timers: as in release_incarnation().
Touches: queue.schedule, the table of queue __schedules; queue.audit.$comment$;
