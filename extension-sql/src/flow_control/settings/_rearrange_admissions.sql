create or replace function queue._rearrange_admissions(queue_id integer)
returns void
language plpgsql
volatile
-- plans: index, nested loop
as $function$
declare
  v_left   bigint[];
  v_locked bigint[];
begin
  v_left := array(
    select a.run_id
    from queue.workflow_admission as a
    where a.queue_id = _rearrange_admissions.queue_id
      and a.state in ('waiting', 'candidate')
  );
  -- A transaction that ends several runs locks them in an order of its own, so this never waits for one of them while it
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
    where a.run_id = any (v_locked);
    exit when cardinality(v_locked) = cardinality(v_left);
    v_left := array(select l.run_id from unnest(v_left) as l (run_id) except select d.run_id from unnest(v_locked) as d (run_id));
    perform pg_sleep(0.01);
  end loop;
end
$function$;

comment on function queue._rearrange_admissions(integer) is
$comment$Returns the waiting runs of a workflow to the arrivals, after its flow control has changed. The caller holds the lock of the admission, and recounts the gates afterwards. A run that another transaction locks for longer than half a second keeps its place: the next admission that finds it unlocked promotes or admits it.
Touches: queue.workflow_admission (SKIP LOCKED).$comment$;
