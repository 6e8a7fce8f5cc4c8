create or replace function queue._cancel_abandoned_children(
  run_ids        bigint[],
  held           boolean[],
  effect_items   integer[],
  effect_kinds   text[],
  effect_steps   text[],
  effect_targets text[]
)
returns void
language plpgsql
volatile
-- plans: index
as $function$
begin
  perform queue._cancel_run(
    c.workflow_name, c.run_id, format('step "%s" of run %s, which started it, was abandoned', c.step, c.parent), c.is_item
  )
  from (
    select r.workflow_name, r.run_id, run_ids[e.item] as parent, e.step, coalesce(r.is_item, false) as is_item
    from unnest(effect_items, effect_kinds, effect_steps, effect_targets) as e (item, kind, step, target)
    join queue.workflow_run as r on r.run_id = e.target::bigint
    where e.kind = 'cancel'
      and held[e.item]
      and r.status = 'running'
    order by r.run_id
  ) as c;
end
$function$;

comment on function queue._cancel_abandoned_children(bigint[], boolean[], integer[], text[], text[], text[]) is
$comment$Cancels the child runs of abandoned steps, and the runs that these wait for. Items of loops are rolled back. A child run that ends in the same commit stays as it is.
held: by position, whose leases are locked. effect_...: as in workflow_commit(), with targets from _find_abandoned_children().
Touches: as workflow_cancel(), whose locks the caller has.$comment$;
