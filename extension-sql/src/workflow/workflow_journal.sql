create or replace function queue.workflow_journal(run_id bigint)
returns setof queue.workflow_journal_entry
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  return query
    select s.step_name, s.kind, s.attempts, s.output, s.error, s.started_at, s.completed_at
    from queue.workflow_step as s
    where s.run_id = workflow_journal.run_id
    order by s.position;
end
$function$;

comment on function queue.workflow_journal(bigint) is
$comment$The journal of a run, in order.
Returns one row a finished step; none when there are none, or no such run.
Touches: nothing; reads queue.workflow_step.$comment$;
