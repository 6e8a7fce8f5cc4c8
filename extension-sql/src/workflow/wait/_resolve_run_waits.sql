create or replace function queue._resolve_run_waits(run_id bigint, continuation jsonb, taken_at timestamptz)
returns jsonb
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_rolls_back constant boolean := exists (
    select from queue.workflow_continuation as m where m.msg_id = run_id and m.headers ? 'cancelled'
  );
  -- By step, the event of messages that come for it alone.
  v_letters    constant jsonb := coalesce((
    select jsonb_object_agg(s.options ->> 'step', queue._letter_event(s.subscription_id))
    from queue.subscription as s
    where s.target_type = 'run'
      and s.target = run_id::text
  ), '{}');
  v_wait       jsonb;
  v_payload    jsonb;
  v_has_signal boolean;
  v_journaled  integer;
  v_open       jsonb := jsonb_build_array();
  v_ended      text[] := array[]::text[];
  v_resolved   jsonb;
begin
  -- Counted in the journal: a commit repeated after a lost answer doesn't know what it journaled.
  select coalesce(max(s.position), 0) into v_journaled
  from queue.workflow_step as s
  where s.run_id = _resolve_run_waits.run_id;

  -- One wait after another: a signal that one takes is gone for the next.
  for v_wait in select w from jsonb_array_elements(continuation -> 'waits') with ordinality as e (w, n) order by n loop
    if v_wait ->> 'kind' not in ('event', 'invoke') then
      v_open := v_open || v_wait;
      continue;
    end if;

    perform
    from queue.workflow_step as s
    where s.run_id = _resolve_run_waits.run_id
      and s.step_name = v_wait ->> 'step';
    if not found and v_rolls_back then
      v_open := v_open || v_wait;
      continue;
    elsif not found and v_wait ->> 'kind' = 'invoke' then
      if not queue._journal_child(run_id, v_journaled + 1, v_wait)
        and not (v_wait ? 'route' and queue._journal_child_elsewhere(run_id, v_journaled + 1, v_wait, taken_at))
      then
        v_open := v_open || v_wait;
        continue;
      end if;
      v_journaled := v_journaled + 1;
    elsif not found then
      delete from queue.workflow_buffered_signal as b
      where b.run_id = _resolve_run_waits.run_id
        and b.signal_id = (
          select c.signal_id
          from queue.workflow_buffered_signal as c
          where c.run_id = _resolve_run_waits.run_id
            and (
              c.event = v_wait ->> 'event' and (not v_wait ? 'match' or c.payload @> (v_wait -> 'match'))
              or c.event = v_letters ->> (v_wait ->> 'step')
            )
          order by c.signal_id
          limit 1
        )
      returning b.payload into v_payload;
      v_has_signal := found;
      if not v_has_signal and not coalesce((v_wait ->> 'expired')::boolean, false) then
        v_open := v_open || v_wait;
        continue;
      end if;
      v_journaled := v_journaled + 1;
      perform queue._journal_wait(run_id, v_journaled, v_wait, v_payload, taken_at, has_expired => not v_has_signal);
    end if;

    v_ended := v_ended || (v_wait ->> 'step');
  end loop;

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
    'continuation', continuation || jsonb_build_object('waits', v_open, 'journaled', v_journaled)
  );
end
$function$;

comment on function queue._resolve_run_waits(bigint, jsonb, timestamptz) is
$comment$Resolves the waits of one run, in their order. Each event wait takes the earliest buffered signal that it matches, or message that a topic has for it; one with "expired": true that finds none times out. A wait for an invoked run takes its result if that run has ended. Those of a run that was cancelled with rollback take nothing: see _begin_rollback().
continuation: of a run whose continuation the caller has locked.
Returns null if no wait was resolved, otherwise {"resolved": [… in the order of the journal], "continuation": <with the remaining waits>}.
Touches: queue.workflow_buffered_signal, queue.workflow_step; reads queue.subscription, queue.workflow_run and queue.workflow_continuation.$comment$;
