create or replace function queue.check_invariants()
returns setof queue.violation
language plpgsql
stable
security definer
-- plans: no jit
as $function$
declare
  v_queue record;
begin
  if not queue._require_current_tables() then
    return;
  end if;

  return query
    select 'a journal row has its run', format('run %s', s.run_id), format('step "%s"', s.step_name)
    from queue.workflow_step as s
    where not exists (select from queue.workflow_run as r where r.run_id = s.run_id)
    union all
    select 'a journal has the positions 1 to n', format('run %s', s.run_id),
      format('%s rows, last position %s', count(*), max(s.position))
    from queue.workflow_step as s
    group by s.run_id
    having count(*) <> max(s.position)
      or count(distinct s.position) <> count(*)
    union all
    select 'a name is journaled once', format('run %s', d.run_id), format('"%s"', d.name)
    from (
      select s.run_id, e.decision ->> 'name' as name, s.kind = 'decision' and e.decision ->> 'name' = s.step_name as is_row
      from queue.workflow_step as s
      cross join lateral jsonb_array_elements(s.decisions) as e (decision)
      where s.decisions is not null
    ) as d
    group by d.run_id, d.name
    having count(*) > 1
      or not bool_or(d.is_row) and exists (
        select from queue.workflow_step as o where o.run_id = d.run_id and o.step_name = d.name
      )
    union all
    select 'a buffered signal has its run', format('run %s', b.run_id), format('event "%s"', b.event)
    from queue.workflow_buffered_signal as b
    where not exists (select from queue.workflow_run as r where r.run_id = b.run_id)
    union all
    select 'a deduplicated signal has its run', format('run %s', d.run_id), format('id "%s"', d.deduplication_id)
    from queue.workflow_signal_receipt as d
    where not exists (select from queue.workflow_run as r where r.run_id = d.run_id)
    union all
    select 'a published value has its run', format('run %s', s.run_id), format('key "%s"', s.key)
    from queue.workflow_run_state as s
    where not exists (select from queue.workflow_run as r where r.run_id = s.run_id)
    union all
    select 'a chunk of a stream has its run', format('run %s', c.run_id), format('position %s', c.position)
    from queue.workflow_stream_chunk as c
    where not exists (select from queue.workflow_run as r where r.run_id = c.run_id)
    union all
    select 'an ended generation has its run', format('run %s', g.run_id), format('generation %s', g.generation)
    from queue.workflow_generation as g
    where not exists (
      select
      from queue.workflow_run as r
      where r.run_id = g.run_id
        and r.generation > g.generation
    )
    union all
    select 'a run in flight holds its idempotency key', format('run %s', r.run_id),
      format('superseded by run %s', r.superseded_by)
    from queue.workflow_run as r
    where r.superseded_by is not null
      and r.status = 'running'
    union all
    select 'a run has the queue of its workflow', format('run %s', r.run_id),
      format('workflow "%s"', r.workflow_name)
    from queue.workflow_run as r
    where queue._workflow_queue_id(r.workflow_name) is null
    union all
    select 'a schedule has its next tick', format('schedule "%s"', s.name), format('message %s', s.msg_id)
    from queue.schedule as s
    where s.msg_id is not null
      and not queue._has_tick(s.msg_id)
    union all
    select 'a definition publishes one of its versions', format('definition "%s"', d.name),
      format('version %s', coalesce(d.published_version, v.version))
    from queue.definition as d
    left join queue.definition_version as v
      on v.definition_id = d.definition_id
      and v.state = 'published'
    where d.published_version is distinct from v.version
    union all
    select 'starts take the published version', format('definition "%s"', d.name),
      format('version %s is published, %s registered', coalesce(d.published_version::text, 'none'),
        coalesce(r.version::text, 'none'))
    from queue.definition as d
    left join queue.workflow_version as r on r.workflow_name = d.name
    where r.version is distinct from d.published_version
    union all
    select 'the runs of a published definition are received by its pool', format('definition "%s"', d.name),
      format('pool "%s"', d.pool)
    from queue.definition as d
    left join queue.queue as q on q.name = '__wf_' || d.name
    left join queue.queue as p on p.queue_id = q.pool_id
    where d.published_version is not null
      and p.name is distinct from '__wf_@' || d.pool
    union all
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
      or (a.outcome = 'rejected') is true <> (c.rejected >= a.rejections)
    union all
    select 'a running run has one continuation', format('run %s', r.run_id), format('workflow "%s"', r.workflow_name)
    from queue.workflow_run as r
    where r.status = 'running'
      and not exists (select from queue.workflow_continuation as m where m.msg_id = r.run_id)
    union all
    select 'a continuation belongs to a running run', format('run %s', m.msg_id), format('workflow "%s"', r.workflow_name)
    from queue.workflow_continuation as m
    left join queue.workflow_run as r on r.run_id = m.msg_id
    where r.status is distinct from 'running'
    union all
    select 'a continuation is in the queue of its workflow', format('run %s', m.msg_id), format('workflow "%s"', r.workflow_name)
    from queue.workflow_continuation as m
    join queue.workflow_run as r on r.run_id = m.msg_id
    where coalesce(m.workflow_queue_id, m.queue_id) is distinct from queue._workflow_queue_id(r.workflow_name)
      or m.workflow_queue_id is not null and not exists (
        select from queue.queue as q where q.queue_id = m.queue_id and q.pool_id = q.queue_id
      )
    union all
    select 'a run of a pool is received by its workers', format('run %s', m.msg_id), format('workflow "%s"', substr(q.name, 6))
    from queue.workflow_continuation as m
    join queue.queue as q on q.queue_id = m.queue_id
    where q.pool_id is not null
      and m.workflow_queue_id is null
    union all
    select 'a continuation has the version of its run', format('run %s', m.msg_id), format('version %s', m.version)
    from queue.workflow_continuation as m
    join queue.workflow_run as r on r.run_id = m.msg_id
    where case
      when m.workflow_queue_id is null then m.version <> r.workflow_version
      else m.version not in (1, 2)
    end
    union all
    select 'a continuation has the time of the start of its run', format('run %s', m.msg_id),
      format('%s instead of %s', m.enqueued_at, r.started_at)
    from queue.workflow_continuation as m
    join queue.workflow_run as r on r.run_id = m.msg_id
    where r.started_at <> m.enqueued_at
    union all
    select 'a pending wait or retry is not journaled', format('run %s', m.msg_id), format('step "%s"', s.step_name)
    from queue.workflow_continuation as m
    cross join lateral jsonb_array_elements(
      coalesce(m.message -> 'waits', '[]') || coalesce(m.message -> 'retries', '[]')
    ) as w
    join queue.workflow_step as s
      on s.run_id = m.msg_id
      and s.step_name = w ->> 'step'
    union all
    select 'a subscription of a run has its open wait', format('run %s', s.target), format('step "%s"', s.options ->> 'step')
    from queue.subscription as s
    where s.target_type = 'run'
      and not exists (
        select
        from queue._open_waits(array[s.target::bigint]) as w
        where w.step_name = s.options ->> 'step'
      )
    union all
    select 'a message of a topic that a run has buffered is for an open wait', format('run %s', b.run_id),
      format('event "%s"', b.event)
    from queue.workflow_buffered_signal as b
    where starts_with(b.event, ' topic:')
      and not exists (
        select
        from queue.subscription as s
        where s.target_type = 'run'
          and s.target = b.run_id::text
          and queue._letter_event(s.subscription_id) = b.event
      )
    union all
    select 'a blocked run has the length of its journal', format('run %s', m.msg_id),
      format('%s instead of %s', m.message ->> 'journaled', j.rows)
    from queue.workflow_continuation as m
    cross join lateral (select count(*) as rows from queue.workflow_step as s where s.run_id = m.msg_id) as j
    where m.receipt is null
      and m.message ? 'journaled'
      and (m.message ->> 'journaled')::bigint <> j.rows
    union all
    select 'a run is paused where its continuation is', format('run %s', r.run_id), format('workflow "%s"', r.workflow_name)
    from queue.workflow_continuation as m
    join queue.workflow_run as r on r.run_id = m.msg_id
    where (r.paused_at is not null) <> coalesce(m.headers ? 'paused', false)
    union all
    select 'a paused run that no worker executes is not visible', format('run %s', m.msg_id),
      format('visible at %s', m.visible_at)
    from queue.workflow_continuation as m
    where m.headers ? 'paused'
      and m.receipt is null
      and m.visible_at <> queue._paused_until(m.headers)
    union all
    select 'a run that waits for its turn is running', format('run %s', a.run_id), a.state
    from queue.workflow_admission as a
    where not a.is_over
      and not exists (select from queue.workflow_run as r where r.run_id = a.run_id and r.status = 'running')
    union all
    select 'a gate counts its runs', format('workflow queue %s, key "%s"', g.queue_id, g.key),
      format('%s taken instead of %s, %s candidates instead of %s', g.taken, n.taken, g.candidates, n.candidates)
    from queue.workflow_gate as g
    join queue.queue as q on q.queue_id = g.queue_id
    cross join lateral (
      select
        count(*) filter (where a.state = 'admitted' or g.key <> '' and a.state = 'candidate') as taken,
        count(*) filter (where g.key <> '' and a.state = 'candidate') as candidates
      from queue.workflow_admission as a
      where a.queue_id = g.queue_id
        and (g.key = '' or a.key = g.key)
    ) as n
    where (g.key = '' or q.flow_control ?| '{concurrency_per_key,rate_limit_per_key}')
      and (g.taken, g.candidates) is distinct from (n.taken, n.candidates);

  for v_queue in
    select q.name, q.kind, queue._queue_table(q.name) as queue_table
    from queue.queue as q
    where q.kind <> 'workflow'
    order by q.name
  loop
    return query select v.* from queue._violations_of_queue(v_queue.name, v_queue.kind, v_queue.queue_table) as v;
  end loop;
end
$function$;

comment on function queue.check_invariants() is
$comment$Lists broken invariants; always empty in a healthy database. It checks that every running run has a continuation and no ended run has one, that journals have no gaps and no name twice, that each message group has a head, and is in the shard where it is at home or about to leave for it, that messages which wait apart are noted as suspects, that paused runs are not visible, that subscriptions of runs have open waits, that schedules have their next tick, that starts take what definitions have published, that approvals are as their decisions are, and that flow control counts correctly. It reads all tables, so don't call it on a hot path.
Returns one row per violation.
Errors: OX006 the tables are older than the functions.
Touches: nothing; reads all tables.$comment$;
