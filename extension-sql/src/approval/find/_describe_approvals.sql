create or replace function queue._describe_approvals(approval_ids bigint[])
returns setof queue.approval_state
language plpgsql
stable
-- plans: index
as $function$
declare
  v_now constant timestamptz := clock_timestamp();
begin
  return query
    select a.approval_id, a.run_id, a.workflow_name, a.step_name,
      case
        when a.outcome is not null then a.outcome
        when a.expires_at <= v_now then 'expired'
        else 'waiting'
      end,
      a.title, a.description, a.form, a.approvers, a.quorum, a.rejections, a.excludes_starter, a.requested_at,
      a.expires_at, a.ended_at, queue._approval_decisions(a.approval_id)
    from queue.approval as a
    where a.approval_id = any (approval_ids)
    order by a.approval_id desc;
end
$function$;

comment on function queue._describe_approvals(bigint[]) is
$comment$Selects what lists show of requests for approval.
Returns one row per request that exists, newest first.
Touches: nothing; reads queue.approval and queue.approval_decision.$comment$;
