create or replace function queue._create_approvals(
  run_ids       bigint[],
  held          boolean[],
  effect_items  integer[],
  effect_kinds  text[],
  effect_steps  text[],
  effect_values jsonb[]
)
returns void
language plpgsql
volatile
-- plans: index
as $function$
declare
  v_now           constant timestamptz := clock_timestamp();
  v_requested     bigint[];
  v_step          text;
  v_request       record;
  v_subscriptions bigint[];
begin
  select e.step into v_step
  from unnest(effect_kinds, effect_steps, effect_values) as e (kind, step, value)
  where e.kind = 'approval'
    and (
      e.value @? $path$lax $ ? (@.title.type() == "string"
        && (!exists(@.quorum) || @.quorum.type() == "number" && @.quorum >= 1 && @.quorum <= 1000)
        && (!exists(@.rejections) || @.rejections.type() == "number" && @.rejections >= 1 && @.rejections <= 1000)
        && (!exists(@.excludeStarter) || @.excludeStarter.type() == "boolean")
        && (!exists(@.approvers) || @.approvers.type() == "array"))$path$
      and octet_length(e.value::text) <= 131072
    ) is not true
  limit 1;
  if found then
    perform queue._raise('OX004', format('invalid request for approval of step "%s"', v_step), null,
      'A request has a title, at most 128 KiB, and a quorum and rejections between 1 and 1000. Nothing was written.');
  end if;

  with asked as (
    select r.run_id, r.workflow_name, e.step, e.value
    from unnest(effect_items, effect_kinds, effect_steps, effect_values) as e (item, kind, step, value)
    join queue.workflow_run as r on r.run_id = run_ids[e.item]
    join queue.workflow_continuation as m on m.msg_id = r.run_id
    where e.kind = 'approval'
      and held[e.item]
      -- A commit repeated after a lost answer finds the wait, even if its request has been decided since.
      and not coalesce(m.message -> 'waits' @> jsonb_build_array(jsonb_build_object('step', e.step)), false)
  ),
  requested as (
    insert into queue.approval (
      run_id, requested_at, expires_at, quorum, rejections, excludes_starter, workflow_name, step_name, title,
      description, approvers, starters, form
    )
    select a.run_id, v_now, (a.value ->> 'expiresAt')::timestamptz, coalesce((a.value ->> 'quorum')::integer, 1),
      coalesce((a.value ->> 'rejections')::integer, 1), coalesce((a.value ->> 'excludeStarter')::boolean, false),
      a.workflow_name, a.step, a.value ->> 'title', a.value ->> 'description',
      case when jsonb_typeof(a.value -> 'approvers') = 'array' then
        array(select jsonb_array_elements_text(a.value -> 'approvers'))
      end,
      case when (a.value ->> 'excludeStarter')::boolean then queue._starters(a.run_id) end,
      a.value -> 'form'
    from asked as a
    on conflict (run_id, step_name) where ended_at is null do nothing
    returning approval.approval_id
  )
  select array_agg(requested.approval_id) into v_requested from requested;
  if v_requested is null then
    return;
  end if;

  -- A decision that an earlier attempt or generation of the run never read must not answer this request.
  delete from queue.workflow_buffered_signal as b
  using queue.approval as a
  where a.approval_id = any (v_requested)
    and b.run_id = a.run_id
    -- Names of events don't begin with a space, so no signal has this one.
    and b.event = ' approval:' || a.step_name;

  -- The end of the run sees here whether requests may be open.
  update queue.workflow_continuation as m
  set headers = coalesce(m.headers, '{}') || '{"approvals": true}'
  where m.msg_id in (select a.run_id from queue.approval as a where a.approval_id = any (v_requested))
    and not coalesce(m.headers ? 'approvals', false);

  -- As send_topic(), which refuses topics of Oxbow. Of events that runs publish, triggers count the depth.
  for v_request in
    select a.run_id, jsonb_strip_nulls(jsonb_build_object(
        'approvalId', a.approval_id::text,
        'runId', a.run_id::text,
        'workflow', a.workflow_name,
        'step', a.step_name,
        'title', a.title,
        'description', a.description,
        'approvers', to_jsonb(a.approvers),
        'expiresAt', to_char(a.expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
      )) as message
    from queue.approval as a
    where a.approval_id = any (v_requested)
    order by a.approval_id
  loop
    v_subscriptions := queue._subscriptions_for('oxbow.approval.requested', v_request.message);
    if v_subscriptions <> '{}' then
      perform set_config('oxbow.publishing_run', v_request.run_id::text, true);
      perform queue._publish('oxbow.approval.requested', v_request.message, null, v_subscriptions);
      perform set_config('oxbow.publishing_run', '', true);
    end if;
  end loop;
end
$function$;

comment on function queue._create_approvals(bigint[], boolean[], integer[], text[], text[], jsonb[]) is
$comment$Makes the requests for approval of a commit, once for each wait, and publishes each to topic oxbow.approval.requested. Call it before the continuations are written.
held: by position, which leases are locked.
effect_...: as in workflow_commit().
Errors: OX004 invalid request.
Touches: queue.approval, queue.workflow_buffered_signal, queue.workflow_continuation; as send_topic(); the transaction's setting oxbow.publishing_run.$comment$;
