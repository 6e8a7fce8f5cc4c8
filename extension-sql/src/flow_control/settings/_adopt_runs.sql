create or replace function queue._adopt_runs(queue_id integer, settings jsonb)
returns void
language plpgsql
volatile
-- plans: index
as $function$
declare
  v_limits  constant queue.flow_limits := queue._flow_limits(settings);
  v_counts  constant boolean := settings ?| '{concurrency,concurrency_per_key}';
  v_run_ids bigint[];
begin
  if not settings ?| '{concurrency,concurrency_per_key,rate_limit,rate_limit_per_key,priority}' then
    return;
  end if;

  -- Transactions that end a run lock its continuation first: one that did so before has ended the run, and one that
  -- does so after this transaction sees what is written here. Locked runs are tried again, because most locks are
  -- short.
  for v_try in 1..50 loop
    select array_agg(c.msg_id) into v_run_ids
    from (
      select m.msg_id
      from queue.workflow_continuation as m
      where (m.queue_id = _adopt_runs.queue_id or m.workflow_queue_id = _adopt_runs.queue_id)
        and (v_counts or not queue._has_begun(m.receipt, m.settled_receipt, m.message))
        and not exists (select from queue.workflow_admission as a where a.run_id = m.msg_id)
        and not exists (select from queue.definition_test_run as t where t.run_id = m.msg_id)
      order by m.msg_id
      for no key update skip locked
    ) as c;

    insert into queue.workflow_admission (run_id, due_at, queue_id, version, priority, state, key)
    select r.run_id,
      case
        when b.has_begun then m.enqueued_at
        else coalesce((m.headers #>> '{paused,due}')::timestamptz, m.visible_at)
      end,
      _adopt_runs.queue_id, m.version, queue._flow_priority(r.input, v_limits.priority_path),
      case when b.has_begun then 'admitted' else 'new' end, coalesce(queue._flow_key(r.input, v_limits.key_path), '')
    from unnest(v_run_ids) as i (run_id)
    join queue.workflow_run as r on r.run_id = i.run_id
    join queue.workflow_continuation as m on m.msg_id = i.run_id
    cross join lateral (
      select queue._has_begun(m.receipt, m.settled_receipt, m.message) as has_begun
    ) as b
    where v_counts or not b.has_begun;

    update queue.workflow_continuation as m
    set visible_at = case when m.headers ? 'paused' then m.visible_at else coalesce(r.deadline, 'infinity') end,
      headers = queue._due_after_pause(m.headers, coalesce(r.deadline, 'infinity'))
    from queue.workflow_run as r
    where m.msg_id = any (v_run_ids)
      and r.run_id = m.msg_id
      and not queue._has_begun(m.receipt, m.settled_receipt, m.message);
    -- A transaction whose snapshot is older, and doesn't contain the row of a run, can't end what was written since.
    update queue.workflow_continuation as m
    set visible_at = m.visible_at
    where m.msg_id = any (v_run_ids)
      and queue._has_begun(m.receipt, m.settled_receipt, m.message);

    exit when not exists (
      select
      from queue.workflow_continuation as m
      where (m.queue_id = _adopt_runs.queue_id or m.workflow_queue_id = _adopt_runs.queue_id)
        and (v_counts or not queue._has_begun(m.receipt, m.settled_receipt, m.message))
        and not exists (select from queue.workflow_admission as a where a.run_id = m.msg_id)
        and not exists (select from queue.definition_test_run as t where t.run_id = m.msg_id)
    );
    perform pg_sleep(0.01);
  end loop;
end
$function$;

comment on function queue._adopt_runs(integer, jsonb) is
$comment$Places runs that were started without limits under the flow control of their workflow: runs in flight are counted if concurrency is limited, and runs that have not begun wait for admission. Keys and priorities come from their inputs. The caller holds the lock of the admission. Test runs are left out, and so is a run that another transaction locks for longer than half a second.
Touches: queue.workflow_continuation (SKIP LOCKED), queue.workflow_admission; reads queue.definition_test_run.$comment$;
