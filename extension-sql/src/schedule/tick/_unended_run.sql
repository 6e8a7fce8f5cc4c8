create or replace function queue._unended_run(overlap text, last_run_id bigint)
returns bigint
language sql
stable
parallel safe
set search_path = pg_catalog, pg_temp
-- plans: index
as $function$
  select r.run_id
  from queue.workflow_run as r
  where overlap = 'skip'
    and r.run_id = last_run_id
    and r.status = 'running'
$function$;

comment on function queue._unended_run(text, bigint) is
$comment$Returns the run until whose end a schedule skips its ticks, which no other shard would see; null if it may tick.
overlap, last_run_id: of the schedule.
Touches: nothing; reads queue.workflow_run.$comment$;
