create or replace function queue._delete_ended_runs(run_ids bigint[])
returns bigint[]
language plpgsql
volatile
-- plans: index
as $function$
declare
  v_roots   bigint[];
  v_members bigint[];
  v_kept    bigint[];
  v_deleted bigint[];
  v_events  bigint[];
begin
  with recursive family (root, run_id) as (
    select i.run_id, i.run_id
    from unnest(run_ids) as i (run_id)
    union
    select f.root, c.run_id
    from family as f
    join queue.workflow_run as c on c.parent_run_id = f.run_id
    where c.is_detached is not true
  )
  select array_agg(family.root), array_agg(family.run_id) into v_roots, v_members from family;
  perform r.run_id
  from queue.workflow_run as r
  where r.run_id = any (v_members)
  order by r.run_id
  for update;

  -- As of now: a retry may have come first.
  v_kept := array(
    select f.root
    from unnest(v_roots, v_members) as f (root, run_id)
    left join queue.workflow_run as r on r.run_id = f.run_id
    where r.status = 'running'
      or f.run_id = f.root and r.run_id is null
      or f.run_id = f.root and r.is_detached is false and queue._is_awaited_by_parent(r.parent_run_id, r.parent_step)
  );
  v_deleted := array(select i.run_id from unnest(run_ids) as i (run_id) where i.run_id <> all (v_kept));
  if v_deleted = '{}' then
    return v_deleted;
  end if;
  v_members := array(
    select distinct f.run_id
    from unnest(v_roots, v_members) as f (root, run_id)
    where f.root = any (v_deleted)
  );

  v_events := array(select distinct t.event_id from queue.triggered_run as t where t.run_id = any (v_members));
  perform queue._delete_runs(v_members);
  delete from queue.captured_delivery as c where c.run_id = any (v_members);
  delete from queue.definition_once as o where o.run_id = any (v_members);
  if v_events <> '{}' then
    perform queue._delete_events_of_runs(v_events, v_members);
  end if;
  return v_deleted;
end
$function$;

comment on function queue._delete_ended_runs(bigint[]) is
$comment$Deletes ended runs before their retention is over, each with the runs that its steps have invoked, theirs, and what the sweeper leaves: requests that a sandbox has captured, the mark of once_for, and the event that has started the run.
A run stays if it, or one of those runs, is in progress, or if its parent waits for its result.
Returns the given runs that it has deleted.
Touches: queue.workflow_run, locked in the order of run ids; queue.captured_delivery, queue.definition_once; as _delete_runs() and _delete_events_of_runs().$comment$;
