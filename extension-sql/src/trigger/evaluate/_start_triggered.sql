create or replace function queue._start_triggered(decisions queue.trigger_decision[])
returns queue.trigger_decision[]
language plpgsql
volatile
-- plans: index, nested loop
as $function$
declare
  v_group    record;
  v_run_ids  bigint[];
  v_starts   integer[] := array[]::integer[];
  v_started  bigint[] := array[]::bigint[];
begin
  for v_group in
    select d.workflow_name,
      array_agg(d.ordinality::integer order by d.ordinality) as positions,
      array_agg(d.input order by d.ordinality) as inputs,
      array_agg(d.version order by d.ordinality) as versions,
      -- One run an event and trigger, however often the event is delivered.
      array_agg(format('trigger:%s:%s', d.event_id, d.name) order by d.ordinality) as keys,
      array_agg(d.delay_seconds order by d.ordinality) as delays,
      array_agg(d.trace order by d.ordinality) as traces
    from unnest(decisions) with ordinality as d
    where d.outcome = 'start'
    group by d.workflow_name
    order by d.workflow_name
  loop
    v_run_ids := array(
      select r.run_id
      from queue.workflow_start_batch(
          v_group.workflow_name, v_group.inputs, v_group.versions, v_group.keys, delay_seconds => v_group.delays,
          traces => v_group.traces
        ) with ordinality as r (run_id, created, status, receipt, started_at, deadline, position)
      order by r.position
    );
    v_starts := v_starts || v_group.positions;
    v_started := v_started || v_run_ids;
  end loop;

  decisions := array(
    select row(
        d.event_id, d.definition_id, d.workflow_name, d.version, d.name, d.outcome, d.error, d.input, d.once_key,
        d.delay_seconds, d.depth, d.ends, d.trace, coalesce(s.run_id, d.run_id)
      )::queue.trigger_decision
    from unnest(decisions) with ordinality as d
    left join unnest(v_starts, v_started) as s (position, run_id) on s.position = d.ordinality
    order by d.ordinality
  );
  insert into queue.triggered_run (run_id, event_id, depth, ends)
  select d.run_id, d.event_id, d.depth, d.ends
  from unnest(decisions) as d
  where d.outcome = 'start'
  on conflict on constraint triggered_run_pkey do nothing;
  update queue.definition_once as o
  set run_id = d.run_id
  from unnest(decisions) as d
  where d.outcome = 'start'
    and d.once_key is not null
    and o.definition_id = d.definition_id
    and o.key_hash = sha256(convert_to(d.once_key, 'UTF8'));
  return decisions;
end
$function$;

comment on function queue._start_triggered(queue.trigger_decision[]) is
$comment$Starts the runs of decisions.
Returns the decisions with their runs.
Touches: as workflow_start_batch(), workflows in the order of their names; queue.triggered_run, queue.definition_once.$comment$;
