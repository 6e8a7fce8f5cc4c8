create or replace function queue._kept_runs(run_ids bigint[])
returns setof queue.kept_run
language plpgsql
stable
as $function$
begin
  return query
    select f.run_id, f.problem, f.remedy
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
            and exists (select from queue.schedule as s where r.run_id in (s.last_run_id, s.earlier_run_id) and s.overlap = 'skip')
            then 'a schedule that waits for its end has started it'
        end as problem,
        case when r.status = 'running' then 'Let it end here.' else 'It is deleted here when its retention is over.' end as remedy
      from queue.workflow_run as r
      left join queue.queue as q on q.name = '__wf_' || r.workflow_name
      where r.run_id = any (run_ids)
    ) as f
    where f.problem is not null
    order by f.run_id;
end
$function$;

comment on function queue._kept_runs(bigint[]) is
$comment$Lists those of some runs that have something which can't move to another shard.
Returns them, in the order of their ids.
Touches: nothing; reads what belongs to the runs.$comment$;
