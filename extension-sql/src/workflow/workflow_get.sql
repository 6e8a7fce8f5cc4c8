create or replace function queue.workflow_get(run_id bigint)
returns setof queue.workflow_state
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_now constant timestamptz := clock_timestamp();
begin
  perform queue._check_tables();
  if to_regclass('queue.workflow_run') is null then
    return;
  end if;

  return query
    select r.run_id, r.workflow_name, r.workflow_version, r.status::text,
      case
        when m.headers ? 'paused' then
          case
            when m.receipt is not null and m.visible_at > v_now and m.visible_at <> queue._paused_until(m.headers)
              then 'pausing'
            else 'paused'
          end
        when m.receipt is not null and m.visible_at > v_now then 'executing'
        when m.visible_at <= v_now then 'ready'
        when m.settled_receipt is null and exists (
          select from queue.workflow_admission as a where a.run_id = r.run_id and a.state <> 'admitted' and a.due_at <= v_now
        ) then 'queued'
        when m.message -> 'retries' @> '[{}]' then 'retrying'
        when m.message -> 'waits' @> '[{"kind": "event"}]' then 'waiting'
        when m.message -> 'waits' @> '[{"kind": "sleep"}]' then 'sleeping'
        when m.msg_id is not null then 'delayed'
      end,
      r.input, r.output, r.error, r.idempotency_key, r.tags, m.read_ct, m.message -> 'waits',
      m.message -> 'retries', r.started_at, r.completed_at, r.deadline,
      case when m.receipt is null and m.visible_at > v_now then m.visible_at end, r.paused_at, r.pause_reason,
      r.rerun_of, r.superseded_by, r.scheduled_at
    from queue.workflow_run as r
    left join queue.workflow_continuation as m on m.msg_id = r.run_id
    where r.run_id = workflow_get.run_id;
end
$function$;

comment on function queue.workflow_get(bigint) is
$comment$A run, and what it is doing.
Returns one row; none when the run does not exist.
Touches: nothing; reads the run and its continuation.$comment$;
