create or replace function queue._route_runs(route text, slots integer[], after bigint, only_running boolean, up_to bigint)
returns table (last_run_id bigint, run_ids bigint[])
language plpgsql
stable
as $function$
declare
  v_most    constant integer := 10000;
  v_scanned bigint;
begin
  select count(*), max(r.run_id),
    array_agg(r.run_id order by r.run_id) filter (
      where (not only_running or r.status = 'running')
        and (
          num_nonnulls(_route_runs.route, _route_runs.slots) = 0
          or (_route_runs.route is null or coalesce(r.route, _route_runs.route) = _route_runs.route)
          and queue._is_of_route(r.route, r.idempotency_key, _route_runs.route, _route_runs.slots)
          and (_route_runs.route is not null or not queue._is_pinned(r.route, r.idempotency_key))
        )
    )
  into v_scanned, last_run_id, run_ids
  from (
    select i.run_id, i.status, i.route, i.idempotency_key
    from queue.workflow_run as i
    where i.run_id > after
      and (up_to is null or i.run_id <= up_to)
    order by i.run_id
    limit v_most
  ) as r;
  run_ids := coalesce(run_ids, '{}');
  if v_scanned < v_most then
    last_run_id := null;
  end if;
  return next;
end
$function$;

comment on function queue._route_runs(text, integer[], bigint, boolean, bigint) is
$comment$Looks for runs of a route, or of the routes of slots, or for all, among the next 10,000 runs of this shard.
route: null for those of the slots.
slots: null for those of the route; with both null, all runs.
after: the last run of the call before.
only_running: leaves out ended runs.
up_to: the last run that it looks at; null for any.
Returns the last run that it looked at, null after all; and the runs, in the order of their ids.
Touches: nothing; reads queue.workflow_run; as _is_pinned().$comment$;
