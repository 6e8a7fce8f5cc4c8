create or replace function queue._adopt_undecided_runs(names text[])
returns void
language plpgsql
volatile
-- plans: index, nested loop
as $function$
declare
  v_max_days constant integer := queue._max_retention_days();
begin
  with undecided as materialized (
    select m.msg_id, m.undecided, v.version, v.retention_days,
      -- A run that has waited for its first worker for longer than that doesn't fail for it.
      coalesce(
        r.deadline,
        greatest(clock_timestamp(), case when isfinite(m.visible_at) then m.visible_at end) + v.deadline
      ) as deadline
    from unnest(names) as n (name)
    join queue.queue as q on q.name = '__wf_' || n.name
    cross join lateral (
      select w.version, w.retention_days, w.deadline
      from queue.workflow_version as w
      where w.workflow_name = n.name
      order by w.version desc
      limit 1
    ) as v
    join queue.workflow_continuation as m on m.queue_id = q.queue_id and m.version = 1
    join queue.workflow_run as r on r.run_id = m.msg_id
    where m.undecided is not null
      and not queue._has_begun(m.receipt, m.settled_receipt, m.message)
      -- At its deadline it fails, whatever its version is.
      and (r.deadline > clock_timestamp()) is not false
    order by m.msg_id
    for no key update of m
  ),
  runs as (
    update queue.workflow_run as r
    set workflow_version = u.version,
      deadline = u.deadline,
      retention_days = case
        when 'retention_days' = any (u.undecided) then least(coalesce(u.retention_days, 30), v_max_days)
        else r.retention_days
      end
    from undecided as u
    where r.run_id = u.msg_id
  ),
  admissions as (
    update queue.workflow_admission as a
    set version = u.version
    from undecided as u
    where a.run_id = u.msg_id
  )
  update queue.workflow_continuation as m
  set version = u.version,
    undecided = null,
    -- From now on, since the mark of that version may have passed the time at which the run became visible.
    visible_at = least(greatest(m.visible_at, clock_timestamp()), u.deadline),
    headers = case
      when m.headers ? 'paused' and u.deadline is not null then
        jsonb_set(m.headers, '{paused,until}', to_jsonb(u.deadline))
      else m.headers
    end
  from undecided as u
  where m.msg_id = u.msg_id;
  perform queue._wake(queue._workflow_channel(n.name)) from unnest(names) as n (name);
end
$function$;

comment on function queue._adopt_undecided_runs(text[]) is
$comment$Gives runs that were started by name, while no version of their workflow was registered, the highest registered version and its defaults, unless a worker has received them. A default deadline counts from now on, or from the time at which the run may begin.
names: of workflows.
Touches: queue.workflow_continuation (waits), queue.workflow_run, queue.workflow_admission; reads queue.workflow_version; NOTIFY only if a worker listens.$comment$;
