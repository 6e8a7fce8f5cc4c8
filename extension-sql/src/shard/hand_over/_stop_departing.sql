create or replace function queue._stop_departing(run_ids bigint[])
returns void
language plpgsql
volatile
as $function$
declare
  v_run_id bigint;
begin
  for v_run_id in
    with deleted as (
      delete from queue.departing as d
      where d.run_id = any (run_ids)
      returning d.run_id, d.is_paused
    )
    select d.run_id
    from deleted as d
    join queue.workflow_run as r on r.run_id = d.run_id
    where d.is_paused
    order by d.run_id
  loop
    perform queue._resume_run(v_run_id);
  end loop;
end
$function$;

comment on function queue._stop_departing(bigint[]) is
$comment$Ends what _ask_back() began: resumes the runs that it has paused.
Touches: queue.departing; as _resume_run().$comment$;
