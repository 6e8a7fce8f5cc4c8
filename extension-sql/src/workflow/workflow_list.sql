create or replace function queue.workflow_list(
  filter      jsonb default '{}',
  before      bigint default null,
  max_runs    integer default 100,
  with_values boolean default false
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
  perform queue._check_tables();
  perform queue._check_page(max_runs);
  if to_regclass('queue.workflow_run') is null then
    return;
  end if;
  return query select s.* from queue._summarize_runs(v_filter, before, max_runs, coalesce(with_values, false)) as s;
end
$function$;

comment on function queue.workflow_list(jsonb, bigint, integer, boolean) is
$comment$A page of runs, newest first.
filter: a JSON object; a run has to fit all that is in it: name, version, status (one or a list), paused (true or false), started_after, started_before, completed_after, completed_before (ISO 8601; after includes the instant), tags and input (contained in those of the run), error_code (of the error or its cause), idempotency_key. before: the run id that the page before ended with, a cursor that no insert moves; null is the first page. max_runs: most rows of the page, to 10000. with_values: also input and output.
Cost: by name, tags, idempotency_key, paused, and a status of failed or cancelled, runs are found through indexes; the other conditions are checked on what those leave, newest first, until the page is full.
Returns one row a run; fewer than max_runs is the last page.
Errors: OX004 invalid argument.
Touches: nothing; reads runs and continuations.$comment$;
