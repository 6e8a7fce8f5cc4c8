create or replace function queue._try_lock_runs(run_ids bigint[])
returns bigint[]
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
as $function$
declare
  v_name   text;
  v_locked bigint[];
  v_all    bigint[] := array[]::bigint[];
begin
  for v_name in
    select distinct r.workflow_name
    from queue.workflow_run as r
    where r.run_id = any (run_ids)
      and r.status = 'running'
    order by r.workflow_name
  loop
    execute format($sql$
      with locked as materialized (
        select m.msg_id from %1$s as m where m.msg_id = any ($1) for no key update skip locked
      )
      select array_agg(locked.msg_id) from locked
    $sql$, queue._workflow_table(v_name))
    into v_locked
    using run_ids;
    v_all := v_all || v_locked;
  end loop;
  return v_all;
end
$function$;

comment on function queue._try_lock_runs(bigint[]) is
$comment$As _lock_runs(), but waits for nobody.
Returns the running runs that are locked now.
Touches: continuations.$comment$;
