create or replace function queue._change_runs(
  change   text,
  filter   queue.run_filter,
  detail   text,
  before   queue.run_cursor,
  max_runs integer
)
returns queue.changed_runs
language plpgsql
volatile
-- plans: index
as $function$
declare
  v_run_ids bigint[];
  v_run_id  bigint;
  v_done    boolean;
  v_changed bigint[] := array[]::bigint[];
  v_answer  queue.changed_runs;
begin
  perform queue._check_count(max_runs);
  if not queue._migrate_if_older() then
    v_answer.changed := 0;
    return v_answer;
  end if;
  v_run_ids := array(
    select f from queue._find_runs(filter, before, max_runs, with_items => change not in ('retry', 'rerun')) as f
  );

  -- In the order that commits of workers use. Runs that are deleted or move to another shard before are left out.
  if change = 'cancel' then
    perform queue._lock_related_runs(v_run_ids);
  elsif change not in ('rerun', 'delete') then
    perform queue._lock_runs(v_run_ids);
  end if;
  -- A deletion locks them for itself, together with the runs that go with them.
  perform r.run_id
  from queue.workflow_run as r
  where change <> 'delete'
    and r.run_id = any (v_run_ids)
  order by r.run_id
  for key share;
  if cardinality(v_run_ids) = max_runs then
    select r.run_id, r.started_at into v_answer.before, v_answer.before_started_at
    from queue.workflow_run as r
    where r.run_id = any (v_run_ids)
    order by r.started_at, r.run_id
    limit 1;
    if not found then
      perform queue._raise('40001', format('the %s runs that match were deleted or have moved since', max_runs), null, 'Repeat the call.');
    end if;
  end if;
  if change = 'delete' then
    v_changed := queue._delete_ended_runs(v_run_ids);
    v_run_ids := '{}';
  end if;
  for v_run_id in
    select r.run_id
    from unnest(v_run_ids) as i (run_id)
    join queue.workflow_run as r on r.run_id = i.run_id
    where (change <> 'retry' or r.superseded_by is null and not queue._has_rolled_back(r.run_id))
      -- The retry of a run repeats its items.
      and (change not in ('retry', 'rerun') or r.is_item is null)
      and (
        change <> 'rerun'
        or detail is null
        or exists (
          select
          from queue.workflow_step as s
          where s.run_id = r.run_id
            and (s.step_name = detail or s.decisions @> jsonb_build_array(jsonb_build_object('name', detail)))
        )
      )
    order by r.run_id
  loop
    case change
      when 'cancel' then v_done := queue._cancel_one_run(v_run_id, detail, false);
      when 'pause' then v_done := queue._pause_run(v_run_id, detail);
      when 'resume' then v_done := queue._resume_run(v_run_id);
      when 'retry' then v_done := queue._retry_run(v_run_id);
      when 'rerun' then v_done := queue._rerun_run(v_run_id, detail, null, null) is not null;
    end case;
    if v_done then
      v_changed := v_changed || v_run_id;
    end if;
  end loop;

  v_answer.changed := cardinality(v_changed);
  perform queue._record_action(
    'run.' || change, 'run', v_changed::text[],
    jsonb_build_object(
      'bulk', true,
      'reason', case when change in ('cancel', 'pause') then detail end,
      'from_step', case when change = 'rerun' then detail end
    )
  );
  return v_answer;
end
$function$;

comment on function queue._change_runs(text, queue.run_filter, text, queue.run_cursor, integer) is
$comment$Applies one change to a batch of runs that match a filter.
change: cancel, pause, resume, retry, rerun or delete. Items of loops are neither retried nor rerun: the run that has the loop repeats them.
detail: the reason of a cancellation or a pause; or the step from which a rerun continues, which selects the runs that have it.
Returns how many runs were changed, and the cursor of the next batch.
Errors: OX004 invalid argument, 40001 the whole batch was deleted or has moved in the meantime: repeat the call.
Touches: as the function that changes one run, whose locks it takes for all runs first, in the order of their ids; queue.audit.$comment$;
