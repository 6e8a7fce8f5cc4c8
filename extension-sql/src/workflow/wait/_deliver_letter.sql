create or replace function queue._deliver_letter(run_id bigint, event text, payload jsonb)
returns void
language plpgsql
volatile
-- plans: index
as $function$
declare
  v_now  constant timestamptz := clock_timestamp();
  v_run  record;
  v_wait jsonb;
begin
  select r.workflow_name, m.message, m.receipt is not null and m.visible_at > v_now as is_executing
  into v_run
  from queue.workflow_continuation as m
  join queue.workflow_run as r on r.run_id = m.msg_id
  where m.msg_id = _deliver_letter.run_id;
  select w.wait into v_wait
  from queue.subscription as s
  join lateral jsonb_array_elements(v_run.message -> 'waits') as w (wait) on w.wait ->> 'step' = s.options ->> 'step'
  where s.subscription_id = substr(event, 8)::bigint
    and s.target_type = 'run'
    and s.target = _deliver_letter.run_id::text;
  if not found then
    return;
  end if;

  if not v_run.is_executing and not queue._must_buffer(run_id, v_run.message, v_wait, payload) then
    perform queue._deliver_signal(v_run.workflow_name, run_id, v_run.message, v_wait, payload, v_now);
    return;
  end if;
  insert into queue.workflow_buffered_signal (run_id, received_at, event, payload)
  select _deliver_letter.run_id, v_now, _deliver_letter.event, _deliver_letter.payload
  where not exists (
    select
    from queue.workflow_buffered_signal as b
    where b.run_id = _deliver_letter.run_id
      and b.event = _deliver_letter.event
  );
  perform queue._wake_signalled_run(v_run.workflow_name, run_id, v_run.is_executing, v_now);
end
$function$;

comment on function queue._deliver_letter(bigint, text, jsonb) is
$comment$Ends the wait that made a subscription, with a message that came for it. A run that is executing, has yet to take an earlier signal for that wait, or has a full journal, takes the message with its next commit. The message is dropped if the wait has ended, or has one already.
run_id: of a run whose continuation the caller has locked.
event: as _letter_event() returns it.
Touches: reads queue.subscription; queue.workflow_buffered_signal; as _deliver_signal() and _wake_signalled_run().$comment$;
