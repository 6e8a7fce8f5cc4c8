create or replace function queue._require_movable(run_ids bigint[])
returns void
language plpgsql
stable
as $function$
declare
  v_problem record;
begin
  if (cardinality(run_ids) > 1000) is true then
    perform queue._raise('OX004',
      format('run %s can''t move: %s runs have to move with it, and 1,000 may', run_ids[1], cardinality(run_ids) - 1), null,
      'Move it after it has ended and its children are deleted.');
  end if;
  select k.run_id, k.problem, k.remedy into v_problem
  from queue._kept_runs(run_ids) as k
  limit 1;
  if found then
    perform queue._raise('OX004', format('run %s can''t move: %s', v_problem.run_id, v_problem.problem), null, v_problem.remedy);
  end if;
end
$function$;

comment on function queue._require_movable(bigint[]) is
$comment$Requires that runs have nothing that can't move to another shard.
Errors: OX004 one has.
Touches: nothing; reads what belongs to the runs.$comment$;
