create or replace function queue.schedule_next_tick_at()
returns timestamptz
language plpgsql
volatile
security definer
as $function$
begin
  if to_regclass('queue.q___schedules') is null then
    return null;
  end if;
  return queue.next_visible_at('__schedules');
end
$function$;

comment on function queue.schedule_next_tick_at() is
$comment$Returns when a ticker must look at a schedule next. Without any schedule, a ticker need not wait for messages of queue __schedules.
Returns a time, which may have passed; null if no schedule exists, or all are paused or finished.
Touches: nothing; as next_visible_at().$comment$;
