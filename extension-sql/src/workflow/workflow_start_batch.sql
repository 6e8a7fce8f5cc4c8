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
  deadline_seconds numeric[] default null,
  lease_seconds    numeric[] default null,
  routes           text[] default null,
  follow_keys      boolean[] default null,
  lease_versions   integer[] default null
)
returns setof queue.batch_start
language plpgsql
volatile
security definer
-- plans: index, generic
as $function$
declare
  v_now      constant timestamptz := clock_timestamp();
  v_no_tags  jsonb;
  v_routed   boolean;
  v_queue_id integer;
  v_pool_id  integer;
  v_max_days integer;
  v_defaults queue.version_defaults;
  v_open     boolean[];
  v_flow     jsonb;
  v_run_ids  bigint[];
  v_receipts bigint[];
  v_again    bigint[];
  v_inserted bigint[];
  v_created  bigint[];
  v_returned bigint;
  v_has_keys boolean;
  v_started  queue.batch_start;
begin
  if queue._is_behind() then
    perform queue._ensure_migrated();
  end if;
  if queue._must_record_clock(v_now) then
    perform queue._record_clock(v_now);
  end if;
  if starts_with(name, 'oxbow-resources-') is true then
    perform queue._refuse_reserved_workflow(name);
  end if;
  v_no_tags := jsonb_path_query_first(to_jsonb(tags), 'strict $[*] ? (@.type() != "object" && @.type() != "null")');
  if v_no_tags is not null then
    perform queue._raise('OX004', format('tags are not a JSON object: %s', left(v_no_tags::text, 40)), null,
      'Pass an object such as {"tenant": "acme"}.');
  end if;
  -- One run without options.
  if cardinality(inputs) = 1 and cardinality(versions) = 1 and versions[1] > 0
    and num_nonnulls(
      idempotency_keys, retention_days, delay_seconds, deadlines, on_running, on_ended, flow_keys, priorities, start_ats,
      deadline_seconds, routes, nullif(current_setting('oxbow.actor', true), '')
    ) = 0
    and (lease_seconds is null or lease_seconds[1] > 0 and lease_seconds[1] <= 43200)
    and current_setting('oxbow.ids_are_ahead', true) = 'on'
  then
    v_started := queue._start_one_run(
      workflow_start_batch.name, inputs, versions, workflow_start_batch.tags, traces, lease_seconds, v_now
    );
    if v_started.run_id is not null then
      return next v_started;
      return;
    end if;
  end if;

  v_routed := queue._has_value(routes);
  -- The queue, the defaults of _version_defaults(), and _max_retention_days(), in one statement. The settings
  -- have one row: finding it by its key would cost several times as much.
  select q.queue_id, q.pool_id, q.flow_control, d.versions, d.retention_days, d.deadlines,
    (select s.max_retention_days from queue.workflow_setting as s)
  into v_queue_id, v_pool_id, v_flow, v_defaults.versions, v_defaults.retention_days, v_defaults.deadlines, v_max_days
  from queue.queue as q
  cross join lateral (
    select array_agg(v.version) as versions, array_agg(v.retention_days) as retention_days,
      array_agg(v.deadline) as deadlines
    from (
      select r.version, r.retention_days, r.deadline
      from queue.workflow_version as r
      where r.workflow_name = workflow_start_batch.name
      order by r.version desc
    ) as v
  ) as d
  where q.name = '__wf_' || workflow_start_batch.name;
  if not found then
    perform queue._require_published(workflow_start_batch.name, versions);
    perform queue._create_workflow_queue(workflow_start_batch.name);
    select q.queue_id, q.pool_id into v_queue_id, v_pool_id
    from queue.queue as q
    where q.name = '__wf_' || workflow_start_batch.name;
    v_defaults := queue._version_defaults(workflow_start_batch.name);
    v_max_days := queue._max_retention_days();
  elsif v_pool_id is not null then
    perform queue._require_published(workflow_start_batch.name, versions);
  end if;
  if not queue._is_plain_start(
    versions, idempotency_keys, retention_days, delay_seconds, on_running, on_ended, deadline_seconds
  ) then
    perform queue._check_start(
      versions, idempotency_keys, retention_days, delay_seconds, on_running, on_ended, deadline_seconds
    );
  end if;
  if v_defaults.versions is null and v_pool_id is null
    and (cardinality(versions) is distinct from cardinality(inputs) or array_position(versions, null) is not null)
  then
    v_defaults := queue._await_registration(workflow_start_batch.name);
    if v_defaults.versions is null then
      v_open := array(
        select versions[n] is null from generate_series(1, cardinality(inputs)) as n order by n
      );
    end if;
  end if;
  if not queue._has_value(versions) then
    versions := array_fill(coalesce(v_defaults.versions[1], 1), array[coalesce(cardinality(inputs), 0)]);
  elsif cardinality(versions) <> cardinality(inputs) or array_position(versions, null) is not null then
    versions := array(
      select coalesce(i.version, v_defaults.versions[1], 1)
      from unnest(inputs, workflow_start_batch.versions) with ordinality as i (input, version, position)
      where i.position <= cardinality(inputs)
      order by i.position
    );
  end if;
  if v_routed then
    perform queue._require_home(routes, idempotency_keys, follow_keys);
  end if;
  if v_flow is not null or flow_keys is not null or priorities is not null then
    perform queue._check_flow_keys(name, v_flow, flow_keys, priorities);
  end if;
  if v_flow ? 'debounce' then
    select d.idempotency_keys, d.delay_seconds, d.on_running, d.on_ended
    into idempotency_keys, delay_seconds, on_running, on_ended
    from queue._debounce(v_flow, inputs, idempotency_keys, delay_seconds, on_running, on_ended, flow_keys) as d;
  end if;

  if current_setting('oxbow.ids_are_ahead', true) is distinct from 'on' then
    perform queue._skip_lost_ids();
  end if;
  v_run_ids := array(
    select nextval('queue.workflow_run_run_id_seq')
    from generate_subscripts(inputs, 1)
  );

  if queue._has_value(deadline_seconds) or queue._has_value(v_defaults.deadlines)
    or queue._has_value(v_defaults.retention_days)
  then
    select
      array_agg(
        coalesce(
          i.deadline,
          greatest(v_now + make_interval(secs => i.delay::double precision), i.start_at, v_now)
            + coalesce(
              make_interval(secs => i.seconds::double precision),
              v_defaults.deadlines[array_position(v_defaults.versions, i.version)]
            )
        )
        order by i.position
      ),
      array_agg(
        coalesce(i.days, v_defaults.retention_days[array_position(v_defaults.versions, i.version)]) order by i.position
      )
    into deadlines, retention_days
    from unnest(
      versions, workflow_start_batch.retention_days, workflow_start_batch.deadlines, delay_seconds, start_ats,
      deadline_seconds
    ) with ordinality as i (version, days, deadline, delay, start_at, seconds, position);
  end if;

  if lease_versions is not null then
    lease_seconds := array(
      select case when (lease_versions[n] = versions[n]) is not false then lease_seconds[n] end
      from generate_series(1, cardinality(inputs)) as n
      order by n
    );
  end if;
  if queue._has_value(lease_seconds) then
    v_receipts := queue._grant_leases(
      v_run_ids, lease_seconds, delay_seconds, start_ats, deadlines, v_flow, v_now
    );
  end if;

  -- Without a key no conflict is possible, and without ON CONFLICT a row is one record less of WAL.
  v_has_keys := queue._has_value(idempotency_keys);
  if not v_has_keys or array_position(idempotency_keys, null) is not null
    or cardinality(idempotency_keys) < cardinality(v_run_ids)
  then
    insert into queue.workflow_run (
      run_id, started_at, deadline, retention_days, workflow_version, status, workflow_name, input, tags, trace, route
    )
    -- Reads by index: unnest() of seven arrays fills seven tuplestores, which costs more than the row.
    select v_run_ids[n], v_now, workflow_start_batch.deadlines[n],
      least(coalesce(workflow_start_batch.retention_days[n], 30), v_max_days), versions[n], 'running',
      workflow_start_batch.name, inputs[n], workflow_start_batch.tags[n], traces[n], routes[n]
    from generate_series(1, cardinality(v_run_ids)) as n
    where idempotency_keys[n] is null;
    v_inserted := v_run_ids;
  end if;

  -- Once, and again for runs that take over an idempotency key.
  loop
    if v_has_keys then
      with inserted as (
        insert into queue.workflow_run as r (
          run_id, started_at, deadline, retention_days, workflow_version, status, workflow_name, input, tags, trace,
          idempotency_key, route
        )
        select v_run_ids[n], v_now, workflow_start_batch.deadlines[n],
          least(coalesce(workflow_start_batch.retention_days[n], 30), v_max_days), versions[n], 'running',
          workflow_start_batch.name, inputs[n], workflow_start_batch.tags[n], traces[n], idempotency_keys[n], routes[n]
        from generate_series(1, cardinality(v_run_ids)) as n
        where idempotency_keys[n] is not null
          and (v_again is null or v_run_ids[n] = any (v_again))
        -- Always in this order, so that two batches with the same keys don't deadlock.
        order by idempotency_keys[n]
        on conflict (workflow_name, idempotency_key) where idempotency_key is not null and superseded_by is null
          do nothing
        returning r.run_id
      )
      select array_agg(i.run_id)
      into v_inserted
      from (
        select inserted.run_id from inserted
        union all
        select k.run_id
        from unnest(v_run_ids, idempotency_keys) as k (run_id, key)
        where k.key is null
          and v_again is null
      ) as i;
      -- Without a move, the table has no page to read; an index has one.
      if exists (select from queue.key_elsewhere as k where k.ctid >= '(0,0)') then
        perform queue._require_keys_here(workflow_start_batch.name, idempotency_keys);
      end if;
    end if;

    if v_inserted is not null then
      insert into queue.workflow_continuation (
        msg_id, visible_at, enqueued_at, receipt, queue_id, workflow_queue_id, version, read_ct, message,
        undecided
      )
      select v_run_ids[n],
        case
          when v_receipts[n] is not null then c.now + make_interval(secs => lease_seconds[n]::double precision)
          -- A delay ends at the deadline.
          else greatest(c.now, least(
            greatest(
              c.now + make_interval(secs => coalesce(workflow_start_batch.delay_seconds[n], 0)::double precision),
              start_ats[n]
            ),
            deadlines[n]
          ))
        end,
        v_now, v_receipts[n], coalesce(v_pool_id, v_queue_id), case when v_pool_id is not null then v_queue_id end,
        case when v_pool_id is null then versions[n] else 1 end, case when v_receipts[n] is null then 0 else 1 end, '{}',
        case
          when v_open[n] then
            case when workflow_start_batch.retention_days[n] is null then '{version,retention_days}' else '{version}' end::text[]
        end
      from (select clock_timestamp()) as c (now)
      cross join generate_series(1, cardinality(v_run_ids)) as n
      -- Usually all runs are inserted, and no lookup is needed.
      where cardinality(v_inserted) = cardinality(v_run_ids)
        or v_run_ids[n] = any (v_inserted);
      if v_flow is not null then
        perform queue._await_admission(v_queue_id, v_flow, v_inserted, v_run_ids, flow_keys, priorities);
      end if;
      if v_receipts is null or array_position(v_receipts, null) is not null then
        perform queue._wake(case
          when v_pool_id is null then queue._workflow_channel(workflow_start_batch.name)
          else queue._worker_channel(workflow_start_batch.name)
        end);
      end if;
      if v_has_keys and v_routed then
        -- While no route is about to leave, the table has no page to read. Sessions cache run ids, so the calls of a move
        -- may have gone past these.
        if exists (select from queue.leaving_home as h where h.ctid >= '(0,0)') then
          perform queue._send_arrived_keys(v_inserted);
        end if;
      end if;
      v_created := v_created || v_inserted;
      if nullif(current_setting('oxbow.actor', true), '') is not null then
        perform queue._record_starters(v_inserted, queue._acting_starters());
      end if;
    end if;

    if cardinality(v_inserted) = cardinality(v_run_ids) then
      return query
        select v_run_ids[n], true, 'running', v_receipts[n],
          case when v_receipts[n] is not null then v_now end,
          case when v_receipts[n] is not null then workflow_start_batch.deadlines[n] end
        from generate_series(1, cardinality(v_run_ids)) as n
        order by n;
      return;
    end if;

    v_again := queue._resolve_key_conflicts(
      workflow_start_batch.name, v_run_ids, idempotency_keys, on_running, on_ended, v_created, inputs, delay_seconds,
      deadlines, priorities, v_flow
    );
    exit when v_again is null;
  end loop;

  -- If a key is taken, its run is visible to this statement, because the insert has waited for its transaction.
  return query
    select r.run_id, r.run_id = i.run_id, r.status::text, l.receipt,
      case when l.receipt is not null then v_now end,
      case when l.receipt is not null then workflow_start_batch.deadlines[i.position] end
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
    cross join lateral (
      -- A later element of the batch may have cancelled the run.
      select case when r.run_id = i.run_id and r.status = 'running' then v_receipts[i.position] end as receipt
    ) as l
    order by i.position;
  get diagnostics v_returned = row_count;
  if v_returned < cardinality(v_run_ids) then
    -- It may have moved since the look above.
    perform queue._require_keys_here(workflow_start_batch.name, idempotency_keys);
    perform queue._raise(
      'OX010',
      format('a run of workflow "%s" was deleted while its idempotency key was looked up', name),
      null,
      'Start the run again.'
    );
  end if;
end
$function$;

comment on function queue.workflow_start_batch(text, jsonb[], integer[], text[], integer[], numeric[], timestamptz[], jsonb[], text[], text[], text[], integer[], jsonb[], timestamptz[], numeric[], numeric[], text[], boolean[], integer[]) is
$comment$Starts many runs of a workflow in one statement, in the caller's transaction.
inputs: one element per run; null for a run without input.
versions, idempotency_keys, retention_days, delay_seconds, deadlines, tags, on_running, on_ended, flow_keys, priorities, traces, start_ats, deadline_seconds, routes, follow_keys: parallel to inputs, as in workflow_start(); null, a null element or a missing one means the default.
lease_seconds: parallel to inputs; leases a new run to the caller, as if workflow_receive() had returned it, for a caller that executes the run itself. The run is not leased if it must wait: for its start time, for the flow control of its workflow, or because the database is held as a copy; then any worker receives it.
lease_versions: parallel to inputs; a run of another version is not leased, for a start that names no version. Null means any.
A leased run is committed and kept with its receipt, as described at workflow_receive(); if the caller's transaction stays open for long, the lease has begun already.
Returns one row per run, in order; receipt, started_at and deadline only for leased runs.
Errors: OX003 invalid or reserved name, OX004 invalid argument, OX012 the definition of this name has no such version, OX017 it is archived or was never published, OX010 a run with the key is running and its on_running is fail, or the run with the key was deleted in the meantime: start again; OX028 a route is at home in another shard; OX029 the run with a key is in another shard.
Touches: queue.workflow_run, queue.workflow_continuation; as _require_home() for routes; queue.workflow_starter if the setting oxbow.actor names who starts; queue.workflow_admission if the workflow has flow control; reads queue.definition, as _lock_definition_shared(), at the first start of a name, and of workflows in pools; NOTIFY only if a worker listens.$comment$;
