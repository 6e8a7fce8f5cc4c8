create or replace function queue._affected_runs(
  run_ids        bigint[],
  transitions    text[],
  effect_kinds   text[],
  effect_targets text[]
)
returns bigint[]
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
-- plans: index
as $function$
declare
  v_parents bigint[];
begin
  select array_agg(distinct r.parent_run_id) into v_parents
  from unnest(run_ids, transitions) as i (run_id, transition)
  join queue.workflow_run as r on r.run_id = i.run_id
  where i.transition in ('complete', 'fail', 'cancel')
    and r.parent_run_id is not null;
  if effect_kinds is null then
    return v_parents;
  end if;
  return v_parents || array(
    select e.target::bigint
    from unnest(effect_kinds, effect_targets) as e (kind, target)
    where e.kind = 'signal'
  );
end
$function$;

comment on function queue._affected_runs(bigint[], text[], text[], text[]) is
$comment$Returns the other runs that a commit may change: parents of the runs that it ends, and runs that it signals.
Returns their ids; null if there is none.
Touches: nothing; reads queue.workflow_run.$comment$;
