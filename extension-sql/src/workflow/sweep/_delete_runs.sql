create or replace function queue._delete_runs(run_ids bigint[])
returns void
language plpgsql
volatile
-- plans: index
as $function$
begin
  delete from queue.workflow_run as r where r.run_id = any (run_ids);
  perform queue._delete_run_parts(run_ids);
end
$function$;

comment on function queue._delete_runs(bigint[]) is
$comment$Deletes ended runs with all that belongs to them.
Touches: queue.workflow_run; as _delete_run_parts().$comment$;
