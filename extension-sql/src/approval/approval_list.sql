create or replace function queue.approval_list(
  status        text default null,
  workflow      text default null,
  run_id        bigint default null,
  approver      text default null,
  groups        text[] default null,
  before        bigint default null,
  max_approvals integer default 100
)
returns setof queue.approval_state
language plpgsql
stable
security definer
-- plans: index
as $function$
declare
  v_found bigint[];
begin
  perform queue._check_count(max_approvals, 'max_approvals', 1000, 'List between 1 and 1000 requests at a time.');
  if (status in ('waiting', 'decided', 'approved', 'rejected', 'expired', 'withdrawn')) is false then
    perform queue._raise('OX004', format('invalid status "%s"', left(status, 40)), null,
      'A request is waiting, approved, rejected, expired or withdrawn; decided means approved or rejected.');
  end if;
  if not queue._require_current_tables() then
    return;
  end if;
  -- Conditions that are not given are left out, so that the planner sees which index serves the others.
  execute format($sql$
    select array_agg(f.approval_id)
    from (
      select a.approval_id
      from queue.approval as a
      where %s
      order by a.approval_id desc
      limit $7
    ) as f
  $sql$, concat_ws(' and ',
    'true',
    case status
      when 'waiting' then 'a.ended_at is null and (a.expires_at is null or a.expires_at > clock_timestamp())'
      when 'decided' then $sql$a.outcome in ('approved', 'rejected')$sql$
      when 'expired' then $sql$(a.outcome = 'expired' or a.ended_at is null and a.expires_at <= clock_timestamp())$sql$
      else case when status is not null then 'a.outcome = $1' end
    end,
    case when workflow is not null then 'a.workflow_name = $2' end,
    case when run_id is not null then 'a.run_id = $3' end,
    case when approver is not null then 'queue._may_decide(a.approvers, a.starters, $4, $5)' end,
    case when before is not null then 'a.approval_id < $6' end
  ))
  into v_found
  using status, workflow, run_id, approver, groups, before, max_approvals;
  return query select d.* from queue._describe_approvals(v_found) as d;
end
$function$;

comment on function queue.approval_list(text, text, bigint, text, text[], bigint, integer) is
$comment$Lists requests for approval, newest first.
status: waiting, approved, rejected, expired, withdrawn, or decided for approved and rejected; null lists all.
workflow, run_id: lists those of this workflow or run; null lists all.
approver, groups: lists those that this person may decide, by name or as a member of one of these groups; null lists all.
before: approval_id of the last row of the previous page; null for the first page.
max_approvals: 1 to 1000.
Returns one row per request.
Errors: OX004 invalid argument.
Touches: nothing; reads queue.approval and queue.approval_decision.$comment$;
