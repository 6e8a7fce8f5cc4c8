create or replace function queue._has_runs(name text)
returns boolean
language plpgsql
stable
-- plans: index
as $function$
begin
  return exists (
    select from queue.workflow_continuation as m where m.queue_id = queue._workflow_queue_id(_has_runs.name)
  ) or exists (
    select from queue.workflow_continuation as m where m.workflow_queue_id = queue._workflow_queue_id(_has_runs.name)
  ) or exists (
    select from queue.workflow_run as r where r.workflow_name = _has_runs.name and r.completed_at is not null
  );
end
$function$;

comment on function queue._has_runs(text) is
$comment$Returns whether a workflow has runs, in progress or ended.
Touches: nothing; reads queue.workflow_continuation, queue.workflow_run.$comment$;
