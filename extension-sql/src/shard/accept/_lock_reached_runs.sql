create or replace function queue._lock_reached_runs(kinds text[], bodies jsonb[])
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
-- plans: index
as $function$
declare
  v_reached   bigint[];
  v_cancelled bigint[];
begin
  select array_agg(distinct i.run_id), array_agg(distinct i.run_id) filter (where i.kind = 'cancel')
  into v_reached, v_cancelled
  from (
    select b.kind, (b.body ->> 'run')::bigint as run_id
    from unnest(kinds, bodies) as b (kind, body)
    -- What is malformed is rejected when it is carried out.
    where b.body ->> 'run' ~ '^[0-9]{1,18}$'
    union all
    select 'cancel', r.run_id
    from unnest(kinds, bodies) as b (kind, body)
    join queue.workflow_run as r
      on r.parent_run_id = (b.body ->> 'parent')::bigint
      and r.parent_step = b.body ->> 'step'
    where b.kind = 'child_cancel'
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
kinds, bodies: as in queue.outbox. The run that an item changes is "run" in its body; or the one that "step" of "parent" has invoked.
Touches: queue.workflow_continuation, as _lock_related_runs(); reads queue.workflow_run.$comment$;
