create or replace function queue._resolve_run_waits(run_id bigint, continuation jsonb, taken_at timestamptz)
returns jsonb
language plpgsql
volatile
-- plans: index, no bitmap
as $function$
declare
  v_rolls_back constant boolean := exists (
    select from queue.workflow_continuation as m where m.msg_id = run_id and m.headers ? 'cancelled'
  );
  -- The event of messages that come only for a step, by step.
  v_letters    constant jsonb := coalesce((
    select jsonb_object_agg(s.options ->> 'step', queue._letter_event(s.subscription_id))
    from queue.subscription as s
    where s.target_type = 'run'
      and s.target = run_id::text
  ), '{}');
  -- Counted in the journal: a commit repeated after a lost answer doesn't know what it journaled.
  v_journaled  integer := coalesce((
    select max(s.position) from queue.workflow_step as s where s.run_id = _resolve_run_waits.run_id
  ), 0);
  v_ended      text[] := array(
    select s.step_name
    from queue.workflow_step as s
    where s.run_id = _resolve_run_waits.run_id
      and s.step_name in (
        select e.w ->> 'step' from jsonb_array_elements(continuation -> 'waits') as e (w) where e.w ->> 'kind' <> 'sleep'
      )
  );
  v_expired    text[];
  v_wait       jsonb;
  v_payload    jsonb;
  v_resolved   jsonb;
begin
  -- One wait after another: a signal that one takes is gone for the next. Of those that a signal fits equally, only as
  -- many as there are such signals.
  for v_wait in
    select c.w
    from (
      select e.w, e.n,
        row_number() over (
          partition by e.w ->> 'kind', e.w ->> 'event', e.w -> 'match', v_letters -> (e.w ->> 'step') order by e.n
        ) as place,
        case
          when e.w ->> 'kind' = 'event' then (
            select count(*)
            from (
              select
              from queue._signals_for(_resolve_run_waits.run_id, e.w, v_letters ->> (e.w ->> 'step'))
              -- More than the waits can take don't matter, and there may be many.
              limit jsonb_array_length(continuation -> 'waits')
            ) as s
          )
        end as signals
      from jsonb_array_elements(continuation -> 'waits') with ordinality as e (w, n)
      where e.w ->> 'kind' in ('event', 'invoke')
        and e.w ->> 'step' not in (select x.step from unnest(v_ended) as x (step))
        and not v_rolls_back
    ) as c
    where c.signals is null
      or c.place <= c.signals
    order by c.n
  loop
    if v_wait ->> 'kind' = 'invoke' then
      continue when not queue._journal_child(run_id, v_journaled + 1, v_wait)
        and not (v_wait ? 'route' and queue._journal_child_elsewhere(run_id, v_journaled + 1, v_wait, taken_at));
    else
      delete from queue.workflow_buffered_signal as b
      where b.run_id = _resolve_run_waits.run_id
        and b.signal_id = (
          select s.signal_id
          from queue._signals_for(_resolve_run_waits.run_id, v_wait, v_letters ->> (v_wait ->> 'step')) as s
          order by s.signal_id
          limit 1
        )
      returning b.payload into v_payload;
      continue when not found;
      perform queue._journal_wait(run_id, v_journaled + 1, v_wait, v_payload, taken_at);
    end if;
    v_journaled := v_journaled + 1;
    v_ended := v_ended || (v_wait ->> 'step');
  end loop;

  if not v_rolls_back and continuation -> 'waits' @> '[{"expired": true}]' then
    v_expired := queue._journal_timeouts(run_id, v_journaled, continuation -> 'waits', v_ended, taken_at);
    v_journaled := v_journaled + cardinality(v_expired);
    v_ended := v_ended || v_expired;
  end if;
  if v_ended = array[]::text[] then
    return null;
  end if;
  select jsonb_agg(
    case
      when s.kind = 'invoke' then
        jsonb_build_object('step', s.step_name, 'kind', s.kind)
          || case when s.output is null then '{}' else jsonb_build_object('payload', s.output) end
          || case when s.error is null then '{}' else jsonb_build_object('error', s.error) end
      when s.attempts = 0 then jsonb_build_object('step', s.step_name, 'expired', true)
      when s.output is null then jsonb_build_object('step', s.step_name)
      else jsonb_build_object('step', s.step_name, 'payload', s.output)
    end
    order by s.position
  )
  into v_resolved
  from queue.workflow_step as s
  where s.run_id = _resolve_run_waits.run_id
    and s.step_name = any (v_ended);
  return jsonb_build_object(
    'resolved', v_resolved,
    'continuation', continuation || jsonb_build_object(
      'waits', queue._waits_but(continuation -> 'waits', v_ended), 'journaled', v_journaled
    )
  );
end
$function$;

comment on function queue._resolve_run_waits(bigint, jsonb, timestamptz) is
$comment$Resolves the waits of one run, in their order. Each event wait takes the earliest buffered signal that it matches, or message that a topic has for it. Those with "expired": true that find no signal time out after that, in the order of their deadlines. A wait for an invoked run takes its result if that run has ended. Those of a run that was cancelled with rollback take nothing: see _begin_rollback().
continuation: of a run whose continuation the caller has locked.
Returns null if no wait was resolved, otherwise {"resolved": [... in the order of the journal], "continuation": <with the remaining waits>}.
Touches: queue.workflow_buffered_signal, queue.workflow_step; as _journal_timeouts(); reads queue.subscription, queue.workflow_run and queue.workflow_continuation.$comment$;
