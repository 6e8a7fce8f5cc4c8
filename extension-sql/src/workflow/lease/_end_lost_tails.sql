create or replace function queue._end_lost_tails(
  run_ids        bigint[],
  held           boolean[],
  known          jsonb[],
  step_items     integer[],
  step_positions integer[]
)
returns boolean[]
language plpgsql
volatile
as $function$
declare
  v_lost constant integer[] := queue._find_lost_tails(run_ids, held, known, step_items, step_positions);
begin
  if v_lost = array[]::integer[] then
    return held;
  end if;
  perform queue._give_back_runs(array(select run_ids[l.item] from unnest(v_lost) as l (item)));
  return array(
    select i.held and not i.item = any (v_lost)
    from unnest(held) with ordinality as i (held, item)
    order by i.item
  );
end
$function$;

comment on function queue._end_lost_tails(bigint[], boolean[], jsonb[], integer[], integer[]) is
$comment$Gives back the runs of a commit whose worker got a successful answer for an earlier commit that a crash or failover has lost.
held: by position, which leases are locked.
run_ids, known, step_items, step_positions: as in workflow_commit().
Returns held, with false for those runs.
Touches: as _give_back_runs(); reads as _find_lost_tails().$comment$;
