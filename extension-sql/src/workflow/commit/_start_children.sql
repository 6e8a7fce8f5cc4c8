create or replace function queue._start_children(
  run_ids          bigint[],
  held             boolean[],
  effect_items     integer[],
  effect_kinds     text[],
  effect_steps     text[],
  effect_targets   text[],
  effect_values    jsonb[],
  effect_versions  integer[],
  effect_retention integer[],
  effect_traces    jsonb[],
  effect_routes    text[] default null
)
returns void
language plpgsql
volatile
as $function$
declare
  v_now      constant timestamptz := clock_timestamp();
  v_max_days constant integer := queue._max_retention_days();
  v_name     text;
  v_place    queue.run_place;
  v_children bigint[];
  v_versions integer[];
  v_items    bigint[];
  v_refused  bigint[];
  v_defaults queue.version_defaults;
begin
  if current_setting('oxbow.ids_are_ahead', true) is distinct from 'on' then
    perform queue._skip_lost_ids();
  end if;
  for v_name in
    select distinct e.target
    from unnest(effect_items, effect_kinds, effect_targets) as e (item, kind, target)
    where e.kind in ('invoke', 'item', 'detach')
      and held[e.item]
    order by e.target
  loop
    v_place := queue._run_place(v_name);
    if v_place.queue_id is null then
      if queue._start_refusal(v_name) is null then
        perform queue._create_workflow_queue(v_name);
      else
        -- A draft.
        perform queue._set_workflow_pool(v_name, (select d.pool from queue.definition as d where d.name = v_name));
      end if;
      v_place := queue._run_place(v_name);
    end if;
    v_defaults := queue._version_defaults(v_name);
    if v_defaults.versions is null and v_place.pool_id is null then
      v_defaults := queue._await_registration(v_name);
    end if;
    -- A parent that repeats the call, after a lost answer or a crash, already has its child.
    with inserted as (
      insert into queue.workflow_run as r (
        started_at, deadline, retention_days, workflow_version, status, workflow_name, input, parent_run_id,
        parent_step, is_detached, is_item, is_test, tags, trace, route
      )
      select v_now,
        case
          when e.kind = 'item' then p.deadline
          else v_now + v_defaults.deadlines[array_position(v_defaults.versions, e.version)]
        end,
        least(
          coalesce(
            case when e.kind = 'item' then p.retention_days end, e.retention,
            v_defaults.retention_days[array_position(v_defaults.versions, e.version)], 30
          ),
          v_max_days
        ),
        e.version, 'running', v_name, e.value,
        run_ids[e.item], e.step, e.kind = 'detach',
        case when e.kind = 'item' then true end, case when e.kind = 'item' then p.is_test end,
        case when e.kind = 'item' then p.tags end, coalesce(e.trace, p.trace), coalesce(e.route, p.route)
      from unnest(
        effect_items, effect_kinds, effect_steps, effect_targets, effect_values,
        array(
          select coalesce(v.version, v_defaults.versions[1], 1)
          from unnest(effect_items, effect_versions) with ordinality as v (item, version, position)
          order by v.position
        ),
        effect_retention, effect_traces, effect_routes
      ) as e (item, kind, step, target, value, version, retention, trace, route)
      -- A parent in another shard is not here.
      left join lateral (
        select r.trace, r.route, r.deadline, r.retention_days, r.is_test, r.tags
        from queue.workflow_run as r
        where r.run_id = run_ids[e.item]
        offset 0
      ) as p on true
      where e.kind in ('invoke', 'item', 'detach')
        and e.target = v_name
        and held[e.item]
      order by run_ids[e.item], e.step
      on conflict (parent_run_id, parent_step) where parent_run_id is not null do nothing
      returning r.run_id, r.workflow_version, r.is_item
    )
    select array_agg(inserted.run_id), array_agg(inserted.workflow_version),
      array_agg(inserted.run_id) filter (where inserted.is_item)
    into v_children, v_versions, v_items
    from inserted;
    continue when v_children is null;
    if exists (select from queue.workflow_starter) then
      perform queue._record_starters_of_parents(v_children);
    end if;
    if v_place.pool_id is not null or starts_with(v_name, 'oxbow-resources-') then
      v_refused := queue._end_refused_children(v_name, v_children, v_versions, v_now);
    end if;

    insert into queue.workflow_continuation (
      msg_id, visible_at, enqueued_at, queue_id, workflow_queue_id, version, message, undecided
    )
    select i.run_id, n.now, v_now, v_place.queue_id, v_place.workflow_queue_id,
      case when v_place.pool_id is null then i.version else 1 end, '{}',
      case
        when v_defaults.versions is null and v_place.pool_id is null then (
          select case when e.retention is null then '{version,retention_days}' else '{version}' end::text[]
          from queue.workflow_run as r
          join unnest(effect_items, effect_steps, effect_versions, effect_retention) as e (item, step, version, retention)
            on run_ids[e.item] = r.parent_run_id
            and e.step = r.parent_step
          where r.run_id = i.run_id
            and e.version is null
        )
      end
    from (select clock_timestamp()) as n (now)
    cross join unnest(v_children, v_versions) as i (run_id, version)
    where v_refused is null
      or not i.run_id = any (v_refused);
    -- Items begin with their parent, which was admitted, and would wait for it if they waited for admission.
    perform queue._await_admission_if_limited(
      coalesce(v_place.workflow_queue_id, v_place.queue_id),
      case
        when v_items is null then v_children
        else array(select c.run_id from unnest(v_children) as c (run_id) where not c.run_id = any (v_items))
      end
    );
    perform queue._wake(queue._worker_channel(v_name));
  end loop;
end
$function$;

comment on function queue._start_children(bigint[], boolean[], integer[], text[], text[], text[], jsonb[], integer[], integer[], jsonb[], text[]) is
$comment$Starts the runs that steps of a commit invoke, one per run and step, with one statement per workflow. A run of a definition that can't start, or of a reserved name, fails immediately. Items of a loop are parts of their parent: they start whatever the state of the definition is, with the deadline, the retention and the tags of the parent, and without admission.
held: by position, which leases are locked.
effect_routes: what a run belongs with; null means with its parent. The other effect_...: as in workflow_commit().
Touches: queue.workflow_run, queue.workflow_continuation; as _await_registration(); queue.workflow_starter if the parent has starters; as _await_admission(); reads queue.definition, as _lock_definition_shared(), if the workflow is in a pool, or is started for the first time.$comment$;
