create or replace function queue._delete_approvals(run_ids bigint[])
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
-- plans: index
as $function$
declare
  v_approvals bigint[];
begin
  with deleted as (
    delete from queue.approval as a
    where a.run_id = any (run_ids)
    returning a.approval_id
  )
  select array_agg(deleted.approval_id) into v_approvals from deleted;
  delete from queue.approval_decision as d where d.approval_id = any (v_approvals);
  delete from queue.approval_token as l where l.approval_id = any (v_approvals);
end
$function$;

comment on function queue._delete_approvals(bigint[]) is
$comment$Deletes the requests for approval of swept runs, with their decisions and links.
Touches: queue.approval, queue.approval_decision, queue.approval_token.$comment$;
