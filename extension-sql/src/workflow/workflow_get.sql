create or replace function queue.workflow_get(run_id bigint)
returns setof queue.workflow_state
language plpgsql
stable
security definer
as $function$
declare
  v_now constant timestamptz := clock_timestamp();
begin
  if not queue._require_current_tables() then
    return;
  end if;

  return query
    select r.run_id, r.workflow_name, r.workflow_version, r.status::text,
      queue._activity(
        m.headers, m.receipt, m.visible_at, m.suspect_at, m.message,
        (m.settled_receipt is null or m.message = '{}') and exists (
          select from queue.workflow_admission as a
          where a.run_id = r.run_id and a.state <> 'admitted' and a.due_at <= v_now
        ),
        r.retried > 0, v_now
      ),
      r.input, r.output, r.error, r.idempotency_key, r.tags, m.read_ct, m.message -> 'waits',
      t.retries, r.started_at, r.completed_at, r.deadline,
      case when m.receipt is null and m.visible_at > v_now then m.visible_at end, r.paused_at, r.pause_reason,
      r.rerun_of, r.superseded_by, r.scheduled_at, p.calls, r.failure_of,
      coalesce(r.retried, 0), case when r.retried > 0 then queue._failed_attempts(r.run_id, '') end,
      coalesce(r.generation, 1), r.parent_run_id, r.is_item is true
    from queue.workflow_run as r
    left join queue.workflow_continuation as m on m.msg_id = r.run_id
    left join lateral (
      select coalesce(
          jsonb_agg(
            e.retry || jsonb_build_object('failures', queue._failed_attempts(r.run_id, e.retry ->> 'step'))
            order by e.position
          ),
          m.message -> 'retries'
        ) as retries
      from jsonb_array_elements(
        case jsonb_typeof(m.message -> 'retries') when 'array' then m.message -> 'retries' end
      ) with ordinality as e (retry, position)
    ) as t on true
    left join lateral (
      select jsonb_agg(e.call || jsonb_build_object('worker', w.worker) order by e.position) as calls
      from queue.workflow_progress as w
      cross join jsonb_array_elements(w.steps) with ordinality as e (call, position)
      where w.run_id = r.run_id
        and w.receipt = m.receipt
        and m.visible_at > v_now
    ) as p on true
    where r.run_id = workflow_get.run_id;
end
$function$;

comment on function queue.workflow_get(bigint) is
$comment$Returns a run and its current activity.
Returns one row; no row if the run does not exist. retries: failed steps that will be called again, each with the failures of its calls so far, [{"attempt", "failed_at", "error"}]. retried, failures: how often the run was retried by the policy of its workflow, and the errors of those attempts. in_progress: calls that take longer than a second, as reported by workflow_report_progress().
Touches: nothing; reads queue.workflow_run, queue.workflow_continuation, queue.workflow_failed_attempt and queue.workflow_progress.$comment$;
