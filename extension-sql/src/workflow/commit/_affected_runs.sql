create or replace function queue._affected_runs(
  run_ids        bigint[],
  transitions    text[],
  effect_kinds   text[],
  effect_targets text[]
)
returns bigint[]
language plpgsql
stable
-- plans: index
as $function$
declare
  v_runs bigint[];
begin
  select array_agg(distinct r.parent_run_id) into v_runs
  from unnest(run_ids, transitions) as i (run_id, transition)
  join queue.workflow_run as r on r.run_id = i.run_id
  where i.transition in ('complete', 'fail', 'cancel')
    and r.parent_run_id is not null;
  if effect_kinds is null then
    return v_runs;
  end if;
  v_runs := v_runs || array(
    select e.target::bigint
    from unnest(effect_kinds, effect_targets) as e (kind, target)
    where e.kind = 'signal'
  );
  if 'cancel' = any (effect_kinds) then
    v_runs := v_runs || queue._related_runs(array(
      select e.target::bigint
      from unnest(effect_kinds, effect_targets) as e (kind, target)
      where e.kind = 'cancel'
        and e.target is not null
    ));
  end if;
  return v_runs;
end
$function$;

comment on function queue._affected_runs(bigint[], text[], text[], text[]) is
$comment$Returns the other runs that a commit may change: parents of the runs that it ends, runs that it signals, and child runs that it cancels, with their own children.
Returns their ids; null instead of an empty array.
Touches: nothing; reads queue.workflow_run.$comment$;
