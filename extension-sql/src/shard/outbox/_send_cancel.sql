create or replace function queue._send_cancel(run_id bigint, reason text, rollback boolean)
returns boolean
language plpgsql
volatile
as $function$
declare
  v_target constant smallint := queue._other_shard(run_id);
begin
  if v_target is null then
    return false;
  end if;
  perform queue._send_item(
    v_target, 'cancel', null,
    jsonb_strip_nulls(jsonb_build_object('run', run_id::text, 'reason', reason, 'rollback', rollback))
  );
  return true;
end
$function$;

comment on function queue._send_cancel(bigint, text, boolean) is
$comment$Cancels a run of another shard.
reason, rollback: as in workflow_cancel().
Returns true; false if no other shard has given out the id of the run.
Touches: as _send_item(); reads queue.fleet, queue.fleet_shard.$comment$;
