create or replace function queue.schedule_next_tick_at()
returns timestamptz
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  if to_regclass('queue.q___schedules') is null then
    return null;
  end if;
  return queue.next_visible_at('__schedules');
end
$function$;

comment on function queue.schedule_next_tick_at() is
$comment$When a ticker is to look at a schedule next, so that one without any schedule need not wait for messages of the queue __schedules.
Returns a time that may have passed; null when there is no schedule, or none that goes on.
Touches: nothing; as next_visible_at().$comment$;
