create or replace function queue._send_children(
  run_ids          bigint[],
  held             boolean[],
  effect_items     integer[],
  effect_kinds     text[],
  effect_steps     text[],
  effect_targets   text[],
  effect_routes    text[],
  effect_values    jsonb[],
  effect_versions  integer[],
  effect_retention integer[],
  effect_traces    jsonb[]
)
returns text[]
language plpgsql
volatile
-- plans: index
as $function$
declare
  v_effect record;
  v_target smallint;
begin
  for v_effect in
    select e.kind, e.step, e.target, e.route, e.value, e.version, e.retention, coalesce(e.trace, r.trace) as trace,
      r.run_id, coalesce(r.generation, 1) as generation, coalesce(r.rewound, 0) as rewound, e.n
    from unnest(
      effect_items, effect_kinds, effect_steps, effect_targets, effect_routes, effect_values, effect_versions,
      effect_retention, effect_traces
    ) with ordinality as e (item, kind, step, target, route, value, version, retention, trace, n)
    join queue.workflow_run as r on r.run_id = run_ids[e.item]
    where e.kind in ('invoke', 'detach')
      and e.route is not null
      and held[e.item]
    order by e.n
  loop
    perform queue._lock_homes(array[v_effect.route]);
    v_target := queue._other_home(v_effect.route);
    continue when v_target is null;
    -- It was started here before its route left, and the step is repeated.
    continue when exists (
      select
      from queue.workflow_run as c
      where c.parent_run_id = v_effect.run_id
        and c.parent_step = v_effect.step
    );
    perform queue._send_item(
      v_target, 'child',
      -- A commit that is repeated sends it again, and the other shard skips it.
      queue._step_cause(v_effect.run_id, v_effect.step),
      jsonb_strip_nulls(jsonb_build_object(
        'parent', v_effect.run_id::text, 'step', v_effect.step, 'generation', v_effect.generation,
        'rewound', v_effect.rewound, 'kind', v_effect.kind, 'route', v_effect.route, 'workflow', v_effect.target,
        'version', v_effect.version, 'retentionDays', v_effect.retention, 'starters', queue._starters(v_effect.run_id)
      ))
        || case when v_effect.value is null then '{}' else jsonb_build_object('input', v_effect.value) end
        || case when v_effect.trace is null then '{}' else jsonb_build_object('trace', v_effect.trace) end
    );
    if v_effect.kind = 'invoke' then
      update queue.workflow_run as r
      set child_shards = r.child_shards || v_target
      where r.run_id = v_effect.run_id
        and (v_target = any (r.child_shards)) is not true;
    end if;
    effect_kinds[v_effect.n] := null;
  end loop;
  return effect_kinds;
end
$function$;

comment on function queue._send_children(bigint[], boolean[], integer[], text[], text[], text[], text[], jsonb[], integer[], integer[], jsonb[]) is
$comment$Sends the runs that steps of a commit invoke to the shards where their routes are at home, unless that is this one, or has the run already.
held: by position, which leases are locked.
effect_routes: null for a run of this shard. The other effect_...: as in workflow_commit().
Returns effect_kinds, with null for the effects that were sent.
Touches: queue.workflow_run; as _send_item() and _lock_homes(); reads queue.workflow_starter, queue.fleet, queue.fleet_shard.$comment$;
