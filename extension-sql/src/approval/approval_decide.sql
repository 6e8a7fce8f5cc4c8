create or replace function queue.approval_decide(
  approval_id bigint,
  decision    text,
  form_values jsonb default null,
  actor       text default null,
  groups      text[] default null
)
returns text
language plpgsql
volatile
security definer
-- plans: index
as $function$
declare
  v_actor    text;
  v_run_id   bigint;
  v_name     text;
  v_message  jsonb;
  v_receipt  bigint;
  v_visible  timestamptz;
  v_leased   boolean;
  v_now      timestamptz;
  v_wait     jsonb;
  v_approval record;
  v_votes    bigint;
  v_outcome  text;
  v_payload  jsonb;
begin
  perform queue._migrate_if_older();
  v_actor := queue._author(actor);
  if (decision in ('approved', 'rejected')) is not true then
    perform queue._raise('OX004', format('invalid decision "%s"', left(coalesce(decision, 'null'), 40)), null,
      'A decision is approved or rejected.');
  end if;
  if (jsonb_typeof(form_values) = 'object') is false then
    perform queue._raise('OX004', 'the values of a decision are not an object', null,
      'Pass an object with a member for each field of the form, or null.');
  end if;
  if (octet_length(form_values::text) > 65536) is true then
    perform queue._raise('OX008', 'the values of a decision are larger than 64 KiB', null,
      'Keep large data elsewhere, and pass a reference to it.');
  end if;

  select a.run_id, a.workflow_name into v_run_id, v_name
  from queue.approval as a
  where a.approval_id = approval_decide.approval_id;
  if not found then
    perform queue._raise_approval_not_found(format('approval %s', coalesce(approval_decide.approval_id::text, 'null')));
  end if;
  -- This lock orders decisions of one run, its commits and its end; no other transaction changes the request meanwhile.
  select m.message, m.receipt, m.visible_at into v_message, v_receipt, v_visible
  from queue.workflow_continuation as m
  where m.msg_id = v_run_id
  for no key update;
  v_now := clock_timestamp();
  select a.step_name, a.outcome, a.quorum, a.rejections, a.approvers, a.starters into v_approval
  from queue.approval as a
  where a.approval_id = approval_decide.approval_id
  for no key update;
  if not found then
    perform queue._raise_approval_not_found(format('approval %s', approval_decide.approval_id));
  end if;

  -- Groups are believed only from administrators, as names of actors are.
  perform queue._require_approver(
    approval_id, v_approval.approvers, v_approval.starters, v_actor, case when queue._is_administrator() then groups end
  );
  select w.wait into v_wait
  from jsonb_array_elements(case jsonb_typeof(v_message -> 'waits') when 'array' then v_message -> 'waits' end) as w (wait)
  where w.wait ->> 'step' = v_approval.step_name
    and w.wait ? 'approval';
  v_outcome := case
    when v_approval.outcome in ('approved', 'rejected') then 'decided'
    when v_approval.outcome is not null or v_wait is null or (v_wait ->> 'until')::timestamptz <= v_now then 'expired'
    when exists (
      select
      from queue.approval_decision as d
      where d.approval_id = approval_decide.approval_id
        and lower(d.actor) = lower(v_actor)
    ) then 'decided'
  end;
  if v_outcome is not null then
    -- Once, since the holder of a link may send its form as often as it likes.
    if not exists (
      select
      from queue.audit as u
      where u.subject_type = 'approval'
        and u.subject = approval_decide.approval_id::text
        and u.action = 'approval.decide'
        and u.outcome = 'unchanged'
        and u.detail @> jsonb_build_object('by', v_actor, 'decision', decision, 'result', v_outcome)
    ) then
      perform queue._record_action('approval.decide', 'approval', array[approval_decide.approval_id::text],
        jsonb_build_object('by', v_actor, 'decision', decision, 'result', v_outcome), changed => false);
    end if;
    return v_outcome;
  end if;

  insert into queue.approval_decision (approval_id, decided_at, actor, decision, form_values)
  values (approval_decide.approval_id, v_now, v_actor, approval_decide.decision, approval_decide.form_values);
  select count(*) into v_votes
  from queue.approval_decision as d
  where d.approval_id = approval_decide.approval_id
    and d.decision = approval_decide.decision;
  v_outcome := case
    when v_votes >= case decision when 'approved' then v_approval.quorum else v_approval.rejections end then 'delivered'
    else 'counted'
  end;
  perform queue._record_action('approval.decide', 'approval', array[approval_decide.approval_id::text],
    jsonb_build_object('by', v_actor, 'decision', decision, 'result', v_outcome, 'run', v_run_id::text, 'step', v_approval.step_name));
  if v_outcome = 'counted' then
    return v_outcome;
  end if;

  update queue.approval as a
  set outcome = decision,
    ended_at = v_now
  where a.approval_id = approval_decide.approval_id;
  v_payload := jsonb_build_object(
    'decision', decision,
    'actor', v_actor,
    'values', coalesce(form_values, '{}'),
    'decisions', queue._approval_decisions(approval_decide.approval_id)
  );
  -- As workflow_signal() delivers.
  v_leased := v_receipt is not null and v_visible > v_now;
  if v_leased or queue._must_buffer(v_run_id, v_message, v_wait, v_payload) then
    insert into queue.workflow_buffered_signal (run_id, received_at, event, payload)
    values (v_run_id, v_now, v_wait ->> 'event', v_payload);
    perform queue._wake_signalled_run(v_name, v_run_id, v_leased, v_now);
  else
    perform queue._deliver_signal(v_name, v_run_id, v_message, v_wait, v_payload, v_now);
  end if;
  return v_outcome;
end
$function$;

comment on function queue.approval_decide(bigint, text, jsonb, text, text[]) is
$comment$Decides a request for approval in the name of a person. It is the only way: signals can't answer a request. Concurrent decisions, the timeout and the end of the run are decided one after the other.
decision: approved or rejected.
form_values: what the person filled in, an object of at most 64 KiB. It is not compared with the form of the request; a server does that.
actor: the person; believed only from administrators, like groups. Otherwise, and by default, the actor of the transaction.
groups: of the person.
Returns delivered, if the request ended with this decision and the run continues; counted, if others must decide too; decided, if the person or enough others decided before; expired, if the request timed out or was withdrawn, because the run has ended or no longer waits. Only delivered and counted changed anything. The others are recorded once for each person and decision.
Errors: OX004 invalid argument, OX008 values too large, OX022 no such approval, OX023 the person may not decide it.
Touches: queue.workflow_continuation, queue.approval, queue.approval_decision, queue.workflow_step, queue.workflow_buffered_signal, queue.audit.$comment$;
