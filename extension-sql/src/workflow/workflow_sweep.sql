create or replace function queue.workflow_sweep(max_runs integer default 1000)
returns integer
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_now   constant timestamptz := clock_timestamp();
  v_swept bigint[];
begin
  if max_runs is null or max_runs not between 1 and 100000 then
    perform queue._raise('OX004', format('invalid max_runs %s', coalesce(max_runs::text, 'null')), null,
      'Sweep between 1 and 100000 runs at a time.');
  end if;
  if to_regclass('queue.workflow_run') is null then
    return 0;
  end if;

  with expired as materialized (
    select r.run_id
    from queue.workflow_run as r
    where r.expires_at <= v_now
    order by r.expires_at
    limit max_runs
    for update skip locked
  ),
  swept as (
    delete from queue.workflow_run as r
    using expired
    where r.run_id = expired.run_id
    returning r.run_id
  )
  select array_agg(swept.run_id) into v_swept from swept;

  delete from queue.workflow_step as s where s.run_id = any (v_swept);
  delete from queue.workflow_buffered_signal as b where b.run_id = any (v_swept);
  return coalesce(cardinality(v_swept), 0);
end
$function$;

comment on function queue.workflow_sweep(integer) is
$comment$Deletes ended runs whose retention is over, oldest first, with their journals. Runs that are still running are never touched; several sweepers at once share the work.
max_runs: bound of one call; call again while it returns that many.
Returns how many runs were deleted.
Errors: OX004 invalid argument.
Touches: queue.workflow_run (SKIP LOCKED), queue.workflow_step, queue.workflow_buffered_signal.$comment$;
