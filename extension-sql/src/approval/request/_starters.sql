create or replace function queue._starters(run_id bigint)
returns text[]
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
-- plans: index
as $function$
begin
  return (
    with recursive origin as (
      select _starters.run_id as run_id
      union
      select o.run_id
      from origin
      join queue.workflow_run as r on r.run_id = origin.run_id
      cross join lateral (values (r.parent_run_id), (r.rerun_of)) as o (run_id)
      where o.run_id is not null
    )
    select array_agg(distinct s.started_by)
    from origin
    join queue.workflow_starter as s on s.run_id = origin.run_id
  );
end
$function$;

comment on function queue._starters(bigint) is
$comment$Returns the people who started a run, the runs that invoked it, and the runs that it repeats, as far as that is known.
Returns null if it is not.
Touches: nothing; reads queue.workflow_starter and queue.workflow_run.$comment$;
