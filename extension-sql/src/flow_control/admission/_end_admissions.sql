create or replace function queue._end_admissions(run_ids bigint[])
returns void
language plpgsql
volatile
-- plans: index
as $function$
declare
  v_queue_ids integer[];
begin
  with left_now as (
    update queue.workflow_admission as a
    set is_over = true,
      is_again = false
    where a.run_id = any (run_ids)
      and not exists (select from queue.workflow_run as r where r.run_id = a.run_id and r.status = 'running')
    returning a.queue_id
  )
  select array_agg(distinct l.queue_id) into v_queue_ids from left_now as l;

  -- The next receive admits others.
  perform queue._wake('queue_' || coalesce(p.name, q.name))
  from queue.queue as q
  left join queue.queue as p on p.queue_id = q.pool_id
  where q.queue_id = any (v_queue_ids);
end
$function$;

comment on function queue._end_admissions(bigint[]) is
$comment$Records that runs have ended which flow control counts or holds back, and wakes workers, whose next receive admits others.
Touches: queue.workflow_admission; as _wake().$comment$;
