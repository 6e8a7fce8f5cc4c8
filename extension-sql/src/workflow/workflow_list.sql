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
security definer
as $function$
declare
  v_filter constant queue.run_filter := queue._run_filter(filter);
begin
  perform queue._check_count(max_runs);
  if not queue._require_current_tables() then
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
$comment$Lists a page of runs, newest first: in descending order of started_at, then run_id.
name, tags, parent, idempotency_key, paused, the statuses failed and cancelled, and a completed_after since which few runs have ended are found through indexes. Other conditions are checked on the rows that those leave, newest first, until the page is full. Runs in flight are sorted for each page, about 0.2 s per million; exclude them by status if you don't need them.
filter: a JSON object; a run must match all of its keys: name, version, status (one or a list), paused (true or false), started_after, started_before, completed_after, completed_before (ISO 8601; "after" includes the instant), tags and input (contained in those of the run), error_code (of the error or its cause), error_text (a part of the name or message of the error or its cause, in any case), idempotency_key, activity (of running runs, one or a list, as in queue.workflow_state), parent (the run whose step started it). error_code and error_text select failed and cancelled runs, activity running ones.
Items of loops are found only by a filter for their parent.
before, before_started_at: run_id and started_at of the last row of the previous page; null for the first page. Runs that start in the meantime do not shift the pages.
max_runs: size of the page, 1 to 10000.
with_values: also return input and output.
Returns one row per run; fewer than max_runs on the last page.
Errors: OX004 invalid argument, OX005 before_started_at is null and the run in before has been deleted.
Touches: nothing; reads queue.workflow_run and queue.workflow_continuation.$comment$;
