create or replace function queue.workflow_journal(
  run_id    bigint,
  after     integer default 0,
  max_steps integer default null
)
returns setof queue.workflow_journal_entry
language plpgsql
stable
security definer
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
      case when v_has_failures then queue._failed_attempts(s.run_id, s.step_name) end, s.decisions
    from queue.workflow_step as s
    where s.run_id = workflow_journal.run_id
      and s.position > coalesce(workflow_journal.after, 0)
    order by s.position
    limit max_steps;
end
$function$;

comment on function queue.workflow_journal(bigint, integer, integer) is
$comment$Returns the journal of a run, in order.
after: position of the last row that the caller has; 0 for the beginning. Rows never move, so this cursor stays valid while the run continues.
max_steps: size of the page; null returns all rows.
Returns one row per finished step; no rows if there is no step yet, or no such run. failures: errors of earlier calls of the step, [{"attempt", "failed_at", "error"}], the first 10 and the last 90; null if the first call was decisive. decisions: what the body decided by journaled values, [{"name", "output"}], with "before": true if it did so before it got the outcome of this row; null if it decided nothing.
Touches: nothing; reads queue.workflow_step and queue.workflow_failed_attempt.$comment$;
