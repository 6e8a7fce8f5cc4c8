create or replace function queue._publishing_depth()
returns integer
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
-- plans: index
as $function$
declare
  v_run_id constant bigint := nullif(current_setting('oxbow.publishing_run', true), '')::bigint;
begin
  if v_run_id is null then
    return 0;
  end if;
  return coalesce(
    (
      with recursive ancestor (run_id) as (
        select v_run_id
        union
        select r.parent_run_id
        from ancestor as a
        join queue.workflow_run as r on r.run_id = a.run_id
        where r.parent_run_id is not null
      )
      select max(t.depth)
      from ancestor as a
      join queue.triggered_run as t on t.run_id = a.run_id
    ),
    0
  );
end
$function$;

comment on function queue._publishing_depth() is
$comment$Returns how many runs that triggers started led to what the current run publishes: of the run that setting oxbow.publishing_run names, or of the run that started it.
Returns 0 outside of runs.
Touches: nothing; reads queue.triggered_run, queue.workflow_run.$comment$;
