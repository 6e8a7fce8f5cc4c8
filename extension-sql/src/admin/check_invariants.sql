create or replace function queue.check_invariants()
returns setof queue.violation
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_queue record;
begin
  if not queue._require_current_tables() then
    return;
  end if;

  return query
    select 'a journal row has its run', format('run %s', s.run_id), format('step "%s"', s.step_name)
    from queue.workflow_step as s
    where not exists (select from queue.workflow_run as r where r.run_id = s.run_id)
    union all
    select 'a journal has the positions 1 to n', format('run %s', s.run_id),
      format('%s rows, last position %s', count(*), max(s.position))
    from queue.workflow_step as s
    group by s.run_id
    having count(*) <> max(s.position)
      or count(distinct s.position) <> count(*)
    union all
    select 'a name is journaled once', format('run %s', d.run_id), format('"%s"', d.name)
    from (
      select s.run_id, e.decision ->> 'name' as name, s.kind = 'decision' and e.decision ->> 'name' = s.step_name as is_row
      from queue.workflow_step as s
      cross join lateral jsonb_array_elements(s.decisions) as e (decision)
      where s.decisions is not null
    ) as d
    group by d.run_id, d.name
    having count(*) > 1
      or not bool_or(d.is_row) and exists (
        select from queue.workflow_step as o where o.run_id = d.run_id and o.step_name = d.name
      )
    union all
    select 'a buffered signal has its run', format('run %s', b.run_id), format('event "%s"', b.event)
    from queue.workflow_buffered_signal as b
    where not exists (select from queue.workflow_run as r where r.run_id = b.run_id)
    union all
    select 'a deduplicated signal has its run', format('run %s', d.run_id), format('id "%s"', d.deduplication_id)
    from queue.workflow_signal_receipt as d
    where not exists (select from queue.workflow_run as r where r.run_id = d.run_id)
    union all
    select 'a published value has its run', format('run %s', s.run_id), format('key "%s"', s.key)
    from queue.workflow_run_state as s
    where not exists (select from queue.workflow_run as r where r.run_id = s.run_id)
    union all
    select 'a chunk of a stream has its run', format('run %s', c.run_id), format('position %s', c.position)
    from queue.workflow_stream_chunk as c
    where not exists (select from queue.workflow_run as r where r.run_id = c.run_id)
    union all
    select 'an ended generation has its run', format('run %s', g.run_id), format('generation %s', g.generation)
    from queue.workflow_generation as g
    where not exists (
      select
      from queue.workflow_run as r
      where r.run_id = g.run_id
        and r.generation > g.generation
    )
    union all
    select 'a run in flight holds its idempotency key', format('run %s', r.run_id),
      format('superseded by run %s', r.superseded_by)
    from queue.workflow_run as r
    where r.superseded_by is not null
      and r.status = 'running'
    union all
    select 'a run has the queue of its workflow', format('run %s', r.run_id),
      format('workflow "%s"', r.workflow_name)
    from queue.workflow_run as r
    where queue._workflow_queue_id(r.workflow_name) is null
    union all
    select 'a schedule has its next tick', format('schedule "%s"', s.name), format('message %s', s.msg_id)
    from queue.schedule as s
    where s.msg_id is not null
      and not queue._has_tick(s.msg_id)
    union all
    select v.* from queue._violations_of_definitions() as v
    union all
    select v.* from queue._violations_of_approvals() as v
    union all
    select v.* from queue._violations_of_continuations() as v
    union all
    select v.* from queue._violations_of_admission() as v;

  for v_queue in
    select q.name, q.kind, queue._queue_table(q.name) as queue_table
    from queue.queue as q
    where q.kind <> 'workflow'
    order by q.name
  loop
    return query select v.* from queue._violations_of_queue(v_queue.name, v_queue.kind, v_queue.queue_table) as v;
  end loop;
end
$function$;

comment on function queue.check_invariants() is
$comment$Lists broken invariants; always empty in a healthy database. It checks that every running run has a continuation and no ended run has one, that journals have no gaps and no name twice, that each message group has a head, and is in the shard where it is at home or about to leave for it, that messages which wait apart are noted as suspects, that paused runs are not visible, that subscriptions of runs have open waits, that schedules have their next tick, that starts take what definitions have published, that approvals are as their decisions are, and that flow control counts correctly. It reads all tables, so don't call it on a hot path.
Returns one row per violation.
Errors: OX006 the tables are older than the functions.
Touches: nothing; reads all tables.$comment$;
