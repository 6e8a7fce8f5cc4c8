create or replace function queue._admit_runs(queue_id integer, versions integer[], want integer)
returns integer
language plpgsql
volatile
-- plans: index, no bitmap, generic
as $function$
declare
  v_now    timestamptz;
  v_limits queue.flow_limits;
  v_keys   text[];
  v_count  integer;
begin
  if coalesce(queue._admission_opens_at(queue_id, versions), 'infinity') > clock_timestamp() then
    return 0;
  end if;
  -- One transaction at a time counts. Starts and ends don't wait for it, nor it for them. It takes a moment; but if a
  -- long transaction changes the flow control, a receive must still get runs of other workflows.
  for v_try in 1..20 loop
    exit when pg_try_advisory_xact_lock(hashtextextended('oxbow:admit:' || queue_id, 0));
    if v_try = 20 then
      return 0;
    end if;
    perform pg_sleep(0.001);
  end loop;
  perform pg_current_xact_id();  -- before the clock: see _advance_ready_mark()
  v_now := clock_timestamp();
  v_limits := (select queue._flow_limits(q.flow_control) from queue.queue as q where q.queue_id = _admit_runs.queue_id);

  v_keys := queue._free_slots(queue_id);
  v_keys := v_keys || queue._sort_arrivals(queue_id, versions, v_limits, v_now);
  v_keys := v_keys || array(
    select g.key
    from queue.workflow_gate as g
    where g.queue_id = _admit_runs.queue_id
      and g.opens_at <= v_now
    order by g.opens_at
    limit 500
  );
  perform queue._promote_runs(queue_id, v_limits, v_keys, v_now);
  v_count := queue._admit_candidates(queue_id, versions, v_limits, want, v_now);
  perform queue._refresh_gates(queue_id, v_limits, v_keys, v_now);
  return v_count;
end
$function$;

comment on function queue._admit_runs(integer, integer[], integer) is
$comment$Admits runs of a workflow with flow control: frees the slots of ended runs, places arrivals, lets runs of each key become candidates (_promote_runs), and makes the first candidates visible as far as the limits of the workflow allow (_admit_candidates). The cost depends on what happened since the last call, not on how many runs wait.
versions: the versions that the caller serves.
want: how many runs the caller can take.
Returns how many it admitted.
Touches: an advisory lock of the workflow; queue.workflow_admission, queue.workflow_gate, queue.workflow_continuation.$comment$;
