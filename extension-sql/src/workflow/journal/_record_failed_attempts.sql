create or replace function queue._record_failed_attempts(
  run_ids   bigint[],
  results   jsonb[],
  held      boolean[],
  failed_at timestamptz
)
returns void
language plpgsql
volatile
-- plans: index, generic
as $function$
begin
  with noted as (
    insert into queue.workflow_failed_attempt as f (run_id, failed_at, retry_at, attempt, step_name, error)
    select i.run_id, _record_failed_attempts.failed_at, (r.retry ->> 'until')::timestamptz,
      (r.retry ->> 'attempts')::integer, r.retry ->> 'step', coalesce(r.retry -> 'error', '{}')
    from unnest(run_ids, results, held) as i (run_id, result, held)
    cross join lateral jsonb_array_elements(
      case jsonb_typeof(i.result -> 'retries') when 'array' then i.result -> 'retries' end
    ) as r (retry)
    where i.held
      and r.retry ?& array['step', 'attempts', 'until']
    on conflict on constraint workflow_failed_attempt_pkey do nothing
    returning f.run_id, f.step_name, f.attempt
  )
  delete from queue.workflow_failed_attempt as f
  using noted
  where noted.attempt > 100
    and f.run_id = noted.run_id
    and f.step_name = noted.step_name
    and f.attempt between 11 and noted.attempt - 90;
end
$function$;

comment on function queue._record_failed_attempts(bigint[], jsonb[], boolean[], timestamptz) is
$comment$Records the errors of steps that will be called again, from the continuations of a commit.
results: of the commit; an object with retries is a continuation.
held: by position, which leases are locked.
Touches: queue.workflow_failed_attempt.$comment$;
