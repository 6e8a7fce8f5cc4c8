create or replace function queue._find_abandoned_children(
  run_ids        bigint[],
  effect_items   integer[],
  effect_kinds   text[],
  effect_steps   text[],
  effect_targets text[]
)
returns text[]
language plpgsql
stable
-- plans: index
as $function$
begin
  return (
    select array_agg(
      case
        when e.kind = 'cancel' then (
          select c.run_id::text
          from queue.workflow_run as c
          where c.parent_run_id = run_ids[e.item]
            and c.parent_step = e.step
            and c.status = 'running'
            and not c.is_detached
        )
        else e.target
      end
      order by e.n
    )
    from unnest(effect_items, effect_kinds, effect_steps, effect_targets) with ordinality
      as e (item, kind, step, target, n)
  );
end
$function$;

comment on function queue._find_abandoned_children(bigint[], integer[], text[], text[], text[]) is
$comment$Finds the child runs of abandoned steps.
effect_...: as in workflow_commit().
Returns effect_targets, with the id of the child run as the target of each cancel; null if it has ended or was not started.
Touches: nothing; reads queue.workflow_run.$comment$;
