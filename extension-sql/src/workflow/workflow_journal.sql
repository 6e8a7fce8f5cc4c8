create or replace function queue.workflow_journal(
  run_id    bigint,
  after     integer default 0,
  max_steps integer default null
)
returns setof queue.workflow_journal_entry
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_has_failures boolean;
begin
  perform queue._require_current_tables();
  v_has_failures := exists (
    select from queue.workflow_failed_attempt as f where f.run_id = workflow_journal.run_id
  );
  return query
    select s.step_name, s.kind, s.attempts, s.output, s.error, s.started_at, s.completed_at, s.position,
      case when v_has_failures then queue._failed_attempts(s.run_id, s.step_name) end
    from queue.workflow_step as s
    where s.run_id = workflow_journal.run_id
      and s.position > coalesce(workflow_journal.after, 0)
    order by s.position
    limit max_steps;
end
$function$;

comment on function queue.workflow_journal(bigint, integer, integer) is
$comment$The journal of a run, in order.
after: position of the last row that the caller has; 0 is from the beginning. Rows don't move, so this is a cursor that holds while the run goes on. max_steps: most rows to return; null is all.
Returns one row a finished step; none when there are none, or no such run. failures: what earlier calls of the step failed by, [{"attempt", "failed_at", "error"}], the first 10 and the last 90; null when the first call decided.
Touches: nothing; reads queue.workflow_step and queue.workflow_failed_attempt.$comment$;
