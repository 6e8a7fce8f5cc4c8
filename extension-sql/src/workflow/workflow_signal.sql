create or replace function queue.workflow_signal(
  run_id           bigint,
  event            text,
  payload          jsonb default null,
  deduplication_id text default null
)
returns text
language plpgsql
volatile
security definer
-- plans: index
as $function$
declare
  v_now     timestamptz;
  v_name    text;
  v_status  text;
  v_message jsonb;
  v_receipt bigint;
  v_visible timestamptz;
  v_leased  boolean;
  v_wait    jsonb;
  v_outcome text;
begin
  perform queue._migrate_if_older();
  if queue._is_name(event) is not true then
    perform queue._raise('OX003', format('invalid event name "%s"', left(coalesce(event, 'null'), 260)), null,
      'An event name is 1 to 256 characters without control characters that neither begin nor end with a space.');
  end if;
  if deduplication_id is not null then
    perform queue._check_id(deduplication_id, 'deduplication id');
  end if;
  if nullif(current_setting('oxbow.actor', true), '') is not null and queue._is_administrator() then
    return queue._record_signal(run_id, event, payload, deduplication_id);
  end if;
  select r.workflow_name, r.status::text into v_name, v_status
  from queue.workflow_run as r
  where r.run_id = workflow_signal.run_id;
  if not found then
    if queue._send_signal(run_id, event, payload, deduplication_id) then
      return 'sent';
    end if;
    if exists (select from queue.workflow_run as r where r.run_id = workflow_signal.run_id) then
      -- It has come back from another shard between the two looks.
      return queue.workflow_signal(run_id, event, payload, deduplication_id);
    end if;
    perform queue._raise_run_not_found(run_id);
  end if;
  if v_status <> 'running' then
    return queue._signal_outcome(run_id, deduplication_id);
  end if;

  -- This lock orders signals and commits: a commit that registers the wait comes entirely before or after.
  select m.message, m.receipt, m.visible_at into v_message, v_receipt, v_visible
  from queue.workflow_continuation as m
  where m.msg_id = workflow_signal.run_id
  for no key update;
  if v_message is null then
    -- It has ended, or moved to another shard and perhaps back, while this waited.
    if queue._moved_to(run_id) is not null then
      perform queue._send_signal(run_id, event, payload, deduplication_id);
      return 'sent';
    end if;
    if exists (select from queue.workflow_continuation as m where m.msg_id = workflow_signal.run_id) then
      return queue.workflow_signal(run_id, event, payload, deduplication_id);
    end if;
    return queue._signal_outcome(run_id, deduplication_id);
  end if;
  if deduplication_id is not null then
    v_outcome := queue._signal_outcome(run_id, deduplication_id);
    if v_outcome <> 'ignored' then
      return v_outcome;
    end if;
  end if;

  v_now := clock_timestamp();
  v_wait := queue._first_matching_wait(v_message -> 'waits', event, payload);
  v_leased := v_receipt is not null and v_visible > v_now;
  v_outcome := case
    when v_wait is null or v_leased or queue._must_buffer(run_id, v_message, v_wait, payload) then 'buffered'
    else 'delivered'
  end;
  if deduplication_id is not null then
    insert into queue.workflow_signal_receipt (run_id, deduplication_id, outcome)
    values (workflow_signal.run_id, workflow_signal.deduplication_id, v_outcome);
  end if;
  if v_outcome = 'buffered' then
    insert into queue.workflow_buffered_signal (run_id, received_at, event, payload)
    values (workflow_signal.run_id, v_now, workflow_signal.event, workflow_signal.payload);
    if v_wait is not null then
      perform queue._wake_signalled_run(v_name, run_id, v_leased, v_now);
    end if;
    return v_outcome;
  end if;

  perform queue._deliver_signal(v_name, run_id, v_message, v_wait, payload, v_now);
  return v_outcome;
end
$function$;

comment on function queue.workflow_signal(bigint, text, jsonb, text) is
$comment$Sends an event to a run, in the caller's transaction.
event: the name that the run waits for.
payload: delivered to the first wait of that event whose match it contains (payload @> match).
deduplication_id: a second signal with the same id to this run does nothing and returns the outcome of the first. Ids are kept as long as the run.
If an administrator's transaction names an actor by the setting oxbow.actor, the signal is recorded in the audit.
Returns delivered, if the run was waiting: the step is journaled and the run is ready. buffered, if the run is executing, no wait matches, the run has yet to take an earlier one for that wait, or its journal is full, and its next commit fails it: the next matching wait takes it, in order of arrival. ignored, if the run has ended. sent, if the run is in another shard: the event reaches it soon after the commit, and nothing happens if that run does not exist.
Errors: OX003 invalid event name, OX004 invalid deduplication id, OX005 no such run.
Touches: queue.workflow_continuation, queue.workflow_step, queue.workflow_buffered_signal, queue.workflow_signal_receipt; queue.outbox for a run of another shard; queue.audit in the name of an actor.$comment$;
