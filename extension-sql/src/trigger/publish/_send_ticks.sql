create or replace function queue._send_ticks(definition_id bigint, trigger_name text, ticks timestamptz[])
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  perform queue._send_directed(
    _send_ticks.definition_id, _send_ticks.trigger_name,
    jsonb_build_object('scheduled_at', to_char(i.tick at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'))
  )
  from unnest(ticks) with ordinality as i (tick, position)
  order by i.position;
end
$function$;

comment on function queue._send_ticks(bigint, text, timestamptz[]) is
$comment$Sends ticks of its schedule to a trigger, each as an event.
Touches: as _send_directed().$comment$;
