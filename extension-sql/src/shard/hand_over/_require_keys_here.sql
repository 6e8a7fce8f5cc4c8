create or replace function queue._require_keys_here(name text, keys text[])
returns void
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
-- plans: index
as $function$
declare
  v_key   text;
  v_shard text;
  v_run   bigint;
begin
  select k.idempotency_key, s.name, k.run_id into v_key, v_shard, v_run
  from queue.key_elsewhere as k
  join queue.fleet_shard as s on s.shard = k.shard
  where k.workflow_name = _require_keys_here.name
    and k.idempotency_key = any (keys)
  order by k.idempotency_key
  limit 1;
  if found then
    perform queue._raise('OX029',
      format('the run of workflow "%s" with idempotency key "%s" has moved to shard "%s"', name, left(v_key, 40), v_shard),
      jsonb_build_object('runId', v_run::text, 'shard', v_shard)::text, 'Start it there, or by itself through a client of the fleet, which does.');
  end if;
end
$function$;

comment on function queue._require_keys_here(text, text[]) is
$comment$Requires that no run with one of these idempotency keys has moved to another shard. Call it after the keys are inserted: an insert waits for a move.
Errors: OX029 one has.
Touches: nothing; reads queue.key_elsewhere, queue.fleet_shard.$comment$;
