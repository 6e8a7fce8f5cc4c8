create or replace function queue._raise_run_not_found(run_id bigint)
returns void
language plpgsql
volatile
as $function$
declare
  v_home text;
  v_own  text;
begin
  perform queue._raise_if_moved(run_id);
  if exists (select from queue.workflow_run as r where r.run_id = _raise_run_not_found.run_id) then
    perform queue._raise('40001', format('run %s has just come back from another shard', run_id), null, 'Repeat the call.');
  end if;
  select s.name, o.name into v_home, v_own
  from queue.fleet_shard as s
  join queue.fleet as f on f.shard <> s.shard
  join queue.fleet_shard as o on o.shard = f.shard
  where (run_id >> 36) = any (s.blocks);
  if found then
    perform queue._raise('OX028', format('run %s is in shard "%s", not in "%s"', run_id, v_home, v_own), null,
      'Only signals and cancellations cross shards: call it through a client of the fleet, outside of transactions and steps of other shards.');
  end if;
  perform queue._raise('OX005', format('run %s does not exist', coalesce(run_id::text, 'null')), null,
    'Check the run id. An ended run is deleted when its retention is over.');
end
$function$;

comment on function queue._raise_run_not_found(bigint) is
$comment$Raises OX005 for a run that the caller hasn't found.
Errors: OX028 the run is in another shard, OX029 it has moved to one, 40001 it has come back since; otherwise OX005.
Touches: nothing; reads queue.workflow_run, queue.fleet, queue.fleet_shard, queue.elsewhere.$comment$;
