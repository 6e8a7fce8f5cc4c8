create or replace function queue._run_cursor(run_id bigint, started_at timestamptz)
returns queue.run_cursor
language plpgsql
stable
as $function$
declare
  v_cursor queue.run_cursor;
begin
  if run_id is null then
    return null;
  end if;
  v_cursor.run_id := run_id;
  v_cursor.started_at := coalesce(
    started_at, (select r.started_at from queue.workflow_run as r where r.run_id = _run_cursor.run_id)
  );
  if v_cursor.started_at is null then
    perform queue._raise('OX005', format('run %s, the cursor of a list, does not exist', run_id), null,
      'Pass the started_at of that run too, so that the list continues even if the run has been deleted.');
  end if;
  return v_cursor;
end
$function$;

comment on function queue._run_cursor(bigint, timestamptz) is
$comment$Builds the cursor of a list of runs.
run_id: of the last run of the previous page; null for the first page.
started_at: of that run; looked up if null.
Returns the place in the list; null for its beginning.
Errors: OX005 started_at is null and the run has been deleted.
Touches: nothing; reads queue.workflow_run.$comment$;
