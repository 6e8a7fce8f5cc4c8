create or replace function queue._accept_home(body jsonb)
returns text
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_epoch constant bigint := (body ->> 'epoch')::bigint;
begin
  update queue.fleet as f
  set epoch = v_epoch
  where f.epoch < v_epoch;
  perform queue._set_home(
    body ->> 'route',
    array(select s.slot::integer from jsonb_array_elements_text(body -> 'slots') as s (slot)),
    (body ->> 'shard')::smallint,
    v_epoch
  );
  -- One of these may be on its way from another shard.
  perform queue._set_home(p.pin ->> 0, null, (p.pin ->> 1)::smallint, (p.pin ->> 2)::bigint)
  from jsonb_array_elements(body -> 'pins') as p (pin);
  return 'ok';
end
$function$;

comment on function queue._accept_home(jsonb) is
$comment$Notes that another shard has given a route, or slots, to this one or to a third.
body: as _hand_over_home() writes it.
Returns ok.
Touches: queue.fleet; as _set_home().$comment$;
