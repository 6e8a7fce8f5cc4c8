create or replace function queue._pause_run(run_id bigint, reason text)
returns boolean
language plpgsql
volatile
-- plans: index
as $function$
declare
  v_now      constant timestamptz := clock_timestamp();
  v_name     text;
  v_status   text;
  v_deadline timestamptz;
  v_paused   boolean;
  v_leased   boolean;
begin
  select r.workflow_name, r.status::text into v_name, v_status
  from queue.workflow_run as r
  where r.run_id = _pause_run.run_id;
  if not found then
    perform queue._raise_run_not_found(run_id);
  end if;
  if v_status <> 'running' then
    return false;
  end if;

  select m.receipt is not null, coalesce(m.headers ? 'paused', false) into v_leased, v_paused
  from queue.workflow_continuation as m
  where m.msg_id = run_id
  for no key update;
  -- A cancellation with rollback that this has waited for lifts the deadline.
  v_deadline := (select r.deadline from queue.workflow_run as r where r.run_id = _pause_run.run_id);
  -- The pause of a run that moves when its worker gives it back would end with the move.
  update queue.departing as d
  set is_paused = false
  where d.run_id = _pause_run.run_id
    and d.is_paused;
  if (v_leased is not null and (found or not v_paused)) is not true then
    perform queue._raise_if_moved(run_id);
    return false;
  end if;

  -- A leased run is set aside when its worker gives it back, or by the next receive.
  update queue.workflow_continuation as m
  set headers = coalesce(m.headers, '{}') || jsonb_build_object('paused', jsonb_strip_nulls(jsonb_build_object(
      'until', v_deadline,
      'due', case when m.receipt is null then m.visible_at end
    ))),
    visible_at = case
      when m.receipt is null then greatest(coalesce(v_deadline, 'infinity'), clock_timestamp())
      else m.visible_at
    end
  where m.msg_id = run_id
    and not v_paused;

  update queue.workflow_run as r
  set paused_at = v_now,
    pause_reason = reason
  where r.run_id = _pause_run.run_id;

  if v_leased then
    perform queue._notify_worker(v_name, run_id);
  end if;
  return true;
end
$function$;

comment on function queue._pause_run(bigint, text) is
$comment$Pauses a run, for workflow_pause(), for changes of many runs, for the release of a copy, and to ask its worker for it. The pause of a run that was asked for becomes one that lasts when the run has moved.
Returns as workflow_pause().
Errors: OX005 no such run.
Touches: as workflow_pause(), without queue.audit; queue.departing.$comment$;
