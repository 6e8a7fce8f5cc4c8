create or replace function queue.run_whereabouts(run_id bigint)
returns setof queue.run_whereabouts
language plpgsql
stable
security definer
-- plans: index
as $function$
begin
  if not queue._require_current_tables() then
    return;
  end if;
  return query
    select s.name, not exists (
      select from queue.outbox as o where o.item_id = e.item_id and o.delivered_at is null
    )
    from queue.elsewhere as e
    join queue.fleet_shard as s on s.shard = e.shard
    where e.run_id = run_whereabouts.run_id;
end
$function$;

comment on function queue.run_whereabouts(bigint) is
$comment$Returns the shard that a run has moved to from this one. If it has moved on, that shard has the next.
Returns one row; no row if the run has not left this shard, or has come back.
Errors: OX006 the tables are older than the functions.
Touches: nothing; reads queue.elsewhere, queue.outbox, queue.fleet_shard.$comment$;
