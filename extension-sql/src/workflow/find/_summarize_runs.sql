create or replace function queue._summarize_runs(
  filter      queue.run_filter,
  before      queue.run_cursor,
  max_runs    integer,
  with_values boolean
)
returns setof queue.workflow_summary
language plpgsql
stable
-- plans: index
as $function$
declare
  v_now constant timestamptz := clock_timestamp();
begin
  return query
    select r.run_id, r.workflow_name, r.workflow_version, r.status::text, r.started_at, r.completed_at, r.deadline,
      r.paused_at, r.idempotency_key, r.tags, r.error, r.rerun_of, r.superseded_by,
      case when with_values then r.input end, case when with_values then r.output end,
      r.failure_of,
      -- One lookup per running run, whatever the statistics are.
      case when r.status = 'running' then (
        select queue._activity(
            m.headers, m.receipt, m.visible_at, m.suspect_at, m.message,
            (m.settled_receipt is null or m.message = '{}') and exists (
              select from queue.workflow_admission as a
              where a.run_id = m.msg_id and a.state <> 'admitted' and a.due_at <= v_now
            ),
            r.retried > 0, v_now
          )
        from queue.workflow_continuation as m
        where m.msg_id = r.run_id
      ) end,
      r.parent_run_id
    from queue._find_runs(filter, before, max_runs) with ordinality as f (run_id, n)
    join queue.workflow_run as r on r.run_id = f.run_id
    order by f.n;
end
$function$;

comment on function queue._summarize_runs(queue.run_filter, queue.run_cursor, integer, boolean) is
$comment$Returns the rows of the runs that _find_runs() finds, in its order.
Touches: nothing; reads queue.workflow_run, queue.workflow_continuation and queue.workflow_admission.$comment$;
