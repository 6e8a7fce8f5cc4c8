create or replace function queue._ask_back(run_ids bigint[], target smallint)
returns boolean
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  insert into queue.departing (run_id, shard, is_paused)
  select f.run_id, target, queue._pause_run(f.run_id, format('It moves to shard "%s".', s.name))
  from unnest(run_ids) as f (run_id)
  join queue.fleet_shard as s on s.shard = target
  where not exists (
    select from queue.departing as d where d.run_id = f.run_id and d.shard = target
  )
  on conflict on constraint departing_pkey do update
  set shard = excluded.shard,
    is_paused = departing.is_paused or excluded.is_paused;
  return found;
end
$function$;

comment on function queue._ask_back(bigint[], smallint) is
$comment$Asks the workers that execute runs to give them back at their next commit, by a pause. Then outbox_pending() moves them.
run_ids: locked.
target: number of the shard that they move to.
Returns whether it has asked for one that was not asked for before.
Touches: queue.departing; as _pause_run().$comment$;
