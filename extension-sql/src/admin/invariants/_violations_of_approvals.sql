create or replace function queue._violations_of_approvals()
returns setof queue.violation
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  return query
    select 'an open approval has a running run', format('run %s', a.run_id), format('approval %s', a.approval_id)
    from queue.approval as a
    where a.ended_at is null
      and not exists (select from queue.workflow_continuation as m where m.msg_id = a.run_id)
    union all
    select 'a decision has its approval', format('approval %s', d.approval_id), format('by "%s"', d.actor)
    from queue.approval_decision as d
    where not exists (select from queue.approval as a where a.approval_id = d.approval_id)
    union all
    select 'an approval is as its decisions are', format('run %s', a.run_id), format('approval %s', a.approval_id)
    from queue.approval as a
    cross join lateral (
      select count(*) filter (where d.decision = 'approved') as approved,
        count(*) filter (where d.decision = 'rejected') as rejected
      from queue.approval_decision as d
      where d.approval_id = a.approval_id
    ) as c
    where (a.outcome = 'approved') is true <> (c.approved >= a.quorum)
      or (a.outcome = 'rejected') is true <> (c.rejected >= a.rejections);
end
$function$;

comment on function queue._violations_of_approvals() is
$comment$Lists broken invariants of requests for approval.
Returns no rows in a healthy database.
Touches: nothing; reads queue.approval, queue.approval_decision and queue.workflow_continuation.$comment$;
