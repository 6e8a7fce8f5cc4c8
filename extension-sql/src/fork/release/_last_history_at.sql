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
$comment$Returns up to when this database has a history, judged by its runs.
Returns the latest start, end or step; the current time without a history.
Touches: nothing; reads queue.workflow_run and queue.workflow_step.$comment$;
