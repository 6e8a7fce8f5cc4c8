create or replace function queue._require_own_id(run_id bigint)
returns void
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_home constant text := queue._shard_of_id(run_id);
  v_own  text;
begin
  if v_home is null then
    return;
  end if;
  select s.name into v_own
  from queue.fleet as f
  join queue.fleet_shard as s on s.shard = f.shard;
  if v_home is distinct from v_own then
    perform queue._raise(
      'OX028',
      format('run %s is in shard "%s", not in "%s"', run_id, v_home, v_own),
      null,
      'Only signals and cancellations cross shards: call it through a client of the fleet, outside of transactions and steps of other shards.'
    );
  end if;
end
$function$;

comment on function queue._require_own_id(bigint) is
$comment$Requires that no other shard has given out the id of a run. Call it for runs that are not here.
Errors: OX028 the run is in another shard.
Touches: nothing; reads queue.fleet, queue.fleet_shard.$comment$;
