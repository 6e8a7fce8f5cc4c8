create or replace function queue._adopt_runs(queue_id integer, settings jsonb)
returns void
language plpgsql
volatile
-- plans: index
as $function$
declare
  v_limits  constant queue.flow_limits := queue._flow_limits(settings);
  v_counts  constant boolean := settings ?| '{concurrency,concurrency_per_key}';
  v_left    bigint[];
  v_run_ids bigint[];
begin
  if not settings ?| '{concurrency,concurrency_per_key,rate_limit,rate_limit_per_key,priority}' then
    return;
  end if;

  -- Transactions that end a run lock its continuation first: one that did so before has ended the run, and one that
  -- does so after this transaction sees what is written here. Locked runs are tried again, because most locks are
  -- short.
  for v_try in 1..50 loop
    v_left := array(
      select m.msg_id
      from queue.workflow_continuation as m
      where (m.queue_id = _adopt_runs.queue_id or m.workflow_queue_id = _adopt_runs.queue_id)
        and (v_counts or not queue._has_begun(m.receipt, m.settled_receipt, m.message))
        and not exists (select from queue.workflow_admission as a where a.run_id = m.msg_id)
        and not exists (select from queue.definition_test_run as t where t.run_id = m.msg_id)
        -- An item would wait for its parent, which waits for the item: see _start_children(). One lookup per run,
        -- whatever the statistics are.
        and (
          select r.is_item and r.parent_run_id is not null from queue.workflow_run as r where r.run_id = m.msg_id
        ) is not true
    );
    exit when v_left = '{}';
    if v_try > 1 then
      perform pg_sleep(0.01);
    end if;
    v_run_ids := array(
      select m.msg_id
      from queue.workflow_continuation as m
      where m.msg_id = any (v_left)
      order by m.msg_id
      for no key update skip locked
    );

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
    where v_counts or not b.has_begun
    -- One that was ended and retried since v_left was read.
    on conflict on constraint workflow_admission_pkey do nothing;

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
  end loop;
end
$function$;

comment on function queue._adopt_runs(integer, jsonb) is
$comment$Places runs that were started without limits under the flow control of their workflow: runs in flight are counted if concurrency is limited, and runs that have not begun wait for admission. Keys and priorities come from their inputs. The caller holds the lock of the admission. Test runs and items of loops are left out, and so is a run that another transaction locks for longer than half a second, or has started and not committed yet: the next change of the limits finds it.
Touches: queue.workflow_continuation (SKIP LOCKED), queue.workflow_admission; reads queue.workflow_run and queue.definition_test_run.$comment$;
