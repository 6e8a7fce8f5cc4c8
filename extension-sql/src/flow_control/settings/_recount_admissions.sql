create or replace function queue._recount_admissions(queue_id integer)
returns void
language plpgsql
volatile
-- plans: index
as $function$
declare
  v_is_keyed constant boolean := (
    select q.flow_control ?| '{concurrency_per_key,rate_limit_per_key}'
    from queue.queue as q
    where q.queue_id = _recount_admissions.queue_id
  );
begin
  -- The next admission looks at all of them: it lets begin what the new limits allow, and deletes the gates of keys that
  -- have nothing left to count.
  update queue.workflow_gate as g
  set taken = 0,
    candidates = 0,
    opens_at = clock_timestamp()
  where g.queue_id = _recount_admissions.queue_id;

  insert into queue.workflow_gate as g (opens_at, queue_id, taken, candidates, key)
  select clock_timestamp(), _recount_admissions.queue_id, n.taken, n.candidates, n.key
  from (
    select a.key, count(*) filter (where a.state in ('candidate', 'admitted')) as taken,
      count(*) filter (where a.state = 'candidate') as candidates
    from queue.workflow_admission as a
    where a.queue_id = _recount_admissions.queue_id
      and a.state <> 'new'
      and a.key <> ''
      -- One that was locked waits for its key, whether or not keys are limited any more.
      and (v_is_keyed or a.state = 'waiting')
    group by a.key
    union all
    select '', count(*), 0
    from queue.workflow_admission as a
    where a.queue_id = _recount_admissions.queue_id
      and a.state = 'admitted'
  ) as n
  on conflict on constraint workflow_gate_pkey do update
  set taken = excluded.taken,
    candidates = excluded.candidates;
end
$function$;

comment on function queue._recount_admissions(integer) is
$comment$Counts the runs of a workflow again, after its flow control has changed. The caller holds the lock of the admission.
Touches: queue.workflow_gate; reads queue.workflow_admission.$comment$;
