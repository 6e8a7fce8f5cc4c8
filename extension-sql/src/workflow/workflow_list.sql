create or replace function queue.workflow_list(
  filter            jsonb default '{}',
  before            bigint default null,
  max_runs          integer default 100,
  with_values       boolean default false,
  before_started_at timestamptz default null
)
returns setof queue.workflow_summary
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_filter constant queue.run_filter := queue._run_filter(filter);
begin
  perform queue._require_current_tables();
  perform queue._check_page(max_runs);
  if to_regclass('queue.workflow_run') is null then
    return;
  end if;
  return query
    select s.*
    from queue._summarize_runs(
      v_filter, queue._run_cursor(before, before_started_at), max_runs, coalesce(with_values, false)
    ) as s;
end
$function$;

comment on function queue.workflow_list(jsonb, bigint, integer, boolean, timestamptz) is
$comment$Lists a page of runs, newest first: in descending order of started_at and, if that is equal, run_id.
filter: a JSON object; a run has to fit all that is in it: name, version, status (one or a list), paused (true or false), started_after, started_before, completed_after, completed_before (ISO 8601; after includes the instant), tags and input (contained in those of the run), error_code (of the error or its cause), idempotency_key. before, before_started_at: the run_id and the started_at of the row that the page before ended with: a cursor behind which no run appears that starts later; null is the first page. max_runs: most rows of the page, to 10000. with_values: also input and output.
Cost: name, tags, idempotency_key, paused, and a status of failed or cancelled are found through indexes; the other conditions are checked on what those leave, newest first, until the page is full. Runs in flight are sorted for each page, about 0.2 s a million; leave them out by a status.
Returns one row a run; fewer than max_runs is the last page.
Errors: OX004 invalid argument, OX005 before_started_at is null, and the run in before has been deleted.
Touches: nothing; reads runs and continuations.$comment$;
