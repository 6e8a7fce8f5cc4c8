create or replace function queue._open_waits(run_ids bigint[])
returns table (run_id bigint, step_name text)
language sql
stable
set search_path = pg_catalog, pg_temp
as $function$
  select m.msg_id, w.wait ->> 'step'
  from queue.workflow_continuation as m
  cross join lateral jsonb_array_elements(
    case jsonb_typeof(m.message -> 'waits') when 'array' then m.message -> 'waits' end
  ) as w (wait)
  where m.msg_id = any (run_ids)
    and w.wait ->> 'kind' = 'event'
$function$;

comment on function queue._open_waits(bigint[]) is
$comment$Lists the steps of runs that wait for an event.
Touches: nothing; reads queue.workflow_continuation.$comment$;
