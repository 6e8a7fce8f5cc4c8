create or replace function queue._send_child_cancels(run_id bigint, waits jsonb, reason text, rollback boolean)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  perform queue._send_item(
    w.target, 'child_cancel', null,
    jsonb_build_object('parent', run_id::text, 'step', w.step, 'reason', reason, 'rollback', rollback)
  )
  from (
    select e.wait ->> 'step' as step, queue._other_home(e.wait ->> 'route') as target
    from jsonb_array_elements(waits) as e (wait)
    where e.wait ->> 'kind' = 'invoke'
      and e.wait ? 'route'
      and not e.wait ? 'detached'
  ) as w
  where w.target is not null;
end
$function$;

comment on function queue._send_child_cancels(bigint, jsonb, text, boolean) is
$comment$Cancels the runs in other shards that a run waits for.
waits: of its continuation.
reason, rollback: as in workflow_cancel().
Touches: as _send_item(); reads queue.fleet, queue.fleet_shard.$comment$;
