create or replace function queue.workflow_marks(run_ids bigint[])
returns jsonb
language plpgsql
stable
security definer
-- plans: index
as $function$
declare
  v_now   constant timestamptz := clock_timestamp();
  v_marks jsonb;
begin
  if not queue._require_current_tables() then
    return '{}'::jsonb;
  end if;
  -- A commit that keeps its lease may only lock the continuation, of which xmax remains.
  select jsonb_object_agg(r.run_id, concat_ws(' ', r.xmin, m.xmin, m.xmax, p.xmin, m.visible_at <= v_now))
  into v_marks
  from unnest(run_ids) as i (run_id)
  join queue.workflow_run as r on r.run_id = i.run_id
  left join queue.workflow_continuation as m on m.msg_id = i.run_id
  left join queue.workflow_progress as p on p.run_id = i.run_id;
  return coalesce(v_marks, '{}'::jsonb);
end
$function$;

comment on function queue.workflow_marks(bigint[]) is
$comment$Returns a mark of each run. It differs from an earlier one if the status, the activity, the journal, the published state or the reported calls of the run have changed since, so that one statement watches many runs.
run_ids: at most a few thousand.
Returns an object with a mark per run that exists, {"42": "..."}. Compare marks only with each other; one may also change when its run does not.
Touches: nothing; reads queue.workflow_run, queue.workflow_continuation and queue.workflow_progress.$comment$;
