create or replace function queue.drain_runs(
  others       text,
  after        bigint default 0,
  only_running boolean default false,
  ends_leases  boolean default false,
  max_runs     integer default 25,
  up_to        bigint default null
)
returns queue.route_handover
language plpgsql
volatile
security definer
-- A run that is locked is taken at the next pass.
set lock_timeout = '100ms'
as $function$
declare
  v_others   constant smallint := queue._require_shard(others);
  v_found    record;
  v_run_ids  bigint[];
  v_shards   smallint[];
  v_handover queue.route_handover;
begin
  select r.last_run_id, r.run_ids, r.newest_run_id into v_found
  from queue._next_runs(null, null, after, only_running, max_runs, up_to) as r;
  if exists (select from queue.fleet as f where f.shard = v_others) then
    perform queue._raise('OX004', format('"%s" is this shard', others), null, 'Give the name of another shard of the fleet.');
  end if;
  with departing as (
    -- Without a route, a key leads to the run.
    select r.run_id, coalesce(r.route, queue._route_of(r.idempotency_key)) as route
    from queue.workflow_run as r
    where r.run_id = any (v_found.run_ids)
  )
  select coalesce(array_agg(d.run_id order by d.run_id), '{}'),
    coalesce(array_agg(coalesce(h.shard, v_others) order by d.run_id), '{}')
  into v_run_ids, v_shards
  from departing as d
  cross join queue.fleet as f
  left join queue._homes_of(array(select i.route from departing as i)) as h on h.route = d.route
  -- Skips routes that have come here since.
  where coalesce(h.shard, v_others) <> f.shard;
  v_handover := queue._hand_over_runs(v_run_ids, v_shards, coalesce(ends_leases, false));
  v_handover.last_run_id := v_found.last_run_id;
  v_handover.newest_run_id := v_found.newest_run_id;
  return v_handover;
end
$function$;

comment on function queue.drain_runs(text, bigint, boolean, boolean, integer, bigint) is
$comment$Moves the runs of this shard to the shards where their routes are at home, and runs without a route or an idempotency key to a given one, as hand_over_run() moves one. Runs whose routes are at home here stay: move the routes first. Call it again and again, from the first run, until it finds no run that can move.
others: name of the shard for runs without a home.
after, only_running, ends_leases, max_runs, up_to: as in hand_over_route().
Returns what it has done.
Errors: OX004 invalid argument; OX028 this database is held as a copy.
Touches: as hand_over_run(), without the audit.$comment$;
