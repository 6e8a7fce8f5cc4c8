create or replace function queue._deliver_signals(
  names        text[],
  run_ids      bigint[],
  messages     jsonb[],
  waits        jsonb[],
  payloads     jsonb[],
  delivered_at timestamptz
)
returns void
language plpgsql
volatile
-- plans: index, nested loop
as $function$
declare
  v_journaled constant integer[] := array(
    select 1 + coalesce((
      select max(s.position)
      from queue.workflow_step as s
      where s.run_id = run_ids[n]
    ), 0)
    from generate_series(1, cardinality(run_ids)) as n
    order by n
  );
begin
  insert into queue.workflow_step (run_id, started_at, completed_at, position, attempts, bytes, step_name, kind, output)
  select run_ids[n], least((waits[n] ->> 'since')::timestamptz, delivered_at), delivered_at, v_journaled[n], 1,
    queue._large_size(payloads[n]), waits[n] ->> 'step', 'wait', payloads[n]
  from generate_series(1, cardinality(run_ids)) as n;
  update queue.workflow_continuation as m
  set message = messages[n] || jsonb_build_object(
      'journaled', v_journaled[n], 'waits', queue._waits_but(messages[n] -> 'waits', array[waits[n] ->> 'step'])
    ),
    visible_at = greatest(queue._paused_until(m.headers), delivered_at),
    headers = queue._due_after_pause(m.headers, delivered_at),
    receipt = null,
    settled_receipt = coalesce(m.settled_receipt, 0)
  from generate_series(1, cardinality(run_ids)) as n
  where m.msg_id = run_ids[n];
  perform queue._unsubscribe_waits(run_ids);

  perform queue._wake(queue._worker_channel(w.name))
  from (select distinct u.name from unnest(names) as u (name)) as w;
end
$function$;

comment on function queue._deliver_signals(text[], bigint[], jsonb[], jsonb[], jsonb[], timestamptz) is
$comment$Does what _deliver_signal() does, for events of many runs, one of each run, in a few statements. For a single run, that is faster.
names: of the workflows.
messages: the continuations of the runs, which the caller has locked.
waits, payloads: the wait that ends, and the payload of its signal, by run.
Touches: queue.workflow_step, queue.workflow_continuation; as _unsubscribe_waits() and _wake().$comment$;
