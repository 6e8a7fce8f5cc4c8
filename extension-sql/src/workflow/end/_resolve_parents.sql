create or replace function queue._resolve_parents(children bigint[])
returns void
language plpgsql
volatile
-- plans: index, generic
as $function$
declare
  v_parents bigint[];
  v_crosses boolean;
begin
  select array_agg(distinct r.parent_run_id), bool_or(r.parent_generation is not null) into v_parents, v_crosses
  from queue.workflow_run as r
  where r.run_id = any (children)
    and r.parent_run_id is not null;
  if v_parents is null then
    return;
  end if;
  if v_crosses then
    perform queue._send_child_ends(children);
  end if;
  -- A worker's commit has already locked them, in the order of run ids with its own runs.
  perform queue._lock_runs(v_parents);

  -- A parent that is executing takes the result with its next commit. A settled receipt, even the impossible 0, shows
  -- that the run has a journal.
  with waiting as materialized (
    select m.msg_id, c.parent_step, c.started_at, c.completed_at, c.output, c.error,
      coalesce(queue._large_size(c.output), queue._large_size(c.error)) as bytes,
      row_number() over (partition by m.msg_id order by c.run_id) as n
    from queue.workflow_run as c
    join queue.workflow_continuation as m on m.msg_id = c.parent_run_id
    where c.run_id = any (children)
      and (m.receipt is null or m.visible_at <= clock_timestamp())
      and m.message -> 'waits' @> jsonb_build_array(jsonb_build_object('kind', 'invoke', 'step', c.parent_step))
  ),
  -- Reads the journal of a parent once, however many of its children end together.
  counted as materialized (
    select p.msg_id, p.ends, p.bytes, (
        select coalesce(max(s.position), 0) from queue.workflow_step as s where s.run_id = p.msg_id
      ) as journaled
    from (
      select w.msg_id, count(*)::integer as ends, sum(w.bytes)::bigint as bytes from waiting as w group by w.msg_id
    ) as p
  ),
  judged as materialized (
    select k.msg_id, k.journaled, queue._is_journal_full(k.msg_id, k.journaled, k.ends, k.bytes) as is_full
    from counted as k
  ),
  journaled as (
    insert into queue.workflow_step (
      run_id, started_at, completed_at, position, attempts, bytes, step_name, kind, output, error
    )
    select w.msg_id, w.started_at, w.completed_at, w.n + k.journaled, 1, w.bytes, w.parent_step, 'invoke',
      w.output, w.error
    from waiting as w
    join judged as k on k.msg_id = w.msg_id
    where not k.is_full
    on conflict (run_id, step_name) do nothing
    returning run_id, step_name, position
  ),
  ready as (
    select j.run_id, max(j.position) as journaled, array_agg(j.step_name) as steps
    from journaled as j
    group by j.run_id
    union all
    select k.msg_id, null, null
    from judged as k
    where k.is_full
  )
  update queue.workflow_continuation as m
  set message = case
      when ready.steps is null then m.message
      else m.message || jsonb_build_object(
        'journaled', ready.journaled, 'waits', queue._waits_but(m.message -> 'waits', ready.steps)
      )
    end,
    visible_at = greatest(queue._paused_until(m.headers), clock_timestamp()),
    headers = queue._due_after_pause(m.headers, clock_timestamp()),
    receipt = null,
    settled_receipt = coalesce(m.settled_receipt, 0)
  from ready
  where m.msg_id = ready.run_id;
  perform queue._wake_workflows(v_parents);

  perform queue._notify_worker(r.workflow_name, r.run_id)
  from queue.workflow_continuation as m
  join queue.workflow_run as r on r.run_id = m.msg_id
  where m.msg_id = any (v_parents)
    and m.receipt is not null;
end
$function$;

comment on function queue._resolve_parents(bigint[]) is
$comment$Journals the ends of runs as steps of the parents that wait for them, and makes these parents visible. A parent that is executing is notified, and its next commit takes the result; so does that of a parent whose journal is full. Parents in other shards are sent the ends.
children: runs that this transaction has ended and that aren't detached.
Touches: queue.workflow_continuation of the parents, locked in the order of run ids, queue.workflow_step; as _send_child_ends().$comment$;
