create or replace function queue._create_topic_queues(target_type text)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_settings queue.queue_settings;
begin
  v_settings.visibility_timeout := 30;
  if to_regclass('queue.q___topic_dead_letters') is null then
    v_settings.name := '__topic_dead_letters';
    v_settings.kind := 'standard';
    perform queue._register_queue(v_settings);
  end if;
  if target_type = 'http' and to_regclass('queue.q___http') is null then
    v_settings.name := '__http';
    v_settings.kind := 'fifo';
    perform queue._register_queue(v_settings);
  end if;
end
$function$;

comment on function queue._create_topic_queues(text) is
$comment$Creates the queues that subscriptions need: __topic_dead_letters, and __http for deliveries to urls.
target_type: of the subscription.
Touches: as _register_queue().$comment$;
