create or replace function queue._create_schedule_queue()
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_settings queue.queue_settings;
begin
  if to_regclass('queue.q___schedules') is not null then
    return;
  end if;
  v_settings.name := '__schedules';
  v_settings.kind := 'standard';
  v_settings.visibility_timeout := 30;
  perform queue._register_queue(v_settings);
end
$function$;

comment on function queue._create_schedule_queue() is
$comment$Creates queue __schedules, whose messages are the next ticks of schedules, unless it exists.
Touches: as create_queue().$comment$;
