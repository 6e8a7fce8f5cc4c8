create or replace function queue._await_admission(
  queue_id   integer,
  flow       jsonb,
  started    bigint[],
  run_ids    bigint[] default null,
  keys       text[] default null,
  priorities integer[] default null
)
returns void
language plpgsql
volatile
-- plans: index
as $function$
declare
  v_limits constant queue.flow_limits := queue._flow_limits(flow);
begin
  if not flow ?| '{concurrency,concurrency_per_key,rate_limit,rate_limit_per_key,priority}' then
    return;
  end if;
  insert into queue.workflow_admission (run_id, due_at, queue_id, version, priority, state, key)
  select r.run_id, m.visible_at, _await_admission.queue_id, m.version,
    coalesce(i.priority, queue._flow_priority(r.input, v_limits.priority_path)), 'new',
    coalesce(i.key, queue._flow_key(r.input, v_limits.key_path), '')
  from unnest(coalesce(run_ids, started), keys, priorities) as i (run_id, key, priority)
  join queue.workflow_run as r on r.run_id = i.run_id
  join queue.workflow_continuation as m on m.msg_id = i.run_id
  where cardinality(started) = cardinality(coalesce(run_ids, started))
    or i.run_id = any (started)
  -- A retried run whose end has not been processed yet.
  on conflict on constraint workflow_admission_pkey do update
  set is_again = true,
    due_at = excluded.due_at;

  -- At its deadline the run fails, whether or not it has begun.
  update queue.workflow_continuation as m
  set visible_at = coalesce(r.deadline, 'infinity')
  from queue.workflow_run as r
  where m.msg_id = any (started)
    and r.run_id = m.msg_id;
end
$function$;

comment on function queue._await_admission(integer, jsonb, bigint[], bigint[], text[], integer[]) is
$comment$Makes runs that the caller has just started wait for admission, if their workflow limits runs. They become due when they would have become visible.
queue_id, flow: of the workflow.
started: ids of the runs.
run_ids, keys, priorities: parallel arrays, which may contain more runs; a null or missing element means the value in the input.
Touches: queue.workflow_admission, queue.workflow_continuation.$comment$;
