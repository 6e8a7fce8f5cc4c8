create or replace function queue._cancel_children_elsewhere(run_id bigint, reason text, rollback boolean)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
-- plans: index
as $function$
begin
  perform queue._send_item(
    s.shard, 'child_cancel', null,
    jsonb_build_object(
      'parent', r.run_id::text, 'generation', coalesce(r.generation, 1), 'reason', reason, 'rollback', rollback
    )
  )
  from queue.workflow_run as r
  cross join queue.fleet as f
  join queue.fleet_shard as s on s.shard <> f.shard
  where r.run_id = _cancel_children_elsewhere.run_id
  order by s.shard;
end
$function$;

comment on function queue._cancel_children_elsewhere(bigint, text, boolean) is
$comment$Cancels all runs that this generation of a run has invoked in other shards, wherever they are: for a run that has been retried, whose continuation has lost the waits of earlier attempts.
reason, rollback: as in workflow_cancel().
Touches: as _send_item(); reads queue.workflow_run, queue.fleet, queue.fleet_shard.$comment$;
