create or replace function queue._violations_of_continuations()
returns setof queue.violation
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  return query
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
      and m.visible_at <> queue._paused_until(m.headers);
end
$function$;

comment on function queue._violations_of_continuations() is
$comment$Returns the broken invariants of continuations.
Returns one row per violation.
Touches: nothing; reads queue.workflow_run, queue.workflow_step, queue.workflow_continuation, queue.subscription and queue.workflow_buffered_signal.$comment$;
