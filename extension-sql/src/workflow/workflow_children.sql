create or replace function queue.workflow_children(
  run_id   bigint,
  after    bigint default 0,
  max_runs integer default 1000
)
returns setof queue.workflow_child
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  perform queue._check_tables();
  perform queue._check_page(max_runs);
  return query
    select r.run_id, r.workflow_name, r.workflow_version, r.status::text, r.parent_step,
      coalesce(r.is_detached, false), r.started_at, r.completed_at
    from queue.workflow_run as r
    where r.parent_run_id = workflow_children.run_id
      and r.run_id > coalesce(workflow_children.after, 0)
    order by r.run_id
    limit workflow_children.max_runs;
end
$function$;

comment on function queue.workflow_children(bigint, bigint, integer) is
$comment$The runs that steps of a run have started, oldest first.
run_id: of the parent. after: the run id that the page before ended with; 0 is the first page. max_runs: most rows, to 10000.
Returns one row a run that is still kept, with the name of the step; none when there are none, or no such parent.
Errors: OX004 invalid argument.
Touches: nothing; reads queue.workflow_run.$comment$;
