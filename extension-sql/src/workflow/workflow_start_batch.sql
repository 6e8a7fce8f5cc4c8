create or replace function queue.workflow_start_batch(
  name             text,
  inputs           jsonb[],
  versions         integer[] default null,
  idempotency_keys text[] default null,
  retention_days   integer[] default null,
  delay_seconds    numeric[] default null,
  deadlines        timestamptz[] default null,
  tags             jsonb[] default null,
  on_running       text[] default null,
  on_ended         text[] default null,
  flow_keys        text[] default null,
  priorities       integer[] default null,
  traces           jsonb[] default null,
  start_ats        timestamptz[] default null,
  deadline_seconds numeric[] default null
)
returns setof queue.started_run
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
-- plans: index, generic
as $function$
declare
  v_now      constant timestamptz := clock_timestamp();
  v_queue_id integer;
  v_defaults queue.version_defaults;
  v_flow     jsonb;
  v_plan     queue.debounced_starts;
  v_run_ids  bigint[];
  v_again    bigint[];
  v_inserted bigint[];
  v_created  bigint[];
  v_returned bigint;
begin
  perform queue._ensure_migrated();
  select q.queue_id, q.flow_control into v_queue_id, v_flow
  from queue.queue as q
  where q.name = '__wf_' || workflow_start_batch.name;
  if not found then
    v_queue_id := queue._create_workflow_queue(workflow_start_batch.name);
  end if;
  perform queue._check_start(versions, idempotency_keys, retention_days, delay_seconds, on_running, on_ended, deadline_seconds);
  v_defaults := queue._version_defaults(workflow_start_batch.name);
  if cardinality(versions) is distinct from cardinality(inputs) or array_position(versions, null) is not null then
    versions := array(
      select coalesce(i.version, v_defaults.versions[1], 1)
      from unnest(inputs, workflow_start_batch.versions) with ordinality as i (input, version, position)
      where i.position <= cardinality(inputs)
      order by i.position
    );
  end if;
  if v_flow is not null or flow_keys is not null or priorities is not null then
    perform queue._check_flow_keys(name, v_flow, flow_keys, priorities);
  end if;
  if v_flow ? 'debounce' then
    v_plan := queue._debounce(v_flow, inputs, idempotency_keys, delay_seconds, on_running, on_ended, flow_keys);
    idempotency_keys := v_plan.idempotency_keys;
    delay_seconds := v_plan.delay_seconds;
    on_running := v_plan.on_running;
    on_ended := v_plan.on_ended;
  end if;

  if current_setting('oxbow.ids_are_ahead', true) is distinct from 'on' then
    perform queue._skip_lost_ids();
  end if;
  v_run_ids := array(
    select nextval('queue.workflow_run_run_id_seq')
    from generate_subscripts(inputs, 1)
  );

  -- Once, unless a key is taken and is to be taken over: then again for those.
  loop
    with started as materialized (
      select
        i.run_id, v_now as started_at,
        coalesce(
          i.deadline,
          greatest(v_now + make_interval(secs => i.delay::double precision), i.start_at, v_now)
            + coalesce(
              make_interval(secs => i.seconds::double precision),
              v_defaults.deadlines[array_position(v_defaults.versions, i.version)]
            )
        ) as deadline,
        coalesce(i.retention_days, v_defaults.retention_days[array_position(v_defaults.versions, i.version)], 30)
          as retention_days,
        i.version, i.idempotency_key, i.input, i.tags, i.trace
      from unnest(
        v_run_ids, inputs, versions, idempotency_keys, workflow_start_batch.retention_days, deadlines,
        workflow_start_batch.tags, traces, delay_seconds, start_ats, deadline_seconds
      ) as i (
        run_id, input, version, idempotency_key, retention_days, deadline, tags, trace, delay, start_at, seconds
      )
      where v_again is null
        or i.run_id = any (v_again)
    ),
    -- Without a key there is no conflict, and without ON CONFLICT a row is one record less of WAL.
    inserted as (
      insert into queue.workflow_run as r (
        run_id, started_at, deadline, retention_days, workflow_version, status, workflow_name, input, tags, trace
      )
      select
        s.run_id, s.started_at, s.deadline, s.retention_days, s.version, 'running', workflow_start_batch.name,
        s.input, s.tags, s.trace
      from started as s
      where s.idempotency_key is null
      returning r.run_id
    ),
    inserted_by_key as (
      insert into queue.workflow_run as r (
        run_id, started_at, deadline, retention_days, workflow_version, status, workflow_name, input, tags, trace,
        idempotency_key
      )
      select
        s.run_id, s.started_at, s.deadline, s.retention_days, s.version, 'running', workflow_start_batch.name,
        s.input, s.tags, s.trace, s.idempotency_key
      from started as s
      where s.idempotency_key is not null
      -- The same order everywhere, so that two batches with the same keys can't wait for each other.
      order by s.idempotency_key
      on conflict (workflow_name, idempotency_key) where idempotency_key is not null and superseded_by is null
        do nothing
      returning r.run_id
    )
    select array_agg(i.run_id)
    into v_inserted
    from (
      select inserted.run_id from inserted
      union all
      select inserted_by_key.run_id from inserted_by_key
    ) as i;

    if v_inserted is not null then
      insert into queue.workflow_continuation (msg_id, visible_at, enqueued_at, queue_id, version, message)
      select i.run_id,
        -- A delay ends at the deadline.
        greatest(n.now, least(
          greatest(n.now + make_interval(secs => coalesce(i.delay_seconds, 0)::double precision), i.start_at), i.deadline
        )),
        v_now, v_queue_id, i.version, '{}'
      from (select clock_timestamp()) as n (now)
      cross join unnest(v_run_ids, versions, workflow_start_batch.delay_seconds, start_ats, deadlines)
        as i (run_id, version, delay_seconds, start_at, deadline)
      -- Usually all of them, and then none is looked for.
      where cardinality(v_inserted) = cardinality(v_run_ids)
        or i.run_id = any (v_inserted);
      if v_flow is not null then
        perform queue._await_admission(v_queue_id, v_flow, v_inserted, v_run_ids, flow_keys, priorities);
      end if;
      perform queue._wake(queue._workflow_channel(workflow_start_batch.name));
      v_created := v_created || v_inserted;
    end if;

    if cardinality(v_inserted) = cardinality(v_run_ids) then
      return query
        select i.run_id, true, 'running'
        from unnest(v_run_ids) with ordinality as i (run_id, position)
        order by i.position;
      return;
    end if;

    v_again := queue._resolve_key_conflicts(
      workflow_start_batch.name, v_run_ids, idempotency_keys, on_running, on_ended, v_created, inputs, delay_seconds,
      v_flow
    );
    exit when v_again is null;
  end loop;

  -- A key that was taken: its run is visible to this statement, since the insert waited for whoever had it.
  return query
    select r.run_id, r.run_id = i.run_id, r.status::text
    from unnest(v_run_ids, idempotency_keys) with ordinality as i (run_id, idempotency_key, position)
    cross join lateral (
      select own.run_id, own.status
      from queue.workflow_run as own
      where own.run_id = i.run_id
      union all
      select taken.run_id, taken.status
      from queue.workflow_run as taken
      where taken.workflow_name = workflow_start_batch.name
        and taken.idempotency_key = i.idempotency_key
        and taken.superseded_by is null
      limit 1
    ) as r
    order by i.position;
  get diagnostics v_returned = row_count;
  if v_returned < cardinality(v_run_ids) then
    perform queue._raise(
      'OX010',
      format('a run of workflow "%s" was swept away while its idempotency key was looked up', name),
      null,
      'Start the run again.'
    );
  end if;
end
$function$;

comment on function queue.workflow_start_batch(text, jsonb[], integer[], text[], integer[], numeric[], timestamptz[], jsonb[], text[], text[], text[], integer[], jsonb[], timestamptz[], numeric[]) is
$comment$Starts many runs of a workflow in one statement, in the caller's transaction.
inputs: one element per run; null for a run without input.
versions, idempotency_keys, retention_days, delay_seconds, deadlines, tags, on_running, on_ended, flow_keys, priorities, traces, start_ats, deadline_seconds: parallel to inputs, as in workflow_start(); null, a null element or a missing one means the default.
Returns one row per run, in order.
Errors: OX003 invalid name, OX004 invalid argument, OX010 a run with the key is running and its on_running is fail, or the run with the key was deleted in the meantime: start again.
Touches: queue.workflow_run, queue.workflow_continuation; queue.workflow_admission if the workflow has flow control; NOTIFY only if a worker listens.$comment$;
