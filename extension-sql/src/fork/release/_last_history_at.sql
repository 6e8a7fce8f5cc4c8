create or replace function queue._last_history_at()
returns timestamptz
language plpgsql
stable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
begin
  return coalesce(
    greatest(
      (select max(r.started_at) from queue.workflow_run as r),
      (select max(r.completed_at) from queue.workflow_run as r),
      (select max(s.completed_at) from queue.workflow_step as s)
    ),
    clock_timestamp()
  );
end
$function$;

comment on function queue._last_history_at() is
$comment$Up to when this database has a history, as far as runs tell.
Returns the newest start, end or step; the present time where there is none.
Touches: nothing; reads all runs and journals.$comment$;
