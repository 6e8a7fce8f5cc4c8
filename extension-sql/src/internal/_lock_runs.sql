create or replace function queue._lock_runs(run_ids bigint[])
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
as $function$
declare
  v_name text;
begin
  for v_name in
    select distinct r.workflow_name
    from queue.workflow_run as r
    where r.run_id = any (run_ids)
      and r.status = 'running'
    order by r.workflow_name
  loop
    execute format($sql$
      select from %1$s as m where m.msg_id = any ($1) order by m.msg_id for no key update
    $sql$, queue._workflow_table(v_name))
    using run_ids;
  end loop;
end
$function$;

comment on function queue._lock_runs(bigint[]) is
$comment$Locks the continuations of running runs of any workflows, in the order in which commits lock them.
Touches: continuations.$comment$;
