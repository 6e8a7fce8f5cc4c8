create or replace function queue._require_keys_here(name text, keys text[])
returns void
language plpgsql
stable
-- plans: index
as $function$
declare
  v_key   text;
  v_shard text;
  v_run   bigint;
  v_most  constant integer := 1000;
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
      (
        jsonb_build_object('runId', v_run::text, 'shard', v_shard)
        -- A client of the fleet starts these apart from the others of the batch.
        || case
          when cardinality(keys) > 1 then
            jsonb_build_object('keys', array(
              select k.idempotency_key
              from queue.key_elsewhere as k
              where k.workflow_name = _require_keys_here.name
                and k.idempotency_key = any (keys)
              order by k.idempotency_key
              limit v_most
            ))
          else '{}'
        end
      )::text,
      'Start it there, or through a client of the fleet, which does.');
  end if;
end
$function$;

comment on function queue._require_keys_here(text, text[]) is
$comment$Requires that no run with one of these idempotency keys has moved to another shard. Call it after the keys are inserted: an insert waits for a move.
Errors: OX029 one has; of a batch, with up to 1,000 such keys.
Touches: nothing; reads queue.key_elsewhere, queue.fleet_shard.$comment$;
