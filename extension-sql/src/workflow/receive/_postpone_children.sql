create or replace function queue._postpone_children(run_ids bigint[], parents bigint[])
returns bigint[]
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
-- plans: index
as $function$
declare
  v_locked  constant bigint[] := queue._try_lock_runs(parents);
  v_put_off constant bigint[] := array(
    select r.run_id
    from queue.workflow_run as r
    join queue.workflow_run as p on p.run_id = r.parent_run_id
    where r.run_id = any (run_ids)
      and not r.is_detached
      and p.status = 'running'
      and not p.run_id = any (v_locked)
  );
begin
  update queue.workflow_continuation as m
  set visible_at = clock_timestamp() + interval '100 milliseconds',
    suspect_at = null
  where m.msg_id = any (v_put_off);
  return array(select i.run_id from unnest(run_ids) as i (run_id) where not i.run_id = any (v_put_off));
end
$function$;

comment on function queue._postpone_children(bigint[], bigint[]) is
$comment$Locks the parents of claimed runs that no other transaction has locked, and postpones the children of the others by 100 ms.
Returns the runs whose parents are locked or gone.
Touches: queue.workflow_continuation (SKIP LOCKED).$comment$;
