create or replace function queue._create_internal_queue(name text, kind text)
returns void
language plpgsql
volatile
as $function$
declare
  v_settings queue.queue_settings;
begin
  -- The catalog has it even if the snapshot of the transaction is older than the queue.
  if to_regclass(format('queue.%I', 'q_' || _create_internal_queue.name)) is not null then
    return;
  end if;
  v_settings.name := _create_internal_queue.name;
  v_settings.kind := _create_internal_queue.kind;
  v_settings.visibility_timeout := 30;
  perform queue._register_queue(v_settings);
end
$function$;

comment on function queue._create_internal_queue(text, text) is
$comment$Creates a queue of Oxbow, unless it exists: __schedules, whose messages are the next ticks of schedules; __topic_dead_letters and __http, which subscriptions need; __tr_<pool>.
Touches: as _register_queue().$comment$;
