create or replace function queue._recount_admissions(queue_id integer)
returns void
language plpgsql
volatile
-- plans: index
as $function$
declare
  v_flow     jsonb;
  v_is_keyed boolean;
begin
  select q.flow_control into v_flow from queue.queue as q where q.queue_id = _recount_admissions.queue_id;
  v_is_keyed := v_flow ?| '{concurrency_per_key,rate_limit_per_key}';
  update queue.workflow_admission as a
  set state = 'new',
    due_at = least(a.due_at, clock_timestamp())
  where a.queue_id = _recount_admissions.queue_id
    and a.state in ('waiting', 'candidate');

  insert into queue.workflow_gate as g (queue_id, taken, key)
  select _recount_admissions.queue_id, count(*), a.key
  from queue.workflow_admission as a
  where a.queue_id = _recount_admissions.queue_id
    and a.state = 'admitted'
    and a.key <> ''
    and v_is_keyed
  group by a.key
  union all
  select _recount_admissions.queue_id, count(*), ''
  from queue.workflow_admission as a
  where a.queue_id = _recount_admissions.queue_id
    and a.state = 'admitted'
  on conflict on constraint workflow_gate_pkey do nothing;
  update queue.workflow_gate as g
  set taken = case when g.key = '' or v_is_keyed then n.admitted else 0 end,
    candidates = 0,
    opens_at = case when g.filled_at > '-infinity' then clock_timestamp() end
  from (
    select o.key,
      (
        select count(*)
        from queue.workflow_admission as a
        where a.queue_id = _recount_admissions.queue_id
          and a.state = 'admitted'
          and (o.key = '' or a.key = o.key)
      ) as admitted
    from queue.workflow_gate as o
    where o.queue_id = _recount_admissions.queue_id
  ) as n
  where g.queue_id = _recount_admissions.queue_id
    and g.key = n.key;
end
$function$;

comment on function queue._recount_admissions(integer) is
$comment$Returns all waiting runs of a workflow to the arrivals, and recounts the admitted ones, after its flow control has changed. The caller holds the lock of the admission.
Touches: queue.workflow_admission, queue.workflow_gate.$comment$;
