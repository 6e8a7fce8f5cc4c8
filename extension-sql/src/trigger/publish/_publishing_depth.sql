create or replace function queue._publishing_depth(out depth integer, out ends integer)
language plpgsql
stable
-- plans: index
as $function$
declare
  v_run_id constant bigint := nullif(current_setting('oxbow.publishing_run', true), '')::bigint;
begin
  depth := 0;
  ends := 0;
  if v_run_id is null then
    return;
  end if;
  with recursive ancestor (run_id) as (
    select v_run_id
    union
    select r.parent_run_id
    from ancestor as a
    join queue.workflow_run as r on r.run_id = a.run_id
    where r.parent_run_id is not null
  )
  select coalesce(max(t.depth), 0), coalesce(max(t.ends), 0) into depth, ends
  from ancestor as a
  join queue.triggered_run as t on t.run_id = a.run_id;
end
$function$;

comment on function queue._publishing_depth() is
$comment$Returns what led to what the current run publishes: the run that setting oxbow.publishing_run names, or those that started it.
depth: how many runs that triggers started. ends: how many of these were started by the end of a run.
Returns zeros outside of runs.
Touches: nothing; reads queue.triggered_run, queue.workflow_run.$comment$;
