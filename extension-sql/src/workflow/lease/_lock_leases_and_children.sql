create or replace function queue._lock_leases_and_children(
  run_ids        bigint[],
  receipts       bigint[],
  transitions    text[],
  effect_kinds   text[],
  effect_targets text[],
  known          jsonb[],
  skip_locked    boolean,
  out leases  integer[],
  out reached bigint[]
)
language plpgsql
volatile
as $function$
begin
  loop
    reached := queue._affected_runs(run_ids, transitions, effect_kinds, effect_targets);
    begin
      leases := queue._lock_leases(run_ids, receipts, reached, known, skip_locked);
      -- An abandoned child may have started a run of its own before it was locked: see _lock_related_runs().
      exit when coalesce(queue._affected_runs(run_ids, transitions, effect_kinds, effect_targets), '{}')
        <@ coalesce(reached, '{}');
      raise sqlstate 'OX000';
    exception when sqlstate 'OX000' then
      continue;
    end;
  end loop;
end
$function$;

comment on function queue._lock_leases_and_children(bigint[], bigint[], text[], text[], text[], jsonb[], boolean) is
$comment$Locks what a commit that cancels child runs changes, as _lock_leases() does. Runs that these children start while this waits for a lock are included, in the order of run ids.
effect_targets: as returned by _find_abandoned_children(). The rest: as in workflow_commit().
Returns leases, as _lock_leases() does, and reached, as _affected_runs() does.
Touches: as _lock_leases() and _affected_runs().$comment$;
