create or replace function queue._require_movable(run_ids bigint[])
returns void
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_problem record;
begin
  if cardinality(run_ids) > 1000 then
    perform queue._raise('OX004',
      format('run %s can''t move: %s runs have to move with it, and 1,000 may', run_ids[1], cardinality(run_ids) - 1), null,
      'Move it after it has ended and its children are deleted.');
  end if;
  select f.run_id, f.problem, f.remedy into v_problem
  from (
    select r.run_id,
      case
        when r.parent_generation is not null then 'a run of another shard has invoked it'
        when q.pool_id is not null then 'its workflow is a definition'
        when q.flow_control is not null
          or exists (select from queue.workflow_admission as a where a.run_id = r.run_id)
          then 'its workflow has flow control'
        when exists (select from queue.approval as a where a.run_id = r.run_id) then 'it has asked for approval'
        when exists (
            select from queue.subscription as s where s.target_type = 'run' and s.target = r.run_id::text
          )
          or exists (select from queue.workflow_inbox as i where i.run_id = r.run_id)
          then 'it waits for a topic'
        when exists (select from queue.triggered_run as t where t.run_id = r.run_id) then 'a trigger has started it'
        when exists (select from queue.definition_test_run as t where t.run_id = r.run_id) then 'it is a test of a definition'
        -- The schedule would not see it, and start another one beside it.
        when r.status = 'running' and r.scheduled_at is not null
          and exists (select from queue.schedule as s where s.last_run_id = r.run_id and s.overlap = 'skip')
          then 'a schedule that waits for its end has started it'
      end as problem,
      case when r.status = 'running' then 'Let it end here.' else 'It is deleted here when its retention is over.' end as remedy
    from queue.workflow_run as r
    left join queue.queue as q on q.name = '__wf_' || r.workflow_name
    where r.run_id = any (run_ids)
  ) as f
  where f.problem is not null
  order by f.run_id
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
