create or replace function queue._ask_back(run_ids bigint[], target smallint)
returns boolean
language plpgsql
volatile
as $function$
declare
  v_is_turned boolean;
begin
  update queue.departing as d
  set shard = target
  where d.run_id = any (run_ids)
    and d.shard <> target;
  v_is_turned := found;
  insert into queue.departing (run_id, shard, is_paused)
  select f.run_id, target, queue._pause_run(f.run_id, format('It moves to shard "%s".', s.name))
  from unnest(run_ids) as f (run_id)
  join queue.fleet_shard as s on s.shard = target
  where not exists (
    select from queue.departing as d where d.run_id = f.run_id
  );
  return found or v_is_turned;
end
$function$;

comment on function queue._ask_back(bigint[], smallint) is
$comment$Asks the workers that execute runs to give them back at their next commit, by a pause. Then outbox_pending() moves them.
run_ids: locked.
target: number of the shard that they move to.
Returns whether it has asked for one that was not asked for before, or for another shard.
Touches: queue.departing; as _pause_run().$comment$;
