create or replace function queue._failed_attempts(run_id bigint, step_name text)
returns jsonb
language sql
stable
parallel safe
as $function$
  select pg_catalog.jsonb_agg(
      pg_catalog.jsonb_build_object('attempt', f.attempt, 'failed_at', f.failed_at, 'error', f.error)
      order by f.retry_at
    )
  from queue.workflow_failed_attempt as f
  where f.run_id = _failed_attempts.run_id
    and f.step_name = _failed_attempts.step_name
$function$;

comment on function queue._failed_attempts(bigint, text) is
$comment$Returns the errors by which calls of a step failed.
Returns [{"attempt", "failed_at", "error"}], oldest first; null if no call failed.
Touches: nothing; reads queue.workflow_failed_attempt.$comment$;
