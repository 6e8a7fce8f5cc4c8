create or replace function queue._apply_effects(
  run_ids          bigint[],
  held             boolean[],
  effect_items     integer[],
  effect_kinds     text[],
  effect_steps     text[],
  effect_targets   text[],
  effect_events    text[],
  effect_values    jsonb[],
  effect_versions  integer[],
  effect_retention integer[],
  effect_traces    jsonb[]
)
returns void
language plpgsql
volatile
-- plans: index
as $function$
declare
  v_beginnings constant text[] := array['invoke', 'item', 'detach', 'subscribe', 'approval'];
  v_effect     record;
  v_message    text;
begin
  -- A run that was cancelled with rollback begins nothing more: what it had begun was ended then.
  if effect_kinds && v_beginnings and exists (
    select from queue.workflow_continuation as m where m.msg_id = any (run_ids) and m.headers ? 'cancelled'
  ) then
    effect_kinds := array(
      select case when e.kind = any (v_beginnings) and m.headers ? 'cancelled' then null else e.kind end
      from unnest(effect_items, effect_kinds) with ordinality as e (item, kind, n)
      left join queue.workflow_continuation as m on m.msg_id = run_ids[e.item]
      order by e.n
    );
  end if;
  if 'item' = any (effect_kinds) then
    -- So that no other definition starts in the middle of a run.
    select format('step "%s" of run %s starts an item of "%s" in version %s, but the run is one of "%s" in version %s',
        e.step, r.run_id, e.target, coalesce(e.version::text, 'null'), r.workflow_name, r.workflow_version)
    into v_message
    from unnest(effect_items, effect_kinds, effect_steps, effect_targets, effect_versions)
      as e (item, kind, step, target, version)
    join queue.workflow_run as r on r.run_id = run_ids[e.item]
    where e.kind = 'item'
      and held[e.item]
      and (e.target <> r.workflow_name or e.version is distinct from r.workflow_version)
    limit 1;
    if found then
      perform queue._raise('OX004', v_message, null,
        'An item is a part of its run. Invoke a run of another workflow or version with the effect invoke.');
    end if;
  end if;
  if effect_kinds && array['invoke', 'detach', 'cancel'] and queue._has_value(effect_events) then
    perform queue._send_child_cancels(
      run_ids[e.item], e.step,
      format('step "%s" of run %s, which started it, was abandoned', e.step, run_ids[e.item]), false
    )
    from unnest(effect_items, effect_kinds, effect_steps, effect_events) as e (item, kind, step, route)
    where e.kind = 'cancel'
      and e.route is not null
      and held[e.item];
    effect_kinds := queue._send_children(
      run_ids, held, effect_items, effect_kinds, effect_steps, effect_targets, effect_events, effect_values,
      effect_versions, effect_retention, effect_traces
    );
  end if;
  if effect_kinds && array['invoke', 'item', 'detach'] then
    perform queue._start_children(
      run_ids, held, effect_items, effect_kinds, effect_steps, effect_targets, effect_values, effect_versions,
      effect_retention, effect_traces, effect_events
    );
  end if;

  if 'subscribe' = any (effect_kinds) then
    perform queue._subscribe_waits(
      run_ids, held, effect_items, effect_kinds, effect_steps, effect_targets, effect_events, effect_values
    );
  end if;

  if 'approval' = any (effect_kinds) then
    perform queue._create_approvals(run_ids, held, effect_items, effect_kinds, effect_steps, effect_values);
  end if;
  if 'withdraw' = any (effect_kinds) then
    perform queue._end_approvals(array[run_ids[e.item]], clock_timestamp(), e.step)
    from unnest(effect_items, effect_kinds, effect_steps) as e (item, kind, step)
    where e.kind = 'withdraw'
      and held[e.item];
  end if;

  -- A loop, since one statement that calls the functions is no faster: for 100 signals it took a quarter less, for 100
  -- messages to a topic twice as long. A journaled step has already sent: this commit is repeated after a lost answer.
  for v_effect in
    select e.item, e.kind, e.step, e.target, e.event, e.value, e.trace
    from unnest(
      effect_items, effect_kinds, effect_steps, effect_targets, effect_events, effect_values, effect_traces
    ) with ordinality as e (item, kind, step, target, event, value, trace, n)
    where e.kind in ('signal', 'publish')
      and held[e.item]
      and not exists (
        select
        from queue.workflow_step as s
        where s.run_id = run_ids[e.item]
          and s.step_name = e.step
      )
    order by e.n
  loop
    if v_effect.kind = 'publish' then
      -- Triggers count the depth of events that runs publish.
      perform set_config('oxbow.publishing_run', run_ids[v_effect.item]::text, true);
      perform queue.send_topic(v_effect.target, v_effect.value, v_effect.trace);
      perform set_config('oxbow.publishing_run', '', true);
    elsif exists (select from queue.workflow_run as r where r.run_id = v_effect.target::bigint) then
      perform queue.workflow_signal(v_effect.target::bigint, v_effect.event, v_effect.value);
    elsif not queue._send_signal(
      v_effect.target::bigint, v_effect.event, v_effect.value, null,
      queue._step_cause(run_ids[v_effect.item], v_effect.step)
    ) then
      -- It does not exist, or has come back from another shard since the look above.
      if exists (select from queue.workflow_run as r where r.run_id = v_effect.target::bigint) then
        perform queue.workflow_signal(v_effect.target::bigint, v_effect.event, v_effect.value);
      end if;
    end if;
  end loop;
end
$function$;

comment on function queue._apply_effects(bigint[], boolean[], integer[], text[], text[], text[], text[], jsonb[], integer[], integer[], jsonb[]) is
$comment$Applies the effects that the steps of a commit have on other runs and topics: starts runs, subscribes waits, requests and withdraws approvals, sends signals and messages. Call it before the steps are journaled. A run that was cancelled with rollback starts, subscribes and requests nothing.
held: by position, which leases are locked.
effect_...: as in workflow_commit().
Errors: OX004 an item of another workflow or version; those of workflow_signal(), send_topic() and _create_approvals().
Touches: as workflow_start_batch(), workflow_signal(), send_topic() and _create_approvals(); queue.outbox for signals to runs of other shards; the transaction's setting oxbow.publishing_run.$comment$;
