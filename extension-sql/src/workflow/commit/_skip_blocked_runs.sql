create or replace function queue._skip_blocked_runs(
  held           boolean[],
  others         bigint[],
  run_ids        bigint[],
  transitions    text[],
  effect_items   integer[],
  effect_kinds   text[],
  effect_targets text[]
)
returns boolean[]
language plpgsql
volatile
-- plans: index
as $function$
declare
  -- This includes runs that this transaction has locked before.
  v_locked constant bigint[] := queue._try_lock_runs(others);
  v_busy   constant bigint[] := array(
    select m.msg_id
    from queue.workflow_continuation as m
    where m.msg_id = any (others)
      and not m.msg_id = any (v_locked)
  );
begin
  if v_busy = array[]::bigint[] then
    return held;
  end if;
  return (
    select array_agg(
      case
        when i.held and i.transition in ('complete', 'fail', 'cancel') and r.parent_run_id = any (v_busy) then null
        when i.held and exists (
          select
          from unnest(effect_items, effect_kinds, effect_targets) as e (item, kind, target)
          where e.item = i.item
            and case e.kind
              when 'signal' then e.target::bigint = any (v_busy)
              -- The children of an abandoned child are cancelled with it.
              when 'cancel' then queue._related_runs(array[e.target::bigint]) && v_busy
              else false
            end
        ) then null
        else i.held
      end
      order by i.item
    )
    from unnest(run_ids, transitions, held) with ordinality as i (run_id, transition, held, item)
    left join queue.workflow_run as r on r.run_id = i.run_id
  );
end
$function$;

comment on function queue._skip_blocked_runs(boolean[], bigint[], bigint[], text[], integer[], text[], text[]) is
$comment$Leaves runs out of a commit if they would change a run that another transaction has locked.
held: as returned by _lock_leases() with skip_locked.
others: as passed to _lock_leases().
run_ids, transitions, effect_items, effect_kinds, effect_targets: as in workflow_commit().
Returns held, with null for the runs that are left out.
Touches: queue.workflow_continuation (SKIP LOCKED); reads queue.workflow_run.$comment$;
