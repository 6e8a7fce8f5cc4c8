create or replace function queue._record_starters(run_ids bigint[], starters text[])
returns void
language plpgsql
volatile
as $function$
begin
  insert into queue.workflow_starter (run_id, started_by)
  select r.run_id, s.started_by
  from unnest(run_ids) as r (run_id)
  cross join unnest(starters) as s (started_by)
  on conflict on constraint workflow_starter_pkey do nothing;
end
$function$;

comment on function queue._record_starters(bigint[], text[]) is
$comment$Records the people who started new runs, for approvals that exclude starters.
starters: of what caused the runs as well, so that they are known wherever that is. Null or empty: nothing is recorded.
Touches: queue.workflow_starter.$comment$;
