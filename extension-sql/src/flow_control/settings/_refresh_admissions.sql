create or replace function queue._refresh_admissions(queue_id integer, before jsonb, settings jsonb)
returns void
language plpgsql
volatile
-- plans: index, nested loop
as $function$
declare
  v_before constant queue.flow_limits := queue._flow_limits(before);
  v_limits constant queue.flow_limits := queue._flow_limits(settings);
  v_rekeys constant boolean := (v_before.key_path, v_before.priority_path)
    is distinct from (v_limits.key_path, v_limits.priority_path);
  v_left   bigint[];
  v_locked bigint[];
begin
  v_left := array(
    select a.run_id
    from queue.workflow_admission as a
    where a.queue_id = _refresh_admissions.queue_id
      and (
        v_rekeys
        or a.state in ('waiting', 'candidate')
        or not a.is_over
          and (a.is_again or not exists (select from queue.workflow_continuation as m where m.msg_id = a.run_id))
      )
  );
  -- A transaction that ends several runs locks them in its own order, so this never waits for one of them while it
  -- has locked others. Locked runs are tried again, because most locks are short.
  for v_try in 1..50 loop
    v_locked := array(
      select a.run_id
      from queue.workflow_admission as a
      where a.run_id = any (v_left)
      for no key update skip locked
    );
    update queue.workflow_admission as a
    set state = 'new',
      due_at = least(a.due_at, clock_timestamp())
    where a.run_id = any (v_locked)
      and a.state in ('waiting', 'candidate');
    if v_rekeys then
      update queue.workflow_admission as a
      set key = case
          when a.key = coalesce(queue._flow_key(r.input, v_before.key_path), '')
            then coalesce(queue._flow_key(r.input, v_limits.key_path), '')
          else a.key
        end,
        priority = case
          when a.priority = queue._flow_priority(r.input, v_before.priority_path)
            then queue._flow_priority(r.input, v_limits.priority_path)
          else a.priority
        end
      from queue.workflow_run as r
      where a.run_id = any (v_locked)
        and r.run_id = a.run_id;
    end if;
    -- Read again under the lock, which its end would wait for.
    update queue.workflow_admission as a
    set is_over = true
    where a.run_id = any (v_locked)
      and not a.is_over
      and (a.is_again or not exists (select from queue.workflow_continuation as m where m.msg_id = a.run_id));
    exit when cardinality(v_locked) = cardinality(v_left);
    v_left := array(
      select l.run_id from unnest(v_left) as l (run_id)
      except
      select o.run_id from unnest(v_locked) as o (run_id)
    );
    perform pg_sleep(0.01);
  end loop;
end
$function$;

comment on function queue._refresh_admissions(integer, jsonb, jsonb) is
$comment$Returns the waiting runs of a workflow to the arrivals, after its flow control has changed, and takes the key and the priority of all runs from their inputs again if their paths have changed. A run whose start gave another key or priority than its input keeps it. The slot of a run whose end was missed, even if it was retried since, becomes free. The caller holds the lock of the admission, and recounts the gates afterwards. A run that another transaction locks for longer than half a second keeps its place, its key and its priority: the next admission that finds it unlocked promotes or admits it.
before, settings: the flow control until now and from now on; null without it.
Touches: queue.workflow_admission (SKIP LOCKED); reads queue.workflow_continuation, and queue.workflow_run if a path has changed.$comment$;
