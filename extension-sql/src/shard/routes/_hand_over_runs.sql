create or replace function queue._hand_over_runs(run_ids bigint[], shards smallint[], ends_leases boolean)
returns queue.route_handover
language plpgsql
volatile
as $function$
declare
  v_result queue.route_handover;
  v_run    record;
begin
  v_result.moved := 0;
  v_result.asked := 0;
  v_result.kept := 0;
  v_result.busy := 0;
  for v_run in
    select i.run_id, i.shard
    from unnest(run_ids, shards) with ordinality as i (run_id, shard, position)
    order by i.position
  loop
    begin
      if queue._moved_to(v_run.run_id) is null then
        perform queue._require_own_family(v_run.run_id, v_run.shard);
        if queue._hand_over(v_run.run_id, v_run.shard, ends_leases) <> 'moved' then
          v_result.asked := v_result.asked + 1;
          continue;
        end if;
      end if;
      v_result.moved := v_result.moved + 1;
    exception
      when others then
        if sqlstate in ('40001', '40P01', '55P03') then
          v_result.busy := v_result.busy + 1;
        elsif sqlstate in ('OX005', 'OX028', 'OX029') then
          -- Deleted or moved in the meantime. OX028: a deleted one of another shard's id.
          continue;
        elsif queue._is_rejection(sqlstate) then
          v_result.kept := v_result.kept + 1;
          v_result.problem := coalesce(v_result.problem, sqlerrm);
        else
          raise;
        end if;
    end;
  end loop;
  return v_result;
end
$function$;

comment on function queue._hand_over_runs(bigint[], smallint[], boolean) is
$comment$Moves runs, each with its family, as far as they can move now.
run_ids, shards: parallel: the runs, and the numbers of the shards that they move to.
ends_leases: as in hand_over_run().
Returns what it has done, without last_run_id and newest_run_id.
Touches: as hand_over_run(), without the audit.$comment$;
