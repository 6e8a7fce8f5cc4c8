create or replace function queue._hand_over_home(route text, slots integer[], target smallint, after bigint)
returns bigint
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_most    constant integer := 10000;
  v_scanned integer;
  v_last    bigint;
  v_epoch   bigint;
  v_leaves  boolean;
begin
  perform queue._await_starts(_hand_over_home.slots);
  v_leaves := not exists (select from queue.fleet as f where f.shard = target);
  select count(*), max(r.run_id) into v_scanned, v_last
  from (
    select i.run_id
    from queue.workflow_run as i
    where i.run_id > after
    order by i.run_id
    limit v_most
  ) as r;
  if v_leaves and v_scanned = v_most then
    perform queue._send_keys(route, _hand_over_home.slots, target, after, v_last);
    return v_last;
  end if;

  -- Few are left: starts wait for them.
  perform queue._lock_slots(_hand_over_home.slots);
  if v_leaves then
    perform queue._send_keys(route, _hand_over_home.slots, target, after, null);
  end if;
  update queue.fleet as f
  set epoch = f.epoch + 1
  returning f.epoch into v_epoch;
  perform queue._set_home(route, _hand_over_home.slots, target, v_epoch);
  perform queue._send_item(s.shard, 'home', null, jsonb_strip_nulls(jsonb_build_object(
    'route', _hand_over_home.route, 'slots', case when _hand_over_home.route is null then to_jsonb(_hand_over_home.slots) end,
    'shard', target, 'epoch', v_epoch
  )))
  from queue.fleet as f
  join queue.fleet_shard as s on s.shard <> f.shard
  order by s.shard;
  return null;
end
$function$;

comment on function queue._hand_over_home(text, integer[], smallint, bigint) is
$comment$Makes a shard the home of a route, or of the routes of slots, which are at home here: keys go first, thousands at a call, then this shard's copy of the map changes, and the others learn it by the outbox.
route: null for those of the slots.
slots: that of the route, or those that move.
target: number of the shard; that of this one pins a route that is here.
after: the last run whose key was sent.
Returns the same of this call; null after the last, when the home has changed.
Errors: 55P03 a transaction that has started a run with such a route stays open for longer than 50 ms: repeat the call.
Touches: advisory locks of slots; queue.fleet, as _set_home(), _send_keys() and _send_item().$comment$;
