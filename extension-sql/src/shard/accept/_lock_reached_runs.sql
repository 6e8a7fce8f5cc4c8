create or replace function queue._lock_reached_runs(kinds text[], bodies jsonb[])
returns void
language plpgsql
volatile
-- plans: index
as $function$
declare
  v_reached   bigint[];
  v_cancelled bigint[];
begin
  select array_agg(distinct i.run_id), array_agg(distinct i.run_id) filter (where i.kind = 'cancel')
  into v_reached, v_cancelled
  from (
    -- A malformed item is rejected when it is carried out.
    select b.kind, (b.body ->> 'run')::bigint as run_id
    from unnest(kinds, bodies) as b (kind, body)
    where b.body ->> 'run' ~ '^[0-9]{1,18}$'
    union all
    -- A run must not fail while a retried step finds it again: its parent drops that failure.
    select case b.kind when 'child_cancel' then 'cancel' else b.kind end, r.run_id
    from unnest(kinds, bodies) as b (kind, body)
    join queue.workflow_run as r
      on r.parent_run_id = case when b.body ->> 'parent' ~ '^[0-9]{1,18}$' then (b.body ->> 'parent')::bigint end
      and (not b.body ? 'step' or r.parent_step = b.body ->> 'step')
    where b.kind in ('child', 'child_cancel')
    union all
    select 'cancel', r.run_id
    from unnest(kinds, bodies) as b (kind, body)
    join queue.workflow_run as r
      on r.workflow_name = b.body ->> 'workflow'
      and r.idempotency_key = b.body ->> 'key'
      and r.superseded_by is null
    where b.kind = 'start'
      and b.body ->> 'onRunning' = 'cancel-existing'
  ) as i;
  if v_cancelled is null then
    perform queue._lock_runs(v_reached);
  else
    perform queue._lock_related_runs(v_cancelled, v_reached);
  end if;
end
$function$;

comment on function queue._lock_reached_runs(text[], jsonb[]) is
$comment$Locks the continuations of all runs that items of another shard change, in the order that commits use.
kinds, bodies: as in queue.outbox. The run that an item changes is "run" in its body; or the runs that "step", or all steps, of "parent" have invoked; or the one whose key a start takes over.
Touches: queue.workflow_continuation, as _lock_related_runs(); reads queue.workflow_run.$comment$;
