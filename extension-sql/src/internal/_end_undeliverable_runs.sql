create or replace function queue._end_undeliverable_runs(name text, run_ids bigint[], ended_at timestamptz)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_errors jsonb[];
begin
  select array_agg(
    case
      when r.deadline <= ended_at then jsonb_build_object(
        'name', 'DeadlineExceeded',
        'code', 'DEADLINE_EXCEEDED',
        'message', format('run %s was still running at its deadline, %s', r.run_id, r.deadline)
      )
      else jsonb_build_object(
        'name', 'PoisonedRun',
        'code', 'POISONED_RUN',
        'message', format(
          'run %s was delivered 10 times without any progress: its workers crashed, or never answered', r.run_id)
      )
    end
    order by i.position
  )
  into v_errors
  from unnest(run_ids) with ordinality as i (run_id, position)
  join queue.workflow_run as r on r.run_id = i.run_id;

  perform queue._end_runs(
    name, run_ids, array_fill('failed'::text, array[cardinality(run_ids)]), null, v_errors, null, ended_at
  );
end
$function$;

comment on function queue._end_undeliverable_runs(text, bigint[], timestamptz) is
$comment$Fails runs that have just been claimed but are past their deadline, or have crashed their workers too often.
Touches: continuations, queue.workflow_run.$comment$;
