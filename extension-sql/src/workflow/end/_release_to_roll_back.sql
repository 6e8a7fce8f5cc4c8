create or replace function queue._release_to_roll_back(run_ids bigint[])
returns bigint[]
language plpgsql
volatile
-- plans: index
as $function$
declare
  v_released bigint[];
begin
  with released as (
    update queue.workflow_continuation as m
    set receipt = null,
      settled_receipt = m.receipt,
      suspect_at = null,
      deaths = null,
      visible_at = greatest(queue._paused_until(m.headers), clock_timestamp()),
      headers = queue._due_after_pause(m.headers, clock_timestamp()),
      message = m.message || jsonb_build_object('waits', jsonb_build_array(), 'journaled', (
        select coalesce(max(s.position), 0) from queue.workflow_step as s where s.run_id = m.msg_id
      ))
    where m.msg_id = any (run_ids)
      and m.headers ? 'cancelled'
    returning m.msg_id
  )
  select array_agg(released.msg_id) into v_released from released;
  perform queue._unsubscribe_waits(v_released);
  perform queue._wake_workflows(v_released);
  return v_released;
end
$function$;

comment on function queue._release_to_roll_back(bigint[]) is
$comment$Gives back runs that must roll back, those that are paused when their pause ends. The caller has locked their continuations.
run_ids: other runs among them are unchanged.
Returns the runs that were given back; null instead of an empty array.
Touches: queue.workflow_continuation; as _unsubscribe_waits().$comment$;
