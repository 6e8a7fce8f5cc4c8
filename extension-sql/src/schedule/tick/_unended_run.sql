create or replace function queue._unended_run(overlap text, run_ids bigint[])
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
    and r.run_id = any (run_ids)
    and r.status = 'running'
  order by r.run_id
  limit 1
$function$;

comment on function queue._unended_run(text, bigint[]) is
$comment$Returns the run until whose end a schedule skips its ticks, which no other shard would see; null if it may tick. A caller that has locked the schedule asks in a later statement: the one that waited for the lock does not see a run that was started while it waited.
overlap: of the schedule.
run_ids: its last_run_id and earlier_run_id; either may be null.
Touches: nothing; reads queue.workflow_run.$comment$;
