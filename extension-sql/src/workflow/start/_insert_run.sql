create or replace function queue._insert_run(
  name           text,
  version        integer,
  input          jsonb,
  started_at     timestamptz,
  deadline       timestamptz,
  retention_days integer,
  is_test        boolean default null,
  rerun_of       bigint default null
)
returns bigint
language plpgsql
volatile
-- plans: index
as $function$
declare
  v_run_id bigint;
begin
  perform queue._skip_lost_ids();
  insert into queue.workflow_run as r (
    started_at, deadline, retention_days, workflow_version, status, workflow_name, input, tags, rerun_of, scheduled_at,
    failure_of, generation, is_item, is_test, route
  )
  select _insert_run.started_at, _insert_run.deadline, _insert_run.retention_days, version, 'running', name,
    _insert_run.input, s.tags, _insert_run.rerun_of, s.scheduled_at, s.failure_of, s.generation, s.is_item,
    _insert_run.is_test, s.route
  from (select) as one
  left join queue.workflow_run as s on s.run_id = _insert_run.rerun_of
  returning r.run_id into v_run_id;
  return v_run_id;
end
$function$;

comment on function queue._insert_run(text, integer, jsonb, timestamptz, timestamptz, integer, boolean, bigint) is
$comment$Inserts one run, for starts that aren't on the hot path; the caller inserts its continuation by _insert_continuation().
rerun_of: the run that the new one repeats, which gives it its tags, its route and what else a repetition keeps; null if it repeats none.
Returns the run.
Touches: queue.workflow_run; as _skip_lost_ids().$comment$;
