\echo Use "CREATE EXTENSION oxbow" to load this file. \quit

create type queue.delivery as (
  msg_id           bigint,
  receipt          bigint,
  read_ct          integer,
  enqueued_at      timestamptz,
  visible_at       timestamptz,
  message_group_id text,
  message          jsonb,
  headers          jsonb
);

comment on type queue.delivery is
  'One delivery of a message. receipt: proves the delivery. read_ct: counts deliveries, including this one. visible_at: when the delivery ends. message_group_id: null in a standard queue.';

create type queue.peeked_message as (
  msg_id           bigint,
  state            text,
  read_ct          integer,
  enqueued_at      timestamptz,
  visible_at       timestamptz,
  message_group_id text,
  message          jsonb,
  headers          jsonb
);

comment on type queue.peeked_message is
  'A message as returned by peek(). state: ready, delayed, in-flight, or blocked behind an earlier message of its group. visible_at: when a delayed message becomes ready, or the lease of one in flight ends. message_group_id: null in a standard queue.';

create type queue.queue_mark as (
  mark_id    bigint,
  taken_at   timestamptz,
  ready_from timestamptz,
  swept_at   timestamptz,
  sweep_took interval,
  horizon    xid8
);

comment on type queue.queue_mark is 'How far the ready index of a queue has been read: a row of the table ready_mark.';

create type queue.queue_settings as (
  name               text,
  kind               text,
  visibility_timeout integer,
  max_receives       integer,
  dead_letter_queue  text,
  created_at         timestamptz,
  retention_seconds  integer,
  suspected_at       timestamptz
);

comment on type queue.queue_settings is
  'A queue as it was created. kind: standard, fifo or workflow. visibility_timeout: seconds. max_receives, dead_letter_queue: both or neither are null. retention_seconds: null if messages are kept forever. suspected_at: when a message was first suspected of ending its consumer, null before.';

create type queue.queue_statistics as (
  name               text,
  visible            bigint,
  in_flight          bigint,
  delayed            bigint,
  groups             bigint,
  total_sent         bigint,
  oldest_message_age interval
);

comment on type queue.queue_statistics is
  'Counts of a queue''s messages. groups: null in a standard queue. total_sent: message ids that were drawn, including those of sends that were rolled back. oldest_message_age: null if the queue is empty.';

create type queue.subscription_info as (
  subscription_id bigint,
  pattern         text,
  target_type     text,
  target          text,
  filter          jsonb,
  options         jsonb,
  created_at      timestamptz,
  failing_since   timestamptz,
  disabled_at     timestamptz,
  disabled_reason text
);

comment on type queue.subscription_info is
  'A subscription as returned by list_subscriptions().';

create type queue.topic_dead_letter as (
  letter_id        bigint,
  dead_lettered_at timestamptz,
  subscription_id  bigint,
  target_type      text,
  target           text,
  topic            text,
  reason           text,
  attempts         integer,
  message          jsonb,
  headers          jsonb
);

comment on type queue.topic_dead_letter is
  'A message that a subscription could not take, with the reason. attempts: requests to a url; null for other targets.';

create type queue.url_delivery as (
  msg_id          bigint,
  receipt         bigint,
  read_ct         integer,
  enqueued_at     timestamptz,
  subscription_id bigint,
  url             text,
  topic           text,
  webhook_id      text,
  format          text,
  concurrency     integer,
  message         jsonb,
  headers         jsonb
);

comment on type queue.url_delivery is
  'One attempt to deliver a message to a url. url, format, concurrency: of the subscription. read_ct: counts attempts, including this one. headers: of the publisher.';

create type queue.changed_runs as (
  changed           integer,
  before            bigint,
  before_started_at timestamptz
);

comment on type queue.changed_runs is
  'The result of one batch of a change by filter: how many runs it changed, and the cursor of the next batch, which is null after the last one.';

create type queue.claimed_runs as (
  run_ids       bigint[],
  receipts      bigint[],
  attempts      integer[],
  continuations jsonb[],
  is_fresh      boolean[],
  must_end      bigint[],
  limited       integer[],
  sizes         bigint[]
);

comment on type queue.claimed_runs is
  'Continuations leased by one statement, as parallel arrays. is_fresh: never leased before, so without a journal. must_end: runs that must not be delivered. limited: queues of workflows that have flow control. sizes: bytes of the inputs.';

create type queue.extended_leases as (
  held       bigint[],
  signalled  bigint[],
  paused     bigint[],
  cancelling bigint[],
  busy       bigint[]
);

comment on type queue.extended_leases is
  'Receipts that are alive, and those of them whose runs have a matching buffered signal, are paused, are cancelled with rollback, or are locked by another transaction.';

create type queue.ready_parts as (
  queue_ids integer[],
  versions  integer[],
  names     text[],
  froms     timestamptz[],
  marks     queue.queue_mark[],
  limited   integer[]
);

comment on type queue.ready_parts is
  'Ranges of the ready index that a worker serves, in order of preference: a workflow, one of its versions, and where to begin. limited: queues of workflows that have flow control.';

create type queue.registered_version as (
  workflow         text,
  version          integer,
  retention_days   integer,
  deadline_seconds numeric,
  on_failure       text,
  registered_at    timestamptz
);

comment on type queue.registered_version is
  'A version of a workflow that workers have registered, with the defaults of its runs. A null default is that of the database.';

create type queue.run_cursor as (
  started_at timestamptz,
  run_id     bigint
);

comment on type queue.run_cursor is
  'A place in a list of runs, which is ordered by these two.';

create type queue.run_filter as (
  name             text,
  version          integer,
  status           text[],
  paused           boolean,
  started_after    timestamptz,
  started_before   timestamptz,
  completed_after  timestamptz,
  completed_before timestamptz,
  tags             jsonb,
  input            jsonb,
  error_code       text,
  idempotency_key  text
);

comment on type queue.run_filter is
  'Selects runs that match every attribute that is not null.';

create type queue.signalled_start as (
  run_id  bigint,
  created boolean,
  status  text,
  outcome text
);

comment on type queue.signalled_start is
  'The result of a start with a signal: the run, whether this call created it, its status, and the outcome of the signal: delivered, buffered or ignored.';

create type queue.started_run as (
  run_id  bigint,
  created boolean,
  status  text
);

comment on type queue.started_run is
  'The result of a start: the run, whether this call created it, and its status.';

create type queue.version_defaults as (
  versions       integer[],
  retention_days integer[],
  deadlines      interval[]
);

comment on type queue.version_defaults is
  'The registered versions of a workflow, highest first, with the defaults of their runs, as parallel arrays; null if none is registered.';

create type queue.workflow_backlog as (
  name         text,
  version      integer,
  ready        bigint,
  oldest_ready interval
);

comment on type queue.workflow_backlog is
  'A version of a workflow. ready: how many of its runs are ready and not executing. oldest_ready: how long the oldest of them has been ready.';

create type queue.workflow_child as (
  run_id       bigint,
  name         text,
  version      integer,
  status       text,
  parent_step  text,
  is_detached  boolean,
  started_at   timestamptz,
  completed_at timestamptz
);

comment on type queue.workflow_child is
  'A run that a step of another run has started, and the name of that step.';

create type queue.workflow_chunk as (
  "position"  bigint,
  written_at  timestamptz,
  step        text,
  attempt     integer,
  chunk       jsonb,
  reset_since bigint
);

comment on type queue.workflow_chunk is
  'A chunk of a run''s stream. step, attempt: the call that wrote it; both null for the body. reset_since: if set, this row is a reset, which takes back the chunks of the step from that position on.';

create type queue.workflow_commit_result as (
  run_id   bigint,
  receipt  bigint,
  outcome  text,
  resolved jsonb
);

comment on type queue.workflow_commit_result is
  'The result of a commit for one run. outcome: ok, lost, cancelled or busy. resolved: the waits that it journaled.';

create type queue.workflow_delivery as (
  run_id       bigint,
  receipt      bigint,
  name         text,
  version      integer,
  attempt      integer,
  input        jsonb,
  journal      jsonb,
  continuation jsonb,
  started_at   timestamptz,
  received_at  timestamptz,
  schedule     jsonb,
  trace        jsonb,
  failure_of   bigint,
  retried      integer,
  deadline     timestamptz,
  bytes        bigint
);

comment on type queue.workflow_delivery is
  'One lease of a run with everything that a replay needs: input, journal in commit order, and continuation. schedule: {"name", "scheduled_at"} if a schedule started the run. trace: headers of the trace of its start. failure_of: the run whose failure it handles. retried: how often the policy of its workflow has retried it. deadline: when the run fails; null for never. bytes: approximate size of input and journal.';

create type queue.workflow_journal_entry as (
  name         text,
  kind         text,
  attempts     integer,
  output       jsonb,
  error        jsonb,
  started_at   timestamptz,
  completed_at timestamptz,
  "position"   integer,
  failures     jsonb
);

comment on type queue.workflow_journal_entry is
  'A journal row, for display.';

create type queue.workflow_lag as (
  name        text,
  ready_since timestamptz,
  lag_seconds double precision
);

comment on type queue.workflow_lag is
  'A workflow that has a ready run which no worker has taken, and since when.';

create type queue.workflow_lease_notice as (
  run_id  bigint,
  receipt bigint,
  outcome text
);

comment on type queue.workflow_lease_notice is
  'A lease that needs its worker''s attention. outcome: lost, cancelled, signalled, paused, cancelling or busy.';

create type queue.workflow_state as (
  run_id          bigint,
  name            text,
  version         integer,
  status          text,
  activity        text,
  input           jsonb,
  output          jsonb,
  error           jsonb,
  idempotency_key text,
  tags            jsonb,
  attempt         integer,
  waits           jsonb,
  retries         jsonb,
  started_at      timestamptz,
  completed_at    timestamptz,
  deadline        timestamptz,
  resumes_at      timestamptz,
  paused_at       timestamptz,
  pause_reason    text,
  rerun_of        bigint,
  superseded_by   bigint,
  scheduled_at    timestamptz,
  in_progress     jsonb,
  failure_of      bigint,
  retried         integer,
  failures        jsonb
);

comment on type queue.workflow_state is
  'A run, for display. activity: of a running run, queued, delayed, ready, executing, sleeping, waiting, retrying, pausing or paused. in_progress: the calls that a worker has reported, [{"step", "attempt", "since", "worker"}]; null if there are none.';

create type queue.workflow_summary as (
  run_id          bigint,
  name            text,
  version         integer,
  status          text,
  started_at      timestamptz,
  completed_at    timestamptz,
  deadline        timestamptz,
  paused_at       timestamptz,
  idempotency_key text,
  tags            jsonb,
  error           jsonb,
  rerun_of        bigint,
  superseded_by   bigint,
  input           jsonb,
  output          jsonb,
  failure_of      bigint
);

comment on type queue.workflow_summary is
  'A run in a list. input, output: null unless requested.';

create type queue.workflow_tally as (
  name      text,
  running   bigint,
  completed bigint,
  failed    bigint,
  cancelled bigint
);

comment on type queue.workflow_tally is
  'A workflow, and how many of its stored runs have each status.';

create type queue.debounced_starts as (
  idempotency_keys text[],
  delay_seconds    numeric[],
  on_running       text[],
  on_ended         text[]
);

comment on type queue.debounced_starts is
  'Arguments of starts, as debouncing changes them: parallel arrays.';

create type queue.flow_limits as (
  concurrency     integer,
  key_concurrency integer,
  spacing         interval,
  burst           integer,
  key_spacing     interval,
  key_burst       integer,
  debounce        interval,
  debounce_limit  interval,
  key_path        text,
  priority_path   text
);

comment on type queue.flow_limits is
  'Flow control of a workflow, parsed from its settings. spacing: time between two runs at the allowed rate. burst: how many may begin at once after a pause. Null means no limit.';

create type queue.flow_state as (
  settings jsonb,
  version  integer,
  admitted bigint,
  queued   bigint,
  opens_at timestamptz
);

comment on type queue.flow_state is
  'Flow control of a workflow and its current state. admitted: runs in flight that are counted. queued: runs that wait for admission or for their time. opens_at: when the next run may begin, if a rate or a delay determines it.';

create type queue.schedule_info as (
  name           text,
  workflow       text,
  version        integer,
  cron           text,
  every_seconds  integer,
  time_zone      text,
  input          jsonb,
  tags           jsonb,
  retention_days integer,
  jitter_seconds numeric,
  catch_up       text,
  catch_up_limit integer,
  grace_seconds  numeric,
  overlap        text,
  created_at     timestamptz,
  changed_at     timestamptz,
  paused_at      timestamptz,
  pause_reason   text,
  next_tick_at   timestamptz,
  last_tick_at   timestamptz,
  last_run_id    bigint
);

comment on type queue.schedule_info is
  'A schedule as returned by schedule_list(). next_tick_at: null while the schedule is paused, until a ticker has computed it, and after its last tick.';

create type queue.ticked_schedule as (
  outcome text,
  run_ids bigint[]
);

comment on type queue.ticked_schedule is
  'The result of schedule_tick(). outcome: ok or lost. run_ids: the run of each tick, null for a tick that started none.';

create type queue.captured_message as (
  capture_id      bigint,
  captured_at     timestamptz,
  subscription_id bigint,
  url             text,
  topic           text,
  message         jsonb,
  headers         jsonb
);

comment on type queue.captured_message is
  'A delivery to a url that a sandbox did not send.';

create type queue.incarnation_info as (
  incarnation_id uuid,
  parent_id      uuid,
  state          text,
  origin         text,
  became_at      timestamptz,
  copied_at      timestamptz,
  guarded        boolean
);

comment on type queue.incarnation_info is
  'The identity of a database. state: live, sandbox or held. origin: how it came into that state. parent_id: the incarnation that it is a copy of. copied_at: up to when it has the history of its source, if known. guarded: whether a promotion holds it.';

create type queue.released_incarnation as (
  released       boolean,
  incarnation_id uuid,
  leases         bigint,
  timers         bigint,
  captured       bigint
);

comment on type queue.released_incarnation is
  'The result of a release. released: whether this call released the database. incarnation_id: the new identity. leases: runs whose worker was in the source. timers: timers that were shifted or paused. captured: deliveries that were captured.';

create type queue.violation as (
  invariant text,
  subject   text,
  detail    text
);

comment on type queue.violation is
  'A broken invariant: which one, of which object, and what was found.';

create function queue._correct_clock_setback()
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $function$
declare
  v_now   constant timestamptz := clock_timestamp();
  v_shown timestamptz;
  v_by    interval;
  v_queue record;
begin
  if current_setting('transaction_isolation') <> 'read committed'
    or not pg_try_advisory_xact_lock(hashtextextended('oxbow:clock', 0))
  then
    return;
  end if;
  select max(n.taken_at) into v_shown
  from (
    select distinct on (r.queue_name, r.part) r.taken_at
    from queue.ready_mark as r
    order by r.queue_name, r.part, r.mark_id desc
  ) as n;
  if not queue._is_clock_set_back(v_shown, v_now) then
    return;
  end if;
  v_by := v_shown - v_now;
  perform pg_current_xact_id();  -- before the times that are written

  for v_queue in
    select q.name, q.kind, greatest(make_interval(secs => q.visibility_timeout), interval '1 minute') as patience
    from queue.queue as q
    where q.kind <> 'workflow'
    order by q.name
  loop
    -- The lock comes before the time is read: see _advance_ready_mark().
    execute format('lock table %s in row exclusive mode', queue._queue_table(v_queue.name));
    execute format($sql$
      with moved as materialized (
        select m.ctid,
          case
            when m.receipt is not null and m.visible_at <= $2 then $5 + $4
            else greatest(m.visible_at - $3, $5)
          end as visible_at
        from %1$s as m
        where %2$s
          and m.visible_at > $1
          and case
            when m.receipt is null then m.visible_at <= $2 or m.enqueued_at > $1
            else m.visible_at > $1 + $4
          end
        for no key update of m skip locked
      )
      update %1$s as m
      set visible_at = moved.visible_at,
        enqueued_at = least(m.enqueued_at, $1)
      from moved
      where m.ctid = moved.ctid
    $sql$, queue._queue_table(v_queue.name), case v_queue.kind when 'fifo' then 'm.head' else 'true' end)
    using v_now, v_shown, v_by, v_queue.patience, clock_timestamp();
    perform queue._wake('queue_' || v_queue.name);
  end loop;

  if to_regclass('queue.workflow_run') is not null then
    lock table queue.workflow_continuation in row exclusive mode;
    perform queue._correct_run_times(clock_timestamp(), v_shown);
  end if;
  -- Marks contain times that are now in the future. Without marks, the next receives read the whole index.
  delete from queue.ready_mark;
end
$function$;

comment on function queue._correct_clock_setback() is
$comment$Corrects the times that were written while the database's clock was ahead, after it was set back.
Messages and runs that were due stay due. Leases are shortened to their remaining time, or to a minute if they had expired, so that the run of a dead worker is received again; a living worker extends them. Delays and deadlines that were written by the wrong clock are shifted by the correction.
The newest marks show how far the clock was ahead; they are at most a second old where messages or runs are received.
Touches: all rows with a time to come, except locked ones, in one transaction; queue.ready_mark; as _wake(). It is expensive and rarely needed.$comment$;

create function queue._correct_run_times(moment timestamptz, shown timestamptz)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set jit = off
as $function$
declare
  v_by       constant interval := shown - moment;
  v_patience constant interval := interval '1 minute';
begin
  with moved as materialized (
    select m.msg_id,
      case
        when m.receipt is not null and m.visible_at <= shown then moment + v_patience
        else greatest(m.visible_at - v_by, moment)
      end as visible_at
    from queue.workflow_continuation as m
    where m.visible_at > moment
      and m.visible_at < 'infinity'
      and (m.headers ? 'paused') is not true
      -- A waiting suspect is invisible until its deadline.
      and (m.suspect_at < 'infinity') is not true
      and case
        when m.receipt is not null then m.visible_at > moment + v_patience
        else m.visible_at <= shown
          or m.enqueued_at > moment
          -- A run that is received too early waits for its remaining time.
          or exists (
            select
            from jsonb_array_elements(coalesce(m.message -> 'waits', '[]') || coalesce(m.message -> 'retries', '[]')) as w (item)
            where (w.item ->> 'since')::timestamptz > moment
          )
      end
      -- A run that flow control holds back is invisible until it is admitted.
      and not exists (
        select
        from queue.workflow_admission as a
        where a.run_id = m.msg_id
          and a.state <> 'admitted'
      )
    for no key update of m skip locked
  )
  update queue.workflow_continuation as m
  set visible_at = moved.visible_at
  from moved
  where m.msg_id = moved.msg_id;

  update queue.workflow_continuation as m
  set suspect_at = greatest(m.suspect_at - v_by, moment)
  where m.suspect_at > moment
    and m.suspect_at < 'infinity';

  update queue.workflow_admission as a
  set due_at = a.due_at - v_by
  from queue.workflow_run as r
  where r.run_id = a.run_id
    and a.state = 'new'
    and a.due_at > moment
    and (a.due_at <= shown or r.started_at > moment);

  update queue.workflow_gate as g
  set filled_at = greatest(g.filled_at - v_by, moment),
    opens_at = moment
  where g.filled_at > moment;

  perform queue._wake(q.name)
  from (select 'queue_' || w.name as name from queue.queue as w where w.kind = 'workflow') as q;
end
$function$;

comment on function queue._correct_run_times(timestamptz, timestamptz) is
$comment$Corrects the times of runs for _correct_clock_setback().
moment: what the clock shows.
shown: what it had shown.
Touches: queue.workflow_continuation, rows with a time to come, except locked ones; queue.workflow_admission, queue.workflow_gate; as _wake().$comment$;

create function queue._is_clock_set_back(shown timestamptz, moment timestamptz)
returns boolean
language sql
stable
parallel safe
as $function$
  select coalesce(
    shown operator(pg_catalog.>) (moment operator(pg_catalog.+) '5 seconds'::pg_catalog.interval), false
  )
$function$;

comment on function queue._is_clock_set_back(timestamptz, timestamptz) is
$comment$Returns whether the clock was set back so far that stored times need correction. Smaller jumps are waited out.
shown: the latest time that the clock is known to have shown.
moment: what it shows now.
Returns true or false.
Touches: nothing.$comment$;

create function queue._raise(code text, message text, detail text default null, hint text default null)
returns void
language plpgsql
volatile
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
begin
  -- Options of RAISE must not be null.
  if _raise.detail is null and _raise.hint is null then
    raise exception using errcode = _raise.code, message = _raise.message;
  elsif _raise.detail is null then
    raise exception using errcode = _raise.code, message = _raise.message, hint = _raise.hint;
  elsif _raise.hint is null then
    raise exception using errcode = _raise.code, message = _raise.message, detail = _raise.detail;
  end if;
  raise exception using errcode = _raise.code, message = _raise.message, detail = _raise.detail, hint = _raise.hint;
end
$function$;

comment on function queue._raise(text, text, text, text) is
$comment$Raises an error of Oxbow. No other function uses RAISE for errors.
code: OX001 queue not found, OX002 queue exists with other settings, OX003 invalid name, OX004 invalid argument, OX005 run not found, OX006 tables missing or outdated, OX007 wrong kind of queue, OX008 payload too large, OX009 queue in use, OX010 idempotency conflict, OX011 schedule not found.
message: a short fact, with the offending value in quotes.
detail: numbers.
hint: a sentence about what to do.
Errors: always.
Touches: nothing.$comment$;

create function queue._advance_ids()
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_batch     constant integer := 500;
  -- More than any lost tail of the log contains. Random, because this advance may itself be lost with the next tail.
  v_least     constant bigint := case
    when coalesce(pg_sequence_last_value('queue.skipped_ids'), 0) < 4000000000000 then bigint '1000000000' else bigint '1000000'
  end;
  v_skipped   constant bigint := v_least + floor(random() * v_least)::bigint;
  v_sequences constant oid[] := array(
    select s.seqrelid
    from pg_sequence as s
    join pg_class as c on c.oid = s.seqrelid
    where c.relnamespace = 'queue'::regnamespace
      and c.relpersistence = 'p'
      and s.seqtypid = 'bigint'::regtype
      and c.relname <> 'skipped_ids'
    order by s.seqrelid
  );
begin
  perform setval('queue.skipped_ids', coalesce(pg_sequence_last_value('queue.skipped_ids'), 0) + v_skipped);
  for v_first in 1 .. cardinality(v_sequences) by v_batch loop
    begin
      perform setval(i.id, v_skipped + coalesce(pg_sequence_last_value(i.id), s.seqstart - 1))
      from unnest(v_sequences[v_first : v_first + v_batch - 1]) as i (id)
      join pg_sequence as s on s.seqrelid = i.id;
      -- setval() is not rolled back, but locks are released: the cluster may have more queues than locks.
      raise exception using errcode = 'OX000';
    exception
      when sqlstate 'OX000' then
        null;
    end;
  end loop;
end
$function$;

comment on function queue._advance_ids() is
$comment$Advances the sequences of runs, messages and subscriptions by the same number, between one and two billion, or between one and two million if half of the ids are used up. The advance stays if the transaction rolls back.
Touches: the sequences in schema queue, queue.skipped_ids.$comment$;

create function queue._skip_lost_ids()
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_lock      constant bigint := hashtextextended('oxbow:ids', 0);
  v_is_called boolean;
begin
  if pg_is_in_recovery() or to_regclass('queue.crash_marker') is null then
    return;
  end if;
  select c.is_called into v_is_called from queue.crash_marker as c;

  if not v_is_called then
    -- A lock of the session, because the caller's transaction may stay open.
    perform pg_advisory_lock(v_lock);
    begin
      select c.is_called into v_is_called from queue.crash_marker as c;
      if not v_is_called then
        perform queue._advance_ids();
        perform setval('queue.crash_marker', 1);
      end if;
    exception
      when query_canceled or others then
        perform pg_advisory_unlock(v_lock);
        raise;
    end;
    perform pg_advisory_unlock(v_lock);
  end if;
  -- No session survives a crash, and no session on a standby gets here before its promotion.
  perform set_config('oxbow.ids_are_ahead', 'on', false);
end
$function$;

comment on function queue._skip_lost_ids() is
$comment$Ensures, before a session draws its first id, that ids are ahead of all that were given out before a crash or promotion that lost transactions. Callers test the session's setting oxbow.ids_are_ahead first.
Touches: the session's setting oxbow.ids_are_ahead; once after a crash or a promotion, an advisory lock, queue.crash_marker, and as _advance_ids().$comment$;

create function queue._ensure_migrated()
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  if queue._is_behind() then
    perform queue.migrate();
  end if;
end
$function$;

comment on function queue._ensure_migrated() is
$comment$Creates the tables at the first use, and upgrades those of an older release. A function creates them at run time, so they do not belong to the extension, and pg_dump includes their rows.
Errors: those of migrate().
Touches: nothing if the tables are up to date; otherwise as migrate().$comment$;

create function queue._is_behind()
returns boolean
language sql
stable
parallel safe
as $function$
  select pg_catalog.to_regclass('queue.state_0029') is null
$function$;

comment on function queue._is_behind() is
$comment$Returns whether the tables are older than the functions, or don't exist. Inlined: hot paths test this condition instead of calling _migrate_if_older().
Returns true if the marker of the latest migration is missing.
Touches: nothing.$comment$;

create function queue._migrate_if_older()
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  if queue._is_behind() and to_regclass('queue.queue') is not null then
    perform queue.migrate();
  end if;
end
$function$;

comment on function queue._migrate_if_older() is
$comment$Upgrades tables that an older release has created, at the first call after ALTER EXTENSION. Without tables, it creates none.
Errors: those of migrate().
Touches: nothing if the tables are up to date; otherwise as migrate().$comment$;

create function queue._require_current_tables()
returns void
language plpgsql
stable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
begin
  if queue._is_behind() and to_regclass('queue.queue') is not null then
    perform queue._raise('OX006', format('the tables are older than Oxbow %s', queue.version()), null,
      'Call queue.migrate(). An upgrade of the extension replaces functions only.');
  end if;
end
$function$;

comment on function queue._require_current_tables() is
$comment$Requires tables that are not older than the functions, for functions that only read and so cannot migrate.
Errors: OX006 the tables are older than the functions.
Touches: nothing.$comment$;

create function queue._advance_ready_mark(
  mark        queue.queue_mark,
  queue       text,
  part        integer,
  queue_table regclass,
  eligible    text,
  taken_at    timestamptz
)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
set jit = off
as $function$
declare
  v_began_at constant timestamptz := clock_timestamp();
  v_next     queue.queue_mark;
begin
  -- If the clock was set back since, no mark contains the time that it had shown.
  if current_setting('transaction_isolation') <> 'read committed' or v_began_at < taken_at then
    return;
  end if;
  v_next.taken_at := taken_at;
  v_next.horizon := pg_current_xact_id();

  if mark.taken_at <= taken_at then
    if not queue._have_writers_ended(queue_table, mark.horizon, pg_current_snapshot()) then
      return;
    end if;
    v_next.swept_at := mark.swept_at;
    v_next.sweep_took := mark.sweep_took;
    -- If marks follow each other closely, one of them notices a clock that is set back.
    if v_began_at - mark.swept_at > greatest(
      '1 minute',
      case when taken_at - mark.taken_at > interval '1 second' then 50 else 500 end * mark.sweep_took
    ) then
      mark.ready_from := '-infinity';
    end if;
    -- Not beyond the mark, where entries of deleted messages would be read in vain. No min(): with statistics of an
    -- empty table, the planner would compute it from all ready rows.
    execute format($sql$
      select coalesce((
        select m.visible_at
        from %1$s as m
        where %2$s
          and m.visible_at between $1 and $2
        order by m.visible_at
        limit 1
      ), $2)
    $sql$, queue_table, eligible)
    into v_next.ready_from
    using mark.ready_from, mark.taken_at;
    if mark.ready_from = '-infinity' then
      delete from queue.group_mark as o
      where o.queue_name = _advance_ready_mark.queue
        and o.taken_at < v_began_at - interval '10 minutes';
      v_next.swept_at := v_began_at;
      v_next.sweep_took := clock_timestamp() - v_began_at;
      delete from queue.ready_mark as o
      where o.queue_name = _advance_ready_mark.queue
        and o.part = _advance_ready_mark.part
        and o.mark_id < mark.mark_id;
    end if;
  else
    -- The first mark, or the clock was set back.
    v_next.ready_from := '-infinity';
    v_next.swept_at := v_began_at;
    v_next.sweep_took := '0';
  end if;

  insert into queue.ready_mark (taken_at, ready_from, swept_at, sweep_took, horizon, part, queue_name)
  values (
    v_next.taken_at, v_next.ready_from, v_next.swept_at, v_next.sweep_took, v_next.horizon,
    _advance_ready_mark.part, _advance_ready_mark.queue
  );
  -- By its key alone: older marks are dead, but a scan would read them for as long as an old snapshot is held.
  delete from queue.ready_mark as o
  where o.queue_name = _advance_ready_mark.queue
    and o.part = _advance_ready_mark.part
    and o.mark_id = any (array(
      select l.mark_id
      from queue.ready_mark as l
      where l.queue_name = _advance_ready_mark.queue
        and l.part = _advance_ready_mark.part
        and l.mark_id = mark.mark_id
      for update skip locked
    ));
end
$function$;

comment on function queue._advance_ready_mark(queue.queue_mark, text, integer, regclass, text, timestamptz) is
$comment$Advances the place at which receives begin to read the ready index, if that is safe.
Every function that makes a message visible keeps an order: it locks the table and gets its transaction id, and then reads the clock. A mark reads the clock first, and then gets its own transaction id. So a transaction with a later id writes no earlier time than the mark's. Once all transactions with an earlier id have ended, everything that they made visible can be seen. The new place is the least of these times, or the time of the mark.
If the clock is set back behind a mark, the next receive begins from the start. If that goes unnoticed, a message is delayed by about a minute at most, because the index is read from its beginning now and then: for 2% of the time if receives are rare, otherwise for 0.2%.
mark: the newest one; null fields if there is none.
part, eligible: the part of the queue, and the condition on its rows.
taken_at: a time that was read before this transaction had an id.
Touches: reads the ready index from one mark to the next, up to its first live entry; queue.ready_mark, and now and then old rows of queue.group_mark.$comment$;

create function queue._have_writers_ended(queue_table regclass, horizon xid8, snapshot pg_snapshot)
returns boolean
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  if pg_snapshot_xmin(snapshot) >= horizon then
    return true;
  elsif pg_snapshot_xmax(snapshot) < horizon then
    return false;
  end if;

  -- A long transaction may be unrelated to this queue: then it does not hold a lock on the table.
  return not exists (
    select
    from pg_snapshot_xip(snapshot) as x (xid)
    join pg_locks as own
      on own.locktype = 'transactionid'
      and own.transactionid = x.xid::xid
      and own.mode = 'ExclusiveLock'
      and own.granted
    join pg_locks as held
      on held.virtualtransaction = own.virtualtransaction
      and held.locktype = 'relation'
      and held.relation = queue_table
      and held.mode <> 'AccessShareLock'
      and held.granted
    where x.xid < horizon
  );
end
$function$;

comment on function queue._have_writers_ended(regclass, xid8, pg_snapshot) is
$comment$Returns whether all transactions that had begun before a mark, and have written to a queue or still could with a clock read before it, have ended.
horizon: the first transaction that had not begun at the mark.
Returns true or false.
Touches: nothing; reads pg_locks if a transaction is that old.$comment$;

create function queue._is_mark_due(
  mark        queue.queue_mark,
  received_at timestamptz,
  took        interval,
  received    integer
)
returns boolean
language sql
stable
parallel safe
as $function$
  select case
    when (mark).taken_at is null or (mark).taken_at operator(pg_catalog.>) received_at
      then received operator(pg_catalog.>) 0
    -- Much was read for little: the mark is far behind.
    when received operator(pg_catalog.=) 0
      then took operator(pg_catalog.>) '5 milliseconds'::pg_catalog.interval
        and (mark).taken_at operator(pg_catalog.<) (received_at operator(pg_catalog.-) '1 second'::pg_catalog.interval)
    when took operator(pg_catalog.>) (
        '1500 microseconds'::pg_catalog.interval
        operator(pg_catalog.+) (received operator(pg_catalog.*) '10 microseconds'::pg_catalog.interval)
      )
      then (mark).taken_at operator(pg_catalog.<) (received_at operator(pg_catalog.-) '10 milliseconds'::pg_catalog.interval)
    when took operator(pg_catalog.>) (
        '500 microseconds'::pg_catalog.interval
        operator(pg_catalog.+) (received operator(pg_catalog.*) '6 microseconds'::pg_catalog.interval)
      )
      then (mark).taken_at operator(pg_catalog.<) (received_at operator(pg_catalog.-) '25 milliseconds'::pg_catalog.interval)
    -- An occasional message does not wait for a mark each time.
    else (mark).taken_at operator(pg_catalog.<) (received_at operator(pg_catalog.-) '1 second'::pg_catalog.interval)
      or (mark).taken_at operator(pg_catalog.<) (received_at operator(pg_catalog.-) '100 milliseconds'::pg_catalog.interval)
        and pg_catalog.age((mark).horizon::pg_catalog.xid) operator(pg_catalog.>) 30
  end
$function$;

comment on function queue._is_mark_due(queue.queue_mark, timestamptz, interval, integer) is
$comment$Returns whether a receive should advance the mark of its queue. A receive that quickly found nothing should not, so that an idle consumer writes nothing. Inlined where it is used.
received_at: when the receive began.
took: how long it has taken.
received: how many messages it found.
Returns true or false.
Touches: nothing.$comment$;

create function queue._message_receipt(msg_id bigint, previous bigint, is_alone boolean)
returns bigint
language sql
as $function$
  select (msg_id operator(pg_catalog.<<) 20) operator(pg_catalog.|) (
    (
      (
        (coalesce(previous operator(pg_catalog.>>) 1, 0) operator(pg_catalog.&) 524287)
        operator(pg_catalog.+) 1
        operator(pg_catalog.+) pg_catalog.floor(pg_catalog.random() operator(pg_catalog.*) 524287)::bigint
      ) operator(pg_catalog.&) 524287
    ) operator(pg_catalog.<<) 1
  ) operator(pg_catalog.|) is_alone::integer
$function$;

comment on function queue._message_receipt(bigint, bigint, boolean) is
$comment$Makes the receipt of a delivery of a message, like _new_receipt(), whose lowest bit states whether the message was received alone: then the delivery counts towards max_receives when its lease expires. Inlined where it is used.
previous: the row's receipt so far. The other 19 random bits always differ from it.
Returns the receipt.
Touches: nothing.$comment$;

create function queue._new_receipt(msg_id bigint, previous bigint)
returns bigint
language sql
as $function$
  select (msg_id operator(pg_catalog.<<) 20) operator(pg_catalog.|) (
    (
      (coalesce(previous, 0) operator(pg_catalog.&) 1048575)
      operator(pg_catalog.+) 1
      operator(pg_catalog.+) pg_catalog.floor(pg_catalog.random() operator(pg_catalog.*) 1048575)::bigint
    ) operator(pg_catalog.&) 1048575
  )
$function$;

comment on function queue._new_receipt(bigint, bigint) is
$comment$Returns the receipt of a new delivery: the message's id, followed by 20 random bits. A write finds its row by primary key and then compares the whole receipt. Inlined where it is used.
previous: the row's current receipt. The new bits always differ from it. An older receipt of the same message recurs with a probability of 1 in 1,048,575 per delivery; a counter would repeat with certainty after a crash.
Returns the receipt. A msg_id has up to 43 bits: a thousand messages per millisecond for 278 years.
Touches: nothing.$comment$;

create function queue._receipt_msg_id(receipt bigint)
returns bigint
language sql
as $function$
  select receipt operator(pg_catalog.>>) 20
$function$;

comment on function queue._receipt_msg_id(bigint) is
$comment$Returns the message that a receipt belongs to. Inlined, so that it serves as an index condition.
Returns the msg_id.
Touches: nothing.$comment$;

create function queue._caller()
returns name
language sql
stable
parallel safe
as $function$
  select case pg_catalog.current_setting('role')
    when 'none' then session_user
    else pg_catalog.current_setting('role')::pg_catalog.name
  end
$function$;

comment on function queue._caller() is
$comment$Returns the role of the session, for functions that run with the privileges of their owner: the role of SET ROLE, otherwise the one that logged in.
Returns its name.
Touches: nothing.$comment$;

create function queue._may_see_passwords()
returns boolean
language plpgsql
stable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_caller constant name := queue._caller();
begin
  return v_caller = current_user
    or pg_has_role(v_caller, current_user, 'usage')
    or exists (
      select from pg_roles as r where r.rolname = 'oxbow_admin' and pg_has_role(v_caller, r.oid, 'usage')
    );
end
$function$;

comment on function queue._may_see_passwords() is
$comment$Returns whether the caller may see passwords in urls of subscriptions: the owner of the functions and members of oxbow_admin may.
Returns true or false.
Touches: nothing.$comment$;

create function queue._may_use(queue text, privilege text)
returns boolean
language plpgsql
stable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_caller constant name := queue._caller();
begin
  -- The owner of the functions, with whose privileges this runs, and roles that may become the owner.
  if _may_use.privilege is null or v_caller = current_user or pg_has_role(v_caller, current_user, 'usage') then
    return true;
  end if;

  return exists (
    select
    from pg_roles as r
    where r.rolname = any (case _may_use.privilege
        when 'send' then array['oxbow_producer', 'oxbow_admin']
        when 'receive' then array['oxbow_worker', 'oxbow_admin']
        when 'peek' then array['oxbow_worker', 'oxbow_reader', 'oxbow_admin']
        else array['oxbow_producer', 'oxbow_worker', 'oxbow_reader', 'oxbow_admin']
      end)
      and pg_has_role(v_caller, r.oid, 'usage')
  ) or exists (
    select
    from queue.queue_grant as g
    join pg_roles as r on r.rolname = g.role_name
    where g.queue_name = _may_use.queue
      and (
        g.privilege = _may_use.privilege
        or _may_use.privilege = 'read'
        or _may_use.privilege = 'peek' and g.privilege = 'receive'
      )
      and pg_has_role(v_caller, r.oid, 'usage')
  );
end
$function$;

comment on function queue._may_use(text, text) is
$comment$Returns whether the caller may use a queue: as the owner of the functions, as a member of one of Oxbow's roles, or by grant_queue().
privilege: send, receive, peek (reading messages without receiving them) or read (settings and counts); null is always allowed.
Returns true or false.
Touches: nothing; reads queue.queue_grant.$comment$;

create function queue._at_path(message jsonb, path text)
returns jsonb
language sql
immutable
parallel safe
as $function$
  select case path
    when '$' then message
    else message operator(pg_catalog.#>) pg_catalog.string_to_array(path, '.')
  end
$function$;

comment on function queue._at_path(jsonb, text) is
$comment$Returns the value at a path into a message.
path: keys separated by "."; a number is an index of an array, from 0; "$" is the whole message.
Returns the value; SQL null if there is none.
Touches: nothing.$comment$;

create function queue._check_id(id text, meaning text)
returns void
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
begin
  if id is null or length(id) not between 1 and 512 then
    perform queue._raise('OX004', format('invalid %s "%s"', meaning, coalesce(left(id, 40), 'null')), null,
      format('A %s is 1 to 512 characters.', meaning));
  end if;
end
$function$;

comment on function queue._check_id(text, text) is
$comment$Checks an identifier chosen by the caller.
meaning: the kind of identifier, for the error.
Errors: OX004 invalid argument.
Touches: nothing.$comment$;

create function queue._duration(seconds numeric, meaning text)
returns interval
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
begin
  -- NaN is greater than any number.
  if _duration.seconds is null or _duration.seconds not between 0 and 3153600000 then
    perform queue._raise('OX004', format('invalid %s of %s seconds', meaning, coalesce(seconds::text, 'null')), null,
      format('A %s is between 0 and 3153600000 seconds (100 years).', meaning));
  end if;
  return make_interval(secs => _duration.seconds::double precision);
end
$function$;

comment on function queue._duration(numeric, text) is
$comment$Checks a number of seconds and converts it.
meaning: the kind of duration, for the error.
Returns the interval, to the microsecond.
Errors: OX004 invalid argument.
Touches: nothing.$comment$;

create function queue._has_value("values" anyarray)
returns boolean
language sql
immutable
parallel safe
as $function$
  select coalesce(pg_catalog.array_remove("values", null) operator(pg_catalog.<>) '{}', false)
$function$;

comment on function queue._has_value(anyarray) is
$comment$Returns whether an array has an element that is not null. Inlined where it is used: such a condition is no statement.
Returns true or false; false for null.
Touches: nothing.$comment$;

create function queue._is_message_path(path jsonb)
returns boolean
language sql
immutable
parallel safe
as $function$
  select pg_catalog.jsonb_typeof(path) operator(pg_catalog.=) 'string'
    and path operator(pg_catalog.#>>) '{}' operator(pg_catalog.~) '^([^.]+)([.][^.]+)*$'
$function$;

comment on function queue._is_message_path(jsonb) is
$comment$Returns whether a JSON value is a path into a message: a string of keys separated by ".", or "$" for the whole message.
Returns true or false.
Touches: nothing.$comment$;

create function queue._is_name(name text)
returns boolean
language sql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
  select coalesce(
    char_length(_is_name.name) between 1 and 256
      and _is_name.name !~ '[\u0001-\u001f\u007f-\u009f]'
      and _is_name.name !~ '^ | $',
    false
  )
$function$;

comment on function queue._is_name(text) is
$comment$Returns whether a text is a valid name of an event or a schedule: 1 to 256 characters without control characters that neither begin nor end with a space.
Returns true or false, never null.
Touches: nothing.$comment$;

create function queue._json_size(value jsonb)
returns integer
language sql
stable
parallel safe
as $function$
  select case
    when value is null then 0
    when pg_catalog.pg_column_compression(value) is null then pg_catalog.pg_column_size(value)
    else pg_catalog.octet_length(value::pg_catalog.text)
  end
$function$;

comment on function queue._json_size(jsonb) is
$comment$Estimates the size of a stored value as text, without reading a value that is stored uncompressed.
Returns bytes; 0 for null.
Touches: nothing.$comment$;

create function queue._masked_url(url text)
returns text
language sql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
  -- A user name without a password may be a token.
  select regexp_replace(
    regexp_replace(_masked_url.url, '^([a-zA-Z]+://)[^/?#:]*@', '\1***@'),
    '^([a-zA-Z]+://[^/?#:]*:)[^/?#]*@', '\1***@'
  )
$function$;

comment on function queue._masked_url(text) is
$comment$Masks the password in a url, for display and logs.
Returns the url; any other text unchanged.
Touches: nothing.$comment$;

create function queue._is_awaited(channel text)
returns boolean
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_key constant bigint := queue.wake_key(channel);
begin
  if pg_try_advisory_lock(v_key) then
    perform pg_advisory_unlock(v_key);
    return false;
  end if;
  return true;
end
$function$;

comment on function queue._is_awaited(text) is
$comment$Returns whether a session listens on a channel, which is shown by a shared advisory lock on the channel's key. Two concurrent callers may each take the other for a listener; the only cost is a needless NOTIFY.
Returns true or false.
Touches: an advisory lock, released at once.$comment$;

create function queue._wake(channel text, payload text default '')
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  -- NOTIFY serializes all notifying commits of the cluster, so it is used only if a session listens.
  if queue._is_awaited(_wake.channel) then
    perform pg_notify(_wake.channel, _wake.payload);
  end if;
end
$function$;

comment on function queue._wake(text, text) is
$comment$Notifies the listeners of a channel that work may be available. This is a hint: a session that begins to listen while the caller's transaction is open gets none, and finds the work at its next poll.
Touches: an advisory lock, released at once; NOTIFY only if a session listens.$comment$;

create function queue._wake_key(channel text)
returns bigint
language sql
as $function$
  select queue.wake_key(channel)
$function$;

comment on function queue._wake_key(text) is
$comment$Former name of wake_key(), for SDKs of release 0.1. Removed with the next major version.
Returns the key.
Touches: nothing.$comment$;

create function queue._change_visibility(
  settings           queue.queue_settings,
  receipts           bigint[],
  visibility_timeout numeric,
  is_heartbeat       boolean
)
returns bigint[]
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $function$
declare
  v_timeout constant interval := queue._duration(_change_visibility.visibility_timeout, 'visibility timeout');
  v_table   constant regclass := queue._queue_table((settings).name);
  v_places  tid[];
  v_changed bigint[];
  v_latest  timestamptz;
  v_until   timestamptz;
begin
  select h.places, h.held, h.latest
  into v_places, v_changed, v_latest
  from queue._lock_messages(v_table, _change_visibility.receipts) as h;

  v_until := clock_timestamp() + v_timeout;
  execute format($sql$
    update %1$s as m
    set visible_at = $2,
      spared = case when $3 or m.spared < 0 then m.spared else ~coalesce(m.spared, 0) end
    where m.ctid = any ($1)
  $sql$, v_table)
  using v_places, v_until, is_heartbeat;

  if v_until < v_latest then
    perform queue._wake('queue_' || (settings).name);
  end if;
  return v_changed;
end
$function$;

comment on function queue._change_visibility(queue.queue_settings, bigint[], numeric, boolean) is
$comment$Sets when received messages become visible again: see change_visibility_batch().
Returns the receipts that were alive, in no order; null if there were none.
Errors: OX004 invalid argument.
Touches: the queue's table, rows by receipt, locked in the order of message ids; NOTIFY only if a client waits, once for all.$comment$;

create function queue._give_back(settings queue.queue_settings, receipts bigint[], delay_seconds numeric)
returns bigint[]
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $function$
declare
  v_delay  constant interval := queue._duration(_give_back.delay_seconds, 'delay');
  v_table  constant regclass := queue._queue_table((settings).name);
  v_places tid[];
  v_given  bigint[];
  v_latest timestamptz;
  v_until  timestamptz;
begin
  select h.places, h.held, h.latest
  into v_places, v_given, v_latest
  from queue._lock_messages(v_table, _give_back.receipts) as h;

  v_until := clock_timestamp() + v_delay;
  execute format($sql$
    update %1$s as m
    set receipt = null,
      visible_at = $2,
      read_ct = m.read_ct - 1,
      spared = case when m.spared < 0 then ~m.spared else m.spared end
    where m.ctid = any ($1)
  $sql$, v_table)
  using v_places, v_until;

  if v_until < v_latest then
    perform queue._wake('queue_' || (settings).name);
  end if;
  return v_given;
end
$function$;

comment on function queue._give_back(queue.queue_settings, bigint[], numeric) is
$comment$Gives received messages back without counting their delivery: see give_back_batch().
Returns the receipts that were alive, in no order; null if there were none.
Errors: OX004 invalid argument.
Touches: the queue's table, rows by receipt, locked in the order of message ids; NOTIFY only if a consumer listens, once for all.$comment$;

create function queue._lock_messages(
  queue_table regclass,
  receipts    bigint[],
  out places tid[],
  out held   bigint[],
  out latest timestamptz
)
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
as $function$
begin
  execute format($sql$
    select array_agg(held.ctid), array_agg(held.receipt), max(held.visible_at)
    from (
      select m.ctid, m.receipt, m.visible_at
      from %1$s as m
      where m.msg_id = any (array(select queue._receipt_msg_id(i.receipt) from unnest($1) as i (receipt)))
        and (m.receipt in (select i.receipt from unnest($1) as i (receipt))) is true
        and m.message is not null
      order by m.msg_id
      for no key update of m
    ) as held
  $sql$, queue_table)
  into places, held, latest
  using receipts;
end
$function$;

comment on function queue._lock_messages(regclass, bigint[]) is
$comment$Locks messages in flight until the caller's transaction ends, for a statement that changes them. Locking is a separate statement, because a row that had to be waited for is newer than the snapshot of the statement that waited.
receipts: dead ones are skipped.
Returns the places of the messages, valid for the next statement only; the receipts that were alive, in the same order; and when the last of them becomes visible. All null if none was alive.
Touches: the queue's table, rows by receipt, locked in the order of message ids (waits).$comment$;

create function queue.change_visibility(queue text, receipt bigint, visibility_timeout numeric)
returns boolean
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  return exists (
    select
    from queue.change_visibility_batch(
      change_visibility.queue, array[change_visibility.receipt], change_visibility.visibility_timeout
    )
  );
end
$function$;

comment on function queue.change_visibility(text, bigint, numeric) is
$comment$Sets when a received message becomes visible again. Unless the message is deleted before that, the delivery counts towards max_receives.
visibility_timeout: seconds from now, with fractions; 0 gives the message back at once.
Returns true; false if the receipt is dead: the message was deleted or received again.
Errors: OX001 no such queue, OX004 invalid argument, OX007 the queue belongs to a workflow or to Oxbow.
Touches: as change_visibility_batch().$comment$;

create function queue.change_visibility_batch(queue text, receipts bigint[], visibility_timeout numeric, heartbeat boolean default false)
returns setof bigint
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  return query
    select c.receipt
    from unnest(queue._change_visibility(
      queue._find_queue(change_visibility_batch.queue, null, 'receive'), change_visibility_batch.receipts,
      change_visibility_batch.visibility_timeout, change_visibility_batch.heartbeat
    )) as c (receipt);
end
$function$;

comment on function queue.change_visibility_batch(text, bigint[], numeric, boolean) is
$comment$Sets when received messages become visible again, all at the same time.
receipts: as returned by receive() or receive_fifo(); dead ones are skipped.
visibility_timeout: seconds from now, with fractions; 0 gives the messages back at once.
heartbeat: true if the consumer is still handling the messages. If they become visible again, it has died, and their deliveries count towards max_receives only as receive() describes. With false they count.
Returns the receipts that were alive, in no order.
Errors: OX001 no such queue, OX004 invalid argument, OX007 the queue belongs to a workflow or to Oxbow.
Touches: the queue's table, rows by receipt, locked in the order of message ids; NOTIFY only if a client listens, once for all.$comment$;

create function queue._create_delete_function(name text, kind text)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  case _create_delete_function.kind
    when 'standard' then
      execute format($sql$
        create or replace function queue.%1$I(
          receipts        bigint[],
          retry_at        timestamptz,
          out deleted     bigint[],
          out is_promoted boolean
        )
        language plpgsql
        volatile
        parallel unsafe
        set search_path from current
        as $body$
        begin
          with gone as (
            delete from queue.%2$I as m
            where m.msg_id = any (array(select queue._receipt_msg_id(i.receipt) from unnest(receipts) as i (receipt)))
              and (m.receipt in (select i.receipt from unnest(receipts) as i (receipt))) is true
            returning m.receipt
          )
          select coalesce(array_agg(gone.receipt), '{}'), false
          into deleted, is_promoted
          from gone;
        end
        $body$
      $sql$, '_delete_q_' || _create_delete_function.name, 'q_' || _create_delete_function.name);

    when 'fifo' then
      execute format($sql$
        create or replace function queue.%1$I(
          receipts        bigint[],
          retry_at        timestamptz,
          out deleted     bigint[],
          out is_promoted boolean
        )
        language plpgsql
        volatile
        parallel unsafe
        set search_path from current
        as $body$
        declare
          v_msg_ids      bigint[];
          v_groups       text[];
          v_has_message  boolean[];
          v_enqueued_ats timestamptz[];
          v_may_promote  boolean[];
          v_are_locked   boolean[];
          v_least_id     bigint;
          v_promoted     text[];
        begin
          -- A transaction that waits here, for another one that deletes the same messages, holds no lock on a group
          -- yet.
          with gone as (
            delete from queue.%2$I as m
            where m.msg_id = any (array(select queue._receipt_msg_id(i.receipt) from unnest(receipts) as i (receipt)))
              and (m.receipt in (select i.receipt from unnest(receipts) as i (receipt))) is true
            returning m.msg_id, m.receipt, m.message_group_id, m.message is not null as has_message, m.enqueued_at
          )
          select coalesce(array_agg(g.receipt), '{}'), array_agg(g.msg_id), array_agg(g.message_group_id),
            array_agg(g.has_message), array_agg(g.enqueued_at)
          into deleted, v_msg_ids, v_groups, v_has_message, v_enqueued_ats
          from gone as g;
          is_promoted := false;
          if v_groups is null then
            return;
          end if;

          -- The locks come before the statement whose snapshot must contain everything sent under them.
          v_are_locked := queue._try_lock_groups_shared(%3$L, v_groups);

          -- A group has one head with a message, but may have several tombstones, each of which would leave the
          -- promotion to the other.
          v_may_promote := v_has_message;
          if false = any (v_has_message) then
            v_may_promote := queue._try_lock_promotions(%3$L, v_groups, v_has_message);
            select o.least_id
            into v_least_id
            from queue.id_mark as o
            where o.queue_name = %3$L
            order by o.mark_id desc
            limit 1;
            v_least_id := coalesce(v_least_id, 0);
          end if;

          -- Without the group's lock, an invisible message may be the next one. A visible message is the next one,
          -- because its sender has waited for earlier senders.
          with promoted as (
            -- A comparison of rows, which only the index of waiting messages can answer. When a tombstone is deleted,
            -- the group may have another head; when a head is deleted, it has none.
            update queue.%2$I as m
            set head = true,
              -- A delay that was written while the clock was ahead is shorter by that much.
              visible_at = case
                when m.enqueued_at > now.at then m.visible_at - (m.enqueued_at - now.at)
                else greatest(m.visible_at, now.at)
              end
            from (select clock_timestamp()) as now (at)
            cross join (
              select g.message_group_id, min(g.msg_id) as msg_id, not bool_or(g.has_message) as was_tombstone
              from unnest(v_groups, v_msg_ids, v_has_message, v_may_promote)
                as g (message_group_id, msg_id, has_message, may_promote)
              where g.may_promote
              group by g.message_group_id
            ) as gone
            cross join lateral (
              select waiting.ctid
              from queue.%2$I as waiting
              where (waiting.message_group_id, waiting.msg_id) > (gone.message_group_id, gone.msg_id)
                and (waiting.message_group_id, waiting.msg_id) <= (gone.message_group_id, 9223372036854775807)
                and not waiting.head
              order by waiting.message_group_id, waiting.msg_id
              limit 1
            ) as next
            -- By ctid: only a transaction that deletes the head of the group changes its waiting messages.
            where m.ctid = next.ctid
              and (
                not gone.was_tombstone
                -- No EXISTS, for which the planner would read the heads of all groups. A head with a message is not
                -- below the mark, and another tombstone finds the head that this statement promotes.
                or (
                  select other.msg_id
                  from queue.%2$I as other
                  where other.head
                    and (other.message_group_id, other.msg_id)
                      between (gone.message_group_id, v_least_id) and (gone.message_group_id, 9223372036854775807)
                  order by other.message_group_id desc, other.msg_id desc
                  limit 1
                ) is null
              )
            returning m.message_group_id
          )
          select array_agg(promoted.message_group_id) into v_promoted from promoted;
          is_promoted := v_promoted is not null;

          if false = any (v_are_locked || v_may_promote) then
            -- An unknown receipt makes the tombstone count as in flight until then. A remaining tombstone keeps its
            -- age, which determines the growing intervals, and is then looked at together with others.
            insert into queue.%2$I (msg_id, visible_at, enqueued_at, receipt, head, message_group_id)
            overriding system value
            select g.msg_id,
              greatest(
                n.now,
                case
                  when r.looked_at < n.now + interval '100 milliseconds' then r.looked_at
                  else date_bin('100 milliseconds', r.looked_at, '2000-01-01')
                end
              ),
              s.since, queue._new_receipt(g.msg_id, null), true, g.message_group_id
            from (select clock_timestamp()) as n (now)
            cross join unnest(v_groups, v_msg_ids, v_has_message, v_enqueued_ats, v_may_promote, v_are_locked)
              as g (message_group_id, msg_id, has_message, enqueued_at, may_promote, is_locked)
            cross join lateral (select case when g.has_message then n.now else g.enqueued_at end) as s (since)
            cross join lateral (
              select least(retry_at, n.now + greatest((n.now - s.since) / 2, interval '5 milliseconds'))
            ) as r (looked_at)
            where not g.may_promote
              or not g.is_locked and not g.message_group_id = any (coalesce(v_promoted, '{}'));
            -- The sender may have ended by now, and its notification came while this message was still in flight.
            is_promoted := is_promoted or found and retry_at <= clock_timestamp();
          end if;
        end
        $body$
      $sql$,
        '_delete_q_' || _create_delete_function.name, 'q_' || _create_delete_function.name, _create_delete_function.name
      );
  end case;
end
$function$;

comment on function queue._create_delete_function(text, text) is
$comment$Creates the function that deletes messages of one queue: see _create_queue_functions().
In a FIFO queue, the function deletes heads of groups and promotes the next message of each group. If no message is visible behind a head, but an open transaction holds the group, the next message is not known yet. A tombstone, which is a head without a message, then replaces the head, and a later receive that finds it deletes it in the same way: 5 ms later at first, then at growing intervals, but not after retry_at. Nothing waits for the open transaction, or for a moment at which no transaction sends to the group.
The function returns the receipts that were alive, and whether a receive may now find a message. It touches advisory locks of groups and of promotions (without waiting), and the queue's table: rows by receipt, then their successors.
Touches: creates queue._delete_q_<name>.$comment$;

create function queue._create_queue_functions(name text, kind text)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_function regprocedure;
begin
  -- Those of an older release may take other parameters.
  foreach v_function in array queue._queue_functions(_create_queue_functions.name) loop
    execute format('drop function %s', v_function);
  end loop;
  perform queue._create_send_function(_create_queue_functions.name, _create_queue_functions.kind);
  perform queue._create_receive_function(_create_queue_functions.name, _create_queue_functions.kind);
  perform queue._create_delete_function(_create_queue_functions.name, _create_queue_functions.kind);

  foreach v_function in array queue._queue_functions(_create_queue_functions.name) loop
    execute format('revoke all on function %s from public', v_function);
    execute format('comment on function %s is %L', v_function,
      format('Of the queue "%s": made by queue._create_queue_functions().', _create_queue_functions.name));
  end loop;
end
$function$;

comment on function queue._create_queue_functions(text, text) is
$comment$Creates or replaces the functions that contain the hot statements of a queue.
Each queue has its own table. A function for all queues would name it in dynamic SQL, which is parsed and planned at each call: two thirds of the time of sending or receiving one message, and a third for a hundred. A function per queue is planned once a session.
The arguments and results have built-in types only, so that dropping the extension leaves these functions with the tables. Their search_path is that of the session that creates them, where tests put their clock. Each migrate() that changes anything replaces them.
kind: standard or fifo.
Touches: creates queue._send_q_<name>, queue._receive_q_<name>, queue._delete_q_<name>.$comment$;

create function queue._create_queue_table(name text, kind text)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_table    constant text := 'q_' || _create_queue_table.name;
  v_first_id bigint;
begin
  if current_setting('oxbow.ids_are_ahead', true) is distinct from 'on' then
    perform queue._skip_lost_ids();
  end if;
  v_first_id := coalesce(pg_sequence_last_value('queue.skipped_ids'), 0) + 1;
  case _create_queue_table.kind
    when 'standard' then
      execute format($sql$
        create table queue.%1$I (
          msg_id      bigint generated always as identity (sequence name queue.%2$I start %4$s),
          visible_at  timestamptz not null,
          enqueued_at timestamptz not null,
          receipt     bigint,
          read_ct     integer not null default 0,
          message     jsonb not null,
          headers     jsonb,
          spared      integer,
          constraint %3$I primary key (msg_id)
        )
      $sql$, v_table, 'ids_of_' || v_table, 'pkey_of_' || v_table, v_first_id);
      execute format($sql$
        create index %1$I on queue.%2$I (visible_at, msg_id)
      $sql$, 'ready_of_' || v_table, v_table);

    when 'fifo' then
      execute format($sql$
        create table queue.%1$I (
          msg_id           bigint generated always as identity (sequence name queue.%2$I start %4$s),
          visible_at       timestamptz not null,
          enqueued_at      timestamptz not null,
          receipt          bigint,
          read_ct          integer not null default 0,
          head             boolean not null,
          message_group_id text not null,
          message          jsonb,
          headers          jsonb,
          spared           integer,
          constraint %3$I primary key (msg_id),
          constraint only_a_tombstone_has_no_message check (message is not null or head)
        )
      $sql$, v_table, 'ids_of_' || v_table, 'pkey_of_' || v_table, v_first_id);
      execute format($sql$
        create index %1$I on queue.%2$I (visible_at, msg_id) where head
      $sql$, 'ready_of_' || v_table, v_table);
      execute format($sql$
        create index %1$I on queue.%2$I (message_group_id, msg_id) where head
      $sql$, 'heads_of_' || v_table, v_table);
      execute format($sql$
        create index %1$I on queue.%2$I (message_group_id, msg_id) where not head
      $sql$, 'waiting_of_' || v_table, v_table);
  end case;

  -- Rows live for seconds and are written thrice: room for the next version on the page, and vacuum as soon as it
  -- pays. Statistics matter little, and an emptied table grows again.
  execute format($sql$
    alter table queue.%1$I set (
      fillfactor = 70, vacuum_truncate = off,
      autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0,
      autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 100000,
      toast.vacuum_truncate = off, toast.autovacuum_vacuum_scale_factor = 0,
      toast.autovacuum_vacuum_threshold = 2000, toast.autovacuum_vacuum_cost_delay = 0
    )
  $sql$, v_table);
  execute format(
    'comment on table queue.%1$I is %2$L',
    v_table,
    format('Messages of the %s queue "%s". Use the functions of schema queue, never the table.',
      _create_queue_table.kind, _create_queue_table.name)
  );
end
$function$;

comment on function queue._create_queue_table(text, text) is
$comment$Makes the table of a queue: the only CREATE TABLE at run time.
kind: standard or fifo. A row is ready when receipt is null and visible_at has passed, delayed when receipt is null and visible_at is to come, in flight when it has a receipt and visible_at, the end of the lease, is to come, and receivable again after that. A suspect that waits to be received apart is visible at infinity, and is noted in queue.suspect: see _judge_redelivered(). spared counts the deliveries that do not count towards max_receives, because their leases expired in silence while other messages were with their consumer; it is ~spared, which is negative, once a consumer has set when its message becomes visible, so that this delivery counts; null is 0. A fifo row with a null message is a tombstone: an acknowledged head whose successor is not promoted yet, or a note that a group may have no head.
Touches: creates queue.q_<name> with its indexes, called ready_of_q_<name>, pkey_of_…, in a FIFO queue heads_of_… and waiting_of_…, and its sequence ids_of_….$comment$;

create function queue._create_receive_function(name text, kind text)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  execute format($sql$
    create or replace function queue.%1$I(
      claim_at       timestamptz,
      ready_from     timestamptz,
      max_messages   integer,
      lease          interval,
      is_alone       boolean,
      matching       jsonb,
      excluded       bigint[],
      expired_before timestamptz,
      max_bytes      bigint,
      out msg_ids           bigint[],
      out receipts          bigint[],
      out read_cts          integer[],
      out enqueued_ats      timestamptz[],
      out visible_ats       timestamptz[],
      out message_group_ids text[],
      out messages          jsonb[],
      out headers           jsonb[],
      out previous          bigint[],
      out tombstones        bigint[],
      out expired           bigint[]
    )
    language plpgsql
    volatile
    parallel unsafe
    set search_path from current
    as $body$
    begin
      -- By ctid: the rows are locked. One that was changed and committed since the snapshot is left for the next receive.
      with ready as materialized (
        select m.ctid, m.visible_at, m.receipt, queue._json_size(m.message) + queue._json_size(m.headers) as size
        from queue.%2$I as m
        where %3$s
          and m.visible_at between ready_from and claim_at
          and (matching is null or m.message is null or m.message @> matching)
          and m.msg_id <> all (excluded)
        order by m.visible_at, m.msg_id
        limit max_messages
        for no key update skip locked
      ),
      -- As many as one answer can carry, and one at least. In the order of the ready ones: a window needs no separate sort.
      fitting as (
        select r.ctid, r.visible_at, r.receipt
        from (select ready.*, sum(ready.size) over (rows unbounded preceding) as total from ready) as r
        where r.total - r.size < max_bytes
      ),
      claimed as (
        update queue.%2$I as m
        set receipt = queue._message_receipt(m.msg_id, m.receipt, is_alone),
          visible_at = (select clock_timestamp()) + lease,
          read_ct = m.read_ct + 1
        from fitting
        where m.ctid = fitting.ctid
        returning fitting.visible_at as ready_at, fitting.receipt as previous, m.message is null as is_tombstone,
          coalesce(m.enqueued_at < expired_before, false) as is_expired,
          m.msg_id, m.receipt, m.read_ct, m.enqueued_at, m.visible_at, %4$s as message_group_id, m.message, m.headers
      )
      select
        array_agg(c.msg_id) filter (where c.is_delivered),
        array_agg(c.receipt) filter (where c.is_delivered),
        array_agg(c.read_ct) filter (where c.is_delivered),
        array_agg(c.enqueued_at) filter (where c.is_delivered),
        array_agg(c.visible_at) filter (where c.is_delivered),
        array_agg(c.message_group_id) filter (where c.is_delivered),
        array_agg(c.message) filter (where c.is_delivered),
        array_agg(c.headers) filter (where c.is_delivered),
        array_agg(c.previous) filter (where c.is_delivered and c.read_ct > 1),
        array_agg(c.receipt) filter (where c.is_tombstone and not c.is_expired),
        array_agg(c.receipt) filter (where c.is_expired)
      into msg_ids, receipts, read_cts, enqueued_ats, visible_ats, message_group_ids, messages, headers, previous,
        tombstones, expired
      from (
        select claimed.*, not claimed.is_tombstone and not claimed.is_expired as is_delivered
        from claimed
        order by claimed.ready_at, claimed.msg_id
      ) as c;
    end
    $body$
  $sql$,
    '_receive_q_' || _create_receive_function.name, 'q_' || _create_receive_function.name,
    case _create_receive_function.kind when 'fifo' then 'm.head' else 'true' end,
    case _create_receive_function.kind when 'fifo' then 'm.message_group_id' else 'null::text' end
  );
end
$function$;

comment on function queue._create_receive_function(text, text) is
$comment$Makes the function by which messages of one queue are leased: see _create_queue_functions().
That function takes claim_at, the time to take as now; ready_from, where to begin in the ready index; lease, for how long; is_alone, whether the delivery counts when its lease expires; excluded, messages to leave where they are; expired_before, what was sent earlier is too old; max_bytes, how much to deliver, but one message at least. It leases what is ready, in a FIFO queue heads of groups only, and returns what to deliver, oldest first, as parallel arrays; previous, the receipts of the deliveries before, of those messages that were delivered before: see _judge_redelivered(); and receipts of tombstones and of what is too old. Arrays are null when empty.
Touches: creates queue._receive_q_<name>.$comment$;

create function queue._create_send_function(name text, kind text)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  case _create_send_function.kind
    when 'standard' then
      execute format($sql$
        create or replace function queue.%1$I(messages jsonb[], delay interval, headers jsonb[])
        returns bigint[]
        language plpgsql
        volatile
        parallel unsafe
        set search_path from current
        as $body$
        declare
          v_msg_ids bigint[];
        begin
          with inserted as (
            insert into queue.%2$I as m (visible_at, enqueued_at, message, headers)
            select n.now + delay, n.now, i.message, i.headers
            from (select clock_timestamp()) as n (now)
            cross join unnest(messages, headers) with ordinality as i (message, headers, position)
            order by i.position
            returning m.msg_id
          )
          select array_agg(inserted.msg_id) into v_msg_ids from inserted;
          return v_msg_ids;
        end
        $body$
      $sql$, '_send_q_' || _create_send_function.name, 'q_' || _create_send_function.name);

    when 'fifo' then
      execute format($sql$
        create or replace function queue.%1$I(
          messages           jsonb[],
          message_group_ids  text[],
          delay              interval,
          headers            jsonb[],
          sees_heads         boolean,
          out msg_ids         bigint[],
          out headed_groups   text[],
          out heads           bigint[],
          out least_id        bigint,
          out has_marks       boolean
        )
        language plpgsql
        volatile
        parallel unsafe
        set search_path from current
        as $body$
        begin
          select o.least_id
          into least_id
          from queue.id_mark as o
          where o.queue_name = %3$L
          order by o.mark_id desc
          limit 1;

          with incoming as materialized (
            select i.position, i.message_group_id, i.message, i.headers, marked.empty_below
            from unnest(messages, message_group_ids, headers) with ordinality
              as i (message, message_group_id, headers, position)
            left join lateral (
              select g.empty_below
              from queue.group_mark as g
              where g.queue_name = %3$L
                and g.message_group_id = i.message_group_id
              order by g.mark_id desc
              limit 1
            ) as marked on true
          ),
          inserted as (
            insert into queue.%2$I as m (visible_at, enqueued_at, head, message_group_id, message, headers)
            select n.now + delay, n.now,
              sees_heads and row_number() over (partition by i.message_group_id order by i.position) = 1
              and (
                -- Newest first: in a group that is not empty, the head exists. A comparison of rows, which only the
                -- index of heads can answer: through the primary key the planner would read the dead entries of all
                -- groups.
                select h.msg_id
                from queue.%2$I as h
                where h.head
                  and (h.message_group_id, h.msg_id)
                    between (i.message_group_id, coalesce(greatest(least_id, i.empty_below), -9223372036854775808))
                    and (i.message_group_id, 9223372036854775807)
                order by h.message_group_id desc, h.msg_id desc
                limit 1
              ) is null
              -- The tombstone that a repeatable read transaction leaves is below all marks; its messages are not.
              and (
                select w.msg_id
                from queue.%2$I as w
                where not w.head
                  and (w.message_group_id, w.msg_id)
                    between (i.message_group_id, coalesce(greatest(least_id, i.empty_below), -9223372036854775808))
                    and (i.message_group_id, 9223372036854775807)
                order by w.message_group_id desc, w.msg_id desc
                limit 1
              ) is null,
              i.message_group_id, i.message, i.headers
            from (select clock_timestamp()) as n (now)
            cross join incoming as i
            order by i.position
            returning m.msg_id, m.message_group_id, m.head
          )
          select array_agg(inserted.msg_id), array_agg(inserted.message_group_id) filter (where inserted.head),
            array_agg(inserted.msg_id) filter (where inserted.head),
            exists (select from incoming as i where i.empty_below is not null)
          into msg_ids, headed_groups, heads, has_marks
          from inserted;
        end
        $body$
      $sql$, '_send_q_' || _create_send_function.name, 'q_' || _create_send_function.name, _create_send_function.name);
  end case;
end
$function$;

comment on function queue._create_send_function(text, text) is
$comment$Creates the function that appends messages to one queue: see _create_queue_functions().
For a standard queue, it returns the message ids, in order. For a FIFO queue, whose groups the caller has locked, it takes one group per message, and sees_heads: false if the snapshot is older than the locks, so that no message becomes a head. It returns the ids; the groups that got a head, and these heads; least_id, the mark of the queue from which it searched the groups; and whether a group had its own mark.
Touches: creates queue._send_q_<name>.$comment$;

create function queue._queue_functions(name text)
returns regprocedure[]
language plpgsql
stable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
begin
  return array(
    select p.oid::regprocedure
    from pg_proc as p
    where p.pronamespace = 'queue'::regnamespace
      and p.proname in (
        '_send_q_' || _queue_functions.name, '_receive_q_' || _queue_functions.name,
        '_delete_q_' || _queue_functions.name
      )
  );
end
$function$;

comment on function queue._queue_functions(text) is
$comment$Returns the functions of a queue: see _create_queue_functions().
Returns them in no order.
Touches: nothing; reads the catalog.$comment$;

create function queue._register_queue(settings queue.queue_settings)
returns boolean
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_differences text;
begin
  if _register_queue.settings.name is null or _register_queue.settings.name !~ '^[a-z0-9_][a-z0-9_-]{0,47}$' then
    perform queue._raise(
      'OX003',
      format('invalid queue name "%s"', coalesce(left(_register_queue.settings.name, 100), 'null')),
      null,
      'A queue name is 1 to 48 characters of a-z, 0-9, "_" and "-", and does not begin with "-".'
    );
  end if;

  -- Of two concurrent calls, the second waits here and then finds the queue.
  perform pg_advisory_xact_lock(hashtextextended('oxbow:create:' || _register_queue.settings.name, 0));

  select concat_ws(
    ', ',
    case when q.kind <> n.kind then format('it is a %s queue, not %s', q.kind, n.kind) end,
    case when q.visibility_timeout <> n.visibility_timeout then
      format('visibility_timeout is %s, not %s', q.visibility_timeout, n.visibility_timeout) end,
    case when q.max_receives is distinct from n.max_receives then
      format('max_receives is %s, not %s',
        coalesce(q.max_receives::text, 'null'), coalesce(n.max_receives::text, 'null')) end,
    case when q.dead_letter_queue is distinct from n.dead_letter_queue then
      format('dead_letter_queue is %s, not %s',
        coalesce(quote_ident(q.dead_letter_queue), 'null'), coalesce(quote_ident(n.dead_letter_queue), 'null')) end,
    case when q.retention_seconds is distinct from n.retention_seconds then
      format('retention_seconds is %s, not %s',
        coalesce(q.retention_seconds::text, 'null'), coalesce(n.retention_seconds::text, 'null')) end
  )
  into v_differences
  from queue.queue as q
  cross join (select (_register_queue.settings).*) as n
  where q.name = n.name;

  if not found then
    insert into queue.queue (name, kind, visibility_timeout, max_receives, dead_letter_queue, retention_seconds)
    values (
      _register_queue.settings.name, _register_queue.settings.kind, _register_queue.settings.visibility_timeout,
      _register_queue.settings.max_receives, _register_queue.settings.dead_letter_queue,
      _register_queue.settings.retention_seconds
    );
    if _register_queue.settings.kind = 'workflow' then
      perform queue._create_workflow_view(_register_queue.settings.name);
    else
      perform queue._create_queue_table(_register_queue.settings.name, _register_queue.settings.kind);
      perform queue._create_queue_functions(_register_queue.settings.name, _register_queue.settings.kind);
    end if;
    return true;
  elsif v_differences <> '' then
    perform queue._raise(
      'OX002',
      format('queue "%s" exists with other settings: %s', _register_queue.settings.name, v_differences),
      null,
      'Call create_queue() with the settings that the queue has, choose another name, or drop the queue first.'
    );
  end if;
  return false;
end
$function$;

comment on function queue._register_queue(queue.queue_settings) is
$comment$Creates a queue, unless it exists.
settings: created_at is ignored; the name may begin with "__", which is reserved for Oxbow.
Returns true if it created the queue; false if the queue exists with these settings.
Errors: OX002 the queue exists with other settings, OX003 invalid name.
Touches: an advisory lock on the name until the transaction ends; queue.queue; creates queue.q_<name> and the functions of the queue.$comment$;

create function queue.create_queue(
  name               text,
  fifo               boolean default false,
  visibility_timeout integer default 30,
  max_receives       integer default null,
  dead_letter_queue  text default null,
  retention_seconds  integer default null
)
returns boolean
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_kind             constant text := case when create_queue.fifo then 'fifo' else 'standard' end;
  v_dead_letter_kind text;
begin
  perform queue._ensure_migrated();

  if starts_with(create_queue.name, '__') then
    perform queue._raise('OX003', format('invalid queue name "%s"', left(create_queue.name, 100)), null,
      'Names that begin with "__" are reserved for Oxbow. Choose another name.');
  end if;
  perform queue._duration(create_queue.visibility_timeout, 'visibility timeout');
  if create_queue.max_receives < 1 then
    perform queue._raise('OX004', format('invalid max_receives %s', create_queue.max_receives), null,
      'A message is delivered at least once before it moves to the dead letter queue.');
  end if;
  if create_queue.retention_seconds not between 1 and 315360000 then
    perform queue._raise('OX004', format('invalid retention of %s seconds', create_queue.retention_seconds), null,
      'A retention is between 1 and 315360000 seconds (10 years); null keeps messages forever.');
  end if;
  if (create_queue.max_receives is null) <> (create_queue.dead_letter_queue is null) then
    perform queue._raise('OX004', 'max_receives and dead_letter_queue require each other', null,
      'Pass both, or neither. The dead letter queue must exist.');
  end if;
  if create_queue.dead_letter_queue = create_queue.name then
    perform queue._raise('OX004', format('queue "%s" cannot be its own dead letter queue', create_queue.name), null,
      'Create another queue for dead letters.');
  end if;
  if create_queue.dead_letter_queue is not null then
    v_dead_letter_kind := (queue._find_queue(create_queue.dead_letter_queue)).kind;
    if v_kind = 'standard' and v_dead_letter_kind = 'fifo' then
      perform queue._raise('OX007', format('queue "%s" is a fifo queue', create_queue.dead_letter_queue), null,
        'Dead letters of a standard queue have no message group. Create a standard queue for them.');
    end if;
  end if;

  return queue._register_queue(row(
    create_queue.name, v_kind, create_queue.visibility_timeout, create_queue.max_receives,
    create_queue.dead_letter_queue, null, create_queue.retention_seconds, null
  ));
end
$function$;

comment on function queue.create_queue(text, boolean, integer, integer, text, integer) is
$comment$Creates a queue, unless it exists with the same settings.
name: 1 to 48 characters of a-z, 0-9, "_" and "-".
fifo: true keeps the order of messages within a message group.
visibility_timeout: seconds for which a received message is in flight unless receive() specifies otherwise.
max_receives, dead_letter_queue: a message that was received this many times moves to the dead letter queue instead of being received again. Pass both or neither; the dead letter queue must exist.
retention_seconds: a message that is not received within this time after it was sent is dropped by the next receive() or expire_messages(); null keeps messages forever.
Returns true if the queue was created; false if it exists.
Errors: OX001 no such dead letter queue, OX002 the queue exists with other settings, OX003 invalid name, OX004 invalid argument, OX007 the dead letter queue of a standard queue is a FIFO queue or belongs to a workflow.
Touches: an advisory lock on the name until the transaction ends; queue.queue; creates queue.q_<name>; the first call creates all of Oxbow's tables.$comment$;

create function queue.delete(queue text, receipt bigint)
returns boolean
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  return exists (select from queue.delete_batch(delete.queue, array[delete.receipt]));
end
$function$;

comment on function queue.delete(text, bigint) is
$comment$Acknowledges a delivery: the message is deleted and never delivered again. In a FIFO queue, the next message of the group becomes receivable.
Returns true; false if the receipt is dead: the message was deleted or received again. A receipt whose visibility timeout has ended stays alive until then.
Errors: OX001 no such queue, OX007 the queue belongs to a workflow or to Oxbow.
Touches: as delete_batch().$comment$;

create function queue._delete_messages(
  settings queue.queue_settings,
  receipts bigint[],
  retry_at timestamptz
)
returns bigint[]
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set enable_sort = off
set plan_cache_mode = force_generic_plan
set jit = off
as $function$
declare
  v_deleted     bigint[];
  v_is_promoted boolean;
begin
  execute format('select * from queue.%I($1, $2)', '_delete_q_' || (settings).name)
  into v_deleted, v_is_promoted
  using receipts, retry_at;

  if v_is_promoted then
    perform queue._wake('queue_' || (settings).name);
  end if;
  return v_deleted;
end
$function$;

comment on function queue._delete_messages(queue.queue_settings, bigint[], timestamptz) is
$comment$Deletes messages; in a FIFO queue, heads of groups, whose successors are promoted.
Rows are found by the ids in the receipts, as one condition on one table. The statistics of a queue are always out of date, and with a join the planner might read the whole primary key.
retry_at: when to look again at groups that an open transaction holds: see _create_delete_function().
Returns the receipts that were alive.
Touches: the queue's table, rows by receipt; in a FIFO queue advisory locks of groups (without waiting), and successors.$comment$;

create function queue.delete_batch(queue text, receipts bigint[])
returns setof bigint
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_now   constant timestamptz := clock_timestamp();
  v_queue constant queue.queue_settings := queue._find_queue(delete_batch.queue, null, 'receive');
begin
  return query
    select d.receipt
    from unnest(queue._delete_messages(v_queue, delete_batch.receipts, v_now)) as d (receipt);
end
$function$;

comment on function queue.delete_batch(text, bigint[]) is
$comment$Acknowledges deliveries: the messages are deleted and never delivered again. In a FIFO queue, the next message of each group becomes receivable.
receipts: as returned by receive() or receive_fifo(); dead ones are skipped.
Returns the receipts that were alive, in no order.
Errors: OX001 no such queue, OX007 the queue belongs to a workflow or to Oxbow.
Touches: the queue's table, rows by receipt; in a FIFO queue advisory locks of the groups until the transaction ends (without waiting).$comment$;

create function queue.drop_queue(name text)
returns void
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_table         constant regclass := queue._queue_table(drop_queue.name);
  v_sources       text;
  v_subscriptions text;
  v_function      regprocedure;
begin
  perform queue._find_queue(drop_queue.name);

  select string_agg(format('"%s"', q.name), ', ' order by q.name)
  into v_sources
  from queue.queue as q
  where q.dead_letter_queue = drop_queue.name;
  if v_sources is not null then
    perform queue._raise('OX009', format('queue "%s" is the dead letter queue of %s', drop_queue.name, v_sources),
      null, 'Drop those queues first.');
  end if;

  select string_agg(s.subscription_id::text, ', ' order by s.subscription_id)
  into v_subscriptions
  from queue.subscription as s
  where s.target_type = 'queue'
    and s.target = drop_queue.name;
  if v_subscriptions is not null then
    perform queue._raise('OX009', format('queue "%s" is the target of subscription %s', drop_queue.name, v_subscriptions),
      null, 'End the subscription first, with queue.unsubscribe().');
  end if;

  perform queue._lock_queue(drop_queue.name);
  execute format('drop table %1$s', v_table);
  foreach v_function in array queue._queue_functions(drop_queue.name) loop
    execute format('drop function %s', v_function);
  end loop;
  delete from queue.queue as q where q.name = drop_queue.name;
  delete from queue.queue_grant as g where g.queue_name = drop_queue.name;
  delete from queue.id_mark as o where o.queue_name = drop_queue.name;
  delete from queue.group_mark as g where g.queue_name = drop_queue.name;
  delete from queue.suspect as s where s.queue_name = drop_queue.name;
  delete from queue.ready_mark as r where r.queue_name = drop_queue.name;
  delete from queue.deduplication as d where d.queue_name = drop_queue.name;
end
$function$;

comment on function queue.drop_queue(text) is
$comment$Drops a queue with all its messages.
Errors: OX001 no such queue, OX007 the queue belongs to a workflow or to Oxbow, OX009 the queue is the dead letter queue of another one or the target of a subscription, or an open transaction has used it for longer than 2 seconds.
Touches: the queue's table (exclusively, which waits for open transactions), queue.queue, queue.deduplication.$comment$;

create function queue.expire_messages(queue text, max_messages integer default 1000)
returns bigint
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
set jit = off
as $function$
declare
  v_now      constant timestamptz := clock_timestamp();
  v_queue    constant queue.queue_settings := queue._find_queue(expire_messages.queue);
  v_before   constant timestamptz := v_now - make_interval(secs => v_queue.retention_seconds);
  v_receipts bigint[];
  v_expired  bigint := 0::bigint;
begin
  if expire_messages.max_messages is null or expire_messages.max_messages not between 1 and 10000 then
    perform queue._raise('OX004', format('invalid max_messages %s', coalesce(max_messages::text, 'null')), null,
      'Expire between 1 and 10000 messages at a time.');
  end if;

  -- In a FIFO queue, each round takes the heads. Without a retention, no message is older.
  loop
    execute format($sql$
      with old as materialized (
        select m.msg_id
        from (
          select ready.msg_id
          from %1$s as ready
          where %2$s
            and ready.visible_at <= $2
          order by ready.visible_at, ready.msg_id
          limit $3
        ) as oldest
        join %1$s as m on m.msg_id = oldest.msg_id
        where m.enqueued_at < $1
          and m.message is not null
          and m.visible_at <= $2
        for no key update of m skip locked
      ),
      taken as (
        update %1$s as m
        set receipt = queue._message_receipt(m.msg_id, m.receipt, true)
        from old
        where m.msg_id = old.msg_id
        returning m.receipt
      )
      select array_agg(taken.receipt) from taken
    $sql$, queue._queue_table(v_queue.name), case v_queue.kind when 'fifo' then 'ready.head' else 'true' end)
    into v_receipts
    using v_before, clock_timestamp(), expire_messages.max_messages - v_expired;
    exit when v_receipts is null;

    v_expired := v_expired + cardinality(
      queue._delete_messages(v_queue, v_receipts, clock_timestamp() + interval '1 second')
    );
    exit when v_expired >= expire_messages.max_messages;
  end loop;
  return v_expired;
end
$function$;

comment on function queue.expire_messages(text, integer) is
$comment$Drops messages that were not received within the retention of their queue. A receive() also drops expired messages that it finds, so this is for queues that are not received from for a long time: call it regularly until it returns 0.
max_messages: at most this many, 1 to 10000, longest ready first.
Returns how many messages were dropped; 0 if the queue has no retention.
Errors: OX001 no such queue, OX004 invalid argument, OX007 the queue belongs to a workflow or to Oxbow.
Touches: the queue's table (SKIP LOCKED); then as delete_batch().$comment$;

create function queue._find_queue(name text, kind text default null, privilege text default null)
returns queue.queue_settings
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_queue queue.queue_settings;
begin
  if queue._is_behind() then
    perform queue._migrate_if_older();
    -- Before the registry is read, which does not exist until the first queue does.
    perform queue._queue_table(_find_queue.name);
  end if;

  select q.name, q.kind, q.visibility_timeout, q.max_receives, q.dead_letter_queue, q.created_at,
    q.retention_seconds, q.suspected_at
  into v_queue
  from queue.queue as q
  where q.name = _find_queue.name;

  if not found then
    perform queue._raise_queue_not_found(_find_queue.name);
  elsif v_queue.kind = 'workflow' then
    perform queue._raise('OX007', format('queue "%s" belongs to a workflow', v_queue.name), null,
      'Use the workflow functions instead: workflow_start(), workflow_signal(), workflow_cancel().');
  elsif starts_with(v_queue.name, '__') and privilege is distinct from 'read' then
    perform queue._raise('OX007', format('queue "%s" belongs to Oxbow', v_queue.name), null,
      'Only topics and schedules use this queue. For dead letters of topics, see topic_dead_letters() and redrive_topic_dead_letters().');
  elsif v_queue.kind <> _find_queue.kind then
    perform queue._raise('OX007', format('queue "%s" is a %s queue', v_queue.name, v_queue.kind), null,
      case v_queue.kind
        when 'fifo' then 'Use send_fifo() and receive_fifo().'
        else 'Use send() and receive(), or create a queue with fifo => true.'
      end);
  elsif queue._caller() <> current_user and not queue._may_use(v_queue.name, privilege) then
    perform queue._raise(
      '42501',
      format('role "%s" may not %s queue "%s"', queue._caller(),
        case privilege when 'send' then 'send to' when 'receive' then 'receive from' when 'peek' then 'peek at' else 'look at' end, v_queue.name),
      null,
      format('Grant it with queue.grant_queue(''%s'', ''%s'', ''%s''), or make it a member of oxbow_%s.', v_queue.name,
        queue._caller(), case privilege when 'send' then 'send' else 'receive' end,
        case privilege when 'send' then 'producer' when 'receive' then 'worker' else 'reader' end)
    );
  end if;
  return v_queue;
end
$function$;

comment on function queue._find_queue(text, text, text) is
$comment$Returns the settings of a queue that a caller names. Every public function that takes the name of a queue looks it up here, so internal queues can be read but not used or changed. Functions that own an internal queue call _internal_queue().
kind: the required kind, standard or fifo; null accepts both.
privilege: what the caller must be allowed to do with the queue: send, receive, peek or read; null checks no privilege.
Returns the queue's row of the registry.
Errors: OX001 no such queue, OX007 another kind of queue, or one that belongs to a workflow or to Oxbow, 42501 not allowed.
Touches: nothing; reads queue.queue.$comment$;

create function queue._internal_queue(name text)
returns queue.queue_settings
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_queue queue.queue_settings;
begin
  if queue._is_behind() then
    perform queue._migrate_if_older();
  end if;
  perform queue._queue_table(_internal_queue.name);
  select q.name, q.kind, q.visibility_timeout, q.max_receives, q.dead_letter_queue, q.created_at,
    q.retention_seconds, q.suspected_at
  into v_queue
  from queue.queue as q
  where q.name = _internal_queue.name;
  return v_queue;
end
$function$;

comment on function queue._internal_queue(text) is
$comment$Returns the settings of an internal queue, for the functions that own it: _find_queue() rejects internal queues.
name: begins with "__".
Returns the queue's row of the registry.
Errors: OX001 no such queue.
Touches: nothing; reads queue.queue. Older tables are migrated first.$comment$;

create function queue._lock_queue(name text)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set lock_timeout = '2s'
as $function$
begin
  execute format('lock table %1$s in access exclusive mode', queue._queue_table(_lock_queue.name));
exception
  when lock_not_available then
    perform queue._raise(
      'OX009',
      format('queue "%s" is in use by an open transaction', _lock_queue.name),
      'This call blocks the queue while it waits, so it gives up after 2 seconds.',
      'Try again when that transaction has ended. Find it with pg_locks and pg_stat_activity.'
    );
end
$function$;

comment on function queue._lock_queue(text) is
$comment$Locks a whole queue exclusively until the caller's transaction ends.
Errors: OX001 no such queue, OX009 an open transaction has used the queue for longer than 2 seconds.
Touches: the queue's table (exclusively; waits).$comment$;

create function queue._queue_table(name text)
returns regclass
language plpgsql
stable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_table constant regclass := to_regclass(format('queue.%I', 'q_' || coalesce(_queue_table.name, '')));
begin
  if v_table is null then
    perform queue._raise_queue_not_found(_queue_table.name);
  end if;
  return v_table;
end
$function$;

comment on function queue._queue_table(text) is
$comment$Returns the table of a queue's messages, found in the catalog cache without reading a table.
Returns the table.
Errors: OX001 no such queue.
Touches: nothing.$comment$;

create function queue._raise_queue_not_found(name text)
returns void
language plpgsql
volatile
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
begin
  perform queue._raise(
    'OX001',
    format('queue "%s" does not exist', coalesce(_raise_queue_not_found.name, 'null')),
    null,
    'Create it with queue.create_queue(), or list queues with queue.list_queues().'
  );
end
$function$;

comment on function queue._raise_queue_not_found(text) is
$comment$Raises OX001 for the name of a queue.
Errors: OX001, always.
Touches: nothing.$comment$;

create function queue.get_queue(name text)
returns queue.queue_settings
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  return queue._find_queue(get_queue.name, null, 'read');
end
$function$;

comment on function queue.get_queue(text) is
$comment$Reads the settings of a queue.
Returns its row of list_queues().
Errors: OX001 no such queue, OX007 the queue belongs to a workflow, 42501 the caller may not look at the queue.
Touches: nothing; reads queue.queue.$comment$;

create function queue.give_back_batch(queue text, receipts bigint[], delay_seconds numeric default 0)
returns setof bigint
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  return query
    select g.receipt
    from unnest(queue._give_back(
      queue._find_queue(give_back_batch.queue, null, 'receive'), give_back_batch.receipts, give_back_batch.delay_seconds
    )) as g (receipt);
end
$function$;

comment on function queue.give_back_batch(text, bigint[], numeric) is
$comment$Gives received messages back as if they had not been received: the delivery does not count towards max_receives, and its receipt is dead. Use it for messages that the consumer has not begun to handle; after a failed attempt, use change_visibility(), which counts.
receipts: as returned by receive() or receive_fifo(); dead ones are skipped.
delay_seconds: how long until the messages are visible again, with fractions. In a FIFO queue they keep their place, and the rest of their group waits behind them.
Returns the receipts that were alive, in no order.
Errors: OX001 no such queue, OX004 invalid argument, OX007 the queue belongs to a workflow or to Oxbow.
Touches: the queue's table, rows by receipt, locked in the order of message ids; NOTIFY only if a consumer listens, once for all.$comment$;

create function queue._group_lock_key(queue text, message_group_id text)
returns bigint
language sql
as $function$
  select pg_catalog.hashtextextended('oxbow:group:' operator(pg_catalog.||) queue, 0) operator(pg_catalog.#)
    (pg_catalog.hashtext(message_group_id) operator(pg_catalog.&) 2047)
$function$;

comment on function queue._group_lock_key(text, text) is
$comment$Returns the key of the advisory lock that orders changes of the head of a message group.
A queue has 2048 such keys, so that a transaction with a hundred thousand groups does not exhaust the server's lock table. Groups that share a key sometimes wait for each other.
Returns the key.
Touches: nothing.$comment$;

create function queue._lock_groups(queue text, message_group_ids text[])
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  perform pg_advisory_xact_lock(k.key)
  from (
    select distinct queue._group_lock_key(_lock_groups.queue, g.message_group_id) as key
    from unnest(message_group_ids) as g (message_group_id)
    order by key
  ) as k;
end
$function$;

comment on function queue._lock_groups(text, text[]) is
$comment$Makes the caller's transaction the only one that may append to these groups or change their heads, until it ends. Commits then have the order of message ids.
Touches: the groups' advisory locks, in the order of their keys (waits).$comment$;

create function queue._mark_groups(
  queue             text,
  message_group_ids text[],
  heads             bigint[],
  has_marks         boolean,
  is_slow           boolean
)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
as $function$
begin
  if not is_slow and not has_marks then
    return;
  end if;

  -- A group whose mark is far behind gets another one before its sends become slow again.
  with stale as materialized (
    select i.message_group_id, i.msg_id, newest.mark_id
    from unnest(_mark_groups.message_group_ids, _mark_groups.heads) as i (message_group_id, msg_id)
    left join lateral (
      select g.mark_id, g.empty_below
      from queue.group_mark as g
      where g.queue_name = _mark_groups.queue
        and g.message_group_id = i.message_group_id
      order by g.mark_id desc
      limit 1
    ) as newest on true
    where _mark_groups.is_slow
      or newest.empty_below < i.msg_id - 20000
  ),
  marked as (
    insert into queue.group_mark (taken_at, empty_below, queue_name, message_group_id)
    select clock_timestamp(), s.msg_id, _mark_groups.queue, s.message_group_id
    from stale as s
  )
  delete from queue.group_mark as o
  using stale as s
  where o.queue_name = _mark_groups.queue
    and o.message_group_id = s.message_group_id
    and o.mark_id = s.mark_id;
end
$function$;

comment on function queue._mark_groups(text, text[], bigint[], boolean, boolean) is
$comment$Records that no message of a group is left before its new head, so that the next send does not search for one among dead index entries.
message_group_ids, heads: groups that the caller has locked and found empty, and the ids of their new heads.
has_marks: whether one of them has a mark.
is_slow: whether the search took long. Then each group gets a mark; otherwise only groups whose mark is 20,000 messages old.
Touches: queue.group_mark, two rows per group. Marks of unused groups are deleted when the ready index is read from its beginning.$comment$;

create function queue._try_lock_groups(queue text, message_group_ids text[])
returns boolean[]
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  return array(
    select pg_try_advisory_xact_lock(queue._group_lock_key(_try_lock_groups.queue, g.message_group_id))
    from unnest(message_group_ids) with ordinality as g (message_group_id, position)
    order by g.position
  );
end
$function$;

comment on function queue._try_lock_groups(text, text[]) is
$comment$Does what _lock_groups() does, without waiting.
Returns for each group whether its lock is held.
Touches: the groups' advisory locks (without waiting).$comment$;

create function queue._try_lock_groups_shared(queue text, message_group_ids text[])
returns boolean[]
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  -- A snapshot older than the lock does not contain earlier sends.
  if current_setting('transaction_isolation') <> 'read committed' then
    return array_fill(false, array[coalesce(cardinality(message_group_ids), 0)]);
  end if;

  return array(
    select case
        -- A transaction that holds the exclusive lock is refused a shared one while another transaction waits for it.
        when pg_try_advisory_xact_lock_shared(g.key) then true
        else pg_try_advisory_xact_lock(g.key)
      end
    from (
      select queue._group_lock_key(_try_lock_groups_shared.queue, i.message_group_id) as key, i.position
      from unnest(message_group_ids) with ordinality as i (message_group_id, position)
    ) as g
    order by g.position
  );
end
$function$;

comment on function queue._try_lock_groups_shared(text, text[]) is
$comment$Keeps senders out of groups until the transaction ends, unless a sender already holds the lock. The lock is shared: groups have 2048 keys, and concurrent batches of acknowledgements must not block each other.
Returns for each group whether its lock is held; false for all in a repeatable read transaction, whose snapshot would be older than the lock.
Touches: the groups' advisory locks (without waiting).$comment$;

create function queue._try_lock_promotions(queue text, message_group_ids text[], has_message boolean[])
returns boolean[]
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  -- A snapshot older than the lock contains tombstones that have been deleted.
  v_is_current constant boolean := current_setting('transaction_isolation') = 'read committed';
begin
  return array(
    select case
        when g.has_message then true
        when v_is_current then pg_try_advisory_xact_lock(~ queue._group_lock_key(_try_lock_promotions.queue, g.message_group_id))
        else false
      end
    from unnest(message_group_ids, _try_lock_promotions.has_message) with ordinality
      as g (message_group_id, has_message, position)
    order by g.position
  );
end
$function$;

comment on function queue._try_lock_promotions(text, text[], boolean[]) is
$comment$Ensures that one of several transactions which delete heads of a group promotes the next message.
has_message: for each group, whether the deleted head had a message. A group has one such head, and one transaction can delete its row. It may have several tombstones, which need a lock.
Returns for each group whether the caller may promote.
Touches: advisory locks of groups, other than those of senders, until the transaction ends (without waiting).$comment$;

create function queue.list_queues()
returns setof queue.queue_settings
language plpgsql
stable
parallel safe
security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  perform queue._require_current_tables();
  if to_regclass('queue.queue') is null then
    return;
  end if;

  return query
    select q.name, q.kind, q.visibility_timeout, q.max_receives, q.dead_letter_queue, q.created_at,
      q.retention_seconds, q.suspected_at
    from queue.queue as q
    where q.kind <> 'workflow'
    order by q.name;
end
$function$;

comment on function queue.list_queues() is
$comment$Lists queues with their settings, without those of workflows.
Returns one row per queue, by name.
Errors: OX006 the tables are older than the functions.
Touches: nothing; reads queue.queue.$comment$;

create function queue.next_visible_at(queue text, within_seconds numeric default null, suspects integer default null)
returns timestamptz
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
set jit = off
as $function$
declare
  v_queue    constant queue.queue_settings := queue._find_queue(next_visible_at.queue, null, 'read');
  v_table    constant regclass := queue._queue_table(v_queue.name);
  v_eligible constant text := case v_queue.kind when 'fifo' then 'm.head' else 'true' end;
  v_mark     queue.queue_mark;
  v_until    timestamptz := timestamptz 'infinity';
  v_next     timestamptz;
begin
  -- A copy sends nothing to urls and fires no schedule.
  if next_visible_at.queue in ('__http', '__schedules') and queue._must_hold(true) then
    return null;
  end if;
  select r.mark_id, r.taken_at, r.ready_from, r.swept_at, r.sweep_took, r.horizon
  into v_mark
  from queue.ready_mark as r
  where r.queue_name = v_queue.name
    and r.part = 0
  order by r.mark_id desc
  limit 1;

  -- A receive corrects the times that were written while the clock was ahead.
  if queue._is_clock_set_back(v_mark.taken_at, clock_timestamp())
    and current_setting('transaction_isolation') = 'read committed'
  then
    return clock_timestamp();
  end if;

  if v_queue.suspected_at is not null
    and coalesce(next_visible_at.suspects, 1) > 0
    and exists (select from queue.suspect as s where s.queue_name = v_queue.name)
  then
    execute format(
      $sql$select m.visible_at from %1$s as m where %2$s and m.visible_at = 'infinity' order by m.visible_at limit 1$sql$,
      v_table, v_eligible
    )
    into v_next;
    if v_next is not null then
      return clock_timestamp();
    end if;
  end if;
  if next_visible_at.within_seconds is not null then
    v_until := clock_timestamp() + queue._duration(next_visible_at.within_seconds, 'time to look ahead');
  end if;
  execute format($sql$
    select m.visible_at
    from %1$s as m
    where %2$s
      and m.visible_at between $1 and $2
      and m.visible_at < 'infinity'
    order by m.visible_at
    limit 1
  $sql$, v_table, v_eligible)
  into v_next
  using case when v_mark.taken_at <= clock_timestamp() then v_mark.ready_from else '-infinity' end, v_until;
  return v_next;
end
$function$;

comment on function queue.next_visible_at(text, numeric, integer) is
$comment$Returns when the next message of a queue becomes receivable, so that an idle consumer neither polls often nor wakes late: it listens on queue_<name>, and receives at this time at the latest. A message in flight counts with the end of its lease.
within_seconds: how far to look ahead; null means to the end. While an old snapshot is held, entries of deleted messages are read in vain, as far as the function looks.
suspects: as the consumer passes to receive(); 0 leaves out suspects that are ready.
Returns a time, which may have passed; null if no message becomes receivable within that time, or if the queue is internal and the database is held.
Errors: OX001 no such queue, OX007 the queue belongs to a workflow.
Touches: nothing; reads the first entry of the ready index from its mark on, and queue.suspect.$comment$;

create function queue.peek(
  queue        text,
  max_messages integer default 10,
  after        bigint default 0,
  matching     jsonb default null
)
returns setof queue.peeked_message
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
set jit = off
as $function$
declare
  v_now   constant timestamptz := clock_timestamp();
  v_queue constant queue.queue_settings := queue._find_queue(peek.queue, null, 'peek');
begin
  if max_messages is null or max_messages not between 1 and 1000 then
    perform queue._raise('OX004', format('invalid max_messages %s', coalesce(max_messages::text, 'null')), null,
      'Peek at between 1 and 1000 messages at a time.');
  end if;

  -- As a receive, a peek returns at most 64 MiB, or one message.
  return query execute format($sql$
    with sized as (
      select m.msg_id, queue._json_size(m.message) + queue._json_size(m.headers) as size
      from %1$s as m
      where m.msg_id > $1
        and m.message is not null
        and ($2 is null or m.message @> $2)
      order by m.msg_id
      limit $3
    ),
    chosen as (
      select s.msg_id, sum(s.size) over (order by s.msg_id) - s.size as bytes_before
      from sized as s
    )
    select m.msg_id,
      case
        when m.visible_at > $4 and m.visible_at < 'infinity' and m.receipt is not null then 'in-flight'
        when %2$s then 'blocked'
        when m.visible_at > $4 and m.visible_at < 'infinity' then 'delayed'
        else 'ready'
      end,
      m.read_ct, m.enqueued_at, coalesce(nullif(m.visible_at, 'infinity'), $4), %3$s, m.message, m.headers
    from chosen as c
    join %1$s as m on m.msg_id = c.msg_id
    where c.bytes_before < 67108864
    order by m.msg_id
  $sql$,
    queue._queue_table(v_queue.name),
    case v_queue.kind when 'fifo' then 'not m.head' else 'false' end,
    case v_queue.kind when 'fifo' then 'm.message_group_id' else 'null::text' end
  )
  using coalesce(peek.after, 0), peek.matching, peek.max_messages, v_now;
end
$function$;

comment on function queue.peek(text, integer, bigint, jsonb) is
$comment$Returns messages of a queue without receiving them: no lease, no counted delivery, no lock.
max_messages: 1 to 1000.
after: id of the last message that the caller has; 0 for the oldest.
matching: returns only messages that contain this JSON (message @> matching), at the cost of reading past the others.
Returns one row per message, in the order of ids: ready, delayed, in-flight, or blocked behind an earlier message of its group. At most 64 MiB, but at least one message.
Errors: OX001 no such queue, OX004 invalid argument, OX007 the queue belongs to a workflow, 42501 not allowed.
Touches: nothing; reads the queue's table by its primary key.$comment$;

create function queue.purge_queue(name text)
returns bigint
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_table  constant regclass := queue._queue_table(purge_queue.name);
  v_purged bigint;
begin
  perform queue._find_queue(purge_queue.name);

  perform queue._lock_queue(purge_queue.name);
  execute format('select count(*) from %1$s as m where m.message is not null', v_table) into v_purged;
  execute format('truncate table %1$s', v_table);
  delete from queue.suspect as s where s.queue_name = purge_queue.name;
  return v_purged;
end
$function$;

comment on function queue.purge_queue(text) is
$comment$Deletes all messages of a queue, including those in flight, whose receipts are then dead. Its disk space is freed at once.
Returns how many messages were deleted.
Errors: OX001 no such queue, OX007 the queue belongs to a workflow or to Oxbow, OX009 an open transaction has used the queue for longer than 2 seconds.
Touches: the queue's table (exclusively until the caller's transaction ends; waits for open transactions).$comment$;

create function queue.queue_stats(name text)
returns queue.queue_statistics
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_now        constant timestamptz := clock_timestamp();
  v_queue      constant queue.queue_settings := queue._find_queue(queue_stats.name, null, 'read');
  v_table      constant regclass := queue._queue_table(queue_stats.name);
  v_statistics queue.queue_statistics;
begin
  execute format($sql$
    select $1,
      count(*) filter (where m.visible_at <= $2 or m.visible_at = 'infinity'),
      count(*) filter (where m.visible_at > $2 and m.visible_at < 'infinity' and m.receipt is not null),
      count(*) filter (where m.visible_at > $2 and m.receipt is null),
      %2$s,
      greatest(0, pg_sequence_last_value(pg_get_serial_sequence($3::text, 'msg_id'))
        - coalesce(pg_sequence_last_value('queue.skipped_ids'), 0)),
      $2 - min(m.enqueued_at)
    from %1$s as m
    where m.message is not null
  $sql$, v_table, case v_queue.kind when 'fifo' then 'count(distinct m.message_group_id)' else 'null::bigint' end)
  into v_statistics.name, v_statistics.visible, v_statistics.in_flight, v_statistics.delayed, v_statistics.groups,
    v_statistics.total_sent, v_statistics.oldest_message_age
  using queue_stats.name, v_now, v_table;
  return v_statistics;
end
$function$;

comment on function queue.queue_stats(text) is
$comment$Counts the messages of a queue. It reads all of them, so it suits dashboards and gauges rather than a hot path.
Returns visible (ready, or with an expired lease, including those behind the head of their group), in_flight (received and leased), delayed (sent with a delay that has not passed), groups (with messages; null in a standard queue), total_sent (message ids drawn, including those of sends that were rolled back, without those skipped after a crash), and oldest_message_age (null if the queue is empty).
Errors: OX001 no such queue, OX007 the queue belongs to a workflow.
Touches: nothing; reads the queue's table.$comment$;

create function queue.receive(
  queue              text,
  max_messages       integer default 1,
  visibility_timeout integer default null,
  matching           jsonb default null,
  suspects           integer default null
)
returns setof queue.delivery
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  return query
    select d.msg_id, d.receipt, d.read_ct, d.enqueued_at, d.visible_at, d.message_group_id, d.message, d.headers
    from queue._receive(
      queue._find_queue(receive.queue, 'standard', 'receive'), receive.max_messages, receive.visibility_timeout,
      receive.matching, receive.suspects
    ) as r
    cross join unnest(
      r.msg_ids, r.receipts, r.read_cts, r.enqueued_ats, r.visible_ats, r.message_group_ids, r.messages, r.headers
    ) as d (msg_id, receipt, read_ct, enqueued_at, visible_at, message_group_id, message, headers);
end
$function$;

comment on function queue.receive(text, integer, integer, jsonb, integer) is
$comment$Receives messages of a standard queue, oldest first. Each is invisible to other consumers until its visibility timeout ends or it is deleted. A message that was delivered max_receives times moves to the dead letter queue instead.
A delivery counts towards max_receives if its consumer calls change_visibility(), or if the visibility timeout of a message ends that was received alone. If it ends for messages that were received together, it doesn't count, because any of them may have ended the consumer. After two such deliveries a message is a suspect, and a call returns at most one suspect.
max_messages: 1 to 10000.
visibility_timeout: seconds; null means that of the queue.
matching: receives only messages that contain this JSON (message @> matching), at the cost of reading past the others.
suspects: null is for consumers that don't keep track of suspects: a call returns at most one, and with max_messages 1 every message counts as received alone. 1 returns at most one suspect, for a process that has none; 0 returns none, for a process that has one or has only just started. With 0 or 1, only a suspect counts as received alone.
Returns one row per message, a suspect first; fewer than max_messages, or none, if no more are ready. One call returns at most 64 MiB, or a single larger message.
Errors: OX001 no such queue, OX004 invalid argument, OX007 not a standard queue, or an internal one.
Touches: the queue's table, by its ready index (SKIP LOCKED); queue.suspect; the dead letter queue's table for messages that move there.$comment$;

create function queue._advance_id_mark(queue text, last_id bigint)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
set jit = off
as $function$
declare
  v_table    constant regclass := queue._queue_table(_advance_id_mark.queue);
  v_mark     queue.id_mark;
  v_least_id bigint;
begin
  select o.mark_id, o.least_id, o.last_id, o.horizon, o.queue_name
  into v_mark
  from queue.id_mark as o
  where o.queue_name = _advance_id_mark.queue
  order by o.mark_id desc
  limit 1;

  if found then
    if not queue._have_writers_ended(v_table, v_mark.horizon, pg_current_snapshot()) then
      return;
    end if;
    execute format($sql$
      select coalesce((
        select m.msg_id
        from %1$s as m
        where m.msg_id between $1 and $2
        order by m.msg_id
        limit 1
      ), $2)
    $sql$, v_table)
    into v_least_id
    using coalesce(v_mark.least_id, -9223372036854775808), v_mark.last_id;
  elsif last_id is null then
    return;
  end if;

  insert into queue.id_mark (least_id, last_id, horizon, queue_name)
  values (
    v_least_id, greatest(v_mark.last_id, _advance_id_mark.last_id), pg_current_xact_id(), _advance_id_mark.queue
  );
  -- By its key alone: older marks are dead, but a scan would read them for as long as an old snapshot is held.
  delete from queue.id_mark as o
  where o.queue_name = _advance_id_mark.queue
    and o.mark_id = any (array(
      select l.mark_id
      from queue.id_mark as l
      where l.queue_name = _advance_id_mark.queue
        and l.mark_id = v_mark.mark_id
      for update skip locked
    ));
end
$function$;

comment on function queue._advance_id_mark(text, bigint) is
$comment$Advances the id from which sends to a FIFO queue search for heads of groups, if that is safe.
As in _advance_ready_mark(), with ids in place of times: a sender gets its transaction id before it draws a message id. So a transaction with a later id than the mark's draws ids greater than any message received by then. Once all earlier transactions have ended, no message is or will be below the least of that id and the existing ones.
last_id: the greatest id of a message that this transaction received before it had its own id; null if there is none.
Touches: reads the primary key from one mark to the next, up to its first live entry; queue.id_mark.$comment$;

create function queue._clear_undeliverable(
  settings      queue.queue_settings,
  undeliverable bigint[],
  expired       bigint[]
)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_now constant timestamptz := clock_timestamp();
begin
  if undeliverable is not null and (settings).dead_letter_queue is not null then
    perform queue._send_dead_letters(settings, undeliverable, v_now + interval '100 milliseconds');
  end if;
  perform queue._delete_messages(settings, undeliverable || expired, v_now + interval '1 second');
end
$function$;

comment on function queue._clear_undeliverable(queue.queue_settings, bigint[], bigint[]) is
$comment$Removes messages that a receive has leased but must not deliver: dead letters move to the dead letter queue; tombstones, and messages older than the queue's retention, are deleted. If an open transaction prevents that, a later receive tries again: after 100 ms for dead letters, and at growing intervals of up to a second for tombstones.
undeliverable: receipts of dead letters and tombstones.
expired: receipts of messages that are too old.
Touches: as _send_dead_letters() and _delete_messages().$comment$;

create function queue._judge_redelivered(
  settings queue.queue_settings,
  receipts bigint[],
  read_cts integer[],
  previous bigint[],
  out undeliverable bigint[],
  out put_apart     bigint[]
)
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
as $function$
begin
  execute format($sql$
    with redelivered as (
      select i.receipt, row_number() over (order by i.position) as place
      from unnest($1, $2) with ordinality as i (receipt, read_ct, position)
      where i.read_ct > 1
    ),
    judged as materialized (
      select m.ctid, m.msg_id, m.receipt, p.receipt as previous, m.read_ct, m.spared as spared_before,
        -- Its lease expired, and its consumer had not set when it becomes visible.
        p.receipt is not null and coalesce(m.spared, 0) >= 0 as is_silent,
        case
          when m.spared < 0 then ~m.spared
          when p.receipt & 1 = 0 then coalesce(m.spared, 0) + 1
          else m.spared
        end as spared
      from redelivered as r
      join unnest($3) with ordinality as p (receipt, place) on p.place = r.place
      join %1$s as m
        on m.msg_id = queue._receipt_msg_id(r.receipt)
        and m.receipt = r.receipt
    ),
    doubtful as materialized (
      select j.*, j.read_ct - coalesce(j.spared, 0) > $4 as is_undeliverable,
        (j.is_silent and j.spared >= 2 and j.read_ct - j.spared <= $4) is true as may_be_suspect
      from judged as j
    ),
    -- The first suspect of a queue is noted with the queue, so that receives of others need not look. If another open
    -- transaction is noting one, the message is delivered once more with others.
    first as materialized (
      select q.ctid
      from queue.queue as q
      where q.name = $5
        and q.suspected_at is null
        and exists (select from doubtful as d where d.may_be_suspect)
      for no key update skip locked
    ),
    first_noted as (
      update queue.queue as q
      set suspected_at = clock_timestamp()
      from first
      where q.ctid = first.ctid
    ),
    fated as materialized (
      select d.*, d.may_be_suspect and a.is_noted as is_suspect
      from doubtful as d
      cross join (
        select exists (select from first)
          or exists (select from queue.queue as q where q.name = $5 and q.suspected_at is not null)
      ) as a (is_noted)
    ),
    changed as (
      update %1$s as m
      set spared = f.spared,
        -- As if it had not been received now: the consumer before may be alive, and acknowledge it yet.
        receipt = case when f.is_suspect then f.previous else m.receipt end,
        visible_at = case when f.is_suspect then 'infinity' else m.visible_at end,
        read_ct = m.read_ct - f.is_suspect::integer
      from fated as f
      where m.ctid = f.ctid
        and (f.is_suspect or f.spared is distinct from f.spared_before)
    ),
    noted as (
      insert into queue.suspect (suspected_at, msg_id, queue_name)
      select clock_timestamp(), f.msg_id, $5
      from fated as f
      where f.is_suspect
    )
    select array_agg(f.receipt) filter (where f.is_undeliverable), array_agg(f.receipt) filter (where f.is_suspect)
    from fated as f
  $sql$, queue._queue_table((settings).name))
  into undeliverable, put_apart
  using receipts, read_cts, previous, coalesce((settings).max_receives, 2147483646), (settings).name;

  if put_apart is not null then
    perform queue._wake('queue_' || (settings).name);
  end if;
end
$function$;

comment on function queue._judge_redelivered(queue.queue_settings, bigint[], integer[], bigint[]) is
$comment$Decides which messages that were delivered before, and are leased again, may be delivered.
A delivery counts towards max_receives when its consumer has set when the message becomes visible again, or when its lease expired although the message was received alone, which the lowest bit of its receipt states. Any other lease that expired is spared: another message of the consumer may have ended it. Once two are, a message whose last lease expired is a suspect, and put apart: it waits, visible at infinity, until _receive_suspect() takes it.
receipts, read_cts: of the messages that are leased. previous: of those with a read_ct above 1, in the same order, the receipts of the deliveries before; null for a message that was given back.
Returns the receipts of messages that were delivered max_receives times, and those of suspects.
Touches: the queue's table, rows that the caller has locked; queue.suspect; queue.queue for the first suspect (locked with SKIP LOCKED); NOTIFY if suspects were found and a client waits.$comment$;

create function queue._receive(
  settings           queue.queue_settings,
  max_messages       integer,
  visibility_timeout integer,
  matching           jsonb,
  suspects           integer,
  out msg_ids           bigint[],
  out receipts          bigint[],
  out read_cts          integer[],
  out enqueued_ats      timestamptz[],
  out visible_ats       timestamptz[],
  out message_group_ids text[],
  out messages          jsonb[],
  out headers           jsonb[],
  out suspect           bigint
)
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set enable_sort = off
set plan_cache_mode = force_generic_plan
set jit = off
as $function$
declare
  v_is_first      constant boolean := pg_current_xact_id_if_assigned() is null;
  v_now           constant timestamptz := clock_timestamp();
  v_lease         constant interval := case
    when _receive.visibility_timeout < 0 then queue._duration(_receive.visibility_timeout, 'visibility timeout')
    else make_interval(secs => coalesce(_receive.visibility_timeout, (_receive.settings).visibility_timeout))
  end;
  v_claim         constant text := format('select * from queue.%I($1, $2, $3, $4, $5, $6, $7, $8, $9)',
    '_receive_q_' || (_receive.settings).name);
  v_mark          queue.queue_mark;
  -- Clients read an answer as one text, which in JavaScript ends at 512 MiB, escapes included.
  v_room          bigint := bigint '67108864';
  v_msg_ids       bigint[];
  v_receipts      bigint[];
  v_read_cts      integer[];
  v_enqueued_ats  timestamptz[];
  v_visible_ats   timestamptz[];
  v_groups        text[];
  v_messages      jsonb[];
  v_headers       jsonb[];
  v_previous      bigint[];
  v_undeliverable bigint[];
  v_expired       bigint[];
  v_put_apart     bigint[];
  v_too_often     bigint[];
  v_has_suspects  boolean := false;
  v_takes_suspect boolean;
  v_took          interval;
begin
  msg_ids := array[]::bigint[];
  -- A copy sends nothing to urls and fires no schedule.
  if (_receive.settings).name in ('__http', '__schedules') and queue._must_hold(true) then
    return;
  end if;
  -- Its snapshot would be older than the locks under which heads are promoted.
  if (_receive.settings).kind = 'fifo' and current_setting('transaction_isolation') <> 'read committed' then
    perform queue._raise(
      'OX004',
      format('cannot receive from FIFO queue "%s" in a %s transaction', (_receive.settings).name,
        current_setting('transaction_isolation')),
      null,
      'Use isolation level read committed.'
    );
  end if;
  if max_messages is null or max_messages not between 1 and 10000 then
    perform queue._raise('OX004', format('invalid max_messages %s', coalesce(max_messages::text, 'null')), null,
      'Receive between 1 and 10000 messages at a time.');
  end if;

  select r.mark_id, r.taken_at, r.ready_from, r.swept_at, r.sweep_took, r.horizon
  into v_mark
  from queue.ready_mark as r
  where r.queue_name = (_receive.settings).name
    and r.part = 0
  order by r.mark_id desc
  limit 1;

  if (_receive.settings).suspected_at is not null and coalesce(_receive.suspects, 1) > 0 then
    v_has_suspects := exists (select from queue.suspect as s where s.queue_name = (_receive.settings).name);
  end if;

  -- A receive that finds dead letters, tombstones or suspects instead of messages moves them and looks again.
  for v_round in 1 .. 100 loop
    -- First: under a backlog, a suspect would never have its turn.
    v_takes_suspect := v_has_suspects and suspect is null;
    if v_takes_suspect then
      v_has_suspects := false;
      select r.msg_ids, r.receipts, r.read_cts, r.enqueued_ats, r.visible_ats, r.message_group_ids, r.messages,
        r.headers, r.receipts[1]
      into v_msg_ids, v_receipts, v_read_cts, v_enqueued_ats, v_visible_ats, v_groups, v_messages, v_headers, suspect
      from queue._receive_suspect(_receive.settings, v_lease, matching) as r;
      v_previous := null;
      v_undeliverable := null;
      v_expired := null;
    else
      execute v_claim
      into v_msg_ids, v_receipts, v_read_cts, v_enqueued_ats, v_visible_ats, v_groups, v_messages, v_headers,
        v_previous, v_undeliverable, v_expired
      using clock_timestamp(), case when v_mark.taken_at <= v_now then v_mark.ready_from else '-infinity' end,
        max_messages - cardinality(msg_ids), v_lease,
        -- A lease of 0 has ended already, which does not mean that its consumer has died.
        max_messages = 1 and _receive.suspects is null or v_lease = interval '0', matching,
        -- With a visibility timeout of 0, what an earlier round has delivered is ready again.
        msg_ids, v_now - make_interval(secs => (_receive.settings).retention_seconds), v_room;
    end if;

    v_put_apart := null;
    -- Nothing that Oxbow's own queues hold ends a consumer.
    if v_previous is not null and not starts_with((_receive.settings).name, '__') then
      select j.undeliverable, j.put_apart
      into v_too_often, v_put_apart
      from queue._judge_redelivered(_receive.settings, v_receipts, v_read_cts, v_previous) as j;
      if v_too_often is not null or v_put_apart is not null then
        v_has_suspects := v_put_apart is not null and coalesce(_receive.suspects, 1) > 0;
        v_undeliverable := v_undeliverable || v_too_often;
        select array_agg(d.msg_id order by d.place), array_agg(d.receipt order by d.place),
          array_agg(d.read_ct order by d.place), array_agg(d.enqueued_at order by d.place),
          array_agg(d.visible_at order by d.place), array_agg(d.message_group_id order by d.place),
          array_agg(d.message order by d.place), array_agg(d.headers order by d.place)
        into v_msg_ids, v_receipts, v_read_cts, v_enqueued_ats, v_visible_ats, v_groups, v_messages, v_headers
        from unnest(
          v_msg_ids, v_receipts, v_read_cts, v_enqueued_ats, v_visible_ats, v_groups, v_messages, v_headers
        ) with ordinality
          as d (msg_id, receipt, read_ct, enqueued_at, visible_at, message_group_id, message, headers, place)
        where d.receipt <> all (coalesce(v_too_often || v_put_apart, '{}'));
      end if;
    end if;

    msg_ids := msg_ids || v_msg_ids;
    receipts := receipts || v_receipts;
    read_cts := read_cts || v_read_cts;
    enqueued_ats := enqueued_ats || v_enqueued_ats;
    visible_ats := visible_ats || v_visible_ats;
    message_group_ids := message_group_ids || v_groups;
    messages := messages || v_messages;
    headers := headers || v_headers;
    exit when v_undeliverable is null and v_expired is null and v_put_apart is null and not v_takes_suspect;
    if v_undeliverable is not null or v_expired is not null then
      perform queue._clear_undeliverable(_receive.settings, v_undeliverable, v_expired);
    end if;
    v_room := v_room - coalesce((select sum(queue._json_size(m)) from unnest(v_messages) as m), 0);
    exit when cardinality(msg_ids) = max_messages or v_room <= 0;
  end loop;

  v_took := clock_timestamp() - v_now;
  if v_is_first and queue._is_clock_set_back(v_mark.taken_at, v_now) then
    perform queue._correct_clock_setback();
  elsif v_is_first and queue._is_mark_due(v_mark, v_now, v_took, cardinality(msg_ids)) then
    perform queue._advance_ready_mark(
      v_mark, (_receive.settings).name, 0, queue._queue_table((_receive.settings).name),
      case (_receive.settings).kind when 'fifo' then 'm.head' else 'true' end, v_now
    );
    if (_receive.settings).kind = 'fifo' then
      perform queue._advance_id_mark((_receive.settings).name, (select max(i.id) from unnest(msg_ids) as i (id)));
    end if;
  end if;
end
$function$;

comment on function queue._receive(queue.queue_settings, integer, integer, jsonb, integer) is
$comment$Leases ready messages; of a FIFO queue, heads of groups only. Messages that were delivered max_receives times move to the dead letter queue instead; those older than the queue's retention are dropped. Suspects are put apart, and one of them is leased.
visibility_timeout: null means the queue's. matching: null takes any. suspects: as in receive().
The planner has no choice but the order of the ready index: statistics of a queue are always out of date, and every other plan reads all that waits.
Returns the deliveries as parallel arrays, a suspect and then the oldest first, of 64 MiB together or of one message, and the receipt of the suspect; empty or null when nothing is ready, or when a hundred rounds found dead letters only.
Errors: OX004 invalid argument, or a FIFO queue in a transaction that is not read committed.
Touches: the queue's table, rows of the ready index (locked with SKIP LOCKED), from its mark on, which moves now and then; queue.suspect; see _clear_undeliverable() for dead letters.$comment$;

create function queue._receive_suspect(
  settings queue.queue_settings,
  lease    interval,
  matching jsonb,
  out msg_ids           bigint[],
  out receipts          bigint[],
  out read_cts          integer[],
  out enqueued_ats      timestamptz[],
  out visible_ats       timestamptz[],
  out message_group_ids text[],
  out messages          jsonb[],
  out headers           jsonb[]
)
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
as $function$
declare
  v_table   constant regclass := queue._queue_table((settings).name);
  v_expired bigint[];
begin
  execute format($sql$
    with first as materialized (
      select m.ctid
      from queue.suspect as s
      join %1$s as m on m.msg_id = s.msg_id
      where s.queue_name = $1
        and m.visible_at = 'infinity'
        and ($3 is null or m.message @> $3)
      order by s.msg_id
      limit 1
      for no key update of m skip locked
    ),
    claimed as (
      update %1$s as m
      set receipt = queue._message_receipt(m.msg_id, m.receipt, true),
        visible_at = clock_timestamp() + $2,
        read_ct = m.read_ct + 1
      from first
      where m.ctid = first.ctid
      returning m.msg_id, m.receipt, m.read_ct, m.enqueued_at, m.visible_at, %2$s as message_group_id, m.message,
        m.headers, coalesce(m.enqueued_at < $4, false) as is_expired
    ),
    taken as (
      delete from queue.suspect as s
      using claimed as c
      where s.queue_name = $1
        and s.msg_id = c.msg_id
    )
    select array_agg(c.msg_id) filter (where not c.is_expired),
      array_agg(c.receipt) filter (where not c.is_expired),
      array_agg(c.read_ct) filter (where not c.is_expired),
      array_agg(c.enqueued_at) filter (where not c.is_expired),
      array_agg(c.visible_at) filter (where not c.is_expired),
      array_agg(c.message_group_id) filter (where not c.is_expired),
      array_agg(c.message) filter (where not c.is_expired),
      array_agg(c.headers) filter (where not c.is_expired),
      array_agg(c.receipt) filter (where c.is_expired)
    from claimed as c
  $sql$, v_table, case (settings).kind when 'fifo' then 'm.message_group_id' else 'null::text' end)
  into msg_ids, receipts, read_cts, enqueued_ats, visible_ats, message_group_ids, messages, headers, v_expired
  using (settings).name, lease, matching,
    clock_timestamp() - make_interval(secs => (settings).retention_seconds);

  if v_expired is not null then
    perform queue._clear_undeliverable(settings, null, v_expired);
  elsif msg_ids is null then
    -- A consumer that was alive after all has deleted or postponed its message.
    execute format($sql$
      with gone as materialized (
        select s.ctid
        from queue.suspect as s
        where s.queue_name = $1
          and not exists (select from %1$s as m where m.msg_id = s.msg_id and m.visible_at = 'infinity')
        for update skip locked
      )
      delete from queue.suspect as s
      using gone
      where s.ctid = gone.ctid
    $sql$, v_table)
    using (settings).name;
  end if;
end
$function$;

comment on function queue._receive_suspect(queue.queue_settings, interval, jsonb) is
$comment$Leases the suspect that was sent first: see _judge_redelivered().
lease, matching: as in _receive().
Returns one message at most, as _receive() does; msg_ids is null if there is none.
Touches: the queue's table (rows locked with SKIP LOCKED), queue.suspect.$comment$;

create function queue._send_dead_letters(
  settings queue.queue_settings,
  receipts bigint[],
  retry_at timestamptz
)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
set enable_sort = on
as $function$
declare
  v_now      constant timestamptz := clock_timestamp();
  v_table    constant regclass := queue._queue_table((settings).name);
  v_is_fifo  constant boolean := (settings).kind = 'fifo';
  v_target   constant queue.queue_settings := queue._find_queue((settings).dead_letter_queue);
  v_letters  bigint[];
  v_groups   text[];
  v_messages jsonb[];
  v_headers  jsonb[];
begin
  if v_target.kind = 'fifo' then
    execute format($sql$
      select array_agg(m.receipt), array_agg(m.message_group_id)
      from unnest($1) as i (receipt)
      join %1$s as m
        on m.msg_id = queue._receipt_msg_id(i.receipt)
        and m.receipt = i.receipt
      where m.message is not null
    $sql$, v_table)
    into v_letters, v_groups
    using receipts;

    -- Given back under an unknown receipt, because a receive never waits for an open transaction.
    execute format($sql$
      update %1$s as m
      set receipt = queue._message_receipt(m.msg_id, m.receipt, true),
        visible_at = $3,
        read_ct = m.read_ct - 1
      from unnest($1, $2) as i (receipt, is_locked)
      where m.msg_id = queue._receipt_msg_id(i.receipt)
        and m.receipt = i.receipt
        and not i.is_locked
    $sql$, v_table)
    using v_letters, queue._try_lock_groups(v_target.name, v_groups), retry_at;
  end if;

  execute format($sql$
    select array_agg(m.message order by m.msg_id), array_agg(%2$s order by m.msg_id),
      array_agg(
        coalesce(m.headers, '{}') || jsonb_build_object('dead_letter', jsonb_strip_nulls(jsonb_build_object(
          'queue', $2,
          'reason', 'max_receives',
          'receives', m.read_ct - 1,
          'msg_id', m.msg_id,
          'message_group_id', %2$s,
          'first_enqueued_at', m.enqueued_at,
          'dead_lettered_at', $3,
          'previous', m.headers -> 'dead_letter'
        )))
        order by m.msg_id
      )
    from unnest($1) as i (receipt)
    join %1$s as m
      on m.msg_id = queue._receipt_msg_id(i.receipt)
      and m.receipt = i.receipt
    where m.message is not null
  $sql$, v_table, case when v_is_fifo then 'm.message_group_id' else 'null::text' end)
  into v_messages, v_groups, v_headers
  using receipts, (settings).name, v_now;

  if v_messages is null then
    return;
  elsif v_target.kind = 'fifo' then
    perform queue._send_fifo(v_target.name, v_messages, v_groups, '0', v_headers);
  else
    perform queue._send_messages(v_target.name, v_messages, '0', v_headers);
  end if;
end
$function$;

comment on function queue._send_dead_letters(queue.queue_settings, bigint[], timestamptz) is
$comment$Copies messages to their dead letter queue; the caller deletes the originals.
receipts: leases that the caller has just taken; tombstones among them are skipped.
retry_at: when to look again at messages whose group in a FIFO dead letter queue an open transaction holds; these get another receipt.
Touches: the queue's table (rows that the caller has locked), advisory locks of groups of the dead letter queue (without waiting), the dead letter queue's table.$comment$;

create function queue.receive_arrays(
  queue              text,
  max_messages       integer default 1,
  visibility_timeout integer default null,
  matching           jsonb default null,
  suspects           integer default null,
  out msg_ids           bigint[],
  out receipts          bigint[],
  out read_cts          integer[],
  out enqueued_ats      timestamptz[],
  out visible_ats       timestamptz[],
  out message_group_ids text[],
  out messages          jsonb[],
  out headers           jsonb[],
  out suspect           bigint
)
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  select r.msg_ids, r.receipts, r.read_cts, r.enqueued_ats, r.visible_ats, r.message_group_ids, r.messages, r.headers,
    r.suspect
  into msg_ids, receipts, read_cts, enqueued_ats, visible_ats, message_group_ids, messages, headers, suspect
  from queue._receive(
    queue._find_queue(receive_arrays.queue, null, 'receive'), receive_arrays.max_messages,
    receive_arrays.visibility_timeout, receive_arrays.matching, receive_arrays.suspects
  ) as r;
end
$function$;

comment on function queue.receive_arrays(text, integer, integer, jsonb, integer) is
$comment$Receives messages of a standard or FIFO queue, as receive() or receive_fifo() does, in one row of arrays rather than one row per message. Clients read one row of five hundred messages in a third of the time.
max_messages, visibility_timeout, matching, suspects: as in receive().
Returns parallel arrays, a suspect first, then the oldest message first. If nothing is ready, msg_ids is empty and the others are null. message_group_ids contains nulls in a standard queue. suspect is the receipt of the suspect, or null.
Errors: OX001 no such queue, OX004 invalid argument or, of a FIFO queue, a transaction that is not read committed, OX007 the queue belongs to a workflow or to Oxbow.
Touches: as receive() and receive_fifo().$comment$;

create function queue.receive_fifo(
  queue              text,
  max_messages       integer default 1,
  visibility_timeout integer default null,
  matching           jsonb default null,
  suspects           integer default null
)
returns setof queue.delivery
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  return query
    select d.msg_id, d.receipt, d.read_ct, d.enqueued_at, d.visible_at, d.message_group_id, d.message, d.headers
    from queue._receive(
      queue._find_queue(receive_fifo.queue, 'fifo', 'receive'), receive_fifo.max_messages,
      receive_fifo.visibility_timeout, receive_fifo.matching, receive_fifo.suspects
    ) as r
    cross join unnest(
      r.msg_ids, r.receipts, r.read_cts, r.enqueued_ats, r.visible_ats, r.message_group_ids, r.messages, r.headers
    ) as d (msg_id, receipt, read_ct, enqueued_at, visible_at, message_group_id, message, headers);
end
$function$;

comment on function queue.receive_fifo(text, integer, integer, jsonb, integer) is
$comment$Receives messages of a FIFO queue: at most the oldest one of each message group, and none while that is in flight or delayed. A message that becomes visible again after its visibility timeout keeps its place. A message that was delivered max_receives times moves to the dead letter queue instead. The cost does not grow with the depth of a group.
Which deliveries count, and which messages are suspects: as in receive(). A suspect keeps its place in its group.
max_messages: 1 to 10000.
visibility_timeout: seconds; null means that of the queue.
matching: receives only messages that contain this JSON (message @> matching); the head of a group that does not is not skipped.
suspects: as in receive().
Returns one row per message, a suspect first, then the oldest first; fewer than max_messages, or none, if no more groups are ready. One call returns at most 64 MiB, or a single larger message.
Errors: OX001 no such queue, OX004 invalid argument or a repeatable read transaction, OX007 not a FIFO queue, or an internal one.
Touches: the queue's table, by its ready index (SKIP LOCKED); queue.suspect; for messages that move to the dead letter queue and for tombstones, advisory locks of groups (without waiting) and the dead letter queue's table.$comment$;

create function queue.redrive(dead_letter_queue text, max_messages integer default 1000)
returns bigint
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_now      constant timestamptz := clock_timestamp();
  v_queue    queue.queue_settings;
  v_take     text;
  v_letters  queue.delivery[];
  v_source   record;
  v_redriven bigint := 0::bigint;
begin
  if redrive.max_messages is null or redrive.max_messages < 1 then
    perform queue._raise('OX004', format('invalid max_messages %s', coalesce(max_messages::text, 'null')), null,
      'Redrive at least one message.');
  end if;
  if redrive.dead_letter_queue = '__topic_dead_letters' then
    return queue._redrive_topic_letters(redrive.max_messages, null);
  end if;

  v_queue := queue._find_queue(redrive.dead_letter_queue);
  v_take := format($sql$
    with letters as materialized (
      select m.msg_id
      from %1$s as m
      where %2$s
        and (m.receipt is null or m.visible_at <= $2 or m.visible_at = 'infinity')
        and (m.message is null or exists (
          select
          from queue.queue as q
          where q.name = m.headers #>> '{dead_letter,queue}'
            and q.dead_letter_queue = $1
            and (
              q.kind = 'standard'
              or length(m.headers #>> '{dead_letter,message_group_id}') between 1 and 512
            )
        ))
      order by m.msg_id
      limit $3
      for update skip locked
    ),
    taken as (
      update %1$s as m
      set receipt = queue._message_receipt(m.msg_id, m.receipt, true)
      from letters
      where m.msg_id = letters.msg_id
      returning row(
        m.msg_id, m.receipt, m.read_ct, m.enqueued_at, m.visible_at, null, m.message, m.headers
      )::queue.delivery as letter
    )
    select array_agg(taken.letter) from taken
  $sql$,
    queue._queue_table(v_queue.name),
    case v_queue.kind when 'fifo' then 'm.head' else 'true' end
  );

  -- In a FIFO queue, each round takes the heads.
  loop
    execute v_take
    into v_letters
    using v_queue.name, v_now, least(redrive.max_messages - v_redriven, 1000);
    exit when v_letters is null;

    for v_source in
      select q.name, q.kind, count(*) as letters,
        array_agg(l.message order by l.msg_id) as messages,
        array_agg(l.headers #>> '{dead_letter,message_group_id}' order by l.msg_id) as group_ids,
        array_agg(
          nullif(
            l.headers - 'dead_letter' || jsonb_strip_nulls(
              jsonb_build_object('dead_letter', l.headers #> '{dead_letter,previous}')
            ),
            '{}'
          )
          order by l.msg_id
        ) as headers
      from unnest(v_letters) as l
      join queue.queue as q on q.name = l.headers #>> '{dead_letter,queue}'
      where l.message is not null
      group by q.name, q.kind
      order by q.name
    loop
      if v_source.kind = 'fifo' then
        perform queue._send_fifo(v_source.name, v_source.messages, v_source.group_ids, '0', v_source.headers);
      else
        perform queue._send_messages(v_source.name, v_source.messages, '0', v_source.headers);
      end if;
      v_redriven := v_redriven + v_source.letters;
    end loop;

    perform queue._delete_messages(
      v_queue, array(select l.receipt from unnest(v_letters) as l), v_now + interval '1 second'
    );
  end loop;
  return v_redriven;
end
$function$;

comment on function queue.redrive(text, integer) is
$comment$Sends dead letters back to the queues that they came from, as new messages without the dead letter header. In a FIFO queue they go to the end of their group, in the order in which they died. For queue __topic_dead_letters, this is redrive_topic_dead_letters(). Letters in flight, and messages that are not dead letters, are skipped.
max_messages: at most this many, oldest first.
Returns how many were sent back.
Errors: OX001 no such queue, OX004 invalid argument, OX007 the queue belongs to a workflow or to Oxbow.
Touches: the dead letter queue's table (rows locked with SKIP LOCKED), the source queues' tables, in the order of their names; advisory locks of groups of FIFO queues (waits).$comment$;

create function queue.send(
  queue         text,
  message       jsonb,
  delay_seconds numeric default 0,
  headers       jsonb default null
)
returns bigint
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_queue    constant queue.queue_settings := queue._find_queue(send.queue, 'standard', 'send');
  v_delay    constant interval := queue._duration(coalesce(send.delay_seconds, 0), 'delay');
  v_messages constant jsonb[] := array[send.message];
  v_headers  constant jsonb[] := array[send.headers];
begin
  perform queue._check_messages(v_messages, v_headers);
  return (queue._send_messages(v_queue.name, v_messages, v_delay, v_headers))[1];
end
$function$;

comment on function queue.send(text, jsonb, numeric, jsonb) is
$comment$Sends a message to a standard queue, in the caller's transaction: consumers can receive it once that commits.
delay_seconds: how long the message stays invisible, with fractions.
headers: a JSON object that describes the message.
Returns the message's id.
Errors: OX001 no such queue, OX004 invalid argument, OX007 not a standard queue, or one of Oxbow's own, OX008 message too large.
Touches: the queue's table; NOTIFY only if a consumer listens.$comment$;

create function queue._check_messages(messages jsonb[], headers jsonb[])
returns void
language plpgsql
stable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_max_bytes   constant integer := 16777216;
  v_size        integer;
  v_are_objects boolean;
begin
  if messages is null then
    perform queue._raise('OX004', 'messages are null', null, 'To send nothing, pass an empty array.');
  end if;
  if array_ndims(messages) > 1 then
    perform queue._raise('OX004', 'messages are an array of arrays', null,
      'Pass an array with one element per message.');
  end if;
  if cardinality(headers) <> cardinality(messages) then
    perform queue._raise(
      'OX004',
      format('%s headers for %s messages', cardinality(headers), cardinality(messages)),
      null,
      'Pass no headers, or one element per message.'
    );
  end if;
  if array_position(messages, null) is not null then
    perform queue._raise('OX004', 'message is null', null, 'For an empty message, send JSON null or {}.');
  end if;
  -- The history of a dead letter comes on top of a valid message, and must not prevent its move.
  select
    max(
      pg_column_size(i.message)
        + case jsonb_typeof(i.headers)
          when 'object' then coalesce(pg_column_size(nullif(i.headers - 'dead_letter', '{}')), 0)
          else 0
        end
    ),
    bool_and(jsonb_typeof(i.headers) = 'object')
  into v_size, v_are_objects
  from unnest(messages, headers) as i (message, headers);
  if not v_are_objects then
    perform queue._raise('OX004', 'headers are not a JSON object', null, 'Pass headers as {"name": value}, or null.');
  end if;
  if v_size > v_max_bytes then
    perform queue._raise(
      'OX008',
      format('message of %s bytes is too large', v_size),
      format('A message with its headers has at most %s bytes.', v_max_bytes),
      'Store large data elsewhere, and send a reference to it.'
    );
  end if;
end
$function$;

comment on function queue._check_messages(jsonb[], jsonb[]) is
$comment$Checks messages before a send writes anything.
headers: null, or one element per message. The history of a dead letter in them does not count as size.
Errors: OX004 invalid argument, OX008 too large.
Touches: nothing.$comment$;

create function queue._deduplicate(queue text, deduplication_id text)
returns bigint
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_now    constant timestamptz := clock_timestamp();
  v_msg_id bigint;
begin
  insert into queue.deduplication as d (queue_name, deduplication_id, expires_at, msg_id)
  values (_deduplicate.queue, _deduplicate.deduplication_id, v_now + interval '5 minutes', 0)
  on conflict on constraint deduplication_pkey do update
  set expires_at = excluded.expires_at
  where d.expires_at <= v_now;

  if not found then
    select d.msg_id
    into v_msg_id
    from queue.deduplication as d
    where d.queue_name = _deduplicate.queue
      and d.deduplication_id = _deduplicate.deduplication_id;
    return v_msg_id;
  end if;

  -- Each insert deletes two expired ids, so that the table shrinks to the live ones.
  with expired as materialized (
    select d.queue_name, d.deduplication_id
    from queue.deduplication as d
    where d.expires_at <= v_now
    order by d.expires_at
    limit 2
    for update skip locked
  )
  delete from queue.deduplication as d
  using expired
  where d.queue_name = expired.queue_name
    and d.deduplication_id = expired.deduplication_id;
  return null;
end
$function$;

comment on function queue._deduplicate(text, text) is
$comment$Returns the message that was sent with this deduplication id in the last 5 minutes, and otherwise records the id; the caller then records the message. Of two concurrent transactions with the same id, the second waits for the first.
Returns the message's id; null if there is none.
Touches: queue.deduplication: the id's row, and two expired ones.$comment$;

create function queue._send_fifo(
  queue             text,
  messages          jsonb[],
  message_group_ids text[],
  delay             interval,
  headers           jsonb[]
)
returns bigint[]
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
set plan_cache_mode = force_generic_plan
set jit = off
as $function$
declare
  v_is_current constant boolean := current_setting('transaction_isolation') = 'read committed';
  v_began_at   timestamptz;
  v_msg_ids    bigint[];
  v_groups     text[];
  v_heads      bigint[];
  v_least_id   bigint;
  v_has_marks  boolean;
begin
  if current_setting('oxbow.ids_are_ahead', true) is distinct from 'on' then
    perform queue._skip_lost_ids();
  end if;
  perform queue._lock_groups(_send_fifo.queue, message_group_ids);
  perform pg_current_xact_id();  -- before the clock: see _advance_ready_mark()
  v_began_at := clock_timestamp();

  execute format('select * from queue.%I($1, $2, $3, $4, $5)', '_send_q_' || _send_fifo.queue)
  into v_msg_ids, v_groups, v_heads, v_least_id, v_has_marks
  using messages, message_group_ids, delay, headers, v_is_current;

  -- If the mark of the queue is near, few entries are read in any group.
  if v_heads is not null then
    perform queue._mark_groups(
      _send_fifo.queue, v_groups, v_heads, v_has_marks,
      clock_timestamp() - v_began_at
          > interval '250 microseconds' + cardinality(messages) * interval '25 microseconds'
        and v_heads[1] - coalesce(v_least_id, 0) > 20000
    );
  end if;

  -- A snapshot older than the lock does not show whether a group has a head: the next receive finds out.
  if not v_is_current then
    execute format($sql$
      insert into %1$s (msg_id, visible_at, enqueued_at, head, message_group_id)
      overriding system value
      select -min(i.msg_id), clock_timestamp(), clock_timestamp(), true, i.message_group_id
      from unnest($1, $2) as i (msg_id, message_group_id)
      group by i.message_group_id
    $sql$, queue._queue_table(_send_fifo.queue))
    using v_msg_ids, message_group_ids;
  end if;
  perform queue._wake('queue_' || _send_fifo.queue);
  return v_msg_ids;
end
$function$;

comment on function queue._send_fifo(text, jsonb[], text[], interval, jsonb[]) is
$comment$Appends messages to their groups.
messages, message_group_ids, headers: parallel arrays with one element per message; headers may be null.
Returns the message ids, in order.
Touches: the groups' advisory locks (waits); the queue's table, by its indexes of heads and of waiting messages, from the marks of the queue and of the group on; queue.group_mark if the search took long or groups have marks; NOTIFY only if a consumer listens.$comment$;

create function queue._send_messages(queue text, messages jsonb[], delay interval, headers jsonb[])
returns bigint[]
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $function$
declare
  v_msg_ids bigint[];
begin
  if current_setting('oxbow.ids_are_ahead', true) is distinct from 'on' then
    perform queue._skip_lost_ids();
  end if;
  perform pg_current_xact_id();  -- before the clock: see _advance_ready_mark()

  execute format('select queue.%I($1, $2, $3)', '_send_q_' || _send_messages.queue)
  into v_msg_ids
  using messages, delay, headers;

  if v_msg_ids is not null then
    perform queue._wake('queue_' || _send_messages.queue);
  end if;
  return v_msg_ids;
end
$function$;

comment on function queue._send_messages(text, jsonb[], interval, jsonb[]) is
$comment$Appends messages to a standard queue.
headers: null, or one element per message.
Returns the message ids, in order; null if there is no message.
Touches: the queue's table; NOTIFY only if a consumer listens, once for all.$comment$;

create function queue.send_batch(
  queue         text,
  messages      jsonb[],
  delay_seconds numeric default 0,
  headers       jsonb[] default null
)
returns setof bigint
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_queue constant queue.queue_settings := queue._find_queue(send_batch.queue, 'standard', 'send');
  v_delay constant interval := queue._duration(coalesce(send_batch.delay_seconds, 0), 'delay');
begin
  perform queue._check_messages(send_batch.messages, send_batch.headers);
  return query select unnest(queue._send_messages(v_queue.name, send_batch.messages, v_delay, send_batch.headers));
end
$function$;

comment on function queue.send_batch(text, jsonb[], numeric, jsonb[]) is
$comment$Sends many messages to a standard queue in one statement, in the caller's transaction.
delay_seconds: how long the messages stay invisible, with fractions.
headers: null, or one JSON object or null per message.
Returns the messages' ids, in order.
Errors: OX001 no such queue, OX004 invalid argument, OX007 not a standard queue, or one of Oxbow's own, OX008 message too large.
Touches: the queue's table; NOTIFY only if a consumer listens, once for all.$comment$;

create function queue.send_fifo(
  queue            text,
  message          jsonb,
  message_group_id text,
  deduplication_id text default null,
  delay_seconds    numeric default 0,
  headers          jsonb default null
)
returns bigint
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_queue  constant queue.queue_settings := queue._find_queue(send_fifo.queue, 'fifo', 'send');
  v_delay  constant interval := queue._duration(coalesce(send_fifo.delay_seconds, 0), 'delay');
  v_groups constant text[] := array[send_fifo.message_group_id];
  v_msg_id bigint;
begin
  perform queue._check_messages(array[send_fifo.message], array[send_fifo.headers]);
  perform queue._check_id(send_fifo.message_group_id, 'message group id');

  if send_fifo.deduplication_id is not null then
    perform queue._check_id(send_fifo.deduplication_id, 'deduplication id');
    -- Before the id is looked up, so that senders to one group wait here and not in two places.
    perform queue._lock_groups(v_queue.name, v_groups);
    v_msg_id := queue._deduplicate(v_queue.name, send_fifo.deduplication_id);
    if v_msg_id is not null then
      return v_msg_id;
    end if;
  end if;

  v_msg_id := (queue._send_fifo(v_queue.name, array[send_fifo.message], v_groups, v_delay, array[send_fifo.headers]))[1];

  if send_fifo.deduplication_id is not null then
    update queue.deduplication as d
    set msg_id = v_msg_id
    where d.queue_name = v_queue.name
      and d.deduplication_id = send_fifo.deduplication_id;
  end if;
  return v_msg_id;
end
$function$;

comment on function queue.send_fifo(text, jsonb, text, text, numeric, jsonb) is
$comment$Sends a message to a FIFO queue, in the caller's transaction. Within a message group, messages are received in the order in which their transactions committed: senders to the same group wait for each other's transactions.
message_group_id: 1 to 512 characters; messages with the same one keep their order.
deduplication_id: a second message with the same id in the same queue within 5 minutes is not sent.
delay_seconds: how long the message stays invisible, with fractions; messages behind it in its group wait too.
headers: a JSON object that describes the message.
Returns the message's id, or that of the first message with the deduplication id.
Errors: OX001 no such queue, OX004 invalid argument, OX007 not a FIFO queue, or one of Oxbow's own, OX008 message too large; 40P01 a deadlock with another transaction that sends to several groups, or that acknowledges messages before it sends to this queue, because groups share locks. Repeat the transaction that failed.
Touches: the group's advisory lock until the transaction ends (waits), queue.deduplication if there is a deduplication id, the queue's table; NOTIFY only if a consumer listens.$comment$;

create function queue.wake_key(channel text)
returns bigint
language sql
as $function$
  select pg_catalog.hashtextextended('oxbow:' operator(pg_catalog.||) channel, 0)
$function$;

comment on function queue.wake_key(text) is
$comment$Returns the key of the advisory lock by which a listener asks for notifications.
Senders call NOTIFY only if a session holds this lock in shared mode, so a listener takes it after LISTEN: select pg_advisory_lock_shared(queue.wake_key('queue_orders')).
channel: the channel that the session listens on; queue_<name> for a queue.
Returns the key.
Touches: nothing.$comment$;

create function queue.delete_topic_dead_letters(letter_ids bigint[])
returns setof bigint
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $function$
begin
  perform queue._ensure_migrated();
  if to_regclass('queue.q___topic_dead_letters') is null then
    return;
  end if;
  return query execute format($sql$
    with letters as materialized (
      select m.msg_id
      from %1$s as m
      where m.msg_id = any ($1)
      order by m.msg_id
      for update
    )
    delete from %1$s as m
    using letters
    where m.msg_id = letters.msg_id
    returning m.msg_id
  $sql$, queue._queue_table('__topic_dead_letters'))
  using delete_topic_dead_letters.letter_ids;
end
$function$;

comment on function queue.delete_topic_dead_letters(bigint[]) is
$comment$Deletes dead letters of topics for good.
letter_ids: as returned by topic_dead_letters(); ids that no longer exist are skipped.
Returns the ids that were deleted, in no order.
Touches: the table of queue __topic_dead_letters, rows by id, locked in their order.$comment$;

create function queue._abandon_deliveries(receipts bigint[], reasons text[])
returns bigint[]
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $function$
declare
  v_now      constant timestamptz := clock_timestamp();
  v_queue    constant queue.queue_settings := queue._internal_queue('__http');
  v_table    constant regclass := queue._queue_table(v_queue.name);
  v_held     constant bigint[] := (select h.held from queue._lock_messages(v_table, _abandon_deliveries.receipts) as h);
  v_messages jsonb[];
  v_headers  jsonb[];
begin
  if v_held is null then
    return v_held;
  end if;
  execute format($sql$
    select array_agg(m.message order by m.msg_id),
      array_agg(
        m.headers - array['subscription_id', 'url']
          || jsonb_build_object(
            'webhook_id', queue._webhook_id(m.headers, m.enqueued_at, m.msg_id),
            'dead_letter', jsonb_strip_nulls(jsonb_build_object(
              'topic', m.headers -> 'topic',
              'subscription_id', case
                when m.headers ->> 'subscription_id' ~ '^[0-9]{1,18}$' then (m.headers ->> 'subscription_id')::bigint
              end,
              'target_type', 'http',
              'target', m.headers -> 'url',
              'reason', left(i.reason, 1000),
              'attempts', m.read_ct,
              'msg_id', m.msg_id,
              'dead_lettered_at', $3
            ))
          )
        order by m.msg_id
      )
    from unnest($1, $2) as i (receipt, reason)
    join %1$s as m
      on m.msg_id = queue._receipt_msg_id(i.receipt)
      and m.receipt = i.receipt
    where m.receipt = any ($4)
  $sql$, v_table)
  into v_messages, v_headers
  using _abandon_deliveries.receipts, _abandon_deliveries.reasons, v_now, v_held;

  perform queue._send_messages('__topic_dead_letters', v_messages, '0', v_headers);
  return queue._delete_messages(v_queue, v_held, v_now + interval '1 second');
end
$function$;

comment on function queue._abandon_deliveries(bigint[], text[]) is
$comment$Moves deliveries from queue __http to the dead letters of topics.
receipts: as returned by deliveries_receive(); dead ones are skipped.
reasons: one per receipt.
Returns the receipts that were alive; null if there were none.
Touches: the table of queue __http, rows by receipt, locked in the order of message ids; as _delete_messages(); the table of queue __topic_dead_letters.$comment$;

create function queue._topic_matches(pattern text, topic text)
returns boolean
language sql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
  -- Each word includes the dot before it, so that "#" can match no word at all.
  select '.' || _topic_matches.topic ~ (
    select '^' || string_agg(
        case w.word
          when '*' then '[.][^.]+'
          when '#' then '([.][^.]+)*'
          else '[.]' || regexp_replace(w.word, '[][().*+?^$|\\{}]', '\\\&', 'g')
        end,
        '' order by w.position
      ) || '$'
    from string_to_table(_topic_matches.pattern, '.') with ordinality as w (word, position)
  ) collate "C"
$function$;

comment on function queue._topic_matches(text, text) is
$comment$Returns whether a topic matches one pattern. _subscriptions_for() finds the matching patterns among many.
Returns true or false; null if either is null.
Touches: nothing.$comment$;

create function queue._webhook_id(headers jsonb, published_at timestamptz, msg_id bigint)
returns text
language sql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
  -- A restored database draws the same numbers again, but not in the same millisecond.
  select case
    when _webhook_id.headers ->> 'webhook_id' ~ '^[A-Za-z0-9_.:-]{1,128}$' then _webhook_id.headers ->> 'webhook_id'
    else format(
      'msg_%s_%s', to_hex(trunc(extract(epoch from _webhook_id.published_at) * 1000)::bigint), _webhook_id.msg_id
    )
  end
$function$;

comment on function queue._webhook_id(jsonb, timestamptz, bigint) is
$comment$Returns the header webhook-id of a delivery: the same at each attempt and after a redrive, so that receivers recognize a repeated delivery.
headers: of the message; publishers may choose the id as "webhook_id".
Returns the id.
Touches: nothing.$comment$;

create function queue.deliveries_give_back(receipts bigint[], delay_seconds numeric default 0)
returns setof bigint
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  return query
    select g.receipt
    from unnest(queue._give_back(
      queue._internal_queue('__http'), deliveries_give_back.receipts, deliveries_give_back.delay_seconds
    )) as g (receipt);
end
$function$;

comment on function queue.deliveries_give_back(bigint[], numeric) is
$comment$For servers: gives back deliveries that were not attempted. They do not count as attempts.
receipts: as returned by deliveries_receive().
delay_seconds: how long until another server can receive them, with fractions.
Returns the receipts that were alive, in no order.
Errors: OX001 no url has been subscribed yet, OX004 invalid argument.
Touches: as give_back_batch(), queue __http.$comment$;

create function queue.deliveries_receive(
  max_deliveries     integer default 1,
  visibility_timeout integer default null
)
returns setof queue.url_delivery
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
as $function$
declare
  v_received   record;
  v_deliveries queue.url_delivery[];
  v_refused    bigint[];
  v_reasons    text[];
begin
  if to_regclass('queue.q___http') is null then
    return;
  end if;
  select r.msg_ids, r.receipts, r.read_cts, r.enqueued_ats, r.messages, r.headers
  into v_received
  from queue._receive(queue._internal_queue('__http'), max_deliveries, visibility_timeout, null, 0) as r;
  if cardinality(v_received.msg_ids) = 0 then
    return;
  end if;

  select
    array_agg(
      row(
        d.msg_id, d.receipt, d.read_ct, d.enqueued_at, d.subscription_id, d.target, d.headers ->> 'topic',
        queue._webhook_id(d.headers, d.enqueued_at, d.msg_id), coalesce(d.options ->> 'format', 'plain'),
        (d.options -> 'concurrency')::integer, d.message,
        d.headers - array['subscription_id', 'url', 'topic', 'webhook_id']
      )::queue.url_delivery
      order by d.position
    ) filter (where d.problem is null),
    array_agg(d.receipt) filter (where d.problem is not null),
    array_agg(d.problem) filter (where d.problem is not null)
  into v_deliveries, v_refused, v_reasons
  from (
    select i.*, s.subscription_id, s.target, s.options,
      case
        when s.subscription_id is null then 'the subscription does not exist'
        when s.target_type <> 'http' or s.target is distinct from i.headers ->> 'url' then
          'the subscription has another url'
        when queue._topic_matches(s.pattern, i.headers ->> 'topic') is not true
          or (s.filter is not null and not i.message @> s.filter) then
          'the subscription does not match the message'
        when s.disabled_at is not null then format('the subscription is disabled: %s', s.disabled_reason)
      end as problem
    from unnest(
      v_received.msg_ids, v_received.receipts, v_received.read_cts, v_received.enqueued_ats, v_received.messages,
      v_received.headers
    ) with ordinality as i (msg_id, receipt, read_ct, enqueued_at, message, headers, position)
    left join queue.subscription as s
      on s.subscription_id = case
        when i.headers ->> 'subscription_id' ~ '^[0-9]{1,18}$' then (i.headers ->> 'subscription_id')::bigint
      end
  ) as d;

  if v_refused is not null then
    perform queue._abandon_deliveries(v_refused, v_reasons);
  end if;
  return query
    select d.msg_id, d.receipt, d.read_ct, d.enqueued_at, d.subscription_id, d.url, d.topic, d.webhook_id, d.format,
      d.concurrency, d.message, d.headers
    from unnest(v_deliveries) as d;
end
$function$;

comment on function queue.deliveries_receive(integer, integer) is
$comment$For servers: receives messages that topics have queued for urls. Each is checked against the row of its subscription: the subscription must exist, be enabled, have the url for which the message was queued, and match topic and message. A message that fails the check becomes a dead letter with the reason, and is not returned.
max_deliveries: 1 to 10000. visibility_timeout: seconds; null means 30.
Returns a row for each delivery, oldest first. Each is settled by deliveries_succeeded(), delivery_retry(), delivery_abandon() or deliveries_give_back().
Errors: OX004 invalid argument, or a transaction that is not read committed.
Touches: as receive_fifo(), queue __http; reads queue.subscription; the table of queue __topic_dead_letters for messages that fail the check.$comment$;

create function queue.deliveries_succeeded(subscription_ids bigint[], receipts bigint[])
returns setof bigint
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  with failing as materialized (
    select s.subscription_id
    from queue.subscription as s
    where s.subscription_id = any (subscription_ids)
      and s.failing_since is not null
      and s.disabled_at is null
    order by s.subscription_id
    for no key update
  )
  update queue.subscription as s
  set failing_since = null
  from failing
  where s.subscription_id = failing.subscription_id
    and s.disabled_at is null;
  return query
    select d.receipt
    from unnest(queue._delete_messages(queue._internal_queue('__http'), receipts, clock_timestamp())) as d (receipt);
end
$function$;

comment on function queue.deliveries_succeeded(bigint[], bigint[]) is
$comment$For servers: deletes deliveries that their urls have accepted, and records that the subscriptions work.
receipts: as returned by deliveries_receive(). Deliveries whose receipt is dead are delivered again.
Returns the receipts that were alive, in no order.
Errors: OX001 no url has been subscribed yet.
Touches: queue.subscription, rows that were failing, in the order of their ids; as delete_batch(), queue __http.$comment$;

create function queue.delivery_abandon(receipt bigint, reason text)
returns boolean
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  return queue._abandon_deliveries(array[delivery_abandon.receipt], array[coalesce(reason, 'unknown')]) is not null;
end
$function$;

comment on function queue.delivery_abandon(bigint, text) is
$comment$For servers: moves a delivery to the dead letters: see topic_dead_letters().
receipt: as returned by deliveries_receive().
reason: the last failure; at most 1000 characters are kept.
Returns true; false if the receipt is dead.
Errors: OX001 no url has been subscribed yet.
Touches: queue __http, as delete_batch(); the table of queue __topic_dead_letters.$comment$;

create function queue.delivery_failed(subscription_id bigint, reason text, disable_after interval default null)
returns boolean
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_now      constant timestamptz := clock_timestamp();
  v_topic    constant text := 'oxbow.subscription.disabled';
  v_message  jsonb;
  v_disabled record;
begin
  perform queue._ensure_migrated();
  -- Only the first failure after a success is recorded, so a failing target costs no writes.
  update queue.subscription as s
  set failing_since = v_now
  where s.subscription_id = delivery_failed.subscription_id
    and s.failing_since is null;

  update queue.subscription as s
  set disabled_at = v_now, disabled_reason = left(coalesce(delivery_failed.reason, 'unknown'), 1000)
  where s.subscription_id = delivery_failed.subscription_id
    and s.disabled_at is null
    and s.failing_since <= v_now - delivery_failed.disable_after
  returning s.pattern, s.target, s.failing_since, s.disabled_at, s.disabled_reason
  into v_disabled;
  if found then
    v_message := jsonb_build_object(
      'subscription_id', delivery_failed.subscription_id, 'pattern', v_disabled.pattern, 'target', queue._masked_url(v_disabled.target),
      'failing_since', v_disabled.failing_since, 'disabled_at', v_disabled.disabled_at,
      'reason', v_disabled.disabled_reason
    );
    perform queue._publish(v_topic, v_message, null, queue._subscriptions_for(v_topic, v_message));
    return true;
  end if;

  return exists (
    select
    from queue.subscription as s
    where s.subscription_id = delivery_failed.subscription_id
      and s.disabled_at is not null
  );
end
$function$;

comment on function queue.delivery_failed(bigint, text, interval) is
$comment$For servers: records that a delivery to the url of a subscription failed, and disables the subscription if none has succeeded for a long time. Disabling publishes a message to the topic oxbow.subscription.disabled, with subscription_id, pattern, target, failing_since, disabled_at and reason. Messages for a disabled subscription become dead letters until enable_subscription().
reason: the response of the url.
disable_after: how long after the first of the consecutive failures to disable; null never disables.
Returns true if the subscription is disabled, which makes another attempt pointless.
Touches: queue.subscription, at the first of the consecutive failures and when disabling; then as send_topic().$comment$;

create function queue.delivery_retry(receipt bigint, delay_seconds numeric)
returns boolean
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  return queue._change_visibility(queue._internal_queue('__http'), array[delivery_retry.receipt], delay_seconds, false) is not null;
end
$function$;

comment on function queue.delivery_retry(bigint, numeric) is
$comment$For servers: attempts a delivery again later. This attempt counts.
receipt: as deliveries_receive() returned it. delay_seconds: from now, with fractions.
Returns true; false if the receipt is dead.
Errors: OX001 no url has been subscribed yet, OX004 invalid argument.
Touches: as change_visibility_batch(), queue __http.$comment$;

create function queue.enable_subscription(id bigint)
returns boolean
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  perform queue._ensure_migrated();
  update queue.subscription as s
  set failing_since = null, disabled_at = null, disabled_reason = null
  where s.subscription_id = enable_subscription.id;
  return found;
end
$function$;

comment on function queue.enable_subscription(bigint) is
$comment$Enables a subscription that was disabled because its url kept failing: it receives messages published after the commit. redrive_topic_dead_letters() delivers the dead letters from before. Enabling an enabled subscription changes nothing.
Returns true; false if the subscription does not exist.
Touches: queue.subscription.$comment$;

create function queue.get_subscription(id bigint)
returns setof queue.subscription_info
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  if get_subscription.id is not null then
    return query select s.* from queue._subscriptions(null, get_subscription.id) as s;
  end if;
end
$function$;

comment on function queue.get_subscription(bigint) is
$comment$Reads a subscription.
id: as returned by subscribe().
Returns its row of list_subscriptions(); no row if the subscription does not exist.
Errors: OX006 the tables are older than the functions.
Touches: nothing; reads queue.subscription.$comment$;

create function queue.list_subscriptions(pattern text default null)
returns setof queue.subscription_info
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  return query select s.* from queue._subscriptions(list_subscriptions.pattern, null) as s;
end
$function$;

comment on function queue.list_subscriptions(text) is
$comment$Lists subscriptions, oldest first, without those of steps that wait for a message.
pattern: lists subscriptions with exactly this pattern; null lists all.
Returns one row per subscription. target: a password in a url is masked except for oxbow_admin. failing_since: time of the first of the consecutive failures of a url. disabled_at, disabled_reason: since when and why nothing is delivered: see enable_subscription().
Errors: OX006 the tables are older than the functions.
Touches: nothing; reads queue.subscription.$comment$;

create function queue._map_message(
  options     jsonb,
  message     jsonb,
  out input   jsonb,
  out key     text,
  out problem text
)
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_missing text[];
begin
  input := message;
  if options = '{}' then
    return;
  end if;

  if options ? 'input' then
    select coalesce(jsonb_object_agg(i.name, i.value) filter (where i.value is not null), '{}'),
      array_agg(distinct i.path order by i.path) filter (where i.value is null)
    into input, v_missing
    from (
      select e.key as name, e.value #>> '{}' as path,
        case jsonb_typeof(e.value)
          when 'object' then e.value -> 'const'
          else queue._at_path(message, e.value #>> '{}')
        end as value
      from jsonb_each(options -> 'input') as e
    ) as i;
  end if;

  if options ? 'once_for' then
    select jsonb_object_agg(o.path, o.value) filter (where o.value is not null)::text,
      coalesce(v_missing, '{}') || array_agg(o.path order by o.path) filter (where o.value is null and o.path <> all (coalesce(v_missing, '{}')))
    into key, v_missing
    from (
      select p.path, queue._at_path(message, p.path) as value
      from jsonb_array_elements_text(options -> 'once_for') as p (path)
    ) as o;
    if length(key) > 512 then
      key := encode(sha256(convert_to(key, 'UTF8')), 'hex');
    end if;
  elsif options ? 'group' then
    key := queue._at_path(message, options ->> 'group') #>> '{}';
    if key is null or key = '' then
      v_missing := array[options ->> 'group'];
    elsif length(key) > 512 then
      key := encode(sha256(convert_to(key, 'UTF8')), 'hex');
    end if;
  end if;

  if v_missing <> '{}' then
    problem := format('the message has no value at "%s"', array_to_string(v_missing, '", "'));
  end if;
end
$function$;

comment on function queue._map_message(jsonb, jsonb) is
$comment$Applies the options of a subscription to a message.
options: of the subscription.
Returns the input of a run; key, which is the idempotency key by once_for or the message group by group (a digest if it is longer than 512 characters); and problem, the reason why the subscription cannot take the message, null if it can.
Touches: nothing.$comment$;

create function queue._publish(topic text, message jsonb, headers jsonb, subscriptions bigint[])
returns integer
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_headers  constant jsonb := coalesce(headers, '{}') || jsonb_build_object('topic', topic);
  v_target   record;
  v_failures jsonb := jsonb_build_array();
  v_reached  integer := 0;
begin
  for v_target in
    select s.target_type, s.target,
      array_agg(s.subscription_id order by s.subscription_id) filter (where d.problem is null) as ids,
      array_agg(s.options order by s.subscription_id) filter (where d.problem is null) as options,
      array_agg(d.input order by s.subscription_id) filter (where d.problem is null) as inputs,
      array_agg(d.key order by s.subscription_id) filter (where d.problem is null) as keys,
      jsonb_agg(
        jsonb_build_object(
          'subscription_id', s.subscription_id, 'target_type', s.target_type, 'target', s.target,
          'reason', d.problem, 'strict', s.disabled_at is null and coalesce((s.options -> 'strict')::boolean, false)
        )
        order by s.subscription_id
      ) filter (where d.problem is not null) as failures
    from queue.subscription as s
    cross join lateral queue._map_message(s.options, message) as m
    cross join lateral (
      select m.input, m.key, case
          when s.disabled_at is null then m.problem
          else format('the subscription is disabled: %s', s.disabled_reason)
        end as problem
    ) as d
    where s.subscription_id = any (subscriptions)
    group by s.target_type, s.target
    order by s.target_type, s.target
  loop
    v_failures := v_failures || coalesce(v_target.failures, '[]');
    continue when v_target.ids is null;
    case v_target.target_type
      when 'queue' then
        perform queue._publish_to_queue(v_target.target, topic, message, v_headers, v_target.keys, v_target.options);
      when 'http' then
        perform queue._publish_to_url(v_target.target, message, v_headers, v_target.ids, v_target.keys, v_target.options);
      when 'run' then
        perform queue._publish_to_run(v_target.target::bigint, message, v_target.options);
      when 'workflow' then
        perform queue._publish_to_workflow(v_target.target, v_target.inputs, v_target.keys, v_target.options, v_headers);
    end case;
    v_reached := v_reached + cardinality(v_target.ids);
  end loop;

  if v_failures <> '[]' then
    perform queue._send_topic_dead_letters(topic, message, v_headers, v_failures);
  end if;
  return v_reached;
end
$function$;

comment on function queue._publish(text, jsonb, jsonb, bigint[]) is
$comment$Delivers a message of a topic to subscriptions. For disabled ones it becomes a dead letter.
Targets are taken in the order of their names, so that two publishers that wait for groups of FIFO queues don't deadlock.
Returns how many subscriptions it reached.
Errors: OX004 a strict subscription cannot take the message.
Touches: reads queue.subscription; then as send_topic().$comment$;

create function queue._publish_to_queue(
  queue   text,
  topic   text,
  message jsonb,
  headers jsonb,
  groups  text[],
  options jsonb[]
)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_kind  constant text := (queue._find_queue(_publish_to_queue.queue)).kind;
  v_batch record;
begin
  for v_batch in
    select coalesce((i.options ->> 'delay_seconds')::numeric, 0) as delay_seconds,
      array_agg(_publish_to_queue.message) as messages,
      array_agg(coalesce(i.message_group_id, _publish_to_queue.topic)) as message_group_ids,
      array_agg(_publish_to_queue.headers) as headers
    from unnest(_publish_to_queue.groups, _publish_to_queue.options) as i (message_group_id, options)
    group by 1
    order by 1
  loop
    if v_kind = 'fifo' then
      perform queue._send_fifo(
        _publish_to_queue.queue, v_batch.messages, v_batch.message_group_ids,
        make_interval(secs => v_batch.delay_seconds::double precision), v_batch.headers
      );
    else
      perform queue._send_messages(
        _publish_to_queue.queue, v_batch.messages, make_interval(secs => v_batch.delay_seconds::double precision),
        v_batch.headers
      );
    end if;
  end loop;
end
$function$;

comment on function queue._publish_to_queue(text, text, jsonb, jsonb, text[], jsonb[]) is
$comment$Sends a message of a topic to a queue, once per subscription.
groups, options: one element per subscription; a null group means the topic.
Touches: as send_batch() or _send_fifo().$comment$;

create function queue._publish_to_run(run_id bigint, message jsonb, options jsonb[])
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  -- Not a signal yet: a signal locks the run, in an order that a publish cannot keep.
  insert into queue.workflow_inbox (run_id, event, payload)
  select _publish_to_run.run_id, o.options ->> 'event', message
  from unnest(_publish_to_run.options) as o (options);
  perform queue._wake_workflows(array[run_id]);
end
$function$;

comment on function queue._publish_to_run(bigint, jsonb, jsonb[]) is
$comment$Puts a message of a topic into the inbox of a run that waits for it.
options: of its subscriptions, one per waiting step.
Touches: queue.workflow_inbox; as _wake().$comment$;

create function queue._publish_to_url(
  url              text,
  message          jsonb,
  headers          jsonb,
  subscription_ids bigint[],
  groups           text[],
  options          jsonb[]
)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  if (select i.state from queue.own_incarnation as i) = 'sandbox' then
    insert into queue.captured_delivery (captured_at, subscription_id, url, message, headers)
    select clock_timestamp(), i.subscription_id, _publish_to_url.url, _publish_to_url.message,
      _publish_to_url.headers || jsonb_build_object('subscription_id', i.subscription_id, 'url', url)
    from unnest(subscription_ids) as i (subscription_id)
    order by i.subscription_id;
    return;
  end if;
  perform queue._send_fifo(
    '__http',
    array_agg(_publish_to_url.message order by i.subscription_id),
    array_agg(
      case
        when i.options -> 'ordered' = 'true' then i.subscription_id::text
        when i.message_group_id is null then gen_random_uuid()::text
        else i.subscription_id || ':' || i.message_group_id
      end
      order by i.subscription_id
    ),
    '0',
    array_agg(
      _publish_to_url.headers || jsonb_build_object('subscription_id', i.subscription_id, 'url', url)
      order by i.subscription_id
    )
  )
  from unnest(subscription_ids, groups, options) as i (subscription_id, message_group_id, options);
end
$function$;

comment on function queue._publish_to_url(text, jsonb, jsonb, bigint[], text[], jsonb[]) is
$comment$Queues http deliveries, one per subscription; in a sandbox, captures them instead. Each is a separate message group, so a failing delivery blocks no other one, unless the subscription is ordered or has groups. The server takes all other options from the subscription: see deliveries_receive().
groups, options: one element per subscription; a null group means no order, unless the options contain ordered.
Touches: as _send_fifo(), queue __http; in a sandbox, queue.captured_delivery.$comment$;

create function queue._publish_to_workflow(
  name    text,
  inputs  jsonb[],
  keys    text[],
  options jsonb[],
  headers jsonb
)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_trace constant jsonb := (
    select jsonb_object_agg(h.key, h.value)
    from jsonb_each(headers) as h (key, value)
    where h.key in ('traceparent', 'tracestate')
  );
begin
  perform queue.workflow_start_batch(
    _publish_to_workflow.name,
    _publish_to_workflow.inputs,
    versions => array(select (o.options ->> 'version')::integer from unnest(_publish_to_workflow.options) as o (options)),
    idempotency_keys => _publish_to_workflow.keys,
    retention_days => array(
      select (o.options ->> 'retention_days')::integer from unnest(_publish_to_workflow.options) as o (options)
    ),
    delay_seconds => array(
      select (o.options ->> 'delay_seconds')::numeric from unnest(_publish_to_workflow.options) as o (options)
    ),
    tags => array(select o.options -> 'tags' from unnest(_publish_to_workflow.options) as o (options)),
    traces => case
      when v_trace is not null then array_fill(v_trace, array[cardinality(_publish_to_workflow.inputs)])
    end
  );
end
$function$;

comment on function queue._publish_to_workflow(text, jsonb[], text[], jsonb[], jsonb) is
$comment$Starts runs of a workflow, one per subscription, unless a run with the key exists.
inputs, keys, options: parallel arrays with one element per subscription.
headers: of the message; the runs continue its trace.
Touches: as workflow_start_batch().$comment$;

create function queue._redrive_topic_letters(max_messages bigint, subscription_id bigint)
returns bigint
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_now      constant timestamptz := clock_timestamp();
  v_message  jsonb;
  v_headers  jsonb;
  v_redriven bigint := 0::bigint;
begin
  for v_message, v_headers in
    execute format($sql$
      with letters as materialized (
        select m.msg_id
        from %1$s as m
        where (m.receipt is null or m.visible_at <= $1)
          and ($3 is null or m.headers #> '{dead_letter,subscription_id}' = to_jsonb($3))
          and exists (
            select
            from queue.subscription as s
            where s.subscription_id = (m.headers #>> '{dead_letter,subscription_id}')::bigint
              and s.disabled_at is null
          )
        order by m.msg_id
        limit $2
        for update skip locked
      )
      delete from %1$s as m
      using letters
      where m.msg_id = letters.msg_id
      returning m.message, m.headers
    $sql$, queue._queue_table('__topic_dead_letters'))
    using v_now, max_messages, _redrive_topic_letters.subscription_id
  loop
    v_redriven := v_redriven + queue._publish(
      v_headers #>> '{dead_letter,topic}',
      v_message,
      v_headers - 'dead_letter',
      array[(v_headers #>> '{dead_letter,subscription_id}')::bigint]
    );
  end loop;
  return v_redriven;
end
$function$;

comment on function queue._redrive_topic_letters(bigint, bigint) is
$comment$Publishes dead letters of topics again: see redrive_topic_dead_letters().
subscription_id: redrives letters of this subscription; null redrives all.
Returns how many messages were published.
Touches: the table of queue __topic_dead_letters (SKIP LOCKED); then as send_topic().$comment$;

create function queue._send_topic_dead_letters(topic text, message jsonb, headers jsonb, failures jsonb)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_now    constant timestamptz := clock_timestamp();
  v_strict jsonb;
begin
  select f.value
  into v_strict
  from jsonb_array_elements(failures) as f
  where (f.value ->> 'strict')::boolean
  limit 1;
  if found then
    perform queue._raise(
      'OX004',
      format('subscription %s of %s "%s" cannot take a message of topic "%s": %s', v_strict ->> 'subscription_id',
        v_strict ->> 'target_type', queue._masked_url(v_strict ->> 'target'), topic, v_strict ->> 'reason'),
      'The subscription is strict, so nothing was published.',
      'Publish a message that has a value at every path in the subscription''s options, or subscribe again with other options.'
    );
  end if;

  perform queue._send_messages(
    '__topic_dead_letters',
    array_agg(message),
    '0',
    array_agg(
      headers || jsonb_build_object(
        'dead_letter', f.value - 'strict' || jsonb_build_object('topic', topic, 'dead_lettered_at', v_now)
      )
    )
  )
  from jsonb_array_elements(failures) as f;
end
$function$;

comment on function queue._send_topic_dead_letters(text, jsonb, jsonb, jsonb) is
$comment$Stores a message as a dead letter for each subscription that could not take it, with the reason.
failures: an array of objects with subscription_id, target_type, target and reason, which go into the header, and strict.
Errors: OX004 one of the subscriptions is strict.
Touches: the table of queue __topic_dead_letters.$comment$;

create function queue._subscriptions_for(topic text, message jsonb)
returns bigint[]
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $function$
declare
  v_words constant text[] := string_to_array(topic, '.');
begin
  return (
    with recursive walk (node, used) as (
      select null::text collate "C", 0
      union
      select next.node, next.used
      from walk
      cross join lateral (
        -- "#" takes one more word.
        select walk.node, walk.used + 1
        where walk.used < cardinality(v_words)
          and (walk.node = '#' or walk.node like '%.#')
        union all
        select concat_ws('.', walk.node, w.word) collate "C", w.used
        from (
          values
            (v_words[walk.used + 1], walk.used + 1),
            ('*', walk.used + 1),
            ('#', walk.used)
        ) as w (word, used)
        where w.used <= cardinality(v_words)
      ) as next (node, used)
      where exists (select from queue.subscription as s where s.pattern = next.node)
        -- Patterns that begin with the node and a ".": "/" is the next character.
        or exists (
          select
          from queue.subscription as s
          where s.pattern >= next.node || '.'
            and s.pattern < next.node || '/'
        )
    ),
    -- Jumps from path to path through the index.
    paths (pattern, filter_path) as (
      select m.node, (
        select s.filter_path
        from queue.subscription as s
        where s.pattern = m.node
        order by s.filter_path
        limit 1
      )
      from (select distinct walk.node from walk where walk.used = cardinality(v_words)) as m
      union all
      select p.pattern, (
        select s.filter_path
        from queue.subscription as s
        where s.pattern = p.pattern
          and s.filter_path > p.filter_path
        order by s.filter_path
        limit 1
      )
      from paths as p
      where p.filter_path is not null
    )
    select coalesce(array_agg(s.subscription_id order by s.subscription_id), '{}')
    from paths as p
    join queue.subscription as s
      on s.pattern = p.pattern
      and s.filter_path = p.filter_path
      and s.filter_hash = case p.filter_path
        when '' then 0
        else jsonb_hash_extended(message #> p.filter_path::text[], 0)
      end
    where s.filter is null
      or message @> s.filter
  );
end
$function$;

comment on function queue._subscriptions_for(text, jsonb) is
$comment$Finds the subscriptions that a message of a topic goes to. It walks the index of patterns word by word, along the word itself, "*" and "#", as far as patterns exist, and then looks up filters by the one value of each that is indexed. The cost depends on the subscriptions that match, not on how many exist.
Returns their ids, in order.
Touches: nothing; reads queue.subscription.$comment$;

create function queue.redrive_topic_dead_letters(
  max_letters     integer default 1000,
  subscription_id bigint default null
)
returns bigint
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  perform queue._ensure_migrated();
  if max_letters is null or max_letters < 1 then
    perform queue._raise('OX004', format('invalid max_letters %s', coalesce(max_letters::text, 'null')), null,
      'Redrive at least one dead letter.');
  end if;
  if to_regclass('queue.q___topic_dead_letters') is null then
    return bigint '0';
  end if;
  return queue._redrive_topic_letters(max_letters, redrive_topic_dead_letters.subscription_id);
end
$function$;

comment on function queue.redrive_topic_dead_letters(integer, bigint) is
$comment$Publishes dead letters of topics again, each to its own subscription. A letter that the subscription still cannot take becomes a new dead letter; one whose subscription is disabled or deleted stays. redrive('__topic_dead_letters') does the same for all subscriptions.
max_letters: at most this many, oldest first.
subscription_id: redrives letters of this subscription; null redrives all.
Returns how many messages were published.
Errors: OX004 invalid argument, or a strict subscription still cannot take a message.
Touches: the table of queue __topic_dead_letters (SKIP LOCKED); then as send_topic().$comment$;

create function queue.send_topic(topic text, message jsonb, headers jsonb default null)
returns integer
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_subscriptions bigint[];
begin
  perform queue._ensure_migrated();
  perform queue._check_topic(topic, false);
  if starts_with(topic, 'oxbow.') then
    perform queue._raise('OX004', format('topic "%s" belongs to Oxbow', topic), null,
      'Topics that begin with "oxbow." carry events of Oxbow. Subscribe to them, but publish to another topic.');
  end if;
  perform queue._check_messages(array[message], array[headers]);

  v_subscriptions := queue._subscriptions_for(topic, message);
  if v_subscriptions = '{}' then
    return 0;
  end if;
  return queue._publish(topic, message, headers, v_subscriptions);
end
$function$;

comment on function queue.send_topic(text, jsonb, jsonb) is
$comment$Publishes a message in the caller's transaction: when it commits, each subscription whose pattern matches the topic and whose filter matches the message gets a copy. If a subscription cannot take the message, for example because a path is missing, it becomes a dead letter, unless the subscription is strict. The cost depends on the subscriptions that match, not on how many exist.
topic: words separated by ".", the first of which is not "oxbow".
headers: a JSON object; the header "topic" is added.
Returns how many subscriptions it reached: messages sent, deliveries queued, and runs started or already existing by once_for.
Errors: OX004 invalid argument, or a strict subscription cannot take the message; OX008 message too large.
Touches: reads queue.subscription; then as send_batch(), send_fifo() and workflow_start_batch(), targets in the order of their names.$comment$;

create function queue.subscribe(
  pattern     text,
  target_type text,
  target      text,
  filter      jsonb default null,
  options     jsonb default null
)
returns bigint
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_options  constant jsonb := coalesce(options, '{}');
  v_existing record;
  v_id       bigint;
begin
  perform queue._ensure_migrated();
  perform queue._check_topic(pattern, true);
  perform queue._check_subscription(target_type, target, filter, v_options);

  -- Of two concurrent calls with the same arguments, the second waits here and finds the subscription.
  perform pg_advisory_xact_lock(hashtextextended('oxbow:subscribe:' || pattern, 0));
  select s.subscription_id, s.options
  into v_existing
  from queue.subscription as s
  where s.pattern = subscribe.pattern
    and s.target_type = subscribe.target_type
    and s.target = subscribe.target
    and s.filter is not distinct from subscribe.filter;

  if not found then
    perform queue._create_topic_queues(target_type);
    if current_setting('oxbow.ids_are_ahead', true) is distinct from 'on' then
      perform queue._skip_lost_ids();
    end if;
    insert into queue.subscription (filter_hash, pattern, filter_path, target_type, target, filter, options)
    select k.filter_hash, subscribe.pattern, k.filter_path, subscribe.target_type, subscribe.target, subscribe.filter, v_options
    from queue._filter_key(subscribe.pattern, subscribe.filter) as k
    returning subscription_id into v_id;
    return v_id;
  elsif v_existing.options <> v_options then
    perform queue._raise(
      'OX002',
      format('subscription %s, of %s "%s" to "%s", exists with other options: %s, not %s',
        v_existing.subscription_id, target_type, queue._masked_url(target), pattern, v_existing.options, v_options),
      null,
      'Unsubscribe first, in the same transaction if you can''t miss a message.'
    );
  end if;
  return v_existing.subscription_id;
end
$function$;

comment on function queue.subscribe(text, text, text, jsonb, jsonb) is
$comment$Subscribes a target to topics: messages published after the commit to a matching topic also go there. Subscribing again with the same arguments returns the existing subscription.
pattern: words separated by "."; "*" matches one word, "#" any number of words, including none.
target_type: queue, http or workflow.
target: name of an existing queue, a url, or the name of a workflow.
filter: takes only messages that contain this JSON (message @> filter).
options: a JSON object with any of the following keys. A path is keys separated by "."; "$" is the whole message.
- strict (all targets): if true, a publish fails if this subscription cannot take the message. Otherwise the message becomes a dead letter with the reason: see topic_dead_letters().
- group (FIFO queue, http): path to the value that is the message group, which keeps its order. Without it, the topic is the group in a FIFO queue, and http deliveries have no order.
- delay_seconds (queue, workflow): delay of the message or of the run.
- ordered (http): if true, all deliveries keep the order of the publishes: one at a time, and a failing one blocks those behind it.
- concurrency (http): how many deliveries one server makes at a time.
- format (http): plain, where the body is the message, or cloudevents.
- once_for (workflow): a list of paths; one run exists for each combination of the values there, across all subscriptions.
- input (workflow): maps names of the input to paths, or to {"const": value}. Without it, the message is the input.
- version, retention_days, tags (workflow): as in workflow_start().
Returns the subscription's id.
Errors: OX001 no such queue, OX002 the subscription exists with other options, OX003 invalid name, OX004 invalid argument, OX007 the queue belongs to a workflow or to Oxbow, OX008 filter too large.
Touches: an advisory lock on the pattern until the transaction ends; queue.subscription; creates the queues __http and __topic_dead_letters with the first subscription that needs them.$comment$;

create function queue._check_subscription(target_type text, target text, filter jsonb, options jsonb)
returns void
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_allowed constant jsonb := jsonb_build_object(
    'queue', array['delay_seconds', 'group', 'strict'],
    'http', array['concurrency', 'format', 'group', 'ordered', 'strict'],
    'workflow', array['delay_seconds', 'input', 'once_for', 'retention_days', 'strict', 'tags', 'version']
  );
  v_unknown text;
begin
  if target_type is null or not v_allowed ? target_type then
    perform queue._raise('OX004', format('invalid target type "%s"', coalesce(target_type, 'null')), null,
      'A target type is queue, http or workflow.');
  end if;

  case target_type
    when 'queue' then
      if (queue._find_queue(target)).kind = 'standard' and options ? 'group' then
        perform queue._raise('OX004', format('queue "%s" has no message groups', target), null,
          'The option "group" is for FIFO queues. Omit it.');
      end if;
    when 'http' then
      if target !~ '^https?://[^\s/?#]+([/?#]\S*)?$' or length(target) > 2048 then
        perform queue._raise('OX004', format('invalid url "%s"', left(queue._masked_url(target), 100)), null,
          'Use a url such as https://example.org/hooks, of at most 2048 characters.');
      end if;
    when 'workflow' then
      if target !~ '^[a-z0-9][a-z0-9_-]{0,42}$' then
        perform queue._raise('OX003', format('invalid workflow name "%s"', left(target, 100)), null,
          'A workflow name is 1 to 43 characters of a-z, 0-9, "_" and "-", and begins with a letter or a digit.');
      end if;
  end case;

  if octet_length(filter::text) > 65536 then
    perform queue._raise('OX008', format('filter of %s bytes is too large', octet_length(filter::text)), null,
      'A filter has at most 65536 bytes.');
  end if;
  if jsonb_typeof(options) <> 'object' then
    perform queue._raise('OX004', format('options are a JSON %s, not an object', jsonb_typeof(options)), null,
      'Pass options as {"name": value}, or null.');
  end if;
  select string_agg(quote_ident(k.key), ', ' order by k.key)
  into v_unknown
  from jsonb_object_keys(options) as k (key)
  where not v_allowed -> target_type ? k.key;
  if v_unknown is not null then
    perform queue._raise('OX004', format('unknown option %s of a %s subscription', v_unknown, target_type), null,
      format('The options are %s.', array_to_string(array(select jsonb_array_elements_text(v_allowed -> target_type)), ', ')));
  end if;
  perform queue._check_subscription_options(options);
  if options ? 'group' and options -> 'ordered' = 'true' then
    perform queue._raise('OX004', 'options "group" and "ordered" exclude each other', null,
      '"ordered" keeps the order of all deliveries of the subscription, "group" that of each group.');
  end if;
end
$function$;

comment on function queue._check_subscription(text, text, jsonb, jsonb) is
$comment$Checks the arguments of subscribe().
Errors: OX001 no such queue, OX003 invalid name, OX004 invalid argument, OX007 the queue belongs to a workflow, OX008 filter too large.
Touches: nothing; reads queue.queue.$comment$;

create function queue._check_subscription_options(options jsonb)
returns void
language plpgsql
stable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_bad text;
begin
  select string_agg(format('"%s": %s', o.key, left(o.value::text, 100)), ', ' order by o.key)
  into v_bad
  from jsonb_each(options) as o
  where not case o.key
    when 'strict' then jsonb_typeof(o.value) = 'boolean'
    when 'ordered' then jsonb_typeof(o.value) = 'boolean'
    when 'group' then queue._is_message_path(o.value)
    when 'once_for' then jsonb_typeof(o.value) = 'array'
      and jsonb_array_length(o.value) > 0
      and not exists (select from jsonb_array_elements(o.value) as e where not queue._is_message_path(e.value))
    when 'input' then jsonb_typeof(o.value) = 'object'
      and not exists (
        select
        from jsonb_each(o.value) as e
        where not queue._is_message_path(e.value)
          and not (jsonb_typeof(e.value) = 'object' and e.value ? 'const' and e.value - 'const' = '{}')
      )
    when 'version' then o.value @? '$ ? (@.type() == "number" && @ >= 1 && @ == @.floor() && @ <= 2147483647)'
    when 'retention_days' then o.value @? '$ ? (@.type() == "number" && @ >= 0 && @ == @.floor() && @ <= 36500)'
    when 'delay_seconds' then o.value @? '$ ? (@.type() == "number" && @ >= 0 && @ <= 31536000)'
    when 'concurrency' then o.value @? '$ ? (@.type() == "number" && @ >= 1 && @ == @.floor() && @ <= 1000)'
    when 'format' then o.value in ('"plain"', '"cloudevents"')
    else true
  end;

  if v_bad is not null then
    perform queue._raise('OX004', format('invalid option %s', v_bad), null,
      'strict and ordered are true or false; group is a path into the message, such as "order.customer_id"; once_for is a list of paths; input maps names to paths, or to {"const": value}; "$" is the whole message; version, retention_days, delay_seconds and concurrency are numbers; format is plain or cloudevents.');
  end if;
end
$function$;

comment on function queue._check_subscription_options(jsonb) is
$comment$Checks the values of a subscription's options.
Errors: OX004 invalid argument, with the invalid values.
Touches: nothing.$comment$;

create function queue._check_topic(topic text, is_pattern boolean)
returns void
language plpgsql
stable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_what constant text := case when is_pattern then 'pattern' else 'topic' end;
  v_word constant text := case when is_pattern then '([^\s.*#[:cntrl:]]+|[*]|#)' else '[^\s.*#[:cntrl:]]+' end;
begin
  if topic is null or octet_length(topic) > 255 or array_length(string_to_array(topic, '.'), 1) > 32 then
    perform queue._raise('OX004', format('invalid %s "%s"', v_what, coalesce(left(topic, 100), 'null')), null,
      format('A %s has 1 to 32 words, separated by ".", and at most 255 bytes.', v_what));
  elsif topic !~ format('^%1$s([.]%1$s)*$', v_word) then
    perform queue._raise('OX004', format('invalid %s "%s"', v_what, topic), null, case
      when is_pattern then
        'A pattern is non-empty words separated by "."; a whole word may be "*" (one word) or "#" (any number of words).'
      else 'A topic is non-empty words separated by ".", without white space, "*" and "#".'
    end);
  end if;
end
$function$;

comment on function queue._check_topic(text, boolean) is
$comment$Checks a topic or a pattern of topics.
Errors: OX004 invalid argument.
Touches: nothing.$comment$;

create function queue._create_topic_queues(target_type text)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_settings queue.queue_settings;
begin
  v_settings.visibility_timeout := 30;
  if to_regclass('queue.q___topic_dead_letters') is null then
    v_settings.name := '__topic_dead_letters';
    v_settings.kind := 'standard';
    perform queue._register_queue(v_settings);
  end if;
  if target_type = 'http' and to_regclass('queue.q___http') is null then
    v_settings.name := '__http';
    v_settings.kind := 'fifo';
    perform queue._register_queue(v_settings);
  end if;
end
$function$;

comment on function queue._create_topic_queues(text) is
$comment$Creates the queues that subscriptions need: __topic_dead_letters, and __http for deliveries to urls.
target_type: of the subscription.
Touches: as _register_queue().$comment$;

create function queue._filter_key(pattern text, filter jsonb, out filter_path text, out filter_hash bigint)
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  with recursive node (path, value) as (
    select '{}'::text[], filter
    where jsonb_typeof(filter) = 'object'
    union all
    select n.path || e.key, e.value
    from node as n
    cross join lateral jsonb_each(case jsonb_typeof(n.value) when 'object' then n.value else '{}' end) as e
  )
  select leaf.path, leaf.hash
  into filter_path, filter_hash
  from (
    select n.path::text as path, jsonb_hash_extended(n.value, 0) as hash
    from node as n
    where jsonb_typeof(n.value) not in ('object', 'array')
  ) as leaf
  cross join lateral (
    select count(*) as subscriptions
    from (
      select
      from queue.subscription as s
      where s.pattern = _filter_key.pattern
        and s.filter_path = leaf.path
        and s.filter_hash = leaf.hash
      limit 1000
    ) as counted
  ) as same
  order by same.subscriptions, leaf.path collate "C"
  limit 1;

  filter_path := coalesce(filter_path, '');
  filter_hash := coalesce(filter_hash, 0);
end
$function$;

comment on function queue._filter_key(text, jsonb) is
$comment$Chooses the value of a filter by which the index finds it: among the values at paths of object keys, the one that the fewest subscriptions of the pattern have.
Returns the path and the hash of the value; '' and 0 if the filter has none.
Touches: nothing; reads queue.subscription.$comment$;

create function queue._subscriptions(pattern text, id bigint)
returns setof queue.subscription_info
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_is_masked constant boolean := not queue._may_see_passwords();
begin
  perform queue._require_current_tables();
  if to_regclass('queue.subscription') is null then
    return;
  end if;
  return query
    select s.subscription_id, s.pattern, s.target_type,
      case when v_is_masked and s.target_type = 'http' then queue._masked_url(s.target) else s.target end,
      s.filter, s.options, s.created_at, s.failing_since, s.disabled_at, s.disabled_reason
    from queue.subscription as s
    where (s.pattern = _subscriptions.pattern or _subscriptions.pattern is null)
      and (s.subscription_id = _subscriptions.id or _subscriptions.id is null)
      and s.target_type <> 'run'
    order by s.subscription_id;
end
$function$;

comment on function queue._subscriptions(text, bigint) is
$comment$Reads subscriptions, except those of steps that wait for a message. Passwords in urls are masked for callers that may not see them.
pattern: only subscriptions with exactly this pattern; null for any. id: only this subscription; null for any.
Returns one row per subscription, oldest first.
Errors: OX006 the tables are older than the functions.
Touches: nothing; reads queue.subscription.$comment$;

create function queue.topic_dead_letters(
  after           bigint default 0,
  max_letters     integer default 100,
  subscription_id bigint default null
)
returns setof queue.topic_dead_letter
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $function$
begin
  perform queue._require_current_tables();
  if max_letters is null or max_letters not between 1 and 10000 then
    perform queue._raise('OX004', format('invalid max_letters %s', coalesce(max_letters::text, 'null')), null,
      'Request between 1 and 10000 dead letters at a time.');
  end if;
  if to_regclass('queue.q___topic_dead_letters') is null then
    return;
  end if;
  return query execute format($sql$
    select m.msg_id, m.enqueued_at, (l.letter -> 'subscription_id')::bigint, l.letter ->> 'target_type',
      l.letter ->> 'target', coalesce(l.letter ->> 'topic', m.headers ->> 'topic'), l.letter ->> 'reason',
      (l.letter -> 'attempts')::integer, m.message, m.headers - array['dead_letter', 'topic']
    from %1$s as m
    cross join lateral (select m.headers -> 'dead_letter' as letter) as l
    where m.msg_id > $1
      and ($3 is null or l.letter -> 'subscription_id' = to_jsonb($3))
    order by m.msg_id
    limit $2
  $sql$, queue._queue_table('__topic_dead_letters'))
  using coalesce(topic_dead_letters.after, 0), max_letters, topic_dead_letters.subscription_id;
end
$function$;

comment on function queue.topic_dead_letters(bigint, integer, bigint) is
$comment$Lists dead letters of topics: messages that a subscription could not take, and deliveries to urls that failed for good. It does not receive them.
after: letter_id of the last row of the previous page; 0 for the first page.
max_letters: size of the page, 1 to 10000.
subscription_id: lists letters of this subscription; null lists all.
Returns one row per letter, oldest first.
Errors: OX004 invalid argument, OX006 the tables are older than the functions.
Touches: nothing; reads the table of queue __topic_dead_letters.$comment$;

create function queue.unsubscribe(id bigint)
returns boolean
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  perform queue._ensure_migrated();
  delete from queue.subscription as s where s.subscription_id = unsubscribe.id;
  return found;
end
$function$;

comment on function queue.unsubscribe(bigint) is
$comment$Ends a subscription: messages published after the commit do not go there. Deliveries to its url that are still queued become dead letters.
Returns true; false if the subscription does not exist.
Touches: queue.subscription.$comment$;

create function queue._affected_runs(
  run_ids        bigint[],
  transitions    text[],
  effect_kinds   text[],
  effect_targets text[]
)
returns bigint[]
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $function$
declare
  v_runs bigint[];
begin
  select array_agg(distinct r.parent_run_id) into v_runs
  from unnest(run_ids, transitions) as i (run_id, transition)
  join queue.workflow_run as r on r.run_id = i.run_id
  where i.transition in ('complete', 'fail', 'cancel')
    and r.parent_run_id is not null;
  if effect_kinds is null then
    return v_runs;
  end if;
  v_runs := v_runs || array(
    select e.target::bigint
    from unnest(effect_kinds, effect_targets) as e (kind, target)
    where e.kind = 'signal'
  );
  if 'cancel' = any (effect_kinds) then
    v_runs := v_runs || queue._related_runs(array(
      select e.target::bigint
      from unnest(effect_kinds, effect_targets) as e (kind, target)
      where e.kind = 'cancel'
        and e.target is not null
    ));
  end if;
  return v_runs;
end
$function$;

comment on function queue._affected_runs(bigint[], text[], text[], text[]) is
$comment$Returns the other runs that a commit may change: parents of the runs that it ends, runs that it signals, and child runs that it cancels, with their own children.
Returns their ids; null if there is none.
Touches: nothing; reads queue.workflow_run.$comment$;

create function queue._apply_effects(
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
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $function$
declare
  v_effect record;
begin
  if effect_kinds && array['invoke', 'detach'] then
    perform queue._start_children(
      run_ids, held, effect_items, effect_kinds, effect_steps, effect_targets, effect_values, effect_versions,
      effect_retention, effect_traces
    );
  end if;

  if 'subscribe' = any (effect_kinds) then
    perform queue._subscribe_waits(
      run_ids, held, effect_items, effect_kinds, effect_steps, effect_targets, effect_events, effect_values
    );
  end if;

  -- A journaled step has already sent: this commit is repeated after a lost answer.
  for v_effect in
    select e.kind, e.target, e.event, e.value, e.trace
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
      perform queue.send_topic(v_effect.target, v_effect.value, v_effect.trace);
    elsif exists (select from queue.workflow_run as r where r.run_id = v_effect.target::bigint) then
      perform queue.workflow_signal(v_effect.target::bigint, v_effect.event, v_effect.value);
    end if;
  end loop;
end
$function$;

comment on function queue._apply_effects(bigint[], boolean[], integer[], text[], text[], text[], text[], jsonb[], integer[], integer[], jsonb[]) is
$comment$Applies the effects that the steps of a commit have on other runs and topics: starts runs, subscribes waits, sends signals and messages. Call it before the steps are journaled.
held: by position, which leases are locked.
effect_…: as in workflow_commit().
Errors: those of workflow_signal() and send_topic().
Touches: as workflow_start_batch(), workflow_signal() and send_topic().$comment$;

create function queue._cancel_abandoned_children(
  run_ids        bigint[],
  held           boolean[],
  effect_items   integer[],
  effect_kinds   text[],
  effect_steps   text[],
  effect_targets text[]
)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $function$
begin
  perform queue._cancel_run(
    c.workflow_name, c.run_id, format('step "%s" of run %s, which started it, was abandoned', c.step, c.parent), false
  )
  from (
    select r.workflow_name, r.run_id, run_ids[e.item] as parent, e.step
    from unnest(effect_items, effect_kinds, effect_steps, effect_targets) as e (item, kind, step, target)
    join queue.workflow_run as r on r.run_id = e.target::bigint
    where e.kind = 'cancel'
      and held[e.item]
      and r.status = 'running'
    order by r.run_id
  ) as c;
end
$function$;

comment on function queue._cancel_abandoned_children(bigint[], boolean[], integer[], text[], text[], text[]) is
$comment$Cancels the child runs of abandoned steps, and the runs that these wait for. A child run that ends in the same commit stays as it is.
held: by position, whose leases are locked. effect_…: as in workflow_commit(), with targets from _find_abandoned_children().
Touches: as workflow_cancel(), whose locks the caller has.$comment$;

create function queue._check_commit(
  names       text[],
  run_ids     bigint[],
  receipts    bigint[],
  transitions text[],
  results     jsonb[]
)
returns void
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_message text;
begin
  select
    case
      when i.name is null or i.run_id is null or i.receipt is null then
        format('item %s of a commit lacks its workflow, run or receipt', i.item)
      when i.transition in ('suspend', 'keep') then
        format('invalid continuation of run %s: %s', i.run_id, left(i.result::text, 100))
      else format('invalid transition "%s" of run %s', i.transition, i.run_id)
    end
  into v_message
  from unnest(names, run_ids, receipts, transitions, results) with ordinality
    as i (name, run_id, receipt, transition, result, item)
  where i.name is null
    or i.run_id is null
    or i.receipt is null
    or i.transition is null
    or i.transition not in ('keep', 'suspend', 'complete', 'fail', 'cancel', 'retry', 'release')
    or i.transition = 'suspend' and i.result is null
    or i.transition in ('suspend', 'keep') and jsonb_typeof(i.result) <> 'object'
  limit 1;

  if found then
    perform queue._raise('OX004', v_message, null,
      'Transitions are keep, suspend, complete, fail, cancel, retry and release; a continuation is a JSON object.');
  end if;
end
$function$;

comment on function queue._check_commit(text[], bigint[], bigint[], text[], jsonb[]) is
$comment$Checks the runs, transitions and continuations of a commit before anything is written. _is_held() checks to which runs steps, values and chunks belong.
Errors: OX004 invalid argument, with the first invalid item.
Touches: nothing.$comment$;

create function queue._check_effects(
  run_count        integer,
  effect_items     integer[],
  effect_kinds     text[],
  effect_steps     text[],
  effect_targets   text[],
  effect_events    text[],
  effect_versions  integer[],
  effect_retention integer[]
)
returns void
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_message text;
begin
  select c.message into v_message
  from unnest(
    effect_items, effect_kinds, effect_steps, effect_targets, effect_events, effect_versions, effect_retention
  ) with ordinality as e (item, kind, step, target, event, version, retention, n)
  cross join lateral (
    select case
      when e.item is null or e.kind is null or e.step is null then
        format('effect %s of a commit lacks its item, kind or step', e.n)
      when e.item not between 1 and run_count then
        format('the effect of step "%s" refers to item %s of a commit with %s items', e.step, e.item, run_count)
      when e.kind not in ('invoke', 'detach', 'cancel', 'signal', 'publish', 'subscribe') then
        format('invalid effect "%s" of step "%s": it is invoke, detach, cancel, signal, publish or subscribe', left(e.kind, 40),
          e.step)
      when e.target is null and e.kind <> 'cancel' then format('the %s of step "%s" has no target', e.kind, e.step)
      when e.kind in ('invoke', 'detach') and e.target !~ '^[a-z0-9][a-z0-9_-]{0,42}$' then
        format('step "%s" invokes "%s", which is not a valid workflow name', e.step, left(e.target, 60))
      when e.version < 1 then format('invalid version %s of the run that step "%s" invokes: a version is 1 or more', e.version, e.step)
      when e.retention not between 0 and 36500 then
        format('invalid retention of %s days of the run that step "%s" invokes: it is between 0 and 36500', e.retention, e.step)
      when e.kind = 'signal'
        and case when e.target ~ '^[0-9]{1,19}$' then e.target::numeric > 9223372036854775807 else true end
      then
        format('step "%s" signals "%s", which is not a run id', e.step, left(e.target, 40))
      when e.kind in ('signal', 'subscribe') and not queue._is_name(e.event) then
        format('invalid event name "%s" of step "%s"', left(coalesce(e.event, 'null'), 260), e.step)
    end
  ) as c (message)
  where c.message is not null
  order by e.n
  limit 1;

  if found then
    perform queue._raise('OX004', v_message, null,
      'See workflow_commit() for the kinds of effects. Nothing was written.');
  end if;
end
$function$;

comment on function queue._check_effects(integer, integer[], text[], text[], text[], text[], integer[], integer[]) is
$comment$Checks the effects of a commit before anything is written.
run_count: number of runs in the commit.
effect_…: as in workflow_commit().
Errors: OX004 invalid argument, with the first invalid value.
Touches: nothing.$comment$;

create function queue._end_committed_runs(
  run_ids      bigint[],
  receipts     bigint[],
  transitions  text[],
  results      jsonb[],
  held         boolean[],
  committed_at timestamptz
)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_run_ids  bigint[];
  v_statuses text[];
  v_outputs  jsonb[];
  v_errors   jsonb[];
  v_receipts bigint[];
begin
  select array_agg(i.run_id),
    array_agg(case i.transition when 'complete' then 'completed' when 'fail' then 'failed' else 'cancelled' end),
    array_agg(case when i.transition = 'complete' then i.result end),
    array_agg(case when i.transition <> 'complete' then i.result end),
    array_agg(i.receipt)
  into v_run_ids, v_statuses, v_outputs, v_errors, v_receipts
  from unnest(run_ids, receipts, transitions, results, held) as i (run_id, receipt, transition, result, held)
  where i.held
    and i.transition in ('complete', 'fail', 'cancel');

  if v_run_ids is not null then
    perform queue._end_runs(v_run_ids, v_statuses, v_outputs, v_errors, v_receipts, committed_at);
  end if;
end
$function$;

comment on function queue._end_committed_runs(bigint[], bigint[], text[], jsonb[], boolean[], timestamptz) is
$comment$Ends the runs that a commit completes, fails or cancels.
held: by position, which leases are locked.
Touches: as _end_runs().$comment$;

create function queue._find_abandoned_children(
  run_ids        bigint[],
  effect_items   integer[],
  effect_kinds   text[],
  effect_steps   text[],
  effect_targets text[]
)
returns text[]
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $function$
begin
  return (
    select array_agg(
      case
        when e.kind = 'cancel' then (
          select c.run_id::text
          from queue.workflow_run as c
          where c.parent_run_id = run_ids[e.item]
            and c.parent_step = e.step
            and c.status = 'running'
            and not c.is_detached
        )
        else e.target
      end
      order by e.n
    )
    from unnest(effect_items, effect_kinds, effect_steps, effect_targets) with ordinality
      as e (item, kind, step, target, n)
  );
end
$function$;

comment on function queue._find_abandoned_children(bigint[], integer[], text[], text[], text[]) is
$comment$Finds the child runs of abandoned steps.
effect_…: as in workflow_commit().
Returns effect_targets, with the id of the child run as the target of each cancel; null if it has ended or was not started.
Touches: nothing; reads queue.workflow_run.$comment$;

create function queue._is_held(held boolean[], item integer)
returns boolean
language sql
stable
parallel safe
as $function$
  select case
    when item operator(pg_catalog.>=) 1 and item operator(pg_catalog.<=) pg_catalog.cardinality(held) then held[item]
    else queue._raise_unknown_item(item, pg_catalog.cardinality(held))
  end
$function$;

comment on function queue._is_held(boolean[], integer) is
$comment$Returns whether the lease of a run is held to which a step, a value or a chunk of a commit belongs. Inlined where it is used, so that the statement that writes also checks.
held: by position, whether the lease is held. item: the position.
Returns true or false; null if another transaction has locked the run.
Errors: OX004 the commit has no such item.
Touches: nothing.$comment$;

create function queue._is_plain_commit(
  names       text[],
  run_ids     bigint[],
  receipts    bigint[],
  transitions text[],
  results     jsonb[]
)
returns boolean
language sql
immutable
parallel safe
as $function$
  select pg_catalog.array_position(names, null) is null
    and pg_catalog.array_position(run_ids, null) is null
    and pg_catalog.array_position(receipts, null) is null
    and pg_catalog.cardinality(names) operator(pg_catalog.=) pg_catalog.cardinality(run_ids)
    and pg_catalog.cardinality(receipts) operator(pg_catalog.=) pg_catalog.cardinality(run_ids)
    and pg_catalog.cardinality(transitions) operator(pg_catalog.=) pg_catalog.cardinality(run_ids)
    and (results is null or pg_catalog.cardinality(results) operator(pg_catalog.=) pg_catalog.cardinality(run_ids))
    and (
      transitions operator(pg_catalog.<@) '{complete,fail,cancel,retry,release}'
      or transitions operator(pg_catalog.<@) '{keep,complete,fail,cancel,retry,release}'
        and not queue._has_value(results)
      or transitions operator(pg_catalog.=) '{suspend}'
        and coalesce(pg_catalog.jsonb_typeof(results[1]), '') operator(pg_catalog.=) 'object'
    )
$function$;

comment on function queue._is_plain_commit(text[], bigint[], bigint[], text[], jsonb[]) is
$comment$Returns whether a commit is certainly well-formed, which most are. Inlined where it is used.
Returns true; false or null if _check_commit() has to decide.
Touches: nothing.$comment$;

create function queue._move_continuations(
  run_ids     bigint[],
  transitions text[],
  results     jsonb[],
  resume_at   timestamptz[],
  held        boolean[],
  resolved    jsonb
)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set plan_cache_mode = force_generic_plan
set jit = off
as $function$
begin
  if not exists (
    select
    from unnest(transitions, results) as i (transition, result)
    where i.transition in ('suspend', 'release')
      or i.transition = 'keep' and i.result is not null
  ) then
    return;
  end if;

  with moved as (
    select i.run_id,
      case when resolved ? i.item::text then 'keep' else i.transition end as transition,
      coalesce(resolved -> i.item::text -> 'continuation', i.result) as continuation,
      case
        when i.transition = 'release' then clock_timestamp()
        else least(coalesce(i.resume_at, 'infinity'), r.deadline)
      end as resume_at,
      r.deadline
    from unnest(run_ids, transitions, results, _move_continuations.resume_at, held) with ordinality
      as i (run_id, transition, result, resume_at, held, item)
    join queue.workflow_run as r on r.run_id = i.run_id
    where i.held
      and (i.transition in ('suspend', 'release') or i.transition = 'keep' and i.result is not null)
  )
  update queue.workflow_continuation as m
  set message = case
      -- Commits that kept the lease have journaled more than the continuation shows.
      when moved.transition = 'release' and m.message ? 'journaled' then m.message || jsonb_build_object('journaled', (
        select coalesce(max(s.position), 0) from queue.workflow_step as s where s.run_id = m.msg_id
      ))
      when moved.continuation is null or moved.transition = 'keep' and moved.continuation = '{}' then m.message
      else moved.continuation
    end,
    receipt = case when moved.transition = 'keep' then m.receipt end,
    settled_receipt = case when moved.transition = 'keep' then m.settled_receipt else m.receipt end,
    visible_at = case
      -- The worker of this suspect is alive after all, and extends the lease in a moment.
      when moved.transition = 'keep' and m.suspect_at < 'infinity' then clock_timestamp() + interval '1 second'
      when moved.transition = 'keep' then m.visible_at
      when m.headers ? 'paused' then greatest(queue._paused_until(m.headers), clock_timestamp())
      when moved.transition = 'release' and m.suspect_at is not null then
        greatest(coalesce(moved.deadline, 'infinity'), clock_timestamp())
      else greatest(moved.resume_at, clock_timestamp())
    end,
    headers = case
      when moved.transition <> 'keep' and m.headers ? 'paused' then queue._due_after_pause(m.headers, moved.resume_at)
      else m.headers
    end,
    read_ct = case moved.transition when 'keep' then 1 when 'suspend' then 0 else greatest(m.read_ct - 1, 0) end,
    suspect_at = case
      when moved.transition = 'release' and m.suspect_at is not null and not (m.headers ? 'paused') is true
        then clock_timestamp()
    end,
    deaths = case when moved.transition = 'release' then m.deaths end
  from moved
  where m.msg_id = moved.run_id;

  if 'release' = any (transitions) then
    perform queue._wake_workflows(array(
      select i.run_id
      from unnest(run_ids, transitions, held) as i (run_id, transition, held)
      where i.held
        and i.transition = 'release'
    ));
  end if;
end
$function$;

comment on function queue._move_continuations(bigint[], text[], jsonb[], timestamptz[], boolean[], jsonb) is
$comment$Writes the continuations of runs that a commit changes but does not end. A run one of whose waits was resolved keeps its lease. A run with a deadline is visible at the deadline at the latest. A paused run is set aside. A suspect that is given back stays one. Listening workers are woken for runs that are given back.
held: by position, which leases are locked.
resolved: as returned by _resolve_waits().
Touches: queue.workflow_continuation; reads queue.workflow_run; as _wake().$comment$;

create function queue._raise_unknown_item(item integer, run_count integer)
returns boolean
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  perform queue._raise('OX004',
    format('a step, value or chunk refers to item %s of a commit with %s items', coalesce(item::text, 'null'), run_count), null,
    'step_items, state_items and stream_items are indexes into run_ids, from 1. Nothing was written.');
  return null;
end
$function$;

comment on function queue._raise_unknown_item(integer, integer) is
$comment$Rejects a commit in which a step, a value or a chunk belongs to no run of the commit.
item: the invalid index, or null.
run_count: the number of runs in the commit.
Returns never.
Errors: OX004 invalid argument, always.
Touches: nothing.$comment$;

create function queue._set_state(
  run_ids      bigint[],
  held         boolean[],
  state_items  integer[],
  state_keys   text[],
  state_values jsonb[],
  committed_at timestamptz
)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  -- A replay sets the same values again, which writes nothing.
  insert into queue.workflow_run_state as s (run_id, set_at, key, value)
  select run_ids[i.item], committed_at, i.key, i.value
  from unnest(state_items, state_keys, state_values) as i (item, key, value)
  where queue._is_held(held, i.item)
  on conflict (run_id, key) do update
    set value = excluded.value,
      set_at = excluded.set_at
    where s.value is distinct from excluded.value;
end
$function$;

comment on function queue._set_state(bigint[], boolean[], integer[], text[], jsonb[], timestamptz) is
$comment$Writes the values that the runs of a commit publish.
held: by position, which leases are locked.
state_…: as in workflow_commit(); a key occurs once per run.
Touches: queue.workflow_run_state.$comment$;

create function queue._skip_blocked_runs(
  held           boolean[],
  others         bigint[],
  run_ids        bigint[],
  transitions    text[],
  effect_items   integer[],
  effect_kinds   text[],
  effect_targets text[]
)
returns boolean[]
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $function$
declare
  -- This includes runs that this transaction has locked before.
  v_locked constant bigint[] := queue._try_lock_runs(others);
  v_busy   constant bigint[] := array(
    select m.msg_id
    from queue.workflow_continuation as m
    where m.msg_id = any (others)
      and not m.msg_id = any (v_locked)
  );
begin
  if v_busy = array[]::bigint[] then
    return held;
  end if;
  return (
    select array_agg(
      case
        when i.held and i.transition in ('complete', 'fail', 'cancel') and r.parent_run_id = any (v_busy) then null
        when i.held and exists (
          select
          from unnest(effect_items, effect_kinds, effect_targets) as e (item, kind, target)
          where e.item = i.item
            and case e.kind
              when 'signal' then e.target::bigint = any (v_busy)
              -- The children of an abandoned child are cancelled with it.
              when 'cancel' then queue._related_runs(array[e.target::bigint]) && v_busy
              else false
            end
        ) then null
        else i.held
      end
      order by i.item
    )
    from unnest(run_ids, transitions, held) with ordinality as i (run_id, transition, held, item)
    left join queue.workflow_run as r on r.run_id = i.run_id
  );
end
$function$;

comment on function queue._skip_blocked_runs(boolean[], bigint[], bigint[], text[], integer[], text[], text[]) is
$comment$Leaves runs out of a commit if they would change a run that another transaction has locked.
held: as returned by _lock_leases() with skip_locked.
others: as passed to _lock_leases().
run_ids, transitions, effect_items, effect_kinds, effect_targets: as in workflow_commit().
Returns held, with null for the runs that are left out.
Touches: queue.workflow_continuation (SKIP LOCKED); reads queue.workflow_run.$comment$;

create function queue._start_children(
  run_ids          bigint[],
  held             boolean[],
  effect_items     integer[],
  effect_kinds     text[],
  effect_steps     text[],
  effect_targets   text[],
  effect_values    jsonb[],
  effect_versions  integer[],
  effect_retention integer[],
  effect_traces    jsonb[]
)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_now      constant timestamptz := clock_timestamp();
  v_name     text;
  v_queue_id integer;
  v_children bigint[];
  v_versions integer[];
  v_defaults queue.version_defaults;
begin
  if current_setting('oxbow.ids_are_ahead', true) is distinct from 'on' then
    perform queue._skip_lost_ids();
  end if;
  for v_name in
    select distinct e.target
    from unnest(effect_items, effect_kinds, effect_targets) as e (item, kind, target)
    where e.kind in ('invoke', 'detach')
      and held[e.item]
    order by e.target
  loop
    v_queue_id := coalesce(queue._workflow_queue_id(v_name), queue._create_workflow_queue(v_name));
    v_defaults := queue._version_defaults(v_name);
    -- A parent that repeats the call, after a lost answer or a crash, already has its child.
    with inserted as (
      insert into queue.workflow_run as r (
        started_at, deadline, retention_days, workflow_version, status, workflow_name, input, parent_run_id,
        parent_step, is_detached, trace
      )
      select v_now, v_now + v_defaults.deadlines[array_position(v_defaults.versions, e.version)],
        coalesce(e.retention, v_defaults.retention_days[array_position(v_defaults.versions, e.version)], 30),
        e.version, 'running', v_name, e.value,
        run_ids[e.item], e.step, e.kind = 'detach',
        coalesce(e.trace, (select p.trace from queue.workflow_run as p where p.run_id = run_ids[e.item]))
      from unnest(
        effect_items, effect_kinds, effect_steps, effect_targets, effect_values,
        array(
          select coalesce(v.version, v_defaults.versions[1], 1)
          from unnest(effect_items, effect_versions) with ordinality as v (item, version, position)
          order by v.position
        ),
        effect_retention, effect_traces
      ) as e (item, kind, step, target, value, version, retention, trace)
      where e.kind in ('invoke', 'detach')
        and e.target = v_name
        and held[e.item]
      order by run_ids[e.item], e.step
      on conflict (parent_run_id, parent_step) where parent_run_id is not null do nothing
      returning r.run_id, r.workflow_version
    )
    select array_agg(inserted.run_id), array_agg(inserted.workflow_version)
    into v_children, v_versions
    from inserted;
    continue when v_children is null;

    insert into queue.workflow_continuation (msg_id, visible_at, enqueued_at, queue_id, version, message)
    select i.run_id, n.now, v_now, v_queue_id, i.version, '{}'
    from (select clock_timestamp()) as n (now)
    cross join unnest(v_children, v_versions) as i (run_id, version);
    perform queue._await_admission_if_limited(v_queue_id, v_children);
    perform queue._wake(queue._workflow_channel(v_name));
  end loop;
end
$function$;

comment on function queue._start_children(bigint[], boolean[], integer[], text[], text[], text[], jsonb[], integer[], integer[], jsonb[]) is
$comment$Starts the runs that steps of a commit invoke, one per run and step, with one statement per workflow.
held: by position, which leases are locked.
effect_…: as in workflow_commit().
Touches: queue.workflow_run, queue.workflow_continuation; as _await_admission().$comment$;

create function queue._begin_rollback(name text, run_id bigint, reason text)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  perform pg_current_xact_id();  -- before the clock: see _advance_ready_mark()
  -- The run continues even if it is paused or past its deadline. A worker that is executing it keeps its lease. A
  -- settled receipt, even the impossible 0, shows that the run has a journal.
  update queue.workflow_continuation as m
  set headers = (coalesce(m.headers, '{}') - 'paused') || jsonb_build_object('cancelled',
      jsonb_strip_nulls(jsonb_build_object('reason', reason, 'receipt', m.receipt))),
    message = case when m.receipt is null and m.message ? 'waits' then m.message || '{"waits": []}' else m.message end,
    visible_at = case
      when m.receipt is null then clock_timestamp()
      when m.headers ? 'paused' then least(m.visible_at, clock_timestamp() + interval '30 seconds')
      else m.visible_at
    end,
    settled_receipt = coalesce(m.settled_receipt, 0)
  where m.msg_id = _begin_rollback.run_id;

  update queue.workflow_run as r
  set deadline = null,
    paused_at = null,
    pause_reason = null
  where r.run_id = _begin_rollback.run_id
    and (r.deadline is not null or r.paused_at is not null);
  perform queue._wake(queue._workflow_channel(name));
end
$function$;

comment on function queue._begin_rollback(text, bigint, text) is
$comment$Makes a run, whose continuation the caller has locked, continue only to roll back.
reason: of the cancellation.
Touches: queue.workflow_continuation, queue.workflow_run.$comment$;

create function queue._cancel_children(run_id bigint, rollback boolean)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $function$
begin
  perform queue._cancel_run(
    c.workflow_name, c.run_id, format('run %s, which invoked it, was cancelled', c.parent_run_id), rollback
  )
  from (
    select r.workflow_name, r.run_id, r.parent_run_id
    from queue.workflow_run as r
    where r.parent_run_id = _cancel_children.run_id
      and r.status = 'running'
      and not r.is_detached
    order by r.run_id
  ) as c;
end
$function$;

comment on function queue._cancel_children(bigint, boolean) is
$comment$Cancels the runs that a cancelled run waits for.
rollback: as in workflow_cancel().
Touches: as workflow_cancel(), whose locks the caller holds.$comment$;

create function queue._cancel_run(name text, run_id bigint, reason text, rollback boolean)
returns boolean
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_now        constant timestamptz := clock_timestamp();
  v_leased     boolean;
  v_rolls_back boolean;
begin
  select m.receipt is not null, coalesce(m.headers ? 'cancelled', false) into v_leased, v_rolls_back
  from queue.workflow_continuation as m
  where m.msg_id = run_id
  for no key update;
  if v_leased is null or v_rolls_back and rollback then
    return false;
  end if;
  if rollback then
    perform queue._begin_rollback(name, run_id, reason);
    perform queue._cancel_children(run_id, rollback);
    if v_leased then
      perform queue._notify_worker(name, run_id);
    end if;
    return true;
  end if;

  perform queue._end_runs(
    array[run_id],
    array['cancelled'],
    null,
    array[jsonb_build_object(
      'name', 'RunCancelled',
      'code', 'RUN_CANCELLED',
      'message', coalesce(reason, format('run %s was cancelled', run_id))
    )],
    null,
    v_now
  );
  perform queue._cancel_children(run_id, rollback);
  if v_leased then
    perform queue._notify_worker(name, run_id);
  end if;
  return true;
end
$function$;

comment on function queue._cancel_run(text, bigint, text, boolean) is
$comment$Cancels a run, and then the runs that it waits for. The caller has locked them all.
name: of its workflow.
reason, rollback: as in workflow_cancel().
Returns as workflow_cancel().
Touches: as workflow_cancel().$comment$;

create function queue._deadline_error(run_id bigint, deadline timestamptz)
returns jsonb
language sql
stable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
  select jsonb_build_object(
    'name', 'DeadlineExceeded',
    'code', 'DEADLINE_EXCEEDED',
    'message', format('run %s was still running at its deadline, %s', run_id, deadline)
  )
$function$;

comment on function queue._deadline_error(bigint, timestamptz) is
$comment$Returns the error of a run that its deadline ends.
Returns a JSON object.
Touches: nothing.$comment$;

create function queue._end_runs(
  run_ids  bigint[],
  statuses text[],
  outputs  jsonb[],
  errors   jsonb[],
  receipts bigint[],
  ended_at timestamptz
)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
set jit = off
as $function$
declare
  v_deleted  bigint;
  v_kept     bigint[];
  v_children bigint[];
begin
  -- A worker can't end a run that was cancelled with rollback since it was delivered.
  delete from queue.workflow_continuation as m
  where m.msg_id = any (run_ids)
    and (
      m.headers is null
      or receipts is null
      or (m.headers #>> '{cancelled,receipt}')::bigint is distinct from m.receipt
    );
  get diagnostics v_deleted = row_count;
  if v_deleted < cardinality(run_ids) and receipts is not null then
    v_kept := queue._release_to_roll_back(run_ids);
  end if;

  with ended as (
    update queue.workflow_run as r
    set status = i.status::queue.workflow_status,
      output = i.output,
      error = i.error,
      completed_at = ended_at,
      expires_at = ended_at + make_interval(days => r.retention_days),
      ended_by = i.receipt,
      paused_at = null,
      pause_reason = null
    from unnest(run_ids, statuses, outputs, errors, receipts) as i (run_id, status, output, error, receipt)
    where r.run_id = i.run_id
      and (v_kept is null or not r.run_id = any (v_kept))
    returning r.run_id, r.is_detached
  )
  select array_agg(ended.run_id) into v_children from ended where not ended.is_detached;

  if exists (select from queue.subscription as s where s.target_type = 'run') then
    perform queue._unsubscribe_waits(run_ids);
  end if;
  if exists (select from queue.queue as q where q.flow_control is not null) then
    perform queue._end_admissions(run_ids);
  end if;
  if 'failed' = any (statuses)
    and exists (select from queue.workflow_version as v where v.on_failure is not null)
  then
    perform queue._start_failure_handlers(run_ids);
  end if;
  if v_children is not null then
    perform queue._resolve_parents(v_children);
  end if;
  perform queue._wake_run_waiters(run_ids);
end
$function$;

comment on function queue._end_runs(bigint[], text[], jsonb[], jsonb[], bigint[], timestamptz) is
$comment$Ends running runs whose continuations the caller has locked: sets status and result, deletes the continuation, starts failure handlers and wakes listeners.
receipts: of the commits that end the runs; null if no worker does. A run that was cancelled with rollback since its worker received it is given back instead.
Touches: queue.workflow_continuation, also of parents, queue.workflow_run, queue.workflow_step, queue.workflow_admission; as workflow_start_batch().$comment$;

create function queue._release_to_roll_back(run_ids bigint[])
returns bigint[]
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $function$
declare
  v_released bigint[];
begin
  with released as (
    update queue.workflow_continuation as m
    set receipt = null,
      settled_receipt = m.receipt,
      suspect_at = null,
      deaths = null,
      visible_at = clock_timestamp(),
      message = m.message || jsonb_build_object('waits', jsonb_build_array(), 'journaled', (
        select coalesce(max(s.position), 0) from queue.workflow_step as s where s.run_id = m.msg_id
      ))
    where m.msg_id = any (run_ids)
      and m.headers ? 'cancelled'
    returning m.msg_id
  )
  select array_agg(released.msg_id) into v_released from released;
  perform queue._wake_workflows(v_released);
  return v_released;
end
$function$;

comment on function queue._release_to_roll_back(bigint[]) is
$comment$Gives back runs that must roll back. The caller has locked their continuations.
run_ids: other runs among them are unchanged.
Returns the runs that were given back; null if there are none.
Touches: queue.workflow_continuation.$comment$;

create function queue._resolve_parents(children bigint[])
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set plan_cache_mode = force_generic_plan
set jit = off
as $function$
declare
  v_parents constant bigint[] := array(
    select distinct r.parent_run_id
    from queue.workflow_run as r
    where r.run_id = any (children)
      and r.parent_run_id is not null
  );
begin
  if v_parents = array[]::bigint[] then
    return;
  end if;
  -- A worker's commit has already locked them, in the order of run ids with its own runs.
  perform queue._lock_runs(v_parents);

  -- A parent that is executing takes the result with its next commit. A settled receipt, even the impossible 0, shows
  -- that the run has a journal.
  with waiting as materialized (
    select m.msg_id, c.parent_step, c.started_at, c.completed_at, c.output, c.error,
      row_number() over (partition by m.msg_id order by c.run_id) as n
    from queue.workflow_run as c
    join queue.workflow_continuation as m on m.msg_id = c.parent_run_id
    where c.run_id = any (children)
      and (m.receipt is null or m.visible_at <= clock_timestamp())
      and m.message -> 'waits' @> jsonb_build_array(jsonb_build_object('kind', 'invoke', 'step', c.parent_step))
  ),
  journaled as (
    insert into queue.workflow_step (
      run_id, started_at, completed_at, position, attempts, bytes, step_name, kind, output, error
    )
    select w.msg_id, w.started_at, w.completed_at, w.n + (
        select coalesce(max(s.position), 0) from queue.workflow_step as s where s.run_id = w.msg_id
      ), 1, coalesce(queue._large_size(w.output), queue._large_size(w.error)), w.parent_step, 'invoke', w.output, w.error
    from waiting as w
    on conflict (run_id, step_name) do nothing
    returning run_id, step_name, position
  ),
  ready as (
    select j.run_id, max(j.position) as journaled, array_agg(j.step_name) as steps
    from journaled as j
    group by j.run_id
  )
  update queue.workflow_continuation as m
  set message = m.message || jsonb_build_object('journaled', ready.journaled, 'waits', (
      select coalesce(jsonb_agg(e.w order by e.n), '[]')
      from jsonb_array_elements(m.message -> 'waits') with ordinality as e (w, n)
      where not e.w ->> 'step' = any (ready.steps)
    )),
    visible_at = case
      when m.headers ? 'paused' then greatest(queue._paused_until(m.headers), clock_timestamp())
      else clock_timestamp()
    end,
    headers = case
      when m.headers ? 'paused' then queue._due_after_pause(m.headers, clock_timestamp())
      else m.headers
    end,
    receipt = null,
    settled_receipt = coalesce(m.settled_receipt, 0)
  from ready
  where m.msg_id = ready.run_id;
  perform queue._wake_workflows(v_parents);

  perform queue._notify_worker(r.workflow_name, r.run_id)
  from queue.workflow_continuation as m
  join queue.workflow_run as r on r.run_id = m.msg_id
  where m.msg_id = any (v_parents)
    and m.receipt is not null;
end
$function$;

comment on function queue._resolve_parents(bigint[]) is
$comment$Journals the ends of runs as steps of the parents that wait for them, and makes these parents visible. A parent that is executing is notified, and its next commit takes the result.
children: runs that this transaction has ended and that aren't detached.
Touches: queue.workflow_continuation of the parents, locked in the order of run ids, queue.workflow_step.$comment$;

create function queue._start_failure_handlers(run_ids bigint[])
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_handler record;
  v_started bigint[];
begin
  for v_handler in
    select v.on_failure as name,
      array_agg(r.run_id order by r.run_id) as run_ids,
      array_agg(
        jsonb_build_object(
          'runId', r.run_id::text, 'workflow', r.workflow_name, 'version', r.workflow_version, 'input', r.input,
          'error', r.error
        )
        order by r.run_id
      ) as inputs,
      array_agg(r.trace order by r.run_id) as traces
    from queue.workflow_run as r
    join queue.workflow_version as v
      on v.workflow_name = r.workflow_name
      and v.version = r.workflow_version
    where r.run_id = any (run_ids)
      and r.status = 'failed'
      and v.on_failure is not null
    group by v.on_failure
    order by v.on_failure
  loop
    v_started := array(
      select s.run_id
      from queue.workflow_start_batch(v_handler.name, v_handler.inputs, traces => v_handler.traces)
        with ordinality as s (run_id, created, status, position)
      order by s.position
    );
    update queue.workflow_run as r
    set failure_of = s.failed
    from unnest(v_started, v_handler.run_ids) as s (run_id, failed)
    where r.run_id = s.run_id;
  end loop;
end
$function$;

comment on function queue._start_failure_handlers(bigint[]) is
$comment$Starts the failure handlers of runs that have just failed, in the transaction that fails them: exactly one run each.
run_ids: ended runs; runs that did not fail, or whose version has no handler, are skipped.
Touches: as workflow_start_batch().$comment$;

create function queue._check_page(max_runs integer)
returns void
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
begin
  if max_runs is null or max_runs not between 1 and 10000 then
    perform queue._raise('OX004', format('invalid max_runs %s', coalesce(max_runs::text, 'null')), null,
      'Request between 1 and 10000 runs at a time.');
  end if;
end
$function$;

comment on function queue._check_page(integer) is
$comment$Checks the size of a page.
Errors: OX004 invalid argument.
Touches: nothing.$comment$;

create function queue._find_runs(
  filter   queue.run_filter,
  before   queue.run_cursor,
  max_runs integer,
  sorted   boolean default true
)
returns setof bigint
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $function$
declare
  v_statuses  constant queue.workflow_status[] := (filter).status::queue.workflow_status[];
  v_newest    constant text := case when sorted then 'order by %1$s.started_at desc, %1$s.run_id desc' else '' end;
  -- Planned with its values, so that conditions on null vanish and an index fits the rest.
  v_condition constant text := $sql$
      ($1 is null or (r.started_at, r.run_id) < ($1, $16))
      and ($3 is null or r.workflow_name = $3)
      and ($4 is null or r.workflow_version = $4)
      and ($5 is null or r.status = any ($5))
      and ($6 is null or (r.paused_at is not null) = $6)
      and ($7 is null or r.started_at >= $7)
      and ($8 is null or r.started_at < $8)
      and ($9 is null or r.completed_at >= $9)
      and ($10 is null or r.completed_at < $10)
      and ($11 is null or r.tags @> $11)
      and ($12 is null or r.input @> $12)
      and ($13 is null or $13 in (r.error ->> 'code', r.error -> 'cause' ->> 'code'))
      and ($14 is null or r.idempotency_key = $14)
  $sql$;
  v_selects   text[] := array[]::text[];
  v_select    constant text := format(
    '(select r.run_id, r.started_at from queue.workflow_run as r where %s and %%s %s limit $2)',
    v_condition, format(v_newest, 'r')
  );
  -- The index of ended runs begins with the workflow: a list of all workflows merges theirs.
  v_ended     constant text := format(
    $sql$(
      select f.run_id, f.started_at
      from queue.queue as q
      cross join lateral (
        select r.run_id, r.started_at
        from queue.workflow_run as r
        where r.workflow_name = substr(q.name, 6)
          and %s
          and %%s
        %s
        limit $2
      ) as f
      where q.kind = 'workflow'
        and ($15 is null or q.queue_id = $15)
    )$sql$,
    v_condition, format(v_newest, 'r')
  );
  -- If the rest of the filter cannot exclude a run, the newest are taken before their rows are read.
  v_is_plain  constant boolean := num_nonnulls(
    (filter).paused, (filter).completed_after, (filter).completed_before, (filter).input, (filter).error_code,
    (filter).idempotency_key
  ) = 0;
  -- One lookup per continuation, whatever the statistics are.
  v_in_flight constant text := format(
    $sql$(
      select r.run_id, r.started_at
      from queue.queue as q
      cross join lateral (
        select m.msg_id, m.enqueued_at
        from queue.workflow_continuation as m
        where m.queue_id = q.queue_id
          and ($1 is null or (m.enqueued_at, m.msg_id) < ($1, $16))
          and ($4 is null or m.version = $4)
          and ($7 is null or m.enqueued_at >= $7)
          and ($8 is null or m.enqueued_at < $8)
        %s
        %s
      ) as m
      cross join lateral (
        select o.run_id, o.workflow_name, o.workflow_version, o.status, o.paused_at, o.started_at, o.completed_at,
          o.tags, o.input, o.error, o.idempotency_key
        from queue.workflow_run as o
        where o.run_id = m.msg_id
        limit 1
      ) as r
      where q.kind = 'workflow'
        and ($15 is null or q.queue_id = $15)
        and %s
      %s
      limit $2
    )$sql$,
    case when sorted then 'order by m.enqueued_at desc, m.msg_id desc' else '' end,
    case when v_is_plain then 'limit $2' else 'offset 0' end,
    v_condition,
    format(v_newest, 'r')
  );
  v_queue_id  constant integer := queue._workflow_queue_id((filter).name);
  v_by_input  constant boolean := (filter).input is not null
    and to_regclass('queue.' || queue._input_index(v_queue_id)) is not null;
begin
  if (filter).tags is not null or v_by_input then
    -- Materialized, or the planner might walk through all runs and expect to find matches soon.
    return query execute format($sql$
      with fitting as materialized (select r.run_id, r.started_at from queue.workflow_run as r where %1$s)
      select fitting.run_id from fitting %2$s limit $2
    $sql$, v_condition, format(v_newest, 'fitting'))
    using before.started_at, max_runs, (filter).name, (filter).version, v_statuses, (filter).paused,
      (filter).started_after, (filter).started_before, (filter).completed_after, (filter).completed_before,
      (filter).tags, (filter).input, (filter).error_code, (filter).idempotency_key, v_queue_id, before.run_id;
    return;
  end if;

  if (filter).name is not null and v_queue_id is null then
    return;
  elsif (filter).paused then
    v_selects := v_selects || format(v_select, 'r.paused_at is not null');
  elsif (filter).name is not null and (filter).idempotency_key is not null then
    v_selects := v_selects
      || format(v_select, 'r.superseded_by is null')
      || format(v_select, 'r.superseded_by is not null');
  else
    if v_statuses <@ array['failed', 'cancelled']::queue.workflow_status[] then
      v_selects := v_selects || format(v_ended, $sql$r.status in ('failed', 'cancelled')$sql$);
    elsif not coalesce(v_statuses <@ array['running']::queue.workflow_status[], false) then
      v_selects := v_selects || format(v_ended, 'r.completed_at is not null');
    end if;
    if coalesce('running' = any (v_statuses), true) then
      v_selects := v_selects || v_in_flight;
    end if;
  end if;

  return query execute format(
    'select f.run_id from (%s) as f %s limit $2',
    array_to_string(v_selects, ' union all '),
    format(v_newest, 'f')
  )
  using before.started_at, max_runs, (filter).name, (filter).version, v_statuses, (filter).paused,
    (filter).started_after, (filter).started_before, (filter).completed_after, (filter).completed_before,
    (filter).tags, (filter).input, (filter).error_code, (filter).idempotency_key, v_queue_id, before.run_id;
end
$function$;

comment on function queue._find_runs(queue.run_filter, queue.run_cursor, integer, boolean) is
$comment$Finds runs by a filter, newest first: in descending order of started_at, then run_id.
Ended runs are found by the index workflow_run_ended, workflow by workflow, and failed or cancelled ones by workflow_run_unsuccessful. Runs in flight have no index in that order, because each start would pay for it: those of a workflow are found through its queue and sorted. Indexes also find runs by tags, by input after workflow_index_input(), by key, and paused ones. The rest of the filter is checked on the rows found.
before: only runs after this place in the list; null finds all.
max_runs: null finds all.
sorted: false returns any order, at less cost.
Returns run ids.
Touches: nothing; reads queue.workflow_run and queue.workflow_continuation.$comment$;

create function queue._input_index(queue_id integer)
returns text
language sql
as $function$
  select 'workflow_run_input_' || queue_id
$function$;

comment on function queue._input_index(integer) is
$comment$Returns the name of the index on the inputs of a workflow.
Returns the name, whether or not the index exists; null for an unknown workflow.
Touches: nothing.$comment$;

create function queue._raise_run_not_found(run_id bigint)
returns void
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  perform queue._raise('OX005', format('run %s does not exist', coalesce(run_id::text, 'null')), null,
    'Check the run id. An ended run is deleted when its retention is over.');
end
$function$;

comment on function queue._raise_run_not_found(bigint) is
$comment$Raises OX005 for a run id.
Errors: OX005, always.
Touches: nothing.$comment$;

create function queue._run_cursor(run_id bigint, started_at timestamptz)
returns queue.run_cursor
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_cursor queue.run_cursor;
begin
  if run_id is null then
    return null;
  end if;
  v_cursor.run_id := run_id;
  v_cursor.started_at := coalesce(
    started_at, (select r.started_at from queue.workflow_run as r where r.run_id = _run_cursor.run_id)
  );
  if v_cursor.started_at is null then
    perform queue._raise('OX005', format('run %s, the cursor of a list, does not exist', run_id), null,
      'Pass the started_at of that run too, so that the list continues even if the run has been deleted.');
  end if;
  return v_cursor;
end
$function$;

comment on function queue._run_cursor(bigint, timestamptz) is
$comment$Builds the cursor of a list of runs.
run_id: of the last run of the previous page; null for the first page.
started_at: of that run; looked up if null.
Returns the place in the list; null for its beginning.
Errors: OX005 started_at is null and the run has been deleted.
Touches: nothing; reads queue.workflow_run.$comment$;

create function queue._run_filter(filter jsonb)
returns queue.run_filter
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_known  constant text[] := array[
    'name', 'version', 'status', 'paused', 'started_after', 'started_before', 'completed_after', 'completed_before',
    'tags', 'input', 'error_code', 'idempotency_key'
  ];
  v_given  jsonb := coalesce(_run_filter.filter, '{}');
  v_key    text;
  v_filter queue.run_filter;
begin
  if jsonb_typeof(v_given) <> 'object' then
    perform queue._raise('OX004', format('filter is not a JSON object: %s', left(v_given::text, 40)), null,
      'Pass an object such as {"name": "onboard-user", "status": ["failed"]}.');
  end if;
  select k into v_key
  from jsonb_object_keys(v_given) as k
  where k <> all (v_known)
  limit 1;
  if found then
    perform queue._raise('OX004', format('unknown key "%s" in a filter', left(v_key, 40)), null,
      format('The keys of a filter are %s.', array_to_string(v_known, ', ')));
  end if;
  if jsonb_typeof(v_given -> 'status') = 'string' then
    v_given := jsonb_set(v_given, '{status}', jsonb_build_array(v_given -> 'status'));
  end if;

  begin
    v_filter := jsonb_populate_record(null::queue.run_filter, v_given);
  exception when data_exception then
    perform queue._raise('OX004', format('invalid value in a filter: %s', sqlerrm), null,
      'Dates are ISO 8601 text, version is a number, status a list, tags and input are objects.');
  end;

  if not (v_filter).status <@ array['running', 'completed', 'failed', 'cancelled'] then
    perform queue._raise('OX004', format('unknown status in %s', v_given -> 'status'), null,
      'A status is running, completed, failed or cancelled.');
  end if;
  return v_filter;
end
$function$;

comment on function queue._run_filter(jsonb) is
$comment$Parses a filter of runs and rejects unknown keys.
filter: an object with attributes of queue.run_filter; status is one or a list. Null means {}, which matches all runs.
Returns the filter.
Errors: OX004 invalid argument, with the key or value.
Touches: nothing.$comment$;

create function queue._summarize_runs(
  filter      queue.run_filter,
  before      queue.run_cursor,
  max_runs    integer,
  with_values boolean
)
returns setof queue.workflow_summary
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $function$
begin
  return query
    select r.run_id, r.workflow_name, r.workflow_version, r.status::text, r.started_at, r.completed_at, r.deadline,
      r.paused_at, r.idempotency_key, r.tags, r.error, r.rerun_of, r.superseded_by,
      case when with_values then r.input end, case when with_values then r.output end,
      r.failure_of
    from queue._find_runs(filter, before, max_runs) with ordinality as f (run_id, n)
    join queue.workflow_run as r on r.run_id = f.run_id
    order by f.n;
end
$function$;

comment on function queue._summarize_runs(queue.run_filter, queue.run_cursor, integer, boolean) is
$comment$Returns the rows of the runs that _find_runs() finds, in its order.
Returns one row per run.
Touches: nothing; reads queue.workflow_run and queue.workflow_continuation.$comment$;

create function queue._failed_attempts(run_id bigint, step_name text)
returns jsonb
language sql
stable
parallel safe
as $function$
  select pg_catalog.jsonb_agg(
      pg_catalog.jsonb_build_object('attempt', f.attempt, 'failed_at', f.failed_at, 'error', f.error)
      order by f.retry_at
    )
  from queue.workflow_failed_attempt as f
  where f.run_id = _failed_attempts.run_id
    and f.step_name = _failed_attempts.step_name
$function$;

comment on function queue._failed_attempts(bigint, text) is
$comment$Returns the errors by which calls of a step failed.
Returns [{"attempt", "failed_at", "error"}], oldest first; null if no call failed.
Touches: nothing; reads queue.workflow_failed_attempt.$comment$;

create function queue._journal_json(
  step_name text,
  kind      text,
  attempts  integer,
  output    jsonb,
  error     jsonb
)
returns jsonb
language sql
as $function$
  select case
    when output is not null then
      pg_catalog.jsonb_build_object('name', step_name, 'kind', kind, 'attempts', attempts, 'output', output)
    when error is not null then
      pg_catalog.jsonb_build_object('name', step_name, 'kind', kind, 'attempts', attempts, 'error', error)
    else pg_catalog.jsonb_build_object('name', step_name, 'kind', kind, 'attempts', attempts)
  end
$function$;

comment on function queue._journal_json(text, text, integer, jsonb, jsonb) is
$comment$Converts a journal row to the form that a replay reads; output and error are absent if they are null.
Returns a JSON object.
Touches: nothing.$comment$;

create function queue._large_size(value jsonb)
returns integer
language sql
stable
parallel safe
as $function$
  select case
    when pg_catalog.pg_column_size(value) operator(pg_catalog.>) 2000
      or pg_catalog.pg_column_compression(value) is not null
    then queue._json_size(value)
  end
$function$;

comment on function queue._large_size(jsonb) is
$comment$Returns the size of a value that is large enough to count towards the size of a journal.
Returns bytes; null for null, and for a value of at most 2,000 bytes.
Touches: nothing.$comment$;

create function queue._record_failed_attempts(
  run_ids   bigint[],
  results   jsonb[],
  held      boolean[],
  failed_at timestamptz
)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set plan_cache_mode = force_generic_plan
set jit = off
as $function$
begin
  with noted as (
    insert into queue.workflow_failed_attempt as f (run_id, failed_at, retry_at, attempt, step_name, error)
    select i.run_id, _record_failed_attempts.failed_at, (r.retry ->> 'until')::timestamptz,
      (r.retry ->> 'attempts')::integer, r.retry ->> 'step', coalesce(r.retry -> 'error', '{}')
    from unnest(run_ids, results, held) as i (run_id, result, held)
    cross join lateral jsonb_array_elements(
      case jsonb_typeof(i.result -> 'retries') when 'array' then i.result -> 'retries' end
    ) as r (retry)
    where i.held
      and r.retry ?& array['step', 'attempts', 'until']
    on conflict on constraint workflow_failed_attempt_pkey do nothing
    returning f.run_id, f.step_name, f.attempt
  )
  delete from queue.workflow_failed_attempt as f
  using noted
  where noted.attempt > 100
    and f.run_id = noted.run_id
    and f.step_name = noted.step_name
    and f.attempt between 11 and noted.attempt - 90;
end
$function$;

comment on function queue._record_failed_attempts(bigint[], jsonb[], boolean[], timestamptz) is
$comment$Records the errors of steps that will be called again, from the continuations of a commit.
results: of the commit; an object with retries is a continuation.
held: by position, which leases are locked.
Touches: queue.workflow_failed_attempt.$comment$;

create function queue._require_journal_size(run_ids bigint[])
returns void
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set plan_cache_mode = force_generic_plan
set jit = off
as $function$
declare
  v_max_bytes constant bigint := bigint '134217728';
  v_over      record;
begin
  select i.run_id, j.bytes
  into v_over
  from unnest(run_ids) as i (run_id)
  cross join lateral (
    select sum(s.bytes) as bytes
    from queue.workflow_step as s
    where s.run_id = i.run_id
      and s.bytes is not null
  ) as j
  where j.bytes > v_max_bytes
  limit 1;
  if not found then
    return;
  end if;

  perform queue._raise(
    'OX008',
    (
      select format('step "%s" of %s bytes takes the journal of run %s to %s bytes', s.step_name, s.bytes, s.run_id, v_over.bytes)
      from queue.workflow_step as s
      where s.run_id = v_over.run_id
        and s.bytes is not null
      order by s.position desc
      limit 1
    ),
    format('The values of a journal have at most %s bytes in total.', v_max_bytes),
    'Store large data elsewhere and journal a reference to it, or split the run with step.invoke.'
  );
end
$function$;

comment on function queue._require_journal_size(bigint[]) is
$comment$Requires that journals have at most 128 MiB: a worker must be able to receive them whole. Call it after the steps are journaled, for runs that journaled a large value or many small ones.
Errors: OX008 too large, with the last large step.
Touches: nothing; reads the sizes of large rows of queue.workflow_step.$comment$;

create function queue._end_lost_leases(receipts bigint[], known jsonb[])
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $function$
declare
  v_run_ids constant bigint[] := array(
    select queue._receipt_msg_id(i.receipt)
    from unnest(receipts) with ordinality as i (receipt, item)
    order by i.item
  );
  v_items   integer[];
begin
  v_items := queue._find_lost_tails(v_run_ids, array_fill(true, array[cardinality(receipts)]), known, null, null);
  if v_items = array[]::integer[] then
    return;
  end if;
  perform queue._give_back_runs(array(
    select m.msg_id
    from unnest(v_items) as i (item)
    join queue.workflow_continuation as m
      on m.msg_id = v_run_ids[i.item]
      and m.receipt = receipts[i.item]
    order by m.msg_id
    for no key update of m skip locked
  ));
end
$function$;

comment on function queue._end_lost_leases(bigint[], jsonb[]) is
$comment$Ends the leases of runs whose worker got a successful answer for a commit that a crash or failover has lost.
known: as in workflow_commit().
Touches: queue.workflow_continuation (SKIP LOCKED); reads as _find_lost_tails().$comment$;

create function queue._end_lost_tails(
  run_ids        bigint[],
  held           boolean[],
  known          jsonb[],
  step_items     integer[],
  step_positions integer[]
)
returns boolean[]
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_lost constant integer[] := queue._find_lost_tails(run_ids, held, known, step_items, step_positions);
begin
  if v_lost = array[]::integer[] then
    return held;
  end if;
  perform queue._give_back_runs(array(select run_ids[l.item] from unnest(v_lost) as l (item)));
  return array(
    select i.held and not i.item = any (v_lost)
    from unnest(held) with ordinality as i (held, item)
    order by i.item
  );
end
$function$;

comment on function queue._end_lost_tails(bigint[], boolean[], jsonb[], integer[], integer[]) is
$comment$Gives back the runs of a commit whose worker got a successful answer for an earlier commit that a crash or failover has lost.
held: by position, which leases are locked.
run_ids, known, step_items, step_positions: as in workflow_commit().
Returns held, with false for those runs.
Touches: as _give_back_runs(); reads as _find_lost_tails().$comment$;

create function queue._extend_leases(receipts bigint[], lease_end timestamptz, known jsonb[])
returns queue.extended_leases
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set plan_cache_mode = force_generic_plan
set jit = off
as $function$
declare
  v_extended queue.extended_leases;
  v_taken    bigint[];
begin
  if known is not null then
    perform queue._end_lost_leases(receipts, known);
  end if;
  if lease_end is not null then
    with locked as materialized (
      select m.msg_id
      from unnest(receipts) as i (receipt)
      join queue.workflow_continuation as m
        on m.msg_id = queue._receipt_msg_id(i.receipt)
        and m.receipt = i.receipt
      order by m.msg_id
      for no key update of m skip locked
    ),
    extended as (
      update queue.workflow_continuation as m
      -- A worker whose lease had expired, and whose run no other worker has received, is alive after all.
      set visible_at = lease_end,
        suspect_at = case when m.suspect_at = 'infinity' then m.suspect_at end,
        deaths = case when m.suspect_at < 'infinity' then nullif(array_remove(m.deaths, m.receipt), '{}') else m.deaths end
      from locked
      where m.msg_id = locked.msg_id
      returning m.receipt
    )
    select coalesce(array_agg(extended.receipt), '{}') into v_taken from extended;
  end if;

  select coalesce(array_agg(m.receipt), '{}'),
    coalesce(array_agg(m.receipt) filter (where m.message -> 'waits' @> '[{"kind": "event"}]' and exists (
      select
      from queue.workflow_buffered_signal as b
      where b.run_id = m.msg_id
        and queue._first_matching_wait(m.message -> 'waits', b.event, b.payload) is not null
    ) or m.message -> 'waits' @> '[{"kind": "invoke"}]' and exists (
      select
      from queue.workflow_run as c
      where c.parent_run_id = m.msg_id
        and c.status <> 'running'
        and m.message -> 'waits' @> jsonb_build_array(jsonb_build_object('kind', 'invoke', 'step', c.parent_step))
    )), '{}'),
    coalesce(array_agg(m.receipt) filter (where m.headers ? 'paused'), '{}'),
    coalesce(array_agg(m.receipt) filter (
      where (m.headers #>> '{cancelled,receipt}')::bigint = m.receipt
    ), '{}'),
    null::bigint[]
  into v_extended
  from unnest(receipts) as i (receipt)
  join queue.workflow_continuation as m
    on m.msg_id = queue._receipt_msg_id(i.receipt)
    and m.receipt = i.receipt;
  if cardinality(v_taken) < cardinality(v_extended.held) then
    v_extended.busy := array(
      select h.receipt
      from unnest(v_extended.held) as h (receipt)
      where not h.receipt = any (v_taken)
    );
  end if;
  return v_extended;
end
$function$;

comment on function queue._extend_leases(bigint[], timestamptz, jsonb[]) is
$comment$Extends the leases of runs, without waiting for other transactions.
lease_end: the new end; null extends nothing. It applies even if the lease ended later before, because a clock that was ahead may have written that. A run whose lease had expired is no longer a suspect.
known: as in workflow_heartbeat().
Returns the receipts that are alive. busy: those of them whose leases were not extended, because another transaction has locked the run; null if there are none.
Touches: queue.workflow_continuation, locked in the order of run ids with SKIP LOCKED; reads queue.workflow_buffered_signal and queue.workflow_run; as _end_lost_leases().$comment$;

create function queue._find_lost_tails(
  run_ids        bigint[],
  held           boolean[],
  known          jsonb[],
  step_items     integer[],
  step_positions integer[]
)
returns integer[]
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set plan_cache_mode = force_generic_plan
set jit = off
as $function$
declare
  v_items integer[];
begin
  -- If the caller names no fact, the position of a step shows which rows should exist before it.
  if step_items is not null and (known is null or array_position(known, null) is not null) then
    v_items := array(
      select f.item
      from (
        select s.item, min(s.position) as "position"
        from unnest(step_items, step_positions) as s (item, position)
        group by s.item
      ) as f
      where held[f.item]
        and known[f.item] is null
        and f.position > 1
        and not exists (
          select
          from queue.workflow_step as s
          where s.run_id = run_ids[f.item]
            and s.position >= f.position - 1
        )
    );
  end if;
  if known is null then
    return coalesce(v_items, array[]::integer[]);
  end if;

  -- The log loses its end, so if the last fact exists, everything before it does.
  return v_items || array(
    select i.item::integer
    from unnest(run_ids, held, known) with ordinality as i (run_id, held, known, item)
    where i.held
      and not case
        when i.known ? 'step' then exists (
          select
          from queue.workflow_step as s
          where s.run_id = i.run_id
            and s.step_name = i.known ->> 'step'
        )
        when i.known ? 'revision' then exists (
          select
          from queue.workflow_continuation as m
          where m.msg_id = i.run_id
            and (m.message ->> 'revision')::bigint >= (i.known ->> 'revision')::bigint
        )
        when i.known ? 'chunk' then exists (
          select
          from queue.workflow_stream_chunk as c
          where c.run_id = i.run_id
            and c.step_name = i.known #>> '{chunk,step}'
            and c.attempt = (i.known #>> '{chunk,attempt}')::integer
            and c.number = (i.known #>> '{chunk,number}')::integer
        )
        else true
      end
  );
end
$function$;

comment on function queue._find_lost_tails(bigint[], boolean[], jsonb[], integer[], integer[]) is
$comment$Finds runs whose worker got a successful answer for a commit that does not exist: a crash or failover has lost it.
held: by position, which leases are alive; other runs are skipped.
known: as in workflow_commit(); if it is null, or null for a run, step_items and step_positions show what the worker assumes to be journaled.
Returns their positions.
Touches: nothing; reads queue.workflow_step, queue.workflow_continuation and queue.workflow_stream_chunk.$comment$;

create function queue._give_back_runs(run_ids bigint[])
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $function$
declare
  v_dimensions constant integer[] := array[cardinality(run_ids)];
begin
  perform queue._move_continuations(
    run_ids, array_fill('release'::text, v_dimensions), array_fill(null::jsonb, v_dimensions),
    array_fill(null::timestamptz, v_dimensions), array_fill(true, v_dimensions), null
  );
  -- The impossible receipt 0: a repeated commit is lost again. It shows that the run may have a journal.
  update queue.workflow_continuation as m
  set settled_receipt = 0
  where m.msg_id = any (run_ids);
end
$function$;

comment on function queue._give_back_runs(bigint[]) is
$comment$Ends the leases of runs whose continuations the caller has locked, so that they are received again at once and replayed from the journal. The delivery does not count.
Touches: as _move_continuations().$comment$;

create function queue._lease_interval(lease_seconds numeric)
returns interval
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
begin
  if lease_seconds is null or lease_seconds <= 0 or lease_seconds > 43200 then
    perform queue._raise('OX004', format('invalid lease of %s seconds', coalesce(lease_seconds::text, 'null')), null,
      'A lease is longer than 0 and at most 43200 seconds (12 hours).');
  end if;
  return make_interval(secs => lease_seconds::double precision);
end
$function$;

comment on function queue._lease_interval(numeric) is
$comment$Checks the length of a lease and converts it.
Returns the interval.
Errors: OX004 invalid argument.
Touches: nothing.$comment$;

create function queue._lock_leases(
  run_ids     bigint[],
  receipts    bigint[],
  others      bigint[],
  known       jsonb[],
  skip_locked boolean
)
returns integer[]
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
set jit = off
as $function$
begin
  -- The usual commit, with a statement at a third of the cost.
  if cardinality(run_ids) = 1 and others is null and not skip_locked then
    return array[coalesce((
      select case when s.run_id is not null or known[1] = '{}' then 1 else -1 end
      from queue.workflow_continuation as m
      left join queue.workflow_step as s
        on s.run_id = m.msg_id
        and s.step_name = known[1] ->> 'step'
      where m.msg_id = run_ids[1]
        and m.receipt = receipts[1]
      for no key update of m
    ), 0)];
  end if;

  return (
    select array_agg(
      case
        when not coalesce(i.is_locked, false) then
          case
            when skip_locked then (
              select case when bool_or(m.receipt = i.receipt) then null else 0 end
              from queue.workflow_continuation as m
              where m.msg_id = i.run_id
            )
            else 0
          end
        when s.run_id is not null or i.known = '{}' then 1
        else -1
      end
      order by i.item
    ) filter (where i.item is not null)
    from (
      select w.run_id, w.receipt, w.known, w.item,
        case
          when skip_locked then (
            select true
            from queue.workflow_continuation as m
            where m.msg_id = w.run_id
              and (w.item is null or m.receipt = w.receipt)
            for no key update skip locked
          )
          else (
            select true
            from queue.workflow_continuation as m
            where m.msg_id = w.run_id
              and (w.item is null or m.receipt = w.receipt)
            for no key update
          )
        end as is_locked
      from (
        select i.run_id, i.receipt, i.known, i.item
        from unnest(run_ids, receipts, known) with ordinality as i (run_id, receipt, known, item)
        union all
        select o.run_id, null, null, null
        from unnest(others) as o (run_id)
        order by run_id
      ) as w
      -- A fence: rows are locked in this order, whatever the statement does with them.
      offset 0
    ) as i
    left join queue.workflow_step as s
      on s.run_id = i.run_id
      and s.step_name = i.known ->> 'step'
  );
end
$function$;

comment on function queue._lock_leases(bigint[], bigint[], bigint[], jsonb[], boolean) is
$comment$Locks the continuations whose receipts are alive, and those of others, in the order of run ids, so that two commits can't deadlock.
others: runs that the commit also changes: parents of the runs that it ends, and runs that it signals; null if there are none.
known, skip_locked: as in workflow_commit().
Returns an array by position: 1 if the lease is held; 0 if it is not; -1 if it is held but _find_lost_tails() must decide whether the known fact exists; null if another transaction has locked the run.
Touches: queue.workflow_continuation; reads queue.workflow_step.$comment$;

create function queue._outcome_without_lease(run_id bigint, receipt bigint)
returns text
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $function$
declare
  v_status   text;
  v_ended_by bigint;
  v_settled  boolean := false;
begin
  select r.status::text, r.ended_by
  into v_status, v_ended_by
  from queue.workflow_run as r
  where r.run_id = _outcome_without_lease.run_id;

  if v_status = 'running' then
    v_settled := exists (
      select
      from queue.workflow_continuation as m
      where m.msg_id = _outcome_without_lease.run_id
        and m.settled_receipt = _outcome_without_lease.receipt
    );
  end if;

  return case
    when v_settled or v_ended_by = receipt then 'ok'
    when v_status = 'cancelled' then 'cancelled'
    else 'lost'
  end;
end
$function$;

comment on function queue._outcome_without_lease(bigint, bigint) is
$comment$Returns the outcome of a commit for a worker whose receipt is dead.
Returns ok if that receipt has already made the run's last transition (its answer was lost); otherwise cancelled or lost.
Touches: nothing; reads queue.workflow_run and queue.workflow_continuation.$comment$;

create function queue._uncount_deaths(receipts bigint[])
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set plan_cache_mode = force_generic_plan
set jit = off
as $function$
begin
  with excused as materialized (
    select m.msg_id, i.receipt
    from unnest(receipts) as i (receipt)
    join queue.workflow_continuation as m
      on m.msg_id = queue._receipt_msg_id(i.receipt)
      and i.receipt = any (m.deaths)
    -- The caller may hold locks on others.
    for no key update of m skip locked
  )
  update queue.workflow_continuation as m
  set deaths = nullif(array_remove(m.deaths, excused.receipt), '{}')
  from excused
  where m.msg_id = excused.msg_id;
end
$function$;

comment on function queue._uncount_deaths(bigint[]) is
$comment$Removes deaths from the count of suspects whose workers turn out to be alive: they lost their leases while the database was unavailable or their event loop was blocked.
receipts: dead ones that a worker has just presented.
Touches: queue.workflow_continuation (SKIP LOCKED).$comment$;

create function queue._lock_related_runs(run_ids bigint[])
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_family bigint[];
begin
  loop
    v_family := queue._related_runs(run_ids);
    begin
      perform queue._lock_runs(v_family);
      exit when queue._related_runs(run_ids) <@ v_family;
      -- While this waited for a lock, a parent has started another child. Locking the child now would be out of order,
      -- so the end of the subtransaction releases all locks, and they are taken again.
      raise sqlstate 'OX000';
    exception when sqlstate 'OX000' then
      continue;
    end;
  end loop;
end
$function$;

comment on function queue._lock_related_runs(bigint[]) is
$comment$Locks all continuations that a cancellation changes: of the runs, of the runs that they wait for, and of their parents, in the order that commits use, so that no deadlock is possible. Afterwards no transaction can start another child of theirs.
Touches: queue.workflow_continuation.$comment$;

create function queue._lock_runs(run_ids bigint[])
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $function$
begin
  perform m.msg_id
  from queue.workflow_continuation as m
  where m.msg_id = any (run_ids)
  order by m.msg_id
  for no key update;
end
$function$;

comment on function queue._lock_runs(bigint[]) is
$comment$Locks the continuations of runs in the order that commits use. Ended runs have none.
Touches: queue.workflow_continuation (waits).$comment$;

create function queue._related_runs(run_ids bigint[])
returns bigint[]
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $function$
begin
  return array(
    with recursive tree (run_id) as (
      select r.run_id
      from queue.workflow_run as r
      where r.run_id = any (_related_runs.run_ids)
        and r.status = 'running'
      union
      select c.run_id
      from tree
      join queue.workflow_run as c on c.parent_run_id = tree.run_id
      where c.status = 'running'
        and not c.is_detached
    )
    select tree.run_id from tree
    union
    select r.parent_run_id
    from queue.workflow_run as r
    where r.run_id = any (_related_runs.run_ids)
      and r.parent_run_id is not null
  );
end
$function$;

comment on function queue._related_runs(bigint[]) is
$comment$Returns those of the runs that are running, the running runs that they and their children wait for, and their parents.
Returns their ids.
Touches: nothing; reads queue.workflow_run.$comment$;

create function queue._try_lock_runs(run_ids bigint[])
returns bigint[]
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $function$
begin
  return array(
    select m.msg_id
    from queue.workflow_continuation as m
    where m.msg_id = any (run_ids)
    for no key update skip locked
  );
end
$function$;

comment on function queue._try_lock_runs(bigint[]) is
$comment$Does what _lock_runs() does, without waiting.
Returns the runs that are now locked.
Touches: queue.workflow_continuation (SKIP LOCKED).$comment$;

create function queue._change_runs(
  change   text,
  filter   queue.run_filter,
  detail   text,
  before   queue.run_cursor,
  max_runs integer
)
returns queue.changed_runs
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $function$
declare
  v_run_ids bigint[];
  v_run_id  bigint;
  v_done    boolean;
  v_answer  queue.changed_runs;
begin
  perform queue._check_page(max_runs);
  v_answer.changed := 0;
  if to_regclass('queue.workflow_run') is null then
    return v_answer;
  end if;
  v_run_ids := array(select f from queue._find_runs(filter, before, max_runs) as f);

  if cardinality(v_run_ids) = max_runs then
    select r.run_id, r.started_at into v_answer.before, v_answer.before_started_at
    from queue.workflow_run as r
    where r.run_id = v_run_ids[max_runs];
  end if;

  -- In the order that commits of workers use.
  if change = 'cancel' then
    perform queue._lock_related_runs(v_run_ids);
  end if;
  for v_run_id in
    select r.run_id
    from unnest(v_run_ids) as i (run_id)
    join queue.workflow_run as r on r.run_id = i.run_id
    where (change <> 'retry' or r.superseded_by is null and not queue._has_rolled_back(r.run_id))
      and (
        change <> 'rerun'
        or detail is null
        or exists (select from queue.workflow_step as s where s.run_id = r.run_id and s.step_name = detail)
      )
    order by r.run_id
  loop
    case change
      when 'cancel' then v_done := queue.workflow_cancel(v_run_id, detail);
      when 'pause' then v_done := queue.workflow_pause(v_run_id, detail);
      when 'resume' then v_done := queue.workflow_resume(v_run_id);
      when 'retry' then v_done := queue.workflow_retry(v_run_id);
      when 'rerun' then v_done := queue.workflow_rerun(v_run_id, detail) is not null;
    end case;
    if v_done then
      v_answer.changed := v_answer.changed + 1;
    end if;
  end loop;

  return v_answer;
end
$function$;

comment on function queue._change_runs(text, queue.run_filter, text, queue.run_cursor, integer) is
$comment$Applies one change to a batch of runs that match a filter.
change: cancel, pause, resume, retry or rerun.
detail: the reason of a cancellation or a pause; or the step from which a rerun continues, which selects the runs that have it.
Returns how many runs were changed, and the cursor of the next batch.
Errors: OX004 invalid argument.
Touches: as the function that changes one run.$comment$;

create function queue._due_after_pause(headers jsonb, due timestamptz)
returns jsonb
language sql
as $function$
  select pg_catalog.jsonb_set(headers, '{paused,due}', pg_catalog.to_jsonb(due))
$function$;

comment on function queue._due_after_pause(jsonb, timestamptz) is
$comment$Records in the headers of a paused continuation when it would resume without the pause.
Returns the headers.
Touches: nothing.$comment$;

create function queue._paused_until(headers jsonb)
returns timestamptz
language sql
as $function$
  select coalesce((headers operator(pg_catalog.#>>) '{paused,until}')::pg_catalog.timestamptz, 'infinity')
$function$;

comment on function queue._paused_until(jsonb) is
$comment$Returns when a paused continuation becomes visible in any case: at the deadline of its run, which then fails.
headers: of a continuation. A paused one has {"paused": {"until": <the run's deadline>, "due": <when it would resume without the pause>}}; either is absent if null.
Returns the time; infinity if the run has no deadline.
Touches: nothing.$comment$;

create function queue._create_workflow_queue(name text)
returns integer
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_queue    constant text := '__wf_' || _create_workflow_queue.name;
  v_settings queue.queue_settings;
begin
  if _create_workflow_queue.name !~ '^[a-z0-9][a-z0-9_-]{0,42}$' then
    perform queue._raise(
      'OX003',
      format('invalid workflow name "%s"', _create_workflow_queue.name),
      null,
      'A workflow name is 1 to 43 characters of a-z, 0-9, "_" and "-", and begins with a letter or a digit.'
    );
  end if;

  v_settings.name := v_queue;
  v_settings.kind := 'workflow';
  v_settings.visibility_timeout := 30;
  perform queue._register_queue(v_settings);
  return queue._workflow_queue_id(_create_workflow_queue.name);
end
$function$;

comment on function queue._create_workflow_queue(text) is
$comment$Creates the queue of a workflow at its first start.
Returns its queue_id.
Errors: OX003 invalid workflow name.
Touches: as _register_queue().$comment$;

create function queue._create_workflow_view(name text)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_queue_id constant integer := (
    select q.queue_id from queue.queue as q where q.name = _create_workflow_view.name
  );
begin
  execute format($sql$
    create view queue.%1$I as
      select m.msg_id, m.visible_at, m.enqueued_at, m.receipt, m.settled_receipt, m.read_ct, m.version, m.message,
        m.headers
      from queue.workflow_continuation as m
      where m.queue_id = %2$s
  $sql$, 'q_' || _create_workflow_view.name, v_queue_id);
  execute format('comment on view queue.%1$I is %2$L', 'q_' || _create_workflow_view.name,
    format('Continuations of the workflow "%s", to look at. Change them only through functions of schema queue.',
      substr(_create_workflow_view.name, 6)));
end
$function$;

comment on function queue._create_workflow_view(text) is
$comment$Creates the view that shows the continuations of a workflow as if its queue had its own table.
name: of the queue.
Touches: creates queue.q_<name>.$comment$;

create function queue._workflow_queue_id(name text)
returns integer
language plpgsql
stable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
begin
  return (select q.queue_id from queue.queue as q where q.name = '__wf_' || _workflow_queue_id.name);
end
$function$;

comment on function queue._workflow_queue_id(text) is
$comment$Returns the number of a workflow's queue, to which its continuations refer.
Returns null if the workflow was never started.
Touches: nothing; reads queue.queue.$comment$;

create function queue._claim_runs(
  names        text[],
  versions     jsonb,
  max_runs     integer,
  claim_at     timestamptz,
  lease        interval,
  is_first     boolean,
  suspects     integer,
  has_suspects boolean
)
returns queue.claimed_runs
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
set jit = off
as $function$
declare
  -- Ten, with the two workers that died before the run became a suspect.
  v_max_deaths constant integer := 8;
  v_parts      constant queue.ready_parts := queue._ready_parts(names, versions, claim_at);
  v_claimed    queue.claimed_runs;
  v_found      queue.claimed_runs;
  v_part_of    integer[];
  v_found_of   integer[];
  v_lapsed     bigint;
  v_took       interval;
begin
  -- Suspects first: with a backlog, they would never be received.
  if has_suspects then
    v_claimed := queue._claim_suspect(v_parts, claim_at, lease, suspects is not null);
  end if;

  -- Repeated only if suspects were found among the others; they are set aside here.
  for v_round in 1 .. 100 loop
    exit when cardinality(v_claimed.run_ids) >= max_runs;
    -- One index range per version, so that the backlog of an unserved version is never read.
    with due as materialized (
      select m.ctid, p.part::integer as part, m.receipt is null and m.settled_receipt is null as is_fresh,
        (m.headers ? 'paused' and queue._paused_until(m.headers) > claim_at) is true as is_paused,
        m.receipt is not null and m.read_ct >= 2 and not (m.headers ? 'paused') is true as is_suspect
      from unnest(v_parts.queue_ids, v_parts.versions, v_parts.froms) with ordinality
        as p (queue_id, version, ready_from, part)
      cross join lateral (
        select t.ctid, t.receipt, t.settled_receipt, t.read_ct, t.headers
        from queue.workflow_continuation as t
        where t.queue_id = p.queue_id
          and t.version = p.version
          and t.visible_at between p.ready_from and claim_at
        order by t.visible_at
        limit max_runs - coalesce(cardinality(v_claimed.run_ids), 0)
        for no key update skip locked
      ) as m
      limit max_runs - coalesce(cardinality(v_claimed.run_ids), 0)
    ),
    claimed as (
      update queue.workflow_continuation as m
      set receipt = case
          when due.is_paused or due.is_suspect then m.receipt
          else queue._new_receipt(m.msg_id, m.receipt)
        end,
        visible_at = case
          when due.is_paused then greatest(queue._paused_until(m.headers), clock_timestamp())
          when due.is_suspect then greatest(clock_timestamp(), (
            select coalesce(r.deadline, 'infinity') from queue.workflow_run as r where r.run_id = m.msg_id
          ))
          else (select clock_timestamp()) + lease
        end,
        suspect_at = case
          -- A caller that passes no number of suspects takes it at once.
          when due.is_suspect and suspects is null then claim_at
          when due.is_suspect then m.visible_at + queue._suspect_delay(m.read_ct, lease)
        end,
        deaths = case when due.is_suspect and m.suspect_at = 'infinity' then m.deaths || m.receipt else m.deaths end,
        headers = case when due.is_paused then queue._due_after_pause(m.headers, claim_at) else m.headers end,
        read_ct = m.read_ct + case when due.is_paused or due.is_suspect then 0 else 1 end
      from due
      where m.ctid = due.ctid
      returning m.msg_id, m.receipt, m.read_ct, m.deaths,
        case
          when m.headers ? 'cancelled' then m.message || jsonb_build_object('cancelled', m.headers -> 'cancelled')
          else m.message
        end as message,
        due.is_fresh, due.is_paused, due.is_suspect, due.part
    )
    select array_agg(c.msg_id) filter (where not c.is_suspect),
      array_agg(c.receipt) filter (where not c.is_suspect),
      array_agg(c.read_ct) filter (where not c.is_suspect),
      array_agg(c.message) filter (where not c.is_suspect),
      array_agg(c.is_fresh) filter (where not c.is_suspect),
      array_agg(c.msg_id) filter (where r.deadline <= claim_at or c.is_suspect and cardinality(c.deaths) >= v_max_deaths),
      array_agg(queue._json_size(r.input)::bigint) filter (where not c.is_suspect),
      array_agg(c.part) filter (where not c.is_suspect),
      count(*) filter (where c.is_suspect)
    into v_found.run_ids, v_found.receipts, v_found.attempts, v_found.continuations, v_found.is_fresh,
      v_found.must_end, v_found.sizes, v_found_of, v_lapsed
    from claimed as c
    join queue.workflow_run as r on r.run_id = c.msg_id
    where not c.is_paused;

    if v_claimed.run_ids is null and v_claimed.must_end is null then
      v_claimed := v_found;
    else
      v_claimed := queue._join_claims(v_claimed, v_found);
    end if;
    v_part_of := v_part_of || v_found_of;
    exit when v_lapsed = 0;
    if suspects is null and v_claimed.run_ids is null then
      v_found := queue._claim_suspect(v_parts, claim_at, lease, false);
      v_claimed := queue._join_claims(v_claimed, v_found);
    end if;
  end loop;

  v_claimed.limited := v_parts.limited;
  v_took := clock_timestamp() - claim_at;
  for v_part in 1 .. coalesce(cardinality(v_parts.queue_ids), 0) loop
    if is_first and queue._is_clock_set_back(v_parts.marks[v_part].taken_at, claim_at) then
      perform queue._correct_clock_setback();
      exit;
    elsif is_first and queue._is_mark_due(
      v_parts.marks[v_part], claim_at, v_took, coalesce(cardinality(array_positions(v_part_of, v_part)), 0)
    ) then
      perform queue._advance_ready_mark(
        v_parts.marks[v_part], v_parts.names[v_part], v_parts.versions[v_part],
        'queue.workflow_continuation'::regclass,
        format('m.queue_id = %s and m.version = %s', v_parts.queue_ids[v_part], v_parts.versions[v_part]), claim_at
      );
    end if;
  end loop;
  return v_claimed;
end
$function$;

comment on function queue._claim_runs(text[], jsonb, integer, timestamptz, interval, boolean, integer, boolean) is
$comment$Leases ready continuations. A run that was paused while its worker crashed is set aside instead. A run whose last two leases have expired becomes a suspect, which is received apart.
names, versions, suspects: as in workflow_receive().
claim_at: the current time.
lease: how long no other worker receives the runs.
is_first: claim_at was read before this transaction had an id.
has_suspects: the caller takes suspects, and some are visible.
Returns parallel arrays; null if nothing is ready.
Touches: queue.workflow_continuation (SKIP LOCKED), from the mark of the version on; queue.ready_mark now and then.$comment$;

create function queue._claim_suspect(
  parts    queue.ready_parts,
  claim_at timestamptz,
  lease    interval,
  is_apart boolean
)
returns queue.claimed_runs
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
set jit = off
as $function$
declare
  v_claimed queue.claimed_runs;
begin
  with due as materialized (
    select m.ctid, m.is_paused
    from unnest((parts).queue_ids, (parts).versions) as p (queue_id, version)
    cross join lateral (
      select t.ctid, (t.headers ? 'paused' and queue._paused_until(t.headers) > claim_at) is true as is_paused
      from queue.workflow_continuation as t
      where t.queue_id = p.queue_id
        and t.version = p.version
        and t.suspect_at <= claim_at
      order by t.suspect_at
      limit 1
      for no key update skip locked
    ) as m
    limit 1
  ),
  claimed as (
    update queue.workflow_continuation as m
    set receipt = case when due.is_paused then m.receipt else queue._new_receipt(m.msg_id, m.receipt) end,
      visible_at = case
        when due.is_paused then greatest(queue._paused_until(m.headers), clock_timestamp())
        else clock_timestamp() + lease
      end,
      suspect_at = case
        when due.is_paused then null
        when is_apart then 'infinity'
        -- The caller may execute other suspects: its death counts for one of them only.
        when not exists (
          select
          from queue.workflow_continuation as o
          where o.suspect_at = 'infinity'
            and o.visible_at > claim_at
        ) then timestamptz 'infinity'
      end,
      headers = case when due.is_paused then queue._due_after_pause(m.headers, claim_at) else m.headers end,
      read_ct = m.read_ct + case when due.is_paused then 0 else 1 end
    from due
    where m.ctid = due.ctid
    returning m.msg_id, m.receipt, m.read_ct,
      case
        when m.headers ? 'cancelled' then m.message || jsonb_build_object('cancelled', m.headers -> 'cancelled')
        else m.message
      end as message,
      due.is_paused
  )
  select array_agg(c.msg_id), array_agg(c.receipt), array_agg(c.read_ct), array_agg(c.message), array_agg(false),
    array_agg(c.msg_id) filter (where r.deadline <= claim_at), array_agg(queue._json_size(r.input)::bigint)
  into v_claimed.run_ids, v_claimed.receipts, v_claimed.attempts, v_claimed.continuations, v_claimed.is_fresh,
    v_claimed.must_end, v_claimed.sizes
  from claimed as c
  join queue.workflow_run as r on r.run_id = c.msg_id
  where not c.is_paused;
  return v_claimed;
end
$function$;

comment on function queue._claim_suspect(queue.ready_parts, timestamptz, interval, boolean) is
$comment$Leases the run that has been a suspect for the longest time.
parts: the workflows and versions that the caller serves.
claim_at, lease: as in _claim_runs().
is_apart: the caller executes no other suspect.
Returns at most one run, in the form of _claim_runs().
Touches: queue.workflow_continuation (SKIP LOCKED).$comment$;

create function queue._deliver_inbox()
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
as $function$
declare
  v_letter record;
begin
  -- Only for runs that no other transaction has locked; the next receive delivers the others.
  for v_letter in
    with first as materialized (
      select i.inbox_id, i.run_id
      from queue.workflow_inbox as i
      order by i.inbox_id
      limit 100
      for update skip locked
    ),
    free as materialized (
      select f.inbox_id
      from first as f
      join queue.workflow_continuation as m on m.msg_id = f.run_id
      for no key update of m skip locked
    ),
    taken as (
      delete from queue.workflow_inbox as i
      using first as f
      where i.inbox_id = f.inbox_id
        and (
          f.inbox_id in (select r.inbox_id from free as r)
          or not exists (select from queue.workflow_continuation as m where m.msg_id = f.run_id)
        )
      returning i.inbox_id, i.run_id, i.event, i.payload
    )
    select t.run_id, t.event, t.payload
    from taken as t
    where exists (select from queue.workflow_run as r where r.run_id = t.run_id)
    order by t.inbox_id
  loop
    perform queue.workflow_signal(v_letter.run_id, v_letter.event, v_letter.payload);
    perform queue._unsubscribe_waits(array[v_letter.run_id]);
  end loop;
end
$function$;

comment on function queue._deliver_inbox() is
$comment$Delivers messages of topics to the runs that wait for them, as signals.
Touches: queue.workflow_inbox, queue.subscription, queue.workflow_continuation (SKIP LOCKED); as workflow_signal().$comment$;

create function queue._end_undeliverable_runs(run_ids bigint[], ended_at timestamptz)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $function$
declare
  v_free    constant bigint[] := array(
    select r.run_id
    from queue.workflow_run as r
    where r.run_id = any (run_ids)
    for no key update skip locked
  );
  v_parents constant bigint[] := array(
    select distinct r.parent_run_id
    from queue.workflow_run as r
    where r.run_id = any (run_ids)
      and r.parent_run_id is not null
      and not r.is_detached
  );
  v_ended   bigint[] := run_ids;
  v_errors  jsonb[];
begin
  -- A receive does not wait for a transaction that has locked one of these runs or their parents.
  if cardinality(v_free) < cardinality(run_ids) then
    update queue.workflow_continuation as m
    set visible_at = clock_timestamp() + interval '100 milliseconds',
      suspect_at = null
    where m.msg_id = any (run_ids)
      and not m.msg_id = any (v_free);
    v_ended := v_free;
  end if;
  if v_parents <> '{}' then
    v_ended := queue._postpone_children(v_ended, v_parents);
  end if;

  select array_agg(
    case
      when r.deadline <= ended_at then queue._deadline_error(r.run_id, r.deadline)
      else jsonb_build_object(
        'name', 'PoisonedRun',
        'code', 'POISONED_RUN',
        'message', format(
          'run %s was delivered to 10 workers in a row that died before it made progress', r.run_id)
      )
    end
    order by i.position
  )
  into v_errors
  from unnest(v_ended) with ordinality as i (run_id, position)
  join queue.workflow_run as r on r.run_id = i.run_id;

  perform queue._end_runs(
    v_ended, array_fill('failed'::text, array[cardinality(v_ended)]), null, v_errors, null, ended_at
  );
end
$function$;

comment on function queue._end_undeliverable_runs(bigint[], timestamptz) is
$comment$Fails runs that were just claimed but are past their deadline, or have crashed their workers too often. If another transaction has locked the run or its parent, the run is postponed by 100 ms instead.
Touches: queue.workflow_continuation, also of parents (without waiting), queue.workflow_run, queue.workflow_step.$comment$;

create function queue._fit_claims(claimed queue.claimed_runs, max_bytes bigint, reads_pages boolean)
returns queue.claimed_runs
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set plan_cache_mode = force_generic_plan
set jit = off
as $function$
declare
  -- A JSON array has at most 256 MiB, including names and numbers.
  v_longest constant bigint := bigint '234881024';
  v_fitting queue.claimed_runs;
  v_rest    bigint[];
  v_delay   interval := interval '0';
begin
  with sized as (
    select c.run_id, c.receipt, c.attempt, c.continuation, c.is_fresh, c.n,
      coalesce(c.size, 0) + case
        when c.is_fresh then 0
        else coalesce((
          select sum(s.bytes) from queue.workflow_step as s where s.run_id = c.run_id and s.bytes is not null
        ), 0)
      end as bytes
    from unnest(
      (claimed).run_ids, (claimed).receipts, (claimed).attempts, (claimed).continuations, (claimed).is_fresh,
      (claimed).sizes
    ) with ordinality as c (run_id, receipt, attempt, continuation, is_fresh, size, n)
  ),
  summed as (
    select sized.*,
      case
        when sized.bytes > v_longest and not reads_pages then false
        else sized.n = 1 or sum(sized.bytes) over (order by sized.n) <= max_bytes
      end as fits
    from sized
  )
  select array_agg(s.run_id) filter (where s.fits), array_agg(s.receipt) filter (where s.fits),
    array_agg(s.attempt) filter (where s.fits), array_agg(s.continuation) filter (where s.fits),
    array_agg(s.is_fresh) filter (where s.fits), array_agg(s.bytes) filter (where s.fits),
    array_agg(s.run_id) filter (where not s.fits),
    coalesce(max('30 seconds'::interval) filter (where s.bytes > v_longest and not s.fits and not reads_pages), '0')
  into v_fitting.run_ids, v_fitting.receipts, v_fitting.attempts, v_fitting.continuations, v_fitting.is_fresh,
    v_fitting.sizes, v_rest, v_delay
  from summed as s;

  v_fitting.must_end := (claimed).must_end;
  v_fitting.limited := (claimed).limited;
  if v_rest is not null then
    update queue.workflow_continuation as m
    -- A run that was leased before keeps a receipt, which no worker has: its continuation may be behind its journal.
    set receipt = case when m.settled_receipt is null and m.read_ct = 1 then null else m.receipt end,
      visible_at = clock_timestamp() + v_delay,
      read_ct = m.read_ct - 1
    where m.msg_id = any (v_rest);
  end if;
  return v_fitting;
end
$function$;

comment on function queue._fit_claims(queue.claimed_runs, bigint, boolean) is
$comment$Gives back claimed runs that do not fit into one answer.
max_bytes: bound for the rest, which contains at least one run.
reads_pages: the caller reads a large journal in pages. A run that cannot be delivered otherwise is left to such workers.
Returns the rest, with the sizes of inputs and journals.
Touches: queue.workflow_continuation; reads the sizes of large rows of queue.workflow_step.$comment$;

create function queue._join_claims(claimed queue.claimed_runs, more queue.claimed_runs)
returns queue.claimed_runs
language sql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
  select case
    when (claimed).run_ids is null and (claimed).must_end is null then more
    else row(
      (claimed).run_ids || (more).run_ids,
      (claimed).receipts || (more).receipts,
      (claimed).attempts || (more).attempts,
      (claimed).continuations || (more).continuations,
      (claimed).is_fresh || (more).is_fresh,
      (claimed).must_end || (more).must_end,
      coalesce((more).limited, (claimed).limited),
      (claimed).sizes || (more).sizes
    )::queue.claimed_runs
  end
$function$;

comment on function queue._join_claims(queue.claimed_runs, queue.claimed_runs) is
$comment$Appends the runs of a second claim to those of a first one.
Returns both.
Touches: nothing.$comment$;

create function queue._postpone_children(run_ids bigint[], parents bigint[])
returns bigint[]
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $function$
declare
  v_locked  constant bigint[] := queue._try_lock_runs(parents);
  v_put_off constant bigint[] := array(
    select r.run_id
    from queue.workflow_run as r
    join queue.workflow_run as p on p.run_id = r.parent_run_id
    where r.run_id = any (run_ids)
      and not r.is_detached
      and p.status = 'running'
      and not p.run_id = any (v_locked)
  );
begin
  update queue.workflow_continuation as m
  set visible_at = clock_timestamp() + interval '100 milliseconds',
    suspect_at = null
  where m.msg_id = any (v_put_off);
  return array(select i.run_id from unnest(run_ids) as i (run_id) where not i.run_id = any (v_put_off));
end
$function$;

comment on function queue._postpone_children(bigint[], bigint[]) is
$comment$Locks the parents of claimed runs that no other transaction has locked, and postpones the children of the others by 100 ms.
Returns the runs whose parents are locked or gone.
Touches: queue.workflow_continuation (SKIP LOCKED).$comment$;

create function queue._present_versions(queue_id integer)
returns integer[]
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $function$
begin
  -- Jumps from version to version through the index.
  return array(
    with recursive present (version) as (
      (
        select m.version
        from queue.workflow_continuation as m
        where m.queue_id = _present_versions.queue_id
        order by m.version
        limit 1
      )
      union all
      select (
        select m.version
        from queue.workflow_continuation as m
        where m.queue_id = _present_versions.queue_id
          and m.version > p.version
        order by m.version
        limit 1
      )
      from present as p
      where p.version is not null
    )
    select p.version from present as p where p.version is not null
  );
end
$function$;

comment on function queue._present_versions(integer) is
$comment$Returns the versions of a workflow that have runs in flight.
Returns them in ascending order.
Touches: nothing; reads queue.workflow_continuation.$comment$;

create function queue._ready_parts(names text[], versions jsonb, read_at timestamptz)
returns queue.ready_parts
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
set jit = off
as $function$
declare
  v_parts queue.ready_parts;
begin
  -- In the order of the parts, which the join keeps: DISTINCT in an aggregate would sort them all.
  select array_agg(p.queue_id), array_agg(p.version), array_agg(p.name),
    array_agg(case when m.taken_at <= read_at then m.ready_from else '-infinity' end),
    array_agg(row(m.mark_id, m.taken_at, m.ready_from, m.swept_at, m.sweep_took, m.horizon)::queue.queue_mark),
    array_agg(p.queue_id) filter (where p.is_limited)
  into v_parts
  from (
    select q.queue_id, q.name, v.version, q.flow_control is not null as is_limited
    from unnest(names) with ordinality as n (name, position)
    join queue.queue as q on q.name = '__wf_' || n.name
    cross join lateral unnest(
      coalesce(queue._served_versions(versions, n.name), queue._present_versions(q.queue_id))
    ) with ordinality as v (version, position)
    group by q.queue_id, q.name, v.version, q.flow_control is not null
    order by min(n.position), min(v.position)
  ) as p
  left join lateral (
    select r.mark_id, r.taken_at, r.ready_from, r.swept_at, r.sweep_took, r.horizon
    from queue.ready_mark as r
    where r.queue_name = p.name
      and r.part = p.version
    order by r.mark_id desc
    limit 1
  ) as m on true;
  return v_parts;
end
$function$;

comment on function queue._ready_parts(text[], jsonb, timestamptz) is
$comment$Returns the ranges of the ready index that a worker serves, each from its mark on.
names: workflows, in order of preference; one that was never started is left out.
versions: as in workflow_receive().
Returns parallel arrays; null if there are none.
Touches: nothing; reads queue.queue, queue.ready_mark and, if any version is served, queue.workflow_continuation.$comment$;

create function queue._served_versions(versions jsonb, name text)
returns integer[]
language sql
as $function$
  select case pg_catalog.jsonb_typeof(versions operator(pg_catalog.->) name)
    when 'array' then
      pg_catalog.translate((versions operator(pg_catalog.->) name)::pg_catalog.text, '[]', '{}')::integer[]
  end
$function$;

comment on function queue._served_versions(jsonb, text) is
$comment$Returns the versions of a workflow that a worker serves, from the argument of workflow_receive(). Inlined where it is used.
Returns null if it serves any version.
Touches: nothing.$comment$;

create function queue._suspect_delay(lapses integer, lease interval)
returns interval
language sql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
  select least(lease * (power(2, least(lapses - 2, 30) / 2.0::double precision) / 4), greatest(lease, interval '1 hour'))
$function$;

comment on function queue._suspect_delay(integer, interval) is
$comment$Returns how long a suspect rests after its lease has expired: a quarter of a lease at first, and 1.4 times as long each time. A run that blocks its worker for longer than a lease can then still be committed by that worker, and a worker that restarts repeatedly receives each suspect less and less often.
lapses: how many of its leases in a row have expired, from 2.
lease: of the worker that receives.
Returns the delay, at most an hour or one lease.
Touches: nothing.$comment$;

create function queue._has_rolled_back(run_id bigint)
returns boolean
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  return exists (
    select
    from queue.workflow_step as s
    where s.run_id = _has_rolled_back.run_id
      and s.kind = 'rollback'
  );
end
$function$;

comment on function queue._has_rolled_back(bigint) is
$comment$Returns whether a run has rolled back some of its steps, after which it cannot continue from its journal.
Returns true if its journal has a row of kind rollback.
Touches: nothing; reads queue.workflow_step.$comment$;

create function queue._remove_failure(run_id bigint, error jsonb)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_message text;
  v_fatal   record;
begin
  -- An error that no step caused leaves the journal as it is.
  v_message := jsonb_path_query_first(error, 'strict $.** ? (@.code == "STEP_FAILED").message', silent => true) #>> '{}';
  if v_message is null and not coalesce(error @? 'strict $.** ? (@.code == "STEP_FAILED")', false) then
    return;
  end if;

  -- The step that the error names, otherwise the last one that failed.
  select s.position, s.started_at, s.completed_at into v_fatal
  from queue.workflow_step as s
  where s.run_id = _remove_failure.run_id
    and s.error is not null
    and s.error ->> 'code' is distinct from 'STEP_ABANDONED'
  order by starts_with(v_message, format('Step "%s" of run ', s.step_name)) is true desc, s.position desc
  limit 1;
  if not found then
    return;
  end if;

  -- Together with steps that began after it, because of it, and steps that failed at the same time.
  with forgotten as (
    delete from queue.workflow_step as s
    where s.run_id = _remove_failure.run_id
      and (
        s.position = v_fatal.position
        or s.position > v_fatal.position and (s.error is not null or s.started_at > v_fatal.completed_at)
        or s.position < v_fatal.position and s.error is not null and s.completed_at > v_fatal.started_at
      )
    returning s.completed_at, s.attempts, s.step_name, s.error
  )
  insert into queue.workflow_failed_attempt (run_id, failed_at, retry_at, attempt, step_name, error)
  select _remove_failure.run_id, f.completed_at, f.completed_at, f.attempts, f.step_name, f.error
  from forgotten as f
  where f.error is not null
    and f.error ->> 'code' is distinct from 'STEP_ABANDONED'
  on conflict on constraint workflow_failed_attempt_pkey do nothing;

  perform queue._supersede_chunks(
    array[_remove_failure.run_id], array[''], array[v_fatal.position], array[0], null, clock_timestamp()
  );

  update queue.workflow_step as s
  set position = kept.position
  from (
    select k.step_name, row_number() over (order by k.position) as position
    from queue.workflow_step as k
    where k.run_id = _remove_failure.run_id
  ) as kept
  where s.run_id = _remove_failure.run_id
    and s.step_name = kept.step_name
    and s.position <> kept.position;
end
$function$;

comment on function queue._remove_failure(bigint, jsonb) is
$comment$Removes the step that failed a run from its journal, so that it gets new attempts, with steps that failed at the same time or began later, and what the body streamed since. Failures that the body caught are kept. The errors of removed steps are kept as failed attempts.
error: of the run.
Touches: queue.workflow_step, queue.workflow_failed_attempt, queue.workflow_stream_chunk.$comment$;

create function queue._retry_committed_runs(
  run_ids      bigint[],
  transitions  text[],
  results      jsonb[],
  resume_at    timestamptz[],
  held         boolean[],
  committed_at timestamptz
)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $function$
declare
  v_retried bigint[];
begin
  select array_agg(i.run_id order by i.run_id)
  into v_retried
  from unnest(run_ids, transitions, held) as i (run_id, transition, held)
  where i.held
    and i.transition = 'retry';

  perform queue._rewind_run(i.run_id, i.error)
  from unnest(run_ids, results) as i (run_id, error)
  where i.run_id = any (v_retried);

  with retried as (
    update queue.workflow_run as r
    set retried = coalesce(r.retried, 0) + 1
    where r.run_id = any (v_retried)
    returning r.run_id, r.retried, r.deadline
  ),
  noted as (
    insert into queue.workflow_failed_attempt (run_id, failed_at, retry_at, attempt, step_name, error)
    select i.run_id, committed_at, coalesce(i.resume_at, committed_at), retried.retried, '', i.error
    from unnest(run_ids, results, _retry_committed_runs.resume_at) as i (run_id, error, resume_at)
    join retried on retried.run_id = i.run_id
    on conflict on constraint workflow_failed_attempt_pkey do nothing
  )
  update queue.workflow_continuation as m
  set message = '{}',
    receipt = null,
    settled_receipt = m.receipt,
    visible_at = case
      when m.headers ? 'paused' then greatest(queue._paused_until(m.headers), clock_timestamp())
      else greatest(least(i.resume_at, retried.deadline), clock_timestamp())
    end,
    headers = case
      when m.headers ? 'paused' then queue._due_after_pause(m.headers, least(i.resume_at, retried.deadline))
      else m.headers
    end,
    read_ct = 0,
    suspect_at = null,
    deaths = null
  from unnest(run_ids, _retry_committed_runs.resume_at) as i (run_id, resume_at)
  join retried on retried.run_id = i.run_id
  where m.msg_id = i.run_id;
end
$function$;

comment on function queue._retry_committed_runs(bigint[], text[], jsonb[], timestamptz[], boolean[], timestamptz) is
$comment$Gives runs whose body failed another attempt at resume_at, with their journal except for the failure, as workflow_retry() does.
results: the errors of the bodies.
held: by position, which leases are locked.
Touches: queue.workflow_continuation, queue.workflow_run, queue.workflow_failed_attempt; as _rewind_run().$comment$;

create function queue._rewind_run(run_id bigint, error jsonb)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $function$
begin
  if error is not null then
    perform queue._remove_failure(run_id, error);
    -- A step that invoked a run gets a new one.
    update queue.workflow_run as c
    set parent_run_id = null,
      parent_step = null,
      is_detached = null
    where c.parent_run_id = _rewind_run.run_id
      and c.status in ('failed', 'cancelled')
      and not exists (
        select
        from queue.workflow_step as s
        where s.run_id = c.parent_run_id
          and s.step_name = c.parent_step
      );
  end if;
  -- Steps that are called again count their calls from 1.
  perform queue._supersede_chunks(
    array_agg(c.run_id), array_agg(c.step_name), array_agg(c.attempt), null, null, clock_timestamp()
  )
  from (
    select distinct o.run_id, o.step_name, o.attempt
    from queue.workflow_stream_chunk as o
    where o.run_id = _rewind_run.run_id
      and o.step_name <> ''
  ) as c
  where not exists (
    select
    from queue.workflow_step as s
    where s.run_id = c.run_id
      and s.step_name = c.step_name
  )
  having count(*) > 0;
end
$function$;

comment on function queue._rewind_run(bigint, jsonb) is
$comment$Takes back what a retry of a run repeats: the step that failed it, what followed from that, and what unfinished steps have streamed.
error: of the run; null if it was cancelled, which keeps its journal.
Touches: queue.workflow_step, queue.workflow_failed_attempt, queue.workflow_stream_chunk; queue.workflow_run of children, which it detaches.$comment$;

create function queue._deliver_signal(
  name         text,
  run_id       bigint,
  message      jsonb,
  wait         jsonb,
  payload      jsonb,
  delivered_at timestamptz
)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  -- Counted in the journal, because commits that keep the lease don't write the count into the continuation. The replay
  -- that follows reads all of it in any case.
  v_journaled constant integer := 1 + coalesce((
    select max(s.position)
    from queue.workflow_step as s
    where s.run_id = _deliver_signal.run_id
  ), 0);
begin
  perform queue._journal_wait(run_id, v_journaled, wait, payload, delivered_at);

  -- The receipt is removed: its lease has ended, and its worker doesn't know this row of the journal. A settled
  -- receipt, even the impossible 0, shows that the run has a journal.
  update queue.workflow_continuation as m
  set message = _deliver_signal.message || jsonb_build_object('journaled', v_journaled, 'waits', (
      select coalesce(jsonb_agg(e.w order by e.n), '[]')
      from jsonb_array_elements(_deliver_signal.message -> 'waits') with ordinality as e (w, n)
      where e.w -> 'step' <> wait -> 'step'
    )),
    visible_at = case
      when m.headers ? 'paused' then greatest(queue._paused_until(m.headers), delivered_at)
      else delivered_at
    end,
    headers = case when m.headers ? 'paused' then queue._due_after_pause(m.headers, delivered_at) else m.headers end,
    receipt = null,
    settled_receipt = coalesce(m.settled_receipt, 0)
  where m.msg_id = run_id;

  perform queue._wake(queue._workflow_channel(name));
end
$function$;

comment on function queue._deliver_signal(text, bigint, jsonb, jsonb, jsonb, timestamptz) is
$comment$Journals the wait that a signal satisfies, and makes the run visible unless it is paused.
message: the run's continuation, which the caller has locked.
Touches: queue.workflow_step, queue.workflow_continuation.$comment$;

create function queue._signal_outcome(run_id bigint, deduplication_id text)
returns text
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_outcome text;
begin
  select d.outcome into v_outcome
  from queue.workflow_signal_receipt as d
  where d.run_id = _signal_outcome.run_id
    and d.deduplication_id = _signal_outcome.deduplication_id;
  return coalesce(v_outcome, 'ignored');
end
$function$;

comment on function queue._signal_outcome(bigint, text) is
$comment$Returns the outcome of an earlier signal with the same deduplication id.
Returns ignored if there was none.
Touches: nothing; reads queue.workflow_signal_receipt.$comment$;

create function queue._check_start(
  versions         integer[],
  idempotency_keys text[],
  retention_days   integer[],
  delay_seconds    numeric[],
  on_running       text[],
  on_ended         text[],
  deadline_seconds numeric[] default null
)
returns void
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_message text;
begin
  select
    case
      when i.version < 1 then format('invalid version %s: a version is 1 or more', i.version)
      when i.key = '' or length(i.key) > 512 then
        format('invalid idempotency key "%s": a key is 1 to 512 characters', left(i.key, 40))
      when i.days not between 0 and 36500 then
        format('invalid retention of %s days: it is between 0 and 36500', i.days)
      when i.deadline not between 0.001 and 3153600000 then
        format('invalid deadline of %s seconds: it is between 0.001 and 3153600000', i.deadline)
      when i.on_running not in ('use-existing', 'fail', 'cancel-existing') then
        format('invalid on_running "%s": it is use-existing, fail or cancel-existing', left(i.on_running, 40))
      when i.on_ended not in ('use-existing', 'start-new', 'start-new-if-failed') then
        format('invalid on_ended "%s": it is use-existing, start-new or start-new-if-failed', left(i.on_ended, 40))
      when i.key is null and (i.on_running <> 'use-existing' or i.on_ended <> 'use-existing') then
        'on_running and on_ended require an idempotency key'
      else format('invalid delay of %s seconds: it is between 0 and 3153600000', i.delay)
    end
  into v_message
  from unnest(versions, idempotency_keys, retention_days, delay_seconds, on_running, on_ended, deadline_seconds)
    as i (version, key, days, delay, on_running, on_ended, deadline)
  where i.version < 1
    or i.key = ''
    or length(i.key) > 512
    or i.days not between 0 and 36500
    or i.delay not between 0 and 3153600000
    or i.deadline not between 0.001 and 3153600000
    or i.on_running not in ('use-existing', 'fail', 'cancel-existing')
    or i.on_ended not in ('use-existing', 'start-new', 'start-new-if-failed')
    or i.key is null and (i.on_running <> 'use-existing' or i.on_ended <> 'use-existing')
  limit 1;

  if found then
    perform queue._raise('OX004', v_message, null, 'Correct the value and start the run again. Nothing was written.');
  end if;
end
$function$;

comment on function queue._check_start(integer[], text[], integer[], numeric[], text[], text[], numeric[]) is
$comment$Checks the arguments of starts.
Errors: OX004 invalid argument, with the first invalid value.
Touches: nothing.$comment$;

create function queue._is_plain_start(
  versions         integer[],
  idempotency_keys text[],
  retention_days   integer[],
  delay_seconds    numeric[],
  on_running       text[],
  on_ended         text[],
  deadline_seconds numeric[]
)
returns boolean
language sql
immutable
parallel safe
as $function$
  select (1 operator(pg_catalog.>) any (versions)) is not true
    and not queue._has_value(idempotency_keys)
    and not queue._has_value(retention_days)
    and not queue._has_value(delay_seconds)
    and not queue._has_value(on_running)
    and not queue._has_value(on_ended)
    and not queue._has_value(deadline_seconds)
$function$;

comment on function queue._is_plain_start(integer[], text[], integer[], numeric[], text[], text[], numeric[]) is
$comment$Returns whether the arguments of a start are certainly valid, which most are: they contain no more than versions. Inlined where it is used.
Returns true; false if _check_start() has to decide.
Touches: nothing.$comment$;

create function queue._resolve_key_conflicts(
  name             text,
  run_ids          bigint[],
  idempotency_keys text[],
  on_running       text[],
  on_ended         text[],
  created          bigint[],
  inputs           jsonb[],
  delay_seconds    numeric[],
  flow             jsonb
)
returns bigint[]
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_item   record;
  v_holder record;
  v_free   bigint[];
begin
  for v_item in
    select i.run_id, i.key, coalesce(i.on_running, 'use-existing') as on_running,
      coalesce(i.on_ended, 'use-existing') as on_ended, i.input, i.delay
    from unnest(run_ids, idempotency_keys, on_running, on_ended, inputs, delay_seconds)
      as i (run_id, key, on_running, on_ended, input, delay)
    where (i.on_running <> 'use-existing' or i.on_ended <> 'use-existing')
      and (created is null or i.run_id <> all (created))
    order by i.key, i.run_id
  loop
    for v_attempt in 1..101 loop
      if v_attempt > 100 then
        perform queue._raise(
          'OX010',
          format('too much contention on idempotency key "%s" of workflow "%s"', left(v_item.key, 40), name),
          null,
          'Start the run again.'
        );
      end if;
      select r.run_id, r.status::text as status into v_holder
      from queue.workflow_run as r
      where r.workflow_name = _resolve_key_conflicts.name
        and r.idempotency_key = v_item.key
        and r.superseded_by is null;
      if not found then
        -- Deleted, or given up to an earlier element of this batch.
        v_free := v_free || v_item.run_id;
        exit;
      end if;

      if v_holder.status = 'running' then
        exit when v_item.on_running = 'use-existing';
        if v_item.on_running = 'debounce' then
          exit when queue._postpone_start(v_holder.run_id, v_item.input, v_item.delay, flow);
          -- The run has begun and keeps its input; the next run takes the new one.
          update queue.workflow_run as r
          set idempotency_key = null
          where r.run_id = v_holder.run_id
            and r.idempotency_key = v_item.key;
          continue;
        end if;
        if v_item.on_running = 'fail' then
          perform queue._raise(
            'OX010',
            format('run %s of workflow "%s" with idempotency key "%s" is running', v_holder.run_id, name,
              left(v_item.key, 40)),
            format('run_id %s', v_holder.run_id),
            'Wait for it to end or cancel it, or start with another key or another on_running.'
          );
        end if;
        continue when not queue.workflow_cancel(
          v_holder.run_id,
          format('another run was started with the idempotency key "%s"', left(v_item.key, 40))
        );
      else
        exit when v_item.on_ended = 'use-existing'
          or v_item.on_ended = 'start-new-if-failed' and v_holder.status = 'completed';
      end if;

      -- No other transaction can take the key until this one ends: its insert waits for the row.
      update queue.workflow_run as r
      set superseded_by = v_item.run_id
      where r.run_id = v_holder.run_id
        and r.superseded_by is null
        and r.status <> 'running';
      if found then
        v_free := v_free || v_item.run_id;
        exit;
      end if;
    end loop;
  end loop;
  return v_free;
end
$function$;

comment on function queue._resolve_key_conflicts(text, bigint[], text[], text[], text[], bigint[], jsonb[], numeric[], jsonb) is
$comment$Carries out what the starts of a batch specify for an idempotency key that is taken.
run_ids: ids for the new runs.
created: the ones that exist already.
inputs, delay_seconds, flow: for debounced starts.
Returns the ids of the runs whose key is now free, so that the caller can insert them; null if all others use the existing run.
Errors: OX010 the run with the key is running, and on_running is fail.
Touches: queue.workflow_run; as workflow_cancel().$comment$;

create function queue._version_defaults(name text)
returns queue.version_defaults
language plpgsql
stable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_defaults queue.version_defaults;
begin
  select array_agg(v.version), array_agg(v.retention_days), array_agg(v.deadline)
  into v_defaults
  from (
    select r.version, r.retention_days, r.deadline
    from queue.workflow_version as r
    where r.workflow_name = _version_defaults.name
    order by r.version desc
  ) as v;
  return v_defaults;
end
$function$;

comment on function queue._version_defaults(text) is
$comment$Returns the registered versions of a workflow with the defaults of their runs.
Returns parallel arrays, highest version first; null arrays if none is registered.
Touches: nothing; reads queue.workflow_version.$comment$;

create function queue._append_stream(
  run_ids         bigint[],
  receipts        bigint[],
  held            boolean[],
  step_items      integer[],
  step_names      text[],
  step_attempts   integer[],
  stream_items    integer[],
  stream_steps    text[],
  stream_attempts integer[],
  stream_numbers  integer[],
  stream_chunks   jsonb[],
  committed_at    timestamptz
)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $function$
declare
  v_run_ids  bigint[];
  v_steps    text[];
  v_attempts integer[];
  v_numbers  integer[];
  v_receipts bigint[];
begin
  -- Calls of steps that write or are journaled, and of which another delivery has left chunks. All chunks of a call are
  -- from one delivery, so one chunk is enough to compare.
  select array_agg(w.run_id), array_agg(w.step), array_agg(w.attempt), array_agg(w.receipt)
  into v_run_ids, v_steps, v_attempts, v_receipts
  from (
    select run_ids[i.item] as run_id, receipts[i.item] as receipt, i.step, i.attempt
    from unnest(stream_items, stream_steps, stream_attempts) as i (item, step, attempt)
    where held[i.item]
      and i.step <> ''
    union
    select run_ids[s.item], receipts[s.item], s.name, s.attempts
    from unnest(step_items, step_names, step_attempts) as s (item, name, attempts)
    where held[s.item]
  ) as w
  cross join lateral (
    select c.receipt
    from queue.workflow_stream_chunk as c
    where c.run_id = w.run_id
      and c.step_name = w.step
      and c.attempt = w.attempt
    order by c.number
    limit 1
  ) as earlier
  where earlier.receipt is distinct from w.receipt;
  if v_run_ids is not null then
    perform queue._supersede_chunks(v_run_ids, v_steps, v_attempts, null, v_receipts, committed_at);
  end if;

  -- A replayed body writes the same chunks again. From the first chunk that differs, the new ones replace the old.
  select array_agg(b.run_id), array_agg(''::text), array_agg(b.attempt), array_agg(b.number)
  into v_run_ids, v_steps, v_attempts, v_numbers
  from (
    select distinct on (c.run_id) c.run_id, c.attempt, c.number
    from unnest(stream_items, stream_steps, stream_attempts, stream_numbers, stream_chunks)
      as i (item, step, attempt, number, chunk)
    join queue.workflow_stream_chunk as c
      on c.run_id = run_ids[i.item]
      and c.step_name = ''
      and c.attempt = i.attempt
      and c.number = i.number
    where i.step = ''
      and held[i.item]
      and c.chunk is distinct from i.chunk
    order by c.run_id, c.attempt, c.number
  ) as b;
  if v_run_ids is not null then
    perform queue._supersede_chunks(v_run_ids, v_steps, v_attempts, v_numbers, null, committed_at);
  end if;

  -- The lock on its continuation makes this transaction the only writer of a run.
  insert into queue.workflow_stream_chunk (
    run_id, position, written_at, attempt, number, step_name, chunk, receipt
  )
  select run_ids[i.item], coalesce(last.position, 0) + row_number() over (partition by i.item order by i.n),
    committed_at, i.attempt, i.number, i.step, i.chunk, receipts[i.item]
  from unnest(stream_items, stream_steps, stream_attempts, stream_numbers, stream_chunks) with ordinality
    as i (item, step, attempt, number, chunk, n)
  left join lateral (
    select c.position
    from queue.workflow_stream_chunk as c
    where c.run_id = run_ids[i.item]
    order by c.position desc
    limit 1
  ) as last on true
  where queue._is_held(held, i.item)
  on conflict on constraint chunk_is_written_once do nothing;

  perform pg_notify('workflow_streamed', i.run_id::text)
  from (
    select distinct run_ids[e.item] as run_id
    from unnest(stream_items || step_items) as e (item)
  ) as i
  where queue._is_awaited('workflow_stream_' || i.run_id);
end
$function$;

comment on function queue._append_stream(bigint[], bigint[], boolean[], integer[], text[], integer[], integer[], text[], integer[], integer[], jsonb[], timestamptz) is
$comment$Appends chunks to the streams of the runs of a commit, and wakes their readers, which listen on workflow_streamed and hold a shared advisory lock on the key of workflow_stream_<run_id>. Chunks that an earlier delivery wrote in a call that is repeated are deleted first, and so are chunks of the body that differ from those written in their place.
held: by position, which leases are locked.
step_…: the steps that the commit journals, as in workflow_commit().
stream_…: as in workflow_commit().
Touches: queue.workflow_stream_chunk; NOTIFY only for runs that have a reader.$comment$;

create function queue._supersede_chunks(
  run_ids       bigint[],
  steps         text[],
  attempts      integer[],
  numbers       integer[],
  receipts      bigint[],
  superseded_at timestamptz
)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $function$
begin
  with writer as materialized (
    select distinct i.run_id, i.step, i.attempt, i.number, i.receipt
    from unnest(run_ids, steps, attempts, numbers, receipts) as i (run_id, step, attempt, number, receipt)
  ),
  -- Read before the deletions: a position is never used twice.
  last as materialized (
    select w.run_id, (select max(c.position) from queue.workflow_stream_chunk as c where c.run_id = w.run_id) as position
    from (select distinct writer.run_id from writer) as w
  ),
  superseded as (
    delete from queue.workflow_stream_chunk as c
    using writer as w
    where c.run_id = w.run_id
      and c.step_name = w.step
      and case
        when w.step = '' then c.since is null and (c.attempt, c.number) >= (w.attempt, w.number)
        else c.attempt = w.attempt and (w.receipt is null or c.receipt is distinct from w.receipt)
      end
    returning c.run_id, c.step_name, w.attempt, w.receipt, coalesce(c.since, c.position) as since
  ),
  reset as materialized (
    select s.run_id, s.step_name, s.attempt, s.receipt, min(s.since) as since
    from superseded as s
    group by s.run_id, s.step_name, s.attempt, s.receipt
  )
  insert into queue.workflow_stream_chunk (
    run_id, position, written_at, attempt, number, step_name, receipt, since
  )
  select r.run_id, l.position + row_number() over (partition by r.run_id order by r.since), superseded_at, r.attempt,
    case
      when r.step_name = '' then least(0, (
        select min(o.number)
        from queue.workflow_stream_chunk as o
        where o.run_id = r.run_id
          and o.step_name = ''
          and o.attempt = r.attempt
      )) - 1
      else 0
    end,
    r.step_name, r.receipt, r.since
  from reset as r
  join last as l on l.run_id = r.run_id;
end
$function$;

comment on function queue._supersede_chunks(bigint[], text[], integer[], integer[], bigint[], timestamptz) is
$comment$Deletes chunks that repeated calls replace, and appends one reset per call, for readers that may have these chunks.
run_ids, steps, attempts, numbers, receipts: parallel arrays with one element per call. For a step, all chunks of the attempt are deleted, except those of the delivery with the receipt; null means none. For the body, whose step is empty, the chunks from the attempt and number on are deleted.
Touches: queue.workflow_stream_chunk.$comment$;

create function queue._is_awaited_by_parent(run_id bigint, step_name text)
returns boolean
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $function$
begin
  return exists (
      select
      from queue.workflow_run as r
      where r.run_id = _is_awaited_by_parent.run_id
        and r.status = 'running'
    )
    and not exists (
      select
      from queue.workflow_step as s
      where s.run_id = _is_awaited_by_parent.run_id
        and s.step_name = _is_awaited_by_parent.step_name
    );
end
$function$;

comment on function queue._is_awaited_by_parent(bigint, text) is
$comment$Returns whether a running parent has not yet journaled the step that invoked a run, so that the run must be kept.
run_id, step_name: of the parent.
Returns true or false.
Touches: nothing; reads queue.workflow_run and queue.workflow_step.$comment$;

create function queue._first_matching_wait(waits jsonb, event text, payload jsonb)
returns jsonb
language sql
as $function$
  select w
  from pg_catalog.jsonb_array_elements(waits) with ordinality as e (w, n)
  where w ->> 'kind' = 'event'
    and w ->> 'event' = event
    and (not w ? 'match' or payload @> (w -> 'match'))
  order by n
  limit 1
$function$;

comment on function queue._first_matching_wait(jsonb, text, jsonb) is
$comment$Returns the first event wait of a continuation that a signal satisfies.
Returns null if there is none.
Touches: nothing.$comment$;

create function queue._journal_child(run_id bigint, "position" integer, wait jsonb)
returns boolean
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  insert into queue.workflow_step (
    run_id, started_at, completed_at, position, attempts, bytes, step_name, kind, output, error
  )
  select _journal_child.run_id, c.started_at, coalesce(c.completed_at, c.started_at), _journal_child.position, 1,
    case when not c.is_detached then coalesce(queue._large_size(c.output), queue._large_size(c.error)) end, c.parent_step, 'invoke', case when c.is_detached then to_jsonb(c.run_id::text) else c.output end,
    case when not c.is_detached then c.error end
  from queue.workflow_run as c
  where c.parent_run_id = _journal_child.run_id
    and c.parent_step = wait ->> 'step'
    and (c.is_detached or c.status <> 'running');
  return found;
end
$function$;

comment on function queue._journal_child(bigint, integer, jsonb) is
$comment$Journals a step that invoked a run, if that run has ended or is detached.
Returns false if it is still running.
Touches: queue.workflow_step; reads queue.workflow_run.$comment$;

create function queue._journal_wait(
  run_id       bigint,
  "position"   integer,
  wait         jsonb,
  payload      jsonb,
  completed_at timestamptz
)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  insert into queue.workflow_step (run_id, started_at, completed_at, position, attempts, bytes, step_name, kind, output)
  values (
    _journal_wait.run_id,
    coalesce((wait ->> 'since')::timestamptz, _journal_wait.completed_at),
    _journal_wait.completed_at,
    _journal_wait.position,
    1,
    queue._large_size(payload),
    wait ->> 'step',
    'wait',
    payload
  );
end
$function$;

comment on function queue._journal_wait(bigint, integer, jsonb, jsonb, timestamptz) is
$comment$Journals an event wait that has ended.
payload: of the signal; null if the wait timed out.
Touches: queue.workflow_step.$comment$;

create function queue._resolve_run_waits(run_id bigint, continuation jsonb, taken_at timestamptz)
returns jsonb
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_wait      jsonb;
  v_payload   jsonb;
  v_journaled integer;
  v_open      jsonb := jsonb_build_array();
  v_ended     text[] := array[]::text[];
  v_resolved  jsonb;
begin
  -- Counted in the journal: a commit repeated after a lost answer doesn't know what it journaled.
  select coalesce(max(s.position), 0) into v_journaled
  from queue.workflow_step as s
  where s.run_id = _resolve_run_waits.run_id;

  for v_wait in select w from jsonb_array_elements(continuation -> 'waits') with ordinality as e (w, n) order by n loop
    if v_wait ->> 'kind' not in ('event', 'invoke') then
      v_open := v_open || v_wait;
      continue;
    end if;

    perform
    from queue.workflow_step as s
    where s.run_id = _resolve_run_waits.run_id
      and s.step_name = v_wait ->> 'step';
    if not found and v_wait ->> 'kind' = 'invoke' then
      if not queue._journal_child(run_id, v_journaled + 1, v_wait) then
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
            and c.event = v_wait ->> 'event'
            and (not v_wait ? 'match' or c.payload @> (v_wait -> 'match'))
          order by c.signal_id
          limit 1
        )
      returning b.payload into v_payload;
      if not found and not coalesce((v_wait ->> 'expired')::boolean, false) then
        v_open := v_open || v_wait;
        continue;
      end if;
      v_journaled := v_journaled + 1;
      perform queue._journal_wait(run_id, v_journaled, v_wait, v_payload, taken_at);
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
$comment$Resolves the waits of one run, in their order. Each event wait takes the earliest buffered signal that it matches; one with "expired": true that finds none times out. A wait for an invoked run takes its result if that run has ended.
continuation: of a run whose continuation the caller has locked.
Returns null if no wait was resolved, otherwise {"resolved": [… in the order of the journal], "continuation": <with the remaining waits>}.
Touches: queue.workflow_buffered_signal, queue.workflow_step; reads queue.workflow_run.$comment$;

create function queue._resolve_waits(
  run_ids      bigint[],
  transitions  text[],
  results      jsonb[],
  held         boolean[],
  committed_at timestamptz
)
returns jsonb
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_item     record;
  v_answer   jsonb;
  v_resolved jsonb := jsonb_build_object();
begin
  -- One run after another, because a signal that one wait takes is gone for the next one. Only runs with a buffered
  -- signal, a wait past its deadline, or a wait that is already journaled (a repeated commit).
  for v_item in
    select i.item, i.run_id, i.result
    from unnest(run_ids, transitions, results, held) with ordinality
      as i (run_id, transition, result, held, item)
    where i.held
      and i.transition in ('keep', 'suspend')
      and (i.result -> 'waits' @> '[{"kind": "event"}]' or i.result -> 'waits' @> '[{"kind": "invoke"}]')
      and (
        i.result -> 'waits' @> '[{"expired": true}]'
        or exists (select from queue.workflow_buffered_signal as b where b.run_id = i.run_id)
        or i.result -> 'waits' @> '[{"kind": "invoke"}]' and exists (
          select
          from queue.workflow_run as c
          where c.parent_run_id = i.run_id
            and (c.status <> 'running' or c.is_detached)
        )
        or exists (
          select
          from jsonb_array_elements(i.result -> 'waits') as w
          join queue.workflow_step as s
            on s.run_id = i.run_id
            and s.step_name = w ->> 'step'
        )
      )
  loop
    v_answer := queue._resolve_run_waits(v_item.run_id, v_item.result, committed_at);
    if v_answer is not null then
      v_resolved := v_resolved || jsonb_build_object(v_item.item::text, v_answer);
    end if;
  end loop;
  return v_resolved;
end
$function$;

comment on function queue._resolve_waits(bigint[], text[], jsonb[], boolean[], timestamptz) is
$comment$Resolves the waits of a commit: event waits take buffered signals or time out, and waits for invoked runs take their results.
Returns an object that maps the run's position in the commit to the result of _resolve_run_waits().
Touches: as _resolve_run_waits().$comment$;

create function queue._subscribe_waits(
  run_ids        bigint[],
  held           boolean[],
  effect_items   integer[],
  effect_kinds   text[],
  effect_steps   text[],
  effect_targets text[],
  effect_events  text[],
  effect_values  jsonb[]
)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $function$
begin
  perform queue._check_topic(e.target, true)
  from unnest(effect_kinds, effect_targets) as e (kind, target)
  where e.kind = 'subscribe';

  if current_setting('oxbow.ids_are_ahead', true) is distinct from 'on' then
    perform queue._skip_lost_ids();
  end if;
  -- A commit may be repeated after a lost answer, and a run after a crash.
  insert into queue.subscription (filter_hash, pattern, filter_path, target_type, target, filter, options)
  select k.filter_hash, e.target, k.filter_path, 'run', run_ids[e.item]::text, e.value,
    jsonb_build_object('step', e.step, 'event', e.event)
  from unnest(effect_items, effect_kinds, effect_steps, effect_targets, effect_events, effect_values)
    as e (item, kind, step, target, event, value)
  cross join lateral queue._filter_key(e.target, e.value) as k
  where e.kind = 'subscribe'
    and held[e.item]
    and not exists (
      select
      from queue.subscription as s
      where s.target_type = 'run'
        and s.target = run_ids[e.item]::text
        and s.options ->> 'step' = e.step
    );
end
$function$;

comment on function queue._subscribe_waits(bigint[], boolean[], integer[], text[], text[], text[], text[], jsonb[]) is
$comment$Subscribes runs to the topics that their steps wait for.
held: by position, which leases are locked.
effect_…: as in workflow_commit().
Errors: OX004 invalid topic, OX008 match too large.
Touches: queue.subscription.$comment$;

create function queue._unsubscribe_waits(run_ids bigint[])
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $function$
begin
  delete from queue.subscription as s
  where s.target_type = 'run'
    and s.target = any (run_ids::text[])
    and (
      exists (
        select
        from queue.workflow_step as w
        where w.run_id = s.target::bigint
          and w.step_name = s.options ->> 'step'
      )
      or not exists (select from queue.workflow_continuation as m where m.msg_id = s.target::bigint)
    );
end
$function$;

comment on function queue._unsubscribe_waits(bigint[]) is
$comment$Ends the subscriptions of runs that have ended, and of steps that no longer wait.
Touches: queue.subscription; reads queue.workflow_continuation and queue.workflow_step.$comment$;

create function queue._notify_worker(name text, run_id bigint)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  perform pg_notify(queue._workflow_channel(name), run_id::text);
end
$function$;

comment on function queue._notify_worker(text, bigint) is
$comment$Notifies the worker that has leased a run that the run was cancelled, paused or signalled, so that it does not have to wait for its next heartbeat.
Touches: NOTIFY, at every call; only for rare events.$comment$;

create function queue._wake_run_waiters(run_ids bigint[])
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $function$
begin
  perform pg_notify('workflow_ended', i.run_id::text)
  from unnest(run_ids) as i (run_id)
  join (
    select distinct r.run_id % 256 as bucket
    from unnest(run_ids) as r (run_id)
  ) as b on b.bucket = i.run_id % 256
  where queue._is_awaited('workflow_run_' || b.bucket);
end
$function$;

comment on function queue._wake_run_waiters(bigint[]) is
$comment$Notifies clients that wait for the end of a run. They listen on workflow_ended and hold a shared advisory lock on the key of workflow_run_<run_id % 256>: a client that waits for thousands of runs then holds at most 256 locks, because all sessions of a cluster share one lock table.
Touches: advisory locks, released at once; NOTIFY only for runs that a client may wait for.$comment$;

create function queue._wake_workflows(run_ids bigint[])
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $function$
begin
  perform queue._wake(queue._workflow_channel(n.workflow_name))
  from (
    select distinct r.workflow_name
    from queue.workflow_run as r
    where r.run_id = any (run_ids)
  ) as n;
end
$function$;

comment on function queue._wake_workflows(bigint[]) is
$comment$Wakes the workers of runs that are now ready.
Touches: as _wake(); reads queue.workflow_run.$comment$;

create function queue._workflow_channel(name text)
returns text
language sql
as $function$
  select 'queue___wf_' operator(pg_catalog.||) name
$function$;

comment on function queue._workflow_channel(text) is
$comment$Returns the channel on which workers of a workflow listen. Inlined where it is used.
Returns the channel's name; null if the name is null.
Touches: nothing.$comment$;

create function queue.workflow_backlog()
returns setof queue.workflow_backlog
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_now constant timestamptz := clock_timestamp();
begin
  perform queue._require_current_tables();
  return query
    select substr(q.name, 6), m.version, count(*), v_now - min(m.visible_at)
    from queue.workflow_continuation as m
    join queue.queue as q on q.queue_id = m.queue_id
    where m.visible_at <= v_now
      or m.suspect_at <= v_now
    group by q.name, m.version
    order by q.name, m.version;
end
$function$;

comment on function queue.workflow_backlog() is
$comment$Lists versions of workflows that have ready runs which no worker is executing: no worker serves the version, or too few do.
Returns one row per such version, by name. It reads all ready runs in flight, so it suits dashboards and diagnosis rather than a hot path.
Touches: nothing; reads queue.workflow_continuation.$comment$;

create function queue.workflow_cancel(
  run_id   bigint,
  reason   text default null,
  rollback boolean default false
)
returns boolean
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_name   text;
  v_status text;
begin
  perform queue._migrate_if_older();
  select r.workflow_name, r.status::text into v_name, v_status
  from queue.workflow_run as r
  where r.run_id = workflow_cancel.run_id;
  if not found then
    perform queue._raise_run_not_found(run_id);
  end if;
  if v_status <> 'running' then
    return false;
  end if;

  -- A cancellation also changes the parent and the invoked runs.
  perform queue._lock_related_runs(array[run_id]);

  return queue._cancel_run(v_name, run_id, reason, rollback);
end
$function$;

comment on function queue.workflow_cancel(bigint, text, boolean) is
$comment$Cancels a run, and the runs that its steps have invoked and wait for, in the caller's transaction. A worker that is executing the run is notified at once, otherwise it learns at its next commit or heartbeat; it cannot write to the run any more.
reason: kept as the message of the run's error.
rollback: the run does not end yet. Once the worker's current calls return, it calls the rollbacks of its completed steps, and the run is cancelled after the last of them. Until then the run is still running; cancelling it again without rollback ends it at once.
Returns true if this call cancelled the run; false if it had already ended or was already rolling back.
Errors: OX005 no such run.
Touches: queue.workflow_continuation, also of the parent and of invoked runs, locked in the order of run ids; queue.workflow_run, queue.workflow_step.$comment$;

create function queue.workflow_cancel_all(
  filter            jsonb,
  reason            text default null,
  before            bigint default null,
  max_runs          integer default 500,
  before_started_at timestamptz default null
)
returns queue.changed_runs
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_filter queue.run_filter := queue._run_filter(filter);
begin
  v_filter.status := array['running'];
  return queue._change_runs('cancel', v_filter, reason, queue._run_cursor(before, before_started_at), max_runs);
end
$function$;

comment on function queue.workflow_cancel_all(jsonb, text, bigint, integer, timestamptz) is
$comment$Cancels a batch of the running runs that match a filter, newest first, in the caller's transaction. Call it in a loop until before is null.
filter: as in workflow_list(); its status is ignored.
reason: as in workflow_cancel().
before, before_started_at: as returned by the previous call; null for the first batch. Runs that start in the meantime are not cancelled.
max_runs: how many runs to look at in this batch, 1 to 10000. A batch locks its runs until the transaction ends.
Returns how many runs were cancelled, and the cursor of the next batch, which is null after the last one.
Errors: OX004 invalid argument, OX005 before_started_at is null and the run in before has been deleted.
Touches: as workflow_cancel().$comment$;

create function queue.workflow_changes(workflow text, since bigint default null, max_changes integer default 1000)
returns jsonb
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $function$
declare
  v_now   constant timestamptz := clock_timestamp();
  v_since constant interval := least(
    greatest(
      timestamptz 'epoch' + workflow_changes.since * interval '1 microsecond',
      v_now - interval '1 day'
    ),
    v_now
  ) - timestamptz '2000-01-01 00:00:00+00';
  v_changes jsonb;
begin
  perform queue._require_current_tables();
  if max_changes is null or max_changes < 1 then
    perform queue._raise('OX004', format('invalid max_changes %s', coalesce(max_changes::text, 'null')), null,
      'Request at least one change.');
  end if;
  if since is not null and to_regclass('queue.workflow_run') is not null then
    select jsonb_agg(to_jsonb(c) order by c.at, c.run_id)
    into v_changes
    from (
      select (extract(epoch from e.changed_at) * 1000000)::bigint as at, e.run_id, e.workflow_version as version,
        e.status, e.error
      from (
        select r.started_at as changed_at, r.run_id, r.workflow_version, 'running'::queue.workflow_status as status,
          null::jsonb as error
        from queue.workflow_run as r
        where r.started_at - timestamptz '2000-01-01 00:00:00+00' > v_since
          and r.workflow_name = workflow_changes.workflow
        union all
        select r.completed_at, r.run_id, r.workflow_version, r.status, r.error
        from queue.workflow_run as r
        -- The expression of the index.
        where case when r.completed_at is not null then r.completed_at - timestamptz '2000-01-01 00:00:00+00' end > v_since
          and r.workflow_name = workflow_changes.workflow
      ) as e
      order by e.changed_at, e.run_id
      limit max_changes
    ) as c;
  end if;
  return jsonb_build_object(
    'now', (extract(epoch from v_now) * 1000000)::bigint,
    'changes', coalesce(v_changes, jsonb_build_array())
  );
end
$function$;

comment on function queue.workflow_changes(text, bigint, integer) is
$comment$Lists which runs of a workflow started and ended since a time, in order, for live views. The cost depends on the runs of that period, not on how many are stored.
since: microseconds since 1970; null returns only the current time. Changes older than a day are left out.
max_changes: the first this many changes are returned.
Returns {"now": …, "changes": [{"at", "run_id", "version", "status", "error"}]}, with times in microseconds. A change carries the time of its statement but becomes visible when its transaction commits, so ask again from a few seconds earlier and skip what you have.
Errors: OX004 invalid argument.
Touches: nothing; reads queue.workflow_run, rows that started or ended since.$comment$;

create function queue.workflow_children(
  run_id           bigint,
  after            bigint default null,
  max_runs         integer default 1000,
  after_started_at timestamptz default null
)
returns setof queue.workflow_child
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_after queue.run_cursor;
begin
  perform queue._require_current_tables();
  perform queue._check_page(max_runs);
  v_after := queue._run_cursor(nullif(after, 0), after_started_at);
  return query
    select r.run_id, r.workflow_name, r.workflow_version, r.status::text, r.parent_step,
      coalesce(r.is_detached, false), r.started_at, r.completed_at
    from queue.workflow_run as r
    where r.parent_run_id = workflow_children.run_id
      and (v_after.run_id is null or (r.started_at, r.run_id) > (v_after.started_at, v_after.run_id))
    order by r.started_at, r.run_id
    limit workflow_children.max_runs;
end
$function$;

comment on function queue.workflow_children(bigint, bigint, integer, timestamptz) is
$comment$Lists the runs that steps of a run have started, oldest first.
run_id: id of the parent.
after, after_started_at: run_id and started_at of the last row of the previous page; null or 0 for the first page.
max_runs: size of the page, 1 to 10000.
Returns one row per child that is still stored, with the name of its step; none if there is no child, or no such parent.
Errors: OX004 invalid argument, OX005 after_started_at is null and the run in after has been deleted.
Touches: nothing; reads queue.workflow_run.$comment$;

create function queue.workflow_commit(
  names            text[],
  run_ids          bigint[],
  receipts         bigint[],
  transitions      text[],
  results          jsonb[],
  resume_at        timestamptz[],
  step_items       integer[] default null,
  step_positions   integer[] default null,
  step_names       text[] default null,
  step_kinds       text[] default null,
  step_outputs     jsonb[] default null,
  step_errors      jsonb[] default null,
  step_attempts    integer[] default null,
  step_durations   double precision[] default null,
  state_items      integer[] default null,
  state_keys       text[] default null,
  state_values     jsonb[] default null,
  stream_items     integer[] default null,
  stream_steps     text[] default null,
  stream_attempts  integer[] default null,
  stream_numbers   integer[] default null,
  stream_chunks    jsonb[] default null,
  effect_items     integer[] default null,
  effect_kinds     text[] default null,
  effect_steps     text[] default null,
  effect_targets   text[] default null,
  effect_events    text[] default null,
  effect_values    jsonb[] default null,
  effect_versions  integer[] default null,
  effect_retention integer[] default null,
  effect_traces    jsonb[] default null,
  known            jsonb[] default null,
  skip_locked      boolean default false
)
returns setof queue.workflow_commit_result
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set plan_cache_mode = force_generic_plan
set jit = off
as $function$
declare
  v_now      constant timestamptz := clock_timestamp();
  v_ends     constant boolean := transitions && array['complete', 'fail', 'cancel'];
  v_moves    constant boolean := transitions && array['suspend', 'release']
    or 'keep' = any (transitions) and queue._has_value(results);
  v_reaches  boolean := effect_items is not null;
  v_waits    boolean := false;
  v_retries  boolean := false;
  v_streams  boolean := stream_items is not null;
  v_listens  boolean := false;
  v_reached  bigint[];
  v_held     boolean[];
  v_leases   integer[];
  v_grown    bigint[];
  v_resolved jsonb;
begin
  -- Most commits journal one step of one run. Each statement costs a twentieth of that, and a condition without a query
  -- next to nothing. So conditions guard the statements, and a statement answers several questions at once.
  if queue._is_behind() then
    perform queue._migrate_if_older();
  end if;
  if queue._is_plain_commit(names, run_ids, receipts, transitions, results) is not true then
    perform queue._check_commit(names, run_ids, receipts, transitions, results);
  end if;
  if effect_items is not null then
    perform queue._check_effects(
      cardinality(run_ids), effect_items, effect_kinds, effect_steps, effect_targets, effect_events, effect_versions,
      effect_retention
    );
    if 'cancel' = any (effect_kinds) then
      effect_targets := queue._find_abandoned_children(run_ids, effect_items, effect_kinds, effect_steps, effect_targets);
    end if;
  elsif v_ends then
    -- If no run has a parent, which a small index shows, no end reaches another run.
    v_reaches := exists (select from queue.workflow_run as r where r.parent_run_id > 0);
  end if;

  -- The lock on its continuation is the lock on a run: receive, commit, signal and cancel all begin with it.
  if v_reaches then
    v_reached := queue._affected_runs(run_ids, transitions, effect_kinds, effect_targets);
  end if;
  v_leases := queue._lock_leases(run_ids, receipts, v_reached, known, coalesce(skip_locked, false));
  v_held := v_leases::boolean[];
  if skip_locked and v_reached is not null then
    v_held := queue._skip_blocked_runs(
      v_held, v_reached, run_ids, transitions, effect_items, effect_kinds, effect_targets
    );
  end if;
  if -1 = any (v_leases) then
    v_held := queue._end_lost_tails(run_ids, v_held, known, step_items, step_positions);
  end if;

  if effect_items is not null then
    perform queue._apply_effects(
      run_ids, v_held, effect_items, effect_kinds, effect_steps, effect_targets, effect_events, effect_values,
      effect_versions, effect_retention, effect_traces
    );
  end if;

  if step_items is not null then
    with journaled as (
      insert into queue.workflow_step (
        run_id, started_at, completed_at, position, attempts, bytes, step_name, kind, output, error
      )
      select run_ids[s.item], v_now - make_interval(secs => s.duration / 1000), v_now, s.position, s.attempts,
        coalesce(queue._large_size(s.output), queue._large_size(s.error)), s.name, s.kind, s.output, s.error
      from (
        -- By index: unnest() of eight arrays fills eight tuplestores, which costs more than the row.
        select step_items[n] as item, step_positions[n] as "position", step_names[n] as name, step_kinds[n] as kind,
          step_outputs[n] as output, step_errors[n] as error, step_attempts[n] as attempts,
          step_durations[n] as duration
        from generate_series(1, greatest(
          cardinality(step_items), cardinality(step_positions), cardinality(step_names), cardinality(step_kinds),
          cardinality(step_outputs), cardinality(step_errors), cardinality(step_attempts), cardinality(step_durations)
        )) as n
      ) as s
      where queue._is_held(v_held, s.item)
        -- A commit repeated after a lost answer finds its steps. The lock on the run keeps others from journaling, and
        -- without ON CONFLICT a row is one record less of WAL.
        and (
          select true from queue.workflow_step as w where w.run_id = run_ids[s.item] and w.step_name = s.name
        ) is null
      returning run_id, position, bytes
    )
    select
      -- Runs whose journals may have become too large. Small values add up as well, but slowly.
      array_agg(j.run_id) filter (where j.bytes > 65536 or j.position % 64 = 0),
      v_streams or exists (
        select from queue.workflow_stream_chunk as c where c.run_id = any (workflow_commit.run_ids)
      ),
      exists (select from queue.subscription as s where s.target_type = 'run')
    into v_grown, v_streams, v_listens
    from journaled as j;
  end if;

  if state_items is not null then
    perform queue._set_state(run_ids, v_held, state_items, state_keys, state_values, v_now);
  end if;
  if v_streams then
    perform queue._append_stream(
      run_ids, receipts, v_held, step_items, step_names, step_attempts, stream_items, stream_steps, stream_attempts,
      stream_numbers, stream_chunks, v_now
    );
  end if;

  if v_moves then
    select
      bool_or(c.body -> 'waits' @> '[{"kind": "event"}]' or c.body -> 'waits' @> '[{"kind": "invoke"}]'),
      bool_or(c.body -> 'retries' @> '[{}]')
    into v_waits, v_retries
    from unnest(results) as c (body);
  end if;
  if v_waits then
    v_resolved := queue._resolve_waits(run_ids, transitions, results, v_held, v_now);
    v_grown := v_grown || array(
      select i.run_id from unnest(run_ids) with ordinality as i (run_id, item) where v_resolved ? i.item::text
    );
  end if;
  if v_grown <> '{}' then
    perform queue._require_journal_size(v_grown);
  end if;
  if v_retries then
    perform queue._record_failed_attempts(run_ids, results, v_held, v_now);
  end if;
  if v_moves then
    perform queue._move_continuations(run_ids, transitions, results, resume_at, v_held, v_resolved);
  end if;
  if v_listens then
    perform queue._unsubscribe_waits(run_ids);
  end if;
  if 'retry' = any (transitions) then
    perform queue._retry_committed_runs(run_ids, transitions, results, resume_at, v_held, v_now);
  end if;
  if v_ends then
    perform queue._end_committed_runs(run_ids, receipts, transitions, results, v_held, v_now);
  end if;
  -- Last, since a child may end in the same commit.
  if 'cancel' = any (effect_kinds) then
    perform queue._cancel_abandoned_children(
      run_ids, v_held, effect_items, effect_kinds, effect_steps, effect_targets
    );
  end if;

  if false = any (v_held) then
    perform queue._uncount_deaths(receipts);
  end if;

  return query
    select run_ids[n], receipts[n],
      case
        when v_held[n] then 'ok'
        when v_held[n] is null then 'busy'
        else queue._outcome_without_lease(run_ids[n], receipts[n])
      end,
      case when v_resolved is not null then v_resolved -> n::text -> 'resolved' end
    from generate_series(1, cardinality(run_ids)) as n
    order by n;
end
$function$;

comment on function queue.workflow_commit(text[], bigint[], bigint[], text[], jsonb[], timestamptz[], integer[], integer[], text[], text[], jsonb[], jsonb[], integer[], double precision[], integer[], text[], jsonb[], integer[], text[], integer[], integer[], jsonb[], integer[], text[], text[], text[], text[], jsonb[], integer[], integer[], jsonb[], jsonb[], boolean) is
$comment$Commits the progress of leased runs: journals their steps and gives each run its next state, for many runs in one statement. A run whose receipt is dead is left unchanged.
Waits of a new continuation are resolved in the same transaction: a wait for an invoked run takes its result if that run has ended, and an event wait takes the first buffered signal that matches. A wait with "expired": true that finds no signal times out. A resolved wait is journaled and returned, and a run that would be suspended keeps its lease.
names, run_ids, receipts, transitions, results, resume_at: parallel arrays with one element per run; a run occurs once.
transitions: keep, suspend, complete, fail, cancel, retry or release; what each does with its result follows.
- keep: the worker keeps its lease. The result is the new continuation; null or {} leaves the continuation unchanged. {} and a new continuation also reset the count of deliveries that ends in PoisonedRun.
- suspend: the result is the continuation, which becomes visible at resume_at; null means when a signal arrives.
- complete: the run ends with the result as its output.
- fail: the run ends with the result as its error.
- cancel: as fail, for a run that was cancelled with rollback and has rolled back.
- retry: the body failed with the result as the error; the run gets another attempt at resume_at, as with workflow_retry().
- release: the lease ends and the run can be received again at once, as if it had not been received.
results: a continuation is {"waits": […], "retries": […], "journaled": <rows in the journal>}.
step_…: parallel arrays with one element per step to journal.
step_items: the run, as an index into run_ids, from 1; state_items, stream_items and effect_items likewise.
step_positions: place in the journal, from 1.
step_kinds: as in queue.workflow_step.kind.
step_durations: milliseconds.
state_…: parallel arrays with one element per value that a run publishes: see workflow_state().
stream_…: parallel arrays with one element per chunk of a run's stream: see workflow_stream().
stream_steps, stream_attempts, stream_numbers: the call that wrote the chunk, and the chunk's number within the call. An empty step is the body. A chunk that this delivery has already written is skipped; chunks of an earlier delivery of the same call are superseded.
effect_…: parallel arrays with one element per effect of a step on other runs or topics, applied exactly once in this transaction.
effect_steps: the step that has the effect.
effect_kinds: invoke, detach, cancel, signal, publish or subscribe; what each does follows.
- invoke: starts a run of workflow effect_targets with input effect_values, effect_versions and effect_retention in days. The continuation waits for it by {"kind": "invoke", "step": …}.
- detach: as invoke, but the step ends at once with the id of the new run.
- cancel: cancels the run that the step has invoked, if it is running and not detached. effect_targets is null.
- signal: sends event effect_events with payload effect_values to run effect_targets; nothing happens if that run has been deleted.
- publish: sends effect_values to topic effect_targets.
- subscribe: while the step waits for event effect_events, it also takes messages of topics effect_targets that contain effect_values.
effect_traces: trace headers to pass on; null means those of the run.
known: per run, one fact that the last successful commit of this delivery wrote: {"step": <name>}, {"revision": <number in the continuation that grows>} or {"chunk": {"step", "attempt", "number"}}; {} if there was none. If the fact is missing, a crash or failover has lost that commit: the outcome is lost, and the run can be received again at once. If null, a gap before a step's position is detected the same way.
skip_locked: leave out runs that other transactions have locked, or that affect such runs, instead of waiting for them.
Returns one row per run, in order. outcome: ok; lost, if the receipt is dead; cancelled; or busy, if skip_locked left the run out. Only ok changed anything; a commit repeated after a lost answer returns ok again and changes nothing. resolved: the waits that were resolved, [{"step": …, "payload": …}], with "kind": "invoke" for an invoked run, and "error" if it failed.
Errors: OX004 invalid argument, OX008 the journal of a run would exceed 128 MiB; those of workflow_signal() and send_topic().
Touches: queue.workflow_continuation, also of parents and of signalled runs, locked in the order of run ids; queue.workflow_step, queue.workflow_buffered_signal, queue.workflow_run_state, queue.workflow_stream_chunk, queue.workflow_failed_attempt, queue.workflow_run; for effects as workflow_start_batch(), workflow_signal() and send_topic().$comment$;

create function queue.workflow_commit_tx(
  run_id    bigint,
  receipt   bigint,
  step_name text,
  output    jsonb default null,
  attempts  integer default 1,
  duration  double precision default 0,
  known     jsonb default null
)
returns text
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $function$
declare
  v_now     constant timestamptz := clock_timestamp();
  v_held    boolean;
  v_read_ct integer;
begin
  -- An attempt whose answer was lost holds this lock until it ends.
  select m.receipt = workflow_commit_tx.receipt, m.read_ct into v_held, v_read_ct
  from queue.workflow_continuation as m
  where m.msg_id = workflow_commit_tx.run_id
  for no key update;
  if v_held is not true then
    return case queue._outcome_without_lease(run_id, receipt) when 'cancelled' then 'cancelled' else 'lost' end;
  end if;

  if known is not null and queue._find_lost_tails(array[run_id], array[true], array[known], null, null) <> '{}' then
    return 'lost';
  end if;

  -- Progress resets the count of deliveries without any.
  if v_read_ct > 1 then
    update queue.workflow_continuation as m
    set read_ct = 1,
      visible_at = case
        when m.suspect_at < 'infinity' then clock_timestamp() + interval '1 second'
        else m.visible_at
      end,
      suspect_at = null,
      deaths = null
    where m.msg_id = workflow_commit_tx.run_id;
  end if;

  insert into queue.workflow_step as s (
    run_id, started_at, completed_at, position, attempts, bytes, step_name, kind, output
  )
  select workflow_commit_tx.run_id, v_now - make_interval(secs => duration / 1000), v_now,
    coalesce(max(j.position), 0) + 1, workflow_commit_tx.attempts,
    queue._large_size(workflow_commit_tx.output), workflow_commit_tx.step_name, 'tx', workflow_commit_tx.output
  from queue.workflow_step as j
  where j.run_id = workflow_commit_tx.run_id
  on conflict on constraint workflow_step_pkey do nothing;
  if not found then
    return 'repeated';
  end if;
  if pg_column_size(output) > 65536 then
    perform queue._require_journal_size(array[run_id]);
  end if;
  return 'ok';
end
$function$;

comment on function queue.workflow_commit_tx(bigint, bigint, text, jsonb, integer, double precision, jsonb) is
$comment$Journals a step in the caller's transaction, so that everything else in that transaction happens exactly once. Call it last, right before COMMIT: it locks the run. Don't call it while another commit of the same run is in progress.
receipt: of the delivery.
output: what the step returned.
attempts: how many times the step was called.
duration: milliseconds.
known: as in workflow_commit(), for this run.
Returns ok; repeated, if the journal already has the step; lost, if the receipt is dead or the known fact is missing; or cancelled. Roll back unless it is ok. If the answer to COMMIT was lost, call it again in a new transaction: repeated means that the first one was committed.
Errors: OX008 the journal of the run would exceed 128 MiB.
Touches: queue.workflow_continuation, queue.workflow_step.$comment$;

create function queue.workflow_complete_step(
  run_id      bigint,
  step_name   text,
  output      jsonb,
  error       jsonb,
  next_msg    jsonb,
  next_delay  interval,
  ack_receipt bigint
)
returns text
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_transition constant text :=
    case when next_msg is not null then 'suspend' when error is not null then 'fail' else 'complete' end;
  v_name       text;
  v_held       boolean;
  v_journaled  integer;
  v_is_new     boolean;
  v_outcome    text;
begin
  select r.workflow_name into v_name
  from queue.workflow_run as r
  where r.run_id = workflow_complete_step.run_id;
  if not found then
    perform queue._raise_run_not_found(run_id);
  end if;

  -- The locks of the commit, in its order: with them, the journal cannot change after it is counted here.
  v_held := (
    queue._lock_leases(
      array[run_id], array[ack_receipt], queue._affected_runs(array[run_id], array[v_transition], null, null),
      array['{}'::jsonb], false
    )
  )[1] = 1;
  select coalesce(max(s.position), 0),
    workflow_complete_step.step_name is not null
      and coalesce(bool_and(s.step_name <> workflow_complete_step.step_name), true)
  into v_journaled, v_is_new
  from queue.workflow_step as s
  where s.run_id = workflow_complete_step.run_id;

  select c.outcome into v_outcome
  from queue.workflow_commit(
    array[v_name],
    array[run_id],
    array[ack_receipt],
    array[v_transition],
    array[case
      when next_msg is not null then next_msg || jsonb_build_object('journaled', v_journaled + v_is_new::integer)
      else coalesce(error, output)
    end],
    array[clock_timestamp() + coalesce(next_delay, interval '0')],
    case when v_is_new then array[1] end,
    case when v_is_new then array[v_journaled + 1] end,
    case when v_is_new then array[step_name] end,
    case when v_is_new then array['run'] end,
    case when v_is_new then array[case when error is null then output end] end,
    case when v_is_new then array[error] end,
    case when v_is_new then array[1] end,
    case when v_is_new then array[0] end,
    -- Counted under the lock.
    known => array['{}'::jsonb]
  ) as c;
  return case when v_outcome = 'ok' and v_held and step_name is not null and not v_is_new then 'repeated' else v_outcome end;
end
$function$;

comment on function queue.workflow_complete_step(bigint, text, jsonb, jsonb, jsonb, interval, bigint) is
$comment$Commits one step of one run: journals the step, writes the next continuation or ends the run, and acknowledges the receipt. The same as workflow_commit() with one item.
step_name: null journals no step.
error: why the step failed for good; null if it succeeded.
next_msg: the continuation, a JSON object; null ends the run, failed if there is an error, otherwise completed with output.
next_delay: how long until the continuation becomes visible; null means at once.
ack_receipt: of the delivery.
Returns ok; repeated, if the journal already has the step: the journal is unchanged and the run still gets its next state; or lost or cancelled, which changed nothing. A call repeated after a lost answer returns ok and changes nothing.
Errors: OX004 invalid argument, OX005 no such run.
Touches: as workflow_commit().$comment$;

create function queue.workflow_count(filter jsonb default '{}', at_most integer default 10000)
returns bigint
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_filter constant queue.run_filter := queue._run_filter(filter);
  v_count  bigint := 0::bigint;
begin
  perform queue._require_current_tables();
  if at_most is null or at_most < 1 then
    perform queue._raise('OX004', format('invalid at_most %s', coalesce(at_most::text, 'null')), null,
      'Pass 1 or more.');
  end if;
  if to_regclass('queue.workflow_run') is not null then
    select count(*) into v_count from queue._find_runs(v_filter, null, at_most, sorted => false) as f;
  end if;
  return v_count;
end
$function$;

comment on function queue.workflow_count(jsonb, integer) is
$comment$Counts the runs that match a filter.
filter: as in workflow_list().
at_most: counting stops here, which bounds the cost; a result equal to it means "this many or more".
Returns the number.
Errors: OX004 invalid argument.
Touches: nothing; reads queue.workflow_run and queue.workflow_continuation.$comment$;

create function queue.workflow_expire(max_runs integer default 100)
returns integer
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set plan_cache_mode = force_generic_plan
set jit = off
as $function$
declare
  v_now     constant timestamptz := clock_timestamp();
  -- A worker that executes the run ends it itself, with the steps that have just finished.
  v_grace   constant interval := interval '400 milliseconds';
  v_locked  bigint[];
  v_parents bigint[];
  v_ended   bigint[];
  v_errors  jsonb[];
begin
  perform queue._migrate_if_older();
  if max_runs is null or max_runs not between 1 and 10000 then
    perform queue._raise('OX004', format('invalid max_runs %s', coalesce(max_runs::text, 'null')), null,
      'End between 1 and 10000 runs at a time.');
  end if;
  if to_regclass('queue.workflow_run') is null then
    return 0;
  end if;
  if not exists (
    select
    from queue.workflow_run as r
    where r.deadline <= v_now
      and r.status = 'running'
  ) or queue._must_hold(false) then
    return 0;
  end if;

  v_locked := array(
    select m.msg_id
    from queue.workflow_run as r
    join queue.workflow_continuation as m on m.msg_id = r.run_id
    where r.deadline <= v_now
      and r.status = 'running'
      and (m.receipt is null or m.visible_at <= v_now or r.deadline <= v_now - v_grace)
    order by r.deadline
    limit max_runs
    for no key update of m skip locked
  );
  -- Read again under the locks: a deadline may have been removed just before.
  v_locked := array(
    select r.run_id
    from queue.workflow_run as r
    where r.run_id = any (v_locked)
      and r.deadline <= v_now
      and r.status = 'running'
  );
  v_parents := array(
    select distinct r.parent_run_id
    from queue.workflow_run as r
    where r.run_id = any (v_locked)
      and r.parent_run_id is not null
      and not r.is_detached
  );
  -- No lock is waited for: if another transaction has locked the parent, a later call ends the run.
  if v_parents <> '{}' then
    v_parents := queue._try_lock_runs(v_parents);
  end if;

  select array_agg(r.run_id order by r.deadline), array_agg(queue._deadline_error(r.run_id, r.deadline) order by r.deadline)
  into v_ended, v_errors
  from queue.workflow_run as r
  where r.run_id = any (v_locked)
    and (
      r.parent_run_id is null
      or r.is_detached
      or r.parent_run_id = any (v_parents)
      or not exists (select from queue.workflow_run as p where p.run_id = r.parent_run_id and p.status = 'running')
    );
  if v_ended is null then
    return 0;
  end if;

  perform queue._notify_worker(r.workflow_name, r.run_id)
  from queue.workflow_continuation as m
  join queue.workflow_run as r on r.run_id = m.msg_id
  where m.msg_id = any (v_ended)
    and m.receipt is not null;
  perform queue._end_runs(
    v_ended, array_fill('failed'::text, array[cardinality(v_ended)]), null, v_errors, null, v_now
  );
  return cardinality(v_ended);
end
$function$;

comment on function queue.workflow_expire(integer) is
$comment$Fails runs whose deadline has passed with DeadlineExceeded, earliest first. A run that no worker is executing fails at once; one with a live lease fails a moment later, so that its worker can end it with the steps that have just finished. Nothing is rolled back. Workers and servers call this a few times a second; concurrent callers share the work.
max_runs: bound of one call, 1 to 10000.
Returns how many runs it ended; 0 while the database is held as a copy: see release_incarnation().
Errors: OX004 invalid argument.
Touches: queue.workflow_continuation, also of parents (SKIP LOCKED), queue.workflow_run, queue.workflow_step, queue.workflow_admission.$comment$;

create function queue.workflow_export(filter jsonb default '{}')
returns setof queue.workflow_summary
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_filter constant queue.run_filter := queue._run_filter(filter);
begin
  perform queue._require_current_tables();
  if to_regclass('queue.workflow_run') is null then
    return;
  end if;
  return query select s.* from queue._summarize_runs(v_filter, null, null, true) as s;
end
$function$;

comment on function queue.workflow_export(jsonb) is
$comment$Returns all runs that match a filter, newest first, with input and output, as of one instant. Read it through a cursor: the server keeps the result in a temporary file until it has been read.
filter: as in workflow_list().
Returns one row per run.
Errors: OX004 invalid argument.
Touches: nothing; reads queue.workflow_run and queue.workflow_continuation.$comment$;

create function queue.workflow_get(run_id bigint)
returns setof queue.workflow_state
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_now constant timestamptz := clock_timestamp();
begin
  perform queue._require_current_tables();
  if to_regclass('queue.workflow_run') is null then
    return;
  end if;

  return query
    select r.run_id, r.workflow_name, r.workflow_version, r.status::text,
      case
        when m.headers ? 'paused' then
          case
            when m.receipt is not null and m.visible_at > v_now and m.visible_at <> queue._paused_until(m.headers)
              then 'pausing'
            else 'paused'
          end
        -- A suspect between two deliveries.
        when m.suspect_at < 'infinity' and not (m.headers ? 'paused') is true then 'ready'
        when m.receipt is not null and m.visible_at > v_now then 'executing'
        when m.visible_at <= v_now then 'ready'
        when m.settled_receipt is null and exists (
          select from queue.workflow_admission as a where a.run_id = r.run_id and a.state <> 'admitted' and a.due_at <= v_now
        ) then 'queued'
        when m.message -> 'retries' @> '[{}]' or r.retried > 0 and m.message = '{}' then 'retrying'
        when m.message -> 'waits' @> '[{"kind": "event"}]' then 'waiting'
        when m.message -> 'waits' @> '[{"kind": "sleep"}]' then 'sleeping'
        when m.msg_id is not null then 'delayed'
      end,
      r.input, r.output, r.error, r.idempotency_key, r.tags, m.read_ct, m.message -> 'waits',
      t.retries, r.started_at, r.completed_at, r.deadline,
      case when m.receipt is null and m.visible_at > v_now then m.visible_at end, r.paused_at, r.pause_reason,
      r.rerun_of, r.superseded_by, r.scheduled_at, p.calls, r.failure_of,
      coalesce(r.retried, 0), case when r.retried > 0 then queue._failed_attempts(r.run_id, '') end
    from queue.workflow_run as r
    left join queue.workflow_continuation as m on m.msg_id = r.run_id
    left join lateral (
      select coalesce(
          jsonb_agg(
            e.retry || jsonb_build_object('failures', queue._failed_attempts(r.run_id, e.retry ->> 'step'))
            order by e.position
          ),
          m.message -> 'retries'
        ) as retries
      from jsonb_array_elements(
        case jsonb_typeof(m.message -> 'retries') when 'array' then m.message -> 'retries' end
      ) with ordinality as e (retry, position)
    ) as t on true
    left join lateral (
      select jsonb_agg(e.call || jsonb_build_object('worker', w.worker) order by e.position) as calls
      from queue.workflow_progress as w
      cross join jsonb_array_elements(w.steps) with ordinality as e (call, position)
      where w.run_id = r.run_id
        and w.receipt = m.receipt
        and m.visible_at > v_now
    ) as p on true
    where r.run_id = workflow_get.run_id;
end
$function$;

comment on function queue.workflow_get(bigint) is
$comment$Returns a run and its current activity.
Returns one row; none if the run does not exist. retries: failed steps that will be called again, each with the failures of its calls so far, [{"attempt", "failed_at", "error"}]. retried, failures: how often the run was retried by the policy of its workflow, and the errors of those attempts. in_progress: calls that take longer than a second, as reported by workflow_report_progress().
Touches: nothing; reads queue.workflow_run, queue.workflow_continuation, queue.workflow_failed_attempt and queue.workflow_progress.$comment$;

create function queue.workflow_heartbeat(
  receipts      bigint[],
  lease_seconds numeric default 30,
  known         jsonb[] default null,
  report_busy   boolean default false
)
returns setof queue.workflow_lease_notice
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $function$
declare
  v_lease_end constant timestamptz := clock_timestamp()
    + case when lease_seconds is not null then queue._lease_interval(lease_seconds) end;
  v_leases    queue.extended_leases;
begin
  perform queue._migrate_if_older();
  v_leases := queue._extend_leases(receipts, v_lease_end, known);
  if cardinality(v_leases.held) < cardinality(receipts) then
    perform queue._uncount_deaths(receipts);
  end if;

  return query
    select queue._receipt_msg_id(i.receipt), i.receipt,
      case
        when i.receipt = any (v_leases.cancelling) then 'cancelling'
        when i.receipt = any (v_leases.paused) then 'paused'
        when i.receipt = any (v_leases.signalled) then 'signalled'
        when r.status = 'cancelled' then 'cancelled'
        else 'lost'
      end
    from unnest(receipts) as i (receipt)
    left join queue.workflow_run as r on r.run_id = queue._receipt_msg_id(i.receipt)
    where i.receipt = any (v_leases.signalled)
      or i.receipt = any (v_leases.paused)
      or i.receipt = any (v_leases.cancelling)
      or not i.receipt = any (v_leases.held);

  if report_busy then
    return query
      select queue._receipt_msg_id(b.receipt), b.receipt, 'busy'
      from unnest(v_leases.busy) as b (receipt);
  end if;
end
$function$;

comment on function queue.workflow_heartbeat(bigint[], numeric, jsonb[], boolean) is
$comment$Extends the leases of many runs in one statement, and returns the leases that need attention. It never waits for another transaction.
receipts: as returned by workflow_receive().
lease_seconds: length of the lease from now; null extends nothing.
known: as in workflow_commit(), one element per receipt. A lease ends if the known fact is missing.
report_busy: also return leases that were not extended because another transaction has locked the run. Extend them again soon.
Returns one row per lease that needs attention. lost: another worker has received the run, or it has ended. cancelled: the run was cancelled. signalled: a buffered signal matches one of its waits, or a run that it invoked has ended; the next commit takes it. paused: finish and journal the current calls, start no new ones, and release the run. cancelling: the same, for a run that was cancelled with rollback after its delivery. busy: see report_busy.
Errors: OX004 invalid argument.
Touches: queue.workflow_continuation (SKIP LOCKED); reads queue.workflow_run, queue.workflow_step, queue.workflow_stream_chunk and queue.workflow_buffered_signal.$comment$;

create function queue.workflow_index_input(name text, indexed boolean default true)
returns boolean
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set lock_timeout = '2s'
as $function$
declare
  v_index text;
begin
  perform queue._ensure_migrated();
  v_index := queue._input_index(coalesce(queue._workflow_queue_id(name), queue._create_workflow_queue(name)));
  if indexed = (to_regclass('queue.' || v_index) is not null) then
    return false;
  end if;

  begin
    lock table queue.workflow_run in share mode;
  exception when lock_not_available then
    perform queue._raise('OX009', 'an open transaction has written runs for longer than 2 seconds', null,
      'Try again. If that fails repeatedly, find the transaction in pg_stat_activity.');
  end;
  if indexed then
    execute format(
      'create index %1$I on queue.workflow_run using gin (input jsonb_path_ops) where workflow_name = %2$L',
      v_index, workflow_index_input.name
    );
  else
    execute format('drop index queue.%1$I', v_index);
  end if;
  return true;
end
$function$;

comment on function queue.workflow_index_input(text, boolean) is
$comment$Creates or drops an index on the inputs of one workflow. With the index, lists, counts, exports and changes by filter find runs by name and a part of their input. Every start and end of a run of this workflow writes to it; other workflows are not affected.
indexed: false drops the index.
Returns true if this call changed anything.
Errors: OX003 invalid workflow name, OX009 an open transaction has written runs for longer than 2 seconds.
Touches: queue.workflow_run, locked in share mode: no run starts or ends until the caller's transaction ends. For millions of runs, call it at a quiet time.$comment$;

create function queue.workflow_journal(
  run_id    bigint,
  after     integer default 0,
  max_steps integer default null
)
returns setof queue.workflow_journal_entry
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_has_failures boolean;
begin
  perform queue._require_current_tables();
  v_has_failures := exists (
    select from queue.workflow_failed_attempt as f where f.run_id = workflow_journal.run_id
  );
  return query
    select s.step_name, s.kind, s.attempts, s.output, s.error, s.started_at, s.completed_at, s.position,
      case when v_has_failures then queue._failed_attempts(s.run_id, s.step_name) end
    from queue.workflow_step as s
    where s.run_id = workflow_journal.run_id
      and s.position > coalesce(workflow_journal.after, 0)
    order by s.position
    limit max_steps;
end
$function$;

comment on function queue.workflow_journal(bigint, integer, integer) is
$comment$Returns the journal of a run, in order.
after: position of the last row that the caller has; 0 for the beginning. Rows never move, so this cursor stays valid while the run continues.
max_steps: size of the page; null returns all rows.
Returns one row per finished step; none if there is no step yet, or no such run. failures: errors of earlier calls of the step, [{"attempt", "failed_at", "error"}], the first 10 and the last 90; null if the first call was decisive.
Touches: nothing; reads queue.workflow_step and queue.workflow_failed_attempt.$comment$;

create function queue.workflow_journal_page(run_id bigint, after integer default 0)
returns jsonb
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $function$
begin
  perform queue._require_current_tables();
  return (
    select jsonb_agg(
        queue._journal_json(s.step_name, s.kind, s.attempts, s.output, s.error) order by s.position
      )
    from (
      select w.step_name, w.kind, w.attempts, w.output, w.error, w.position, coalesce(w.bytes, 0) as bytes,
        sum(coalesce(w.bytes, 0) + 1000) over (order by w.position) as total
      from queue.workflow_step as w
      where w.run_id = workflow_journal_page.run_id
        and w.position > after
    ) as s
    where s.total - s.bytes < 33554432
  );
end
$function$;

comment on function queue.workflow_journal_page(bigint, integer) is
$comment$Returns part of a run's journal in the form in which workflow_receive() returns it, for workers that received the run without it.
after: how many rows the worker has.
Returns the next rows, in order, up to 32 MiB but at least one; null after the last row.
Touches: nothing; reads queue.workflow_step.$comment$;

create function queue.workflow_lag()
returns setof queue.workflow_lag
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_now constant timestamptz := clock_timestamp();
begin
  perform queue._require_current_tables();
  if to_regclass('queue.workflow_run') is null then
    return;
  end if;

  return query
    select substr(q.name, 6), n.ready_since, extract(epoch from v_now - n.ready_since)::double precision
    from queue.queue as q
    cross join lateral (select queue.workflow_next_visible_at(array[substr(q.name, 6)]) as ready_since) as n
    where q.kind = 'workflow'
      and n.ready_since <= v_now
    order by n.ready_since;
end
$function$;

comment on function queue.workflow_lag() is
$comment$Lists workflows that have a ready run, with the time that the oldest one has waited for a worker. Versions that no worker serves count too.
Returns one row per workflow, longest wait first; none if no run is waiting.
Touches: nothing; reads the first ready entry of queue.workflow_continuation per version.$comment$;

create function queue.workflow_list(
  filter            jsonb default '{}',
  before            bigint default null,
  max_runs          integer default 100,
  with_values       boolean default false,
  before_started_at timestamptz default null
)
returns setof queue.workflow_summary
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_filter constant queue.run_filter := queue._run_filter(filter);
begin
  perform queue._require_current_tables();
  perform queue._check_page(max_runs);
  if to_regclass('queue.workflow_run') is null then
    return;
  end if;
  return query
    select s.*
    from queue._summarize_runs(
      v_filter, queue._run_cursor(before, before_started_at), max_runs, coalesce(with_values, false)
    ) as s;
end
$function$;

comment on function queue.workflow_list(jsonb, bigint, integer, boolean, timestamptz) is
$comment$Lists a page of runs, newest first: in descending order of started_at, then run_id.
name, tags, idempotency_key, paused, and the statuses failed and cancelled are found through indexes. Other conditions are checked on the rows that those leave, newest first, until the page is full. Runs in flight are sorted for each page, about 0.2 s per million; exclude them by status if you don't need them.
filter: a JSON object; a run must match all of its keys: name, version, status (one or a list), paused (true or false), started_after, started_before, completed_after, completed_before (ISO 8601; "after" includes the instant), tags and input (contained in those of the run), error_code (of the error or its cause), idempotency_key.
before, before_started_at: run_id and started_at of the last row of the previous page; null for the first page. Runs that start in the meantime do not shift the pages.
max_runs: size of the page, 1 to 10000.
with_values: also return input and output.
Returns one row per run; fewer than max_runs on the last page.
Errors: OX004 invalid argument, OX005 before_started_at is null and the run in before has been deleted.
Touches: nothing; reads queue.workflow_run and queue.workflow_continuation.$comment$;

create function queue.workflow_metrics(since timestamptz, bounds double precision[])
returns jsonb
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $function$
declare
  v_until constant timestamptz := clock_timestamp() - interval '5 seconds';
  v_since constant timestamptz := greatest(coalesce(since, v_until), v_until - interval '1 hour');
  v_answer jsonb;
begin
  perform queue._require_current_tables();
  v_answer := jsonb_build_object('until', v_until, 'started', jsonb_build_array(), 'ended', jsonb_build_array(),
    'steps', jsonb_build_array());
  if v_since >= v_until or to_regclass('queue.workflow_run') is null then
    return v_answer;
  end if;

  v_answer := v_answer || jsonb_build_object('started', (
    select coalesce(jsonb_agg(to_jsonb(s)), '[]')
    from (
      select r.workflow_name as workflow, count(*) as count
      from queue.workflow_run as r
      where r.started_at - timestamptz '2000-01-01 00:00:00+00' > v_since - timestamptz '2000-01-01 00:00:00+00'
        and r.started_at - timestamptz '2000-01-01 00:00:00+00' <= v_until - timestamptz '2000-01-01 00:00:00+00'
      group by r.workflow_name
    ) as s
  ));

  with ended as materialized (
    select r.run_id, r.workflow_name, r.status, extract(epoch from r.completed_at - r.started_at)::double precision as seconds
    from queue.workflow_run as r
    -- The expression of the index.
    where case when r.completed_at is not null then r.completed_at - timestamptz '2000-01-01 00:00:00+00' end
        > v_since - timestamptz '2000-01-01 00:00:00+00'
      and case when r.completed_at is not null then r.completed_at - timestamptz '2000-01-01 00:00:00+00' end
        <= v_until - timestamptz '2000-01-01 00:00:00+00'
  ),
  runs as (
    select e.workflow_name as workflow, e.status, width_bucket(e.seconds, bounds) as bucket, count(*) as count,
      sum(e.seconds) as sum
    from ended as e
    group by e.workflow_name, e.status, bucket
  ),
  called as (
    select e.workflow_name, s.step_name, s.attempts,
      extract(epoch from s.completed_at - s.started_at)::double precision as seconds
    from ended as e
    join queue.workflow_step as s on s.run_id = e.run_id
    where s.kind in ('run', 'tx', 'rollback')
  ),
  steps as (
    select c.workflow_name as workflow, c.step_name as step, width_bucket(c.seconds, bounds) as bucket,
      count(*) as count, sum(c.seconds) as sum, sum(c.attempts - 1) as retries
    from called as c
    group by c.workflow_name, c.step_name, bucket
  )
  select v_answer || jsonb_build_object(
      'ended', (select coalesce(jsonb_agg(to_jsonb(r)), '[]') from runs as r),
      'steps', (select coalesce(jsonb_agg(to_jsonb(s)), '[]') from steps as s)
    )
  into v_answer;
  return v_answer;
end
$function$;

comment on function queue.workflow_metrics(timestamptz, double precision[]) is
$comment$Returns counts and durations of runs and steps since a time, for a metrics endpoint: how many runs started and ended, how long they took, and how long the calls of their steps took. Steps count when their run ends. A run that is retried ends again.
since: until of the previous result; null starts counting. Anything older than an hour is left out.
bounds: upper bounds of the duration buckets, in seconds, ascending.
Returns {"until": …, "started": [{"workflow", "count"}], "ended": [{"workflow", "status", "bucket", "count", "sum"}], "steps": [{"workflow", "step", "bucket", "count", "sum", "retries"}]}, with sums in seconds. Bucket n holds durations from bounds[n] to below bounds[n + 1]. The period ends five seconds ago, so that transactions in progress are included; one that stays open longer is missed.
Touches: nothing; reads queue.workflow_run, rows that started or ended in the period, and queue.workflow_step of the ended ones.$comment$;

create function queue.workflow_next_visible_at(
  names          text[],
  versions       jsonb default null,
  within_seconds numeric default null
)
returns timestamptz
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set plan_cache_mode = force_generic_plan
set jit = off
as $function$
declare
  v_parts    queue.ready_parts;
  v_opens_at timestamptz;
  v_until    constant timestamptz := case
    when within_seconds is null then 'infinity'
    else clock_timestamp() + queue._duration(within_seconds, 'time to look ahead')
  end;
begin
  perform queue._require_current_tables();
  if to_regclass('queue.workflow_run') is null then
    return null;
  end if;
  if queue._judge_incarnation(false) in ('moved', 'promoted', 'held') then
    return null;
  end if;
  if exists (select from queue.workflow_inbox) then
    return clock_timestamp();
  end if;
  v_parts := queue._ready_parts(names, versions, clock_timestamp());
  if v_parts.limited is not null then
    v_opens_at := (
      select min(queue._admission_opens_at(
        q.queue_id, coalesce(queue._served_versions(versions, n.name), queue._present_versions(q.queue_id))
      ))
      from unnest(names) as n (name)
      join queue.queue as q on q.name = '__wf_' || n.name
      where q.queue_id = any (v_parts.limited)
    );
    -- Callers subtract times, which fails for infinity before PostgreSQL 17.
    if v_opens_at = '-infinity' then
      v_opens_at := clock_timestamp();
    end if;
  end if;
  return least(v_opens_at, (
    select min(first.visible_at)
    from unnest(v_parts.queue_ids, v_parts.versions, v_parts.froms) as p (queue_id, version, ready_from)
    cross join lateral (
      select m.visible_at
      from queue.workflow_continuation as m
      where m.queue_id = p.queue_id
        and m.version = p.version
        and m.visible_at between p.ready_from and v_until
      order by m.visible_at
      limit 1
    ) as first
  ));
end
$function$;

comment on function queue.workflow_next_visible_at(text[], jsonb, numeric) is
$comment$Returns when the next run of these workflows becomes visible, so that an idle worker neither polls busily nor wakes late. A leased run counts with the end of its lease.
names, versions: as in workflow_receive().
within_seconds: how far to look ahead; null looks at everything.
Returns a time, which may have passed; null if no run becomes visible within that time, or the database is held. Without within_seconds, it is infinity if all runs wait for signals only.
Errors: OX004 invalid argument.
Touches: nothing; reads the first ready entry of queue.workflow_continuation per version.$comment$;

create function queue.workflow_of(run_id bigint)
returns text
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  perform queue._require_current_tables();
  if to_regclass('queue.workflow_run') is null then
    return null;
  end if;
  return (select r.workflow_name from queue.workflow_run as r where r.run_id = workflow_of.run_id);
end
$function$;

comment on function queue.workflow_of(bigint) is
$comment$Reads the name of the workflow of a run, without its input and output.
Returns the name; null if the run does not exist.
Errors: OX006 the tables are older than the functions.
Touches: nothing; reads queue.workflow_run.$comment$;

create function queue.workflow_pause(run_id bigint, reason text default null)
returns boolean
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $function$
declare
  v_now      constant timestamptz := clock_timestamp();
  v_name     text;
  v_status   text;
  v_deadline timestamptz;
  v_paused   boolean;
  v_leased   boolean;
begin
  perform queue._migrate_if_older();
  select r.workflow_name, r.status::text, r.deadline into v_name, v_status, v_deadline
  from queue.workflow_run as r
  where r.run_id = workflow_pause.run_id;
  if not found then
    perform queue._raise_run_not_found(run_id);
  end if;
  if v_status <> 'running' then
    return false;
  end if;

  select m.receipt is not null, coalesce(m.headers ? 'paused', false) into v_leased, v_paused
  from queue.workflow_continuation as m
  where m.msg_id = run_id
  for no key update;
  if v_leased is null or v_paused then
    return false;
  end if;

  -- A leased run is set aside when its worker gives it back, or by the next receive.
  update queue.workflow_continuation as m
  set headers = coalesce(m.headers, '{}') || jsonb_build_object('paused', jsonb_strip_nulls(jsonb_build_object(
      'until', v_deadline,
      'due', case when m.receipt is null then m.visible_at end
    ))),
    visible_at = case
      when m.receipt is null then greatest(coalesce(v_deadline, 'infinity'), clock_timestamp())
      else m.visible_at
    end
  where m.msg_id = run_id;

  update queue.workflow_run as r
  set paused_at = v_now,
    pause_reason = reason
  where r.run_id = workflow_pause.run_id;

  if v_leased then
    perform queue._notify_worker(v_name, run_id);
  end if;
  return true;
end
$function$;

comment on function queue.workflow_pause(bigint, text) is
$comment$Pauses a run in the caller's transaction: it executes nothing until workflow_resume(). A worker that is executing the run is notified at once, otherwise it learns at its next heartbeat. It finishes and journals its current calls and starts no new ones. Signals, sleeps and timeouts are still recorded, and take effect after the resume. The deadline is not postponed: the run fails at its deadline even if it is paused.
reason: shown with the run.
Returns true if this call paused the run; false if it had ended or was already paused.
Errors: OX005 no such run.
Touches: queue.workflow_continuation, queue.workflow_run.$comment$;

create function queue.workflow_pause_all(
  filter            jsonb,
  reason            text default null,
  before            bigint default null,
  max_runs          integer default 500,
  before_started_at timestamptz default null
)
returns queue.changed_runs
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_filter queue.run_filter := queue._run_filter(filter);
begin
  v_filter.status := array['running'];
  v_filter.paused := false;
  return queue._change_runs('pause', v_filter, reason, queue._run_cursor(before, before_started_at), max_runs);
end
$function$;

comment on function queue.workflow_pause_all(jsonb, text, bigint, integer, timestamptz) is
$comment$Pauses a batch of the running runs that match a filter, newest first, in the caller's transaction. Call it in a loop until before is null.
filter: as in workflow_list(); its status and paused are ignored.
reason: as in workflow_pause().
before, before_started_at: as returned by the previous call; null for the first batch. Runs that start in the meantime are not paused.
max_runs: how many runs to look at in this batch, 1 to 10000. A batch locks its runs until the transaction ends.
Returns how many runs were paused, and the cursor of the next batch, which is null after the last one.
Errors: OX004 invalid argument, OX005 before_started_at is null and the run in before has been deleted.
Touches: as workflow_pause().$comment$;

create function queue.workflow_receive(
  names         text[],
  versions      jsonb default null,
  max_runs      integer default 1,
  lease_seconds numeric default 30,
  suspects      integer default null,
  max_bytes     bigint default null
)
returns setof queue.workflow_delivery
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
set jit = off
as $function$
declare
  v_is_first     constant boolean := pg_current_xact_id_if_assigned() is null;
  v_now          constant timestamptz := clock_timestamp();
  v_lease        constant interval := queue._lease_interval(lease_seconds);
  -- Clients read an answer as one text, and a string in JavaScript ends at 512 MiB, including escapes.
  v_room         constant bigint := least(greatest(coalesce(max_bytes, 67108864), 0), bigint '67108864');
  v_claimed      queue.claimed_runs;
  v_is_live      boolean;
  v_has_inbox    boolean;
  v_has_suspects boolean;
begin
  if max_runs is null or max_runs not between 1 and 10000 then
    perform queue._raise('OX004', format('invalid max_runs %s', coalesce(max_runs::text, 'null')), null,
      'Receive between 1 and 10000 runs at a time.');
  end if;
  if queue._is_behind() then
    perform queue._migrate_if_older();
    if to_regclass('queue.workflow_run') is null then
      return;
    end if;
  end if;

  select
    -- The usual verdict of _judge_incarnation(), without the cost of calls.
    exists (
      select
      from queue._own_incarnation() as i
      where i.state in ('live', 'sandbox')
        and i.is_untouched
        and i.is_same_database
        and i.guarded_timeline is null
    ),
    exists (select from queue.workflow_inbox),
    coalesce(suspects, 1) > 0 and exists (select from queue.workflow_continuation as m where m.suspect_at <= v_now)
  into v_is_live, v_has_inbox, v_has_suspects;
  if not v_is_live and queue._must_hold(false) then
    return;
  end if;
  if v_has_inbox then
    perform queue._deliver_inbox();
  end if;
  v_claimed := queue._claim_runs(names, versions, max_runs, v_now, v_lease, v_is_first, suspects, v_has_suspects);
  if v_claimed.limited is not null then
    v_claimed := queue._claim_admitted(v_claimed, names, versions, max_runs, v_lease);
  end if;
  if v_claimed.must_end is not null then
    perform queue._end_undeliverable_runs(v_claimed.must_end, v_now);
  end if;
  if v_claimed.run_ids is null then
    return;
  end if;
  -- If no run takes more than its share, all of them fit.
  if false = any (v_claimed.is_fresh) or v_room / cardinality(v_claimed.sizes) < any (v_claimed.sizes) then
    v_claimed := queue._fit_claims(v_claimed, v_room, max_bytes is not null);
  end if;

  return query
    select c.run_id, c.receipt, r.workflow_name, r.workflow_version, c.attempt, r.input, j.journal, c.continuation,
      r.started_at, v_now,
      case
        when r.scheduled_at is not null then jsonb_build_object('name', r.tags ->> 'schedule', 'scheduled_at', r.scheduled_at)
      end,
      r.trace, r.failure_of, coalesce(r.retried, 0), r.deadline, c.bytes
    from unnest(
      v_claimed.run_ids, v_claimed.receipts, v_claimed.attempts, v_claimed.continuations, v_claimed.is_fresh,
      v_claimed.sizes
    ) as c (run_id, receipt, attempt, continuation, is_fresh, bytes)
    join queue.workflow_run as r on r.run_id = c.run_id
    left join lateral (
      select jsonb_agg(
          queue._journal_json(s.step_name, s.kind, s.attempts, s.output, s.error) order by s.position
        ) as journal
      from queue.workflow_step as s
      where s.run_id = c.run_id
        and not c.is_fresh
        -- The worker reads a larger journal in pages.
        and (max_bytes is null or c.bytes <= 67108864)
    ) as j on true
    where v_claimed.must_end is null
      or not c.run_id = any (v_claimed.must_end);
end
$function$;

comment on function queue.workflow_receive(text[], jsonb, integer, numeric, integer, bigint) is
$comment$Leases ready runs to a worker, each with its whole journal, so that resuming a run takes one round trip.
A run is a suspect while its last two or more leases have expired without a commit; its attempt is then above 2. A suspect fails with PoisonedRun instead of being returned, after 10 deliveries whose workers died, the last 8 of them while executing no other suspect. A run past its deadline fails with DeadlineExceeded.
names: workflows to receive, in order of preference; a name that was never started is skipped.
versions: maps a name to the versions that the worker serves, {"onboard-user": [1, 2]}; a missing name, or null, takes any version.
max_runs: 1 to 10000.
lease_seconds: how long no other worker receives the runs; extend the lease with workflow_heartbeat().
suspects: 1 returns at most one suspect, for a worker that executes none. 0 returns none, for a worker that executes a suspect which has not committed yet, or that has just started. Null is for workers that don't keep track: it returns at most one suspect, and counts each death for at most one. With 0 or 1, a suspect rests for a quarter of a lease before it is returned, and 1.4 times as long after each further lease that expires.
max_bytes: bound for inputs and journals together, about, and at most 64 MiB. One run is always returned; if it has more than 64 MiB, it comes without its journal, which workflow_journal_page() returns. Null means 64 MiB, with large journals returned whole, and runs of more than 224 MiB not at all.
Returns one row per run; none if nothing is ready, or while the database is held as a copy: see release_incarnation().
Errors: OX004 invalid argument.
Touches: queue.workflow_continuation (SKIP LOCKED); reads queue.workflow_run and queue.workflow_step.$comment$;

create function queue.workflow_register(
  names            text[],
  versions         integer[],
  retention_days   integer[] default null,
  deadline_seconds numeric[] default null,
  on_failure       text[] default null
)
returns integer
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_now     constant timestamptz := clock_timestamp();
  v_message text;
  v_changed integer;
begin
  perform queue._ensure_migrated();
  if cardinality(names) is distinct from cardinality(versions) then
    perform queue._raise('OX004', format('%s names, but %s versions', cardinality(names), cardinality(versions)), null,
      'Pass one version per name.');
  end if;
  select
    case
      when i.name is null or i.version is null then 'a workflow without a name or a version'
      when i.version < 1 then format('invalid version %s of workflow "%s": a version is 1 or more', i.version, i.name)
      when i.days not between 0 and 36500 then
        format('invalid retention of %s days of workflow "%s": it is between 0 and 36500', i.days, i.name)
      when i.seconds not between 0.001 and 3153600000 then
        format('invalid deadline of %s seconds of workflow "%s": it is between 0.001 and 3153600000', i.seconds, i.name)
      else format('workflow "%s" cannot handle its own failures', i.name)
    end
  into v_message
  from unnest(names, versions, workflow_register.retention_days, deadline_seconds, workflow_register.on_failure)
    as i (name, version, days, seconds, on_failure)
  where i.name is null
    or i.version is null
    or i.version < 1
    or i.days not between 0 and 36500
    or i.seconds not between 0.001 and 3153600000
    or i.on_failure = i.name
  limit 1;
  if found then
    perform queue._raise('OX004', v_message, null, 'Correct the definition and register it again. Nothing was written.');
  end if;

  perform queue._create_workflow_queue(n.name)
  from (
    select distinct u.name
    from unnest(names || workflow_register.on_failure) as u (name)
    where u.name is not null
    order by u.name
  ) as n
  where queue._workflow_queue_id(n.name) is null;

  -- Usually nothing has changed, and nothing is written.
  insert into queue.workflow_version as v (
    registered_at, version, retention_days, deadline, workflow_name, on_failure
  )
  select distinct on (i.name, i.version)
    v_now, i.version, i.days, make_interval(secs => i.seconds::double precision), i.name, i.on_failure
  from unnest(names, versions, workflow_register.retention_days, deadline_seconds, workflow_register.on_failure)
    as i (name, version, days, seconds, on_failure)
  where not exists (
    select
    from queue.workflow_version as w
    where w.workflow_name = i.name
      and w.version = i.version
      and (w.retention_days, w.deadline, w.on_failure)
        is not distinct from (i.days, make_interval(secs => i.seconds::double precision), i.on_failure)
  )
  -- Always in this order, so that two workers that start at the same time don't deadlock.
  order by i.name, i.version
  on conflict on constraint workflow_version_pkey do update
  set registered_at = excluded.registered_at,
    retention_days = excluded.retention_days,
    deadline = excluded.deadline,
    on_failure = excluded.on_failure;
  get diagnostics v_changed = row_count;
  return v_changed;
end
$function$;

comment on function queue.workflow_register(text[], integer[], integer[], numeric[], text[]) is
$comment$Registers versions of workflows with the defaults for their runs; workers do this when they start. A start that names no version uses the highest registered one.
names, versions, retention_days, deadline_seconds, on_failure: parallel arrays with one element per version; a default that is null or missing is that of the database.
retention_days: how long ended runs are kept.
deadline_seconds: how long after its start a run fails.
on_failure: workflow to start for each run that fails, with the input {"runId", "workflow", "version", "input", "error"}.
Returns how many versions are new or have changed.
Errors: OX003 invalid name, OX004 invalid argument.
Touches: queue.workflow_version; queue.queue for new workflows.$comment$;

create function queue.workflow_report_progress(receipts bigint[], worker text, steps jsonb[])
returns void
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $function$
declare
  v_now constant timestamptz := clock_timestamp();
begin
  perform queue._migrate_if_older();
  if cardinality(receipts) is distinct from cardinality(steps) then
    perform queue._raise('OX004', format('%s receipts, but %s lists of steps', cardinality(receipts), cardinality(steps)),
      null, 'Pass one list of steps per receipt.');
  end if;

  insert into queue.workflow_progress as p (run_id, receipt, reported_at, worker, steps)
  select m.msg_id, m.receipt, v_now, left(coalesce(workflow_report_progress.worker, ''), 200), coalesce(l.steps, '[]')
  from unnest(workflow_report_progress.receipts, workflow_report_progress.steps) as i (receipt, calls)
  join queue.workflow_continuation as m
    on m.msg_id = queue._receipt_msg_id(i.receipt)
    and m.receipt = i.receipt
  cross join lateral (
    select jsonb_agg(
        jsonb_build_object(
          'step', c.call ->> 'step',
          'attempt', (c.call ->> 'attempt')::integer,
          'since', v_now - make_interval(secs => (c.call ->> 'for_ms')::double precision / 1000)
        )
        order by c.position
      ) as steps
    from jsonb_array_elements(i.calls) with ordinality as c (call, position)
  ) as l
  -- Always in this order, so that two reports don't deadlock.
  order by m.msg_id
  on conflict on constraint workflow_progress_pkey do update
  set receipt = excluded.receipt,
    reported_at = excluded.reported_at,
    worker = excluded.worker,
    steps = excluded.steps;
end
$function$;

comment on function queue.workflow_report_progress(bigint[], text, jsonb[]) is
$comment$Reports which steps a worker is calling, for display. Workers report calls that take longer than a second when they change; nothing depends on it.
receipts, steps: parallel arrays with one element per run. Dead receipts are skipped.
steps: the current calls, [{"step", "attempt", "for_ms"}], where for_ms is how long the call has taken so far; [] if there is none.
worker: name of the worker, at most 200 characters.
Errors: OX004 invalid argument.
Touches: queue.workflow_progress; reads queue.workflow_continuation.$comment$;

create function queue.workflow_rerun(
  run_id    bigint,
  from_step text default null,
  input     jsonb default null,
  version   integer default null
)
returns bigint
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $function$
declare
  v_now      constant timestamptz := clock_timestamp();
  v_name     text;
  v_version  integer;
  v_position integer := 1;
  v_new      bigint;
begin
  perform queue._migrate_if_older();
  select r.workflow_name, coalesce(workflow_rerun.version, r.workflow_version) into v_name, v_version
  from queue.workflow_run as r
  where r.run_id = workflow_rerun.run_id;
  if not found then
    perform queue._raise_run_not_found(run_id);
  end if;
  perform queue._check_start(array[v_version], null, null, null, null, null);
  if from_step is not null then
    select s.position into v_position
    from queue.workflow_step as s
    where s.run_id = workflow_rerun.run_id
      and s.step_name = from_step;
    if not found then
      perform queue._raise('OX004', format('run %s has no step "%s" in its journal', run_id, left(from_step, 140)), null,
        'Pass the name of a finished step, as listed by workflow_journal(), or null for the beginning.');
    end if;
  end if;

  if current_setting('oxbow.ids_are_ahead', true) is distinct from 'on' then
    perform queue._skip_lost_ids();
  end if;
  insert into queue.workflow_run (
    started_at, deadline, retention_days, workflow_version, status, workflow_name, input, tags, rerun_of,
    scheduled_at, failure_of
  )
  select v_now, case when r.deadline > v_now then r.deadline end, r.retention_days, v_version, 'running',
    r.workflow_name, coalesce(workflow_rerun.input, r.input), r.tags, r.run_id, r.scheduled_at, r.failure_of
  from queue.workflow_run as r
  where r.run_id = workflow_rerun.run_id
  returning workflow_run.run_id into v_new;

  insert into queue.workflow_step (
    run_id, started_at, completed_at, position, attempts, bytes, step_name, kind, output, error
  )
  select v_new, s.started_at, s.completed_at, s.position, s.attempts,
    coalesce(s.bytes, queue._large_size(s.output), queue._large_size(s.error)), s.step_name, s.kind, s.output, s.error
  from queue.workflow_step as s
  where s.run_id = workflow_rerun.run_id
    and s.position < v_position;

  -- The replay does not set the values that were set before that step again.
  if from_step is not null then
    insert into queue.workflow_run_state (run_id, set_at, key, value)
    select v_new, v_now, s.key, s.value
    from queue.workflow_run_state as s
    where s.run_id = workflow_rerun.run_id;
  end if;

  -- A settled receipt, even the impossible 0, shows that the run has a journal.
  insert into queue.workflow_continuation (
    msg_id, visible_at, enqueued_at, settled_receipt, queue_id, version, message
  )
  values (v_new, clock_timestamp(), v_now, 0, queue._workflow_queue_id(v_name), v_version, '{}');
  perform queue._await_admission_if_limited(queue._workflow_queue_id(v_name), array[v_new]);
  perform queue._wake(queue._workflow_channel(v_name));
  return v_new;
end
$function$;

comment on function queue.workflow_rerun(bigint, text, jsonb, integer) is
$comment$Starts a new run that repeats another one, in the caller's transaction: the same workflow, input, tags and retention, but no idempotency key. The original run, in any state, is unchanged; the new run refers to it in rerun_of.
from_step: a step of the original's journal. Everything journaled before it is copied, with the values that the original has published, and the new run continues from there. Null starts from the beginning.
input: replaces the input; copied steps do not change.
version: replaces the version.
Returns the id of the new run.
Errors: OX004 invalid version or no such step in the journal, OX005 no such run.
Touches: queue.workflow_run, queue.workflow_step, queue.workflow_run_state, queue.workflow_continuation; queue.workflow_admission if the workflow has flow control.$comment$;

create function queue.workflow_rerun_all(
  filter            jsonb,
  before            bigint default null,
  max_runs          integer default 500,
  from_step         text default null,
  before_started_at timestamptz default null
)
returns queue.changed_runs
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_filter queue.run_filter := queue._run_filter(filter);
begin
  v_filter.status := coalesce(v_filter.status, array['failed']);
  return queue._change_runs('rerun', v_filter, from_step, queue._run_cursor(before, before_started_at), max_runs);
end
$function$;

comment on function queue.workflow_rerun_all(jsonb, bigint, integer, text, timestamptz) is
$comment$Starts a new run for each run in a batch of the runs that match a filter, newest first, in the caller's transaction, as workflow_rerun() does. Call it in a loop until before is null.
filter: as in workflow_list(); without a status it selects failed runs.
before, before_started_at: as returned by the previous call; null for the first batch.
max_runs: how many runs to look at in this batch, 1 to 10000.
from_step: where the new runs continue; runs without that step in their journal are left out. Null starts from the beginning.
Returns how many runs were started, and the cursor of the next batch, which is null after the last one.
Errors: OX004 invalid argument, OX005 before_started_at is null and the run in before has been deleted.
Touches: as workflow_rerun().$comment$;

create function queue.workflow_resume(run_id bigint)
returns boolean
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $function$
declare
  v_name   text;
  v_status text;
begin
  perform queue._migrate_if_older();
  select r.workflow_name, r.status::text into v_name, v_status
  from queue.workflow_run as r
  where r.run_id = workflow_resume.run_id;
  if not found then
    perform queue._raise_run_not_found(run_id);
  end if;
  if v_status <> 'running' then
    return false;
  end if;

  perform pg_current_xact_id();  -- before the clock: see _advance_ready_mark()
  -- A worker that is still executing the run keeps its lease.
  update queue.workflow_continuation as m
  set headers = nullif(m.headers - 'paused', '{}'),
    visible_at = case
      when m.receipt is null or m.visible_at = queue._paused_until(m.headers) then
        greatest((m.headers #>> '{paused,due}')::timestamptz, clock_timestamp())
      else m.visible_at
    end
  where m.msg_id = run_id
    and m.headers ? 'paused';
  if not found then
    return false;
  end if;

  update queue.workflow_run as r
  set paused_at = null,
    pause_reason = null
  where r.run_id = workflow_resume.run_id;
  perform queue._wake(queue._workflow_channel(v_name));
  return true;
end
$function$;

comment on function queue.workflow_resume(bigint) is
$comment$Resumes a paused run in the caller's transaction: at once if something came due during the pause, otherwise when it does.
Returns true if this call resumed the run; false if it was not paused.
Errors: OX005 no such run.
Touches: queue.workflow_continuation, queue.workflow_run.$comment$;

create function queue.workflow_resume_all(
  filter            jsonb,
  before            bigint default null,
  max_runs          integer default 500,
  before_started_at timestamptz default null
)
returns queue.changed_runs
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_filter queue.run_filter := queue._run_filter(filter);
begin
  v_filter.paused := true;
  return queue._change_runs('resume', v_filter, null, queue._run_cursor(before, before_started_at), max_runs);
end
$function$;

comment on function queue.workflow_resume_all(jsonb, bigint, integer, timestamptz) is
$comment$Resumes a batch of the paused runs that match a filter, newest first, in the caller's transaction. Call it in a loop until before is null.
filter: as in workflow_list(); its paused is ignored.
before, before_started_at: as returned by the previous call; null for the first batch.
max_runs: how many runs to look at in this batch, 1 to 10000. A batch locks its runs until the transaction ends.
Returns how many runs were resumed, and the cursor of the next batch, which is null after the last one.
Errors: OX004 invalid argument, OX005 before_started_at is null and the run in before has been deleted.
Touches: as workflow_resume().$comment$;

create function queue.workflow_retry(run_id bigint)
returns boolean
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $function$
declare
  v_now constant timestamptz := clock_timestamp();
  v_run record;
begin
  perform queue._migrate_if_older();
  select r.workflow_name, r.workflow_version, r.started_at, r.status::text as status, r.error, r.superseded_by into v_run
  from queue.workflow_run as r
  where r.run_id = workflow_retry.run_id
  for no key update;
  if not found then
    perform queue._raise_run_not_found(run_id);
  end if;
  if v_run.status not in ('failed', 'cancelled') then
    return false;
  end if;
  if v_run.superseded_by is not null then
    perform queue._raise('OX010', format('the idempotency key of run %s now belongs to run %s', run_id, v_run.superseded_by),
      null, 'Repeat it with workflow_rerun(), which needs no key.');
  end if;
  if queue._has_rolled_back(run_id) then
    perform queue._raise('OX004', format('run %s has rolled back its steps', run_id), null,
      'Repeat it from its beginning with workflow_rerun().');
  end if;

  perform queue._rewind_run(run_id, case v_run.status when 'failed' then v_run.error end);
  update queue.workflow_run as r
  set status = 'running',
    error = null,
    completed_at = null,
    expires_at = null,
    ended_by = null,
    retried = null,
    deadline = case when r.deadline > v_now then r.deadline end
  where r.run_id = workflow_retry.run_id;

  -- A settled receipt, even the impossible 0, shows that the run has a journal.
  insert into queue.workflow_continuation (
    msg_id, visible_at, enqueued_at, settled_receipt, queue_id, version, message
  )
  values (run_id, clock_timestamp(), v_run.started_at, 0, queue._workflow_queue_id(v_run.workflow_name), v_run.workflow_version, '{}');
  perform queue._await_admission_if_limited(queue._workflow_queue_id(v_run.workflow_name), array[run_id]);
  perform queue._wake(queue._workflow_channel(v_run.workflow_name));
  return true;
end
$function$;

comment on function queue.workflow_retry(bigint) is
$comment$Continues a failed or cancelled run from its journal: no step that succeeded is called again. The step that failed the run gets new attempts, and steps that began after that failure are repeated. Sleeps and waits that had not ended start over, and a deadline that has passed is removed. Stream chunks of repeated steps are taken back. Buffered signals are kept.
Returns true if this call revived the run; false if it is running or completed.
Errors: OX004 the run was rolled back, OX005 no such run, OX010 another run has its idempotency key.
Touches: queue.workflow_run, queue.workflow_step, queue.workflow_stream_chunk, queue.workflow_failed_attempt, queue.workflow_continuation; queue.workflow_admission if the workflow has flow control.$comment$;

create function queue.workflow_retry_all(
  filter            jsonb,
  before            bigint default null,
  max_runs          integer default 500,
  before_started_at timestamptz default null
)
returns queue.changed_runs
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_filter queue.run_filter := queue._run_filter(filter);
begin
  v_filter.status := coalesce(v_filter.status, array['failed']);
  return queue._change_runs('retry', v_filter, null, queue._run_cursor(before, before_started_at), max_runs);
end
$function$;

comment on function queue.workflow_retry_all(jsonb, bigint, integer, timestamptz) is
$comment$Retries a batch of the ended runs that match a filter, newest first, in the caller's transaction. Runs that have rolled back, or whose idempotency key another run has, are left unchanged. Call it in a loop until before is null.
filter: as in workflow_list(); without a status it selects failed runs.
before, before_started_at: as returned by the previous call; null for the first batch.
max_runs: how many runs to look at in this batch, 1 to 10000. A batch locks its runs until the transaction ends.
Returns how many runs were retried, and the cursor of the next batch, which is null after the last one.
Errors: OX004 invalid argument, OX005 before_started_at is null and the run in before has been deleted.
Touches: as workflow_retry().$comment$;

create function queue.workflow_signal(
  run_id           bigint,
  event            text,
  payload          jsonb default null,
  deduplication_id text default null
)
returns text
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $function$
declare
  v_now     timestamptz;
  v_name    text;
  v_status  text;
  v_message jsonb;
  v_receipt bigint;
  v_visible timestamptz;
  v_wait    jsonb;
  v_outcome text;
begin
  perform queue._migrate_if_older();
  if not queue._is_name(event) then
    perform queue._raise('OX003', format('invalid event name "%s"', left(coalesce(event, 'null'), 260)), null,
      'An event name is 1 to 256 characters without control characters that neither begin nor end with a space.');
  end if;
  select r.workflow_name, r.status::text into v_name, v_status
  from queue.workflow_run as r
  where r.run_id = workflow_signal.run_id;
  if not found then
    perform queue._raise_run_not_found(run_id);
  end if;
  if deduplication_id is not null then
    perform queue._check_id(deduplication_id, 'deduplication id');
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
  v_outcome := case
    when v_wait is null or (v_receipt is not null and v_visible > v_now) then 'buffered'
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
      perform queue._notify_worker(v_name, run_id);
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
Returns delivered, if the run was waiting: the step is journaled and the run is ready. buffered, if the run is executing or no wait matches: the next matching wait takes it, in order of arrival. ignored, if the run has ended.
Errors: OX003 invalid event name, OX004 invalid deduplication id, OX005 no such run.
Touches: queue.workflow_continuation, queue.workflow_step, queue.workflow_buffered_signal, queue.workflow_signal_receipt.$comment$;

create function queue.workflow_signal_with_start(
  name             text,
  idempotency_key  text,
  event            text,
  payload          jsonb default null,
  input            jsonb default null,
  version          integer default null,
  retention_days   integer default null,
  delay_seconds    numeric default 0,
  deadline         timestamptz default null,
  tags             jsonb default null,
  on_ended         text default 'start-new',
  deduplication_id text default null,
  flow_key         text default null,
  priority         integer default null,
  trace            jsonb default null,
  start_at         timestamptz default null,
  deadline_seconds numeric default null
)
returns queue.signalled_start
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_started queue.started_run;
  v_answer  queue.signalled_start;
begin
  perform queue._check_id(idempotency_key, 'idempotency key');
  for v_attempt in 1..100 loop
    v_started := queue.workflow_start(
      workflow_signal_with_start.name,
      workflow_signal_with_start.input,
      workflow_signal_with_start.version,
      workflow_signal_with_start.idempotency_key,
      workflow_signal_with_start.retention_days,
      workflow_signal_with_start.delay_seconds,
      workflow_signal_with_start.deadline,
      workflow_signal_with_start.tags,
      on_ended => workflow_signal_with_start.on_ended,
      flow_key => workflow_signal_with_start.flow_key,
      priority => workflow_signal_with_start.priority,
      trace => workflow_signal_with_start.trace,
      start_at => workflow_signal_with_start.start_at,
      deadline_seconds => workflow_signal_with_start.deadline_seconds
    );
    v_answer.run_id := v_started.run_id;
    v_answer.created := v_started.created;
    v_answer.status := v_started.status;
    v_answer.outcome := queue.workflow_signal(v_started.run_id, event, payload, deduplication_id);
    -- The run may have ended between the two calls: then the rule for ended runs decides.
    if v_answer.outcome <> 'ignored' or v_started.status <> 'running' then
      return v_answer;
    end if;
  end loop;
  return v_answer;
end
$function$;

comment on function queue.workflow_signal_with_start(text, text, text, jsonb, jsonb, integer, integer, numeric, timestamptz, jsonb, text, text, text, integer, jsonb, timestamptz, numeric) is
$comment$Sends an event to the run that has an idempotency key, and starts that run first if it does not exist, in the caller's transaction.
event, payload, deduplication_id: as in workflow_signal().
on_ended: what to do if the run with the key has ended: start-new, start-new-if-failed, or use-existing, which ignores the signal.
input, version, retention_days, delay_seconds, deadline, tags, flow_key, priority, trace, start_at, deadline_seconds: of the run if it is started, as in workflow_start().
Returns the run, whether this call created it, its status, and the outcome of the signal.
Errors: OX003 invalid name, OX004 invalid argument.
Touches: as workflow_start() and workflow_signal().$comment$;

create function queue.workflow_start(
  name             text,
  input            jsonb default null,
  version          integer default null,
  idempotency_key  text default null,
  retention_days   integer default null,
  delay_seconds    numeric default 0,
  deadline         timestamptz default null,
  tags             jsonb default null,
  on_running       text default 'use-existing',
  on_ended         text default 'use-existing',
  flow_key         text default null,
  priority         integer default null,
  trace            jsonb default null,
  start_at         timestamptz default null,
  deadline_seconds numeric default null
)
returns queue.started_run
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_started queue.started_run;
begin
  select s.run_id, s.created, s.status
  into v_started
  from queue.workflow_start_batch(
    workflow_start.name,
    array[workflow_start.input],
    array[workflow_start.version],
    array[workflow_start.idempotency_key],
    array[workflow_start.retention_days],
    array[workflow_start.delay_seconds],
    array[workflow_start.deadline],
    array[workflow_start.tags],
    array[workflow_start.on_running],
    array[workflow_start.on_ended],
    array[workflow_start.flow_key],
    array[workflow_start.priority],
    array[workflow_start.trace],
    array[workflow_start.start_at],
    array[workflow_start.deadline_seconds]
  ) as s;
  return v_started;
end
$function$;

comment on function queue.workflow_start(text, jsonb, integer, text, integer, numeric, timestamptz, jsonb, text, text, text, integer, jsonb, timestamptz, numeric) is
$comment$Starts a run of a workflow in the caller's transaction.
name: 1 to 43 characters of a-z, 0-9, "_" and "-". The workflow's queue is created at its first start.
version: the definition that the run stays with; null means the highest registered one, or 1 if none is registered: see workflow_register().
idempotency_key: at most one run of the workflow has a given key; on_running and on_ended decide what a start does if the key is taken.
retention_days: how long the run is kept after it ends; null means the default of the version, or 30 days.
delay_seconds, start_at: when the run may begin; the later of the two counts.
deadline: when the run fails if it is still running; null means deadline_seconds after the time at which it may begin, otherwise the default of the version, or never.
tags: a JSON object to find the run by.
on_running: if the run with the key is still running: use-existing returns it, fail raises OX010, cancel-existing cancels it and starts this run.
on_ended: if the run with the key has ended: use-existing, start-new, or start-new-if-failed, which includes cancelled runs. The new run takes over the key; the ended run keeps a reference to it in superseded_by.
flow_key, priority: for the flow control of the workflow, instead of the values in the input: see workflow_set_flow_control().
trace: headers of the caller's trace, {"traceparent": …}, which the worker continues.
Returns the run, whether this call created it, and its status.
Errors: OX003 invalid name, OX004 invalid argument, OX010 the run with the key is running and on_running is fail.
Touches: queue.workflow_run, queue.workflow_continuation; queue.workflow_admission if the workflow has flow control; NOTIFY only if a worker listens.$comment$;

create function queue.workflow_start_batch(
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
  deadline_seconds numeric[] default null
)
returns setof queue.started_run
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set plan_cache_mode = force_generic_plan
set jit = off
as $function$
declare
  v_now      constant timestamptz := clock_timestamp();
  v_queue_id integer;
  v_defaults queue.version_defaults;
  v_flow     jsonb;
  v_plan     queue.debounced_starts;
  v_run_ids  bigint[];
  v_again    bigint[];
  v_inserted bigint[];
  v_created  bigint[];
  v_returned bigint;
  v_has_keys boolean;
begin
  if queue._is_behind() then
    perform queue._ensure_migrated();
  end if;
  -- The queue and the defaults of _version_defaults(), in one statement.
  select q.queue_id, q.flow_control, d.versions, d.retention_days, d.deadlines
  into v_queue_id, v_flow, v_defaults.versions, v_defaults.retention_days, v_defaults.deadlines
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
    v_queue_id := queue._create_workflow_queue(workflow_start_batch.name);
    v_defaults := queue._version_defaults(workflow_start_batch.name);
  end if;
  if not queue._is_plain_start(
    versions, idempotency_keys, retention_days, delay_seconds, on_running, on_ended, deadline_seconds
  ) then
    perform queue._check_start(
      versions, idempotency_keys, retention_days, delay_seconds, on_running, on_ended, deadline_seconds
    );
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
  if v_flow is not null or flow_keys is not null or priorities is not null then
    perform queue._check_flow_keys(name, v_flow, flow_keys, priorities);
  end if;
  if v_flow ? 'debounce' then
    v_plan := queue._debounce(v_flow, inputs, idempotency_keys, delay_seconds, on_running, on_ended, flow_keys);
    idempotency_keys := v_plan.idempotency_keys;
    delay_seconds := v_plan.delay_seconds;
    on_running := v_plan.on_running;
    on_ended := v_plan.on_ended;
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

  -- Without a key no conflict is possible, and without ON CONFLICT a row is one record less of WAL.
  v_has_keys := queue._has_value(idempotency_keys);
  if not v_has_keys or array_position(idempotency_keys, null) is not null
    or cardinality(idempotency_keys) < cardinality(v_run_ids)
  then
    insert into queue.workflow_run (
      run_id, started_at, deadline, retention_days, workflow_version, status, workflow_name, input, tags, trace
    )
    -- By index: unnest() of seven arrays fills seven tuplestores, which costs more than the row.
    select v_run_ids[n], v_now, workflow_start_batch.deadlines[n],
      coalesce(workflow_start_batch.retention_days[n], 30), versions[n], 'running', workflow_start_batch.name,
      inputs[n], workflow_start_batch.tags[n], traces[n]
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
          idempotency_key
        )
        select v_run_ids[n], v_now, workflow_start_batch.deadlines[n],
          coalesce(workflow_start_batch.retention_days[n], 30), versions[n], 'running', workflow_start_batch.name,
          inputs[n], workflow_start_batch.tags[n], traces[n], idempotency_keys[n]
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
    end if;

    if v_inserted is not null then
      insert into queue.workflow_continuation (msg_id, visible_at, enqueued_at, queue_id, version, message)
      select v_run_ids[n],
        -- A delay ends at the deadline.
        greatest(c.now, least(
          greatest(
            c.now + make_interval(secs => coalesce(workflow_start_batch.delay_seconds[n], 0)::double precision),
            start_ats[n]
          ),
          deadlines[n]
        )),
        v_now, v_queue_id, versions[n], '{}'
      from (select clock_timestamp()) as c (now)
      cross join generate_series(1, cardinality(v_run_ids)) as n
      -- Usually all runs are inserted, and no lookup is needed.
      where cardinality(v_inserted) = cardinality(v_run_ids)
        or v_run_ids[n] = any (v_inserted);
      if v_flow is not null then
        perform queue._await_admission(v_queue_id, v_flow, v_inserted, v_run_ids, flow_keys, priorities);
      end if;
      perform queue._wake(queue._workflow_channel(workflow_start_batch.name));
      v_created := v_created || v_inserted;
    end if;

    if cardinality(v_inserted) = cardinality(v_run_ids) then
      return query
        select v_run_ids[n], true, 'running'
        from generate_series(1, cardinality(v_run_ids)) as n
        order by n;
      return;
    end if;

    v_again := queue._resolve_key_conflicts(
      workflow_start_batch.name, v_run_ids, idempotency_keys, on_running, on_ended, v_created, inputs, delay_seconds,
      v_flow
    );
    exit when v_again is null;
  end loop;

  -- If a key is taken, its run is visible to this statement, because the insert has waited for its transaction.
  return query
    select r.run_id, r.run_id = i.run_id, r.status::text
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
    order by i.position;
  get diagnostics v_returned = row_count;
  if v_returned < cardinality(v_run_ids) then
    perform queue._raise(
      'OX010',
      format('a run of workflow "%s" was deleted while its idempotency key was looked up', name),
      null,
      'Start the run again.'
    );
  end if;
end
$function$;

comment on function queue.workflow_start_batch(text, jsonb[], integer[], text[], integer[], numeric[], timestamptz[], jsonb[], text[], text[], text[], integer[], jsonb[], timestamptz[], numeric[]) is
$comment$Starts many runs of a workflow in one statement, in the caller's transaction.
inputs: one element per run; null for a run without input.
versions, idempotency_keys, retention_days, delay_seconds, deadlines, tags, on_running, on_ended, flow_keys, priorities, traces, start_ats, deadline_seconds: parallel to inputs, as in workflow_start(); null, a null element or a missing one means the default.
Returns one row per run, in order.
Errors: OX003 invalid name, OX004 invalid argument, OX010 a run with the key is running and its on_running is fail, or the run with the key was deleted in the meantime: start again.
Touches: queue.workflow_run, queue.workflow_continuation; queue.workflow_admission if the workflow has flow control; NOTIFY only if a worker listens.$comment$;

create function queue.workflow_state(run_id bigint)
returns jsonb
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_state jsonb;
begin
  perform queue._require_current_tables();
  if to_regclass('queue.workflow_run') is null
    or not exists (select from queue.workflow_run as r where r.run_id = workflow_state.run_id)
  then
    return null;
  end if;
  select coalesce(jsonb_object_agg(s.key, s.value), '{}') into v_state
  from queue.workflow_run_state as s
  where s.run_id = workflow_state.run_id;
  return v_state;
end
$function$;

comment on function queue.workflow_state(bigint) is
$comment$Returns the values that a run has published with ctx.set(), as of its last commit.
Returns an object with the last value of each key, {} if none was set; null if the run does not exist.
Touches: nothing; reads queue.workflow_run_state.$comment$;

create function queue.workflow_stream(
  run_id     bigint,
  after      bigint default 0,
  max_chunks integer default 1000
)
returns setof queue.workflow_chunk
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $function$
begin
  perform queue._require_current_tables();
  perform queue._check_page(max_chunks);
  if to_regclass('queue.workflow_stream_chunk') is null then
    return;
  end if;
  return query
    select c.position, c.written_at, nullif(c.step_name, ''), case when c.step_name <> '' then c.attempt end, c.chunk,
      c.since
    from queue.workflow_stream_chunk as c
    where c.run_id = workflow_stream.run_id
      and c.position > coalesce(workflow_stream.after, 0)
      -- A reset is for readers that may have the chunks that it takes back.
      and (c.since is null or c.since <= coalesce(workflow_stream.after, 0))
    order by c.position
    limit max_chunks;
end
$function$;

comment on function queue.workflow_stream(bigint, bigint, integer) is
$comment$Returns what a run has written with ctx.stream.write(), in order.
after: position of the last chunk that the caller has; 0 for the beginning.
max_chunks: size of the page, 1 to 10000.
Returns one row per chunk; none if there is none yet, or no such run. A row with reset_since is a reset: a later call has superseded the chunks of an interrupted call, so discard the chunks of this step (null means the body) from that position on. A reset is returned only to callers that may have those chunks.
Errors: OX004 invalid argument.
Touches: nothing; reads queue.workflow_stream_chunk.$comment$;

create function queue.workflow_sweep(
  max_runs           integer default 1000,
  max_retention_days integer default null
)
returns integer
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $function$
declare
  v_now   constant timestamptz := clock_timestamp();
  v_swept bigint[];
begin
  perform queue._migrate_if_older();
  if max_runs is null or max_runs not between 1 and 100000 then
    perform queue._raise('OX004', format('invalid max_runs %s', coalesce(max_runs::text, 'null')), null,
      'Sweep between 1 and 100000 runs at a time.');
  end if;
  if max_retention_days not between 0 and 36500 then
    perform queue._raise('OX004', format('invalid max_retention_days %s', max_retention_days), null,
      'A ceiling is between 0 and 36500 days.');
  end if;
  if to_regclass('queue.workflow_run') is null then
    return 0;
  end if;

  -- Index ranges, from their beginnings. The second contains runs with a retention above the default. The third, empty
  -- unless the ceiling is below the default, also reads runs whose own retention is not over.
  with expired as materialized (
    select r.run_id
    from queue.workflow_run as r
    where r.expires_at <= v_now
      and (r.parent_run_id is null or r.is_detached or not queue._is_awaited_by_parent(r.parent_run_id, r.parent_step))
    order by r.expires_at
    limit max_runs
    for update skip locked
  ),
  kept_too_long as materialized (
    select r.run_id
    from queue.workflow_run as r
    where max_retention_days is not null
      and r.completed_at is not null
      and r.completed_at <= v_now - make_interval(days => max_retention_days)
      and r.retention_days > 30
    order by r.completed_at
    limit max_runs
    for update skip locked
  ),
  kept_beyond_ceiling as materialized (
    select r.run_id
    from queue.workflow_run as r
    where max_retention_days < 30
      and r.expires_at <= v_now + make_interval(days => 30 - max_retention_days)
      and r.completed_at <= v_now - make_interval(days => max_retention_days)
      and r.retention_days <= 30
      and (r.parent_run_id is null or r.is_detached or not queue._is_awaited_by_parent(r.parent_run_id, r.parent_step))
    order by r.expires_at
    limit max_runs
    for update skip locked
  ),
  swept as (
    delete from queue.workflow_run as r
    where r.run_id in (
      select expired.run_id from expired
      union
      select kept_too_long.run_id from kept_too_long
      union
      select kept_beyond_ceiling.run_id from kept_beyond_ceiling
      limit max_runs
    )
    returning r.run_id
  )
  select array_agg(swept.run_id) into v_swept from swept;

  delete from queue.workflow_step as s where s.run_id = any (v_swept);
  delete from queue.workflow_buffered_signal as b where b.run_id = any (v_swept);
  delete from queue.workflow_signal_receipt as d where d.run_id = any (v_swept);
  delete from queue.workflow_run_state as s where s.run_id = any (v_swept);
  delete from queue.workflow_stream_chunk as c where c.run_id = any (v_swept);
  delete from queue.workflow_failed_attempt as f where f.run_id = any (v_swept);
  delete from queue.workflow_progress as p where p.run_id = any (v_swept);
  return coalesce(cardinality(v_swept), 0);
end
$function$;

comment on function queue.workflow_sweep(integer, integer) is
$comment$Deletes ended runs whose retention is over, oldest first, with their journals and signals. Running runs are never deleted. Concurrent sweepers share the work.
max_runs: bound of one call, 1 to 100000; call again while it returns that many.
max_retention_days: ceiling for the retention of all runs, even if they were started with a longer one; null means none.
Returns how many runs were deleted.
Errors: OX004 invalid argument.
Touches: queue.workflow_run (SKIP LOCKED), queue.workflow_step, queue.workflow_buffered_signal, queue.workflow_signal_receipt, queue.workflow_run_state, queue.workflow_stream_chunk, queue.workflow_failed_attempt, queue.workflow_progress.$comment$;

create function queue.workflow_tally()
returns setof queue.workflow_tally
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  perform queue._require_current_tables();
  if to_regclass('queue.workflow_run') is null then
    return;
  end if;

  return query
    select substr(q.name, 6), coalesce(t.running, 0), coalesce(t.completed, 0), coalesce(t.failed, 0),
      coalesce(t.cancelled, 0)
    from queue.queue as q
    left join (
      select r.workflow_name,
        count(*) filter (where r.status = 'running') as running,
        count(*) filter (where r.status = 'completed') as completed,
        count(*) filter (where r.status = 'failed') as failed,
        count(*) filter (where r.status = 'cancelled') as cancelled
      from queue.workflow_run as r
      group by r.workflow_name
    ) as t on t.workflow_name = substr(q.name, 6)
    where q.kind = 'workflow'
    order by q.name;
end
$function$;

comment on function queue.workflow_tally() is
$comment$Lists all workflows that were ever started, with the number of runs in each status.
Returns one row per workflow, by name. It counts all stored runs: about 0.1 s per million.
Touches: nothing; reads queue.workflow_run.$comment$;

create function queue.workflow_unregister(name text, version integer)
returns boolean
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  perform queue._migrate_if_older();
  if to_regclass('queue.workflow_version') is null then
    return false;
  end if;
  delete from queue.workflow_version as v
  where v.workflow_name = workflow_unregister.name
    and v.version = workflow_unregister.version;
  return found;
end
$function$;

comment on function queue.workflow_unregister(text, integer) is
$comment$Removes a registered version, so that starts by name use an earlier one, for example after a deployment was rolled back. Existing runs of the version are unaffected. A worker that serves the version registers it again when it starts.
Returns false if the version was not registered.
Touches: queue.workflow_version.$comment$;

create function queue.workflow_versions(name text default null)
returns setof queue.registered_version
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  perform queue._require_current_tables();
  if to_regclass('queue.workflow_version') is null then
    return;
  end if;
  return query
    select v.workflow_name, v.version, v.retention_days, extract(epoch from v.deadline), v.on_failure, v.registered_at
    from queue.workflow_version as v
    where workflow_versions.name is null
      or v.workflow_name = workflow_versions.name
    order by v.workflow_name, v.version desc;
end
$function$;

comment on function queue.workflow_versions(text) is
$comment$Lists the versions of workflows that workers have registered.
name: lists one workflow; null lists all.
Returns one row per version, by name, highest version first.
Touches: nothing; reads queue.workflow_version.$comment$;

create function queue._admission_opens_at(queue_id integer, versions integer[])
returns timestamptz
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set plan_cache_mode = force_generic_plan
set jit = off
as $function$
begin
  return (
    select min(n.moment)
    from (
      select '-infinity'::timestamptz as moment
      where exists (
        select from queue.workflow_admission as a where a.queue_id = _admission_opens_at.queue_id and a.is_over
      )
      union all
      (
        select g.opens_at
        from queue.workflow_gate as g
        where g.queue_id = _admission_opens_at.queue_id
          and g.opens_at is not null
        order by g.opens_at
        limit 1
      )
      union all
      select f.due_at
      from unnest(versions) as v (version)
      cross join lateral (
        select a.due_at
        from queue.workflow_admission as a
        where a.queue_id = _admission_opens_at.queue_id
          and a.version = v.version
          and a.state = 'new'
          and not a.is_over
        order by a.due_at
        limit 1
      ) as f
      union all
      -- Candidates without such a gate can be admitted as soon as a worker receives.
      select least(first.due_at, clock_timestamp())
      from queue.queue as q
      cross join lateral queue._flow_limits(q.flow_control) as l
      left join queue.workflow_gate as g on g.queue_id = q.queue_id and g.key = ''
      cross join unnest(versions) as v (version)
      cross join lateral (
        select a.due_at
        from queue.workflow_admission as a
        where a.queue_id = q.queue_id
          and a.version = v.version
          and a.state = 'candidate'
          and not a.is_over
        order by a.priority desc, a.due_at, a.run_id
        limit 1
      ) as first
      where q.queue_id = _admission_opens_at.queue_id
        and coalesce(g.taken < l.concurrency, true)
        and g.opens_at is null
    ) as n
  );
end
$function$;

comment on function queue._admission_opens_at(integer, integer[]) is
$comment$Returns when a receive must look at the admission of a workflow.
versions: the versions that the worker serves.
Returns a time, which may have passed; -infinity if slots of ended runs can be freed; null if nothing can begin before another event.
Touches: nothing; reads the first entries of queue.workflow_admission and queue.workflow_gate.$comment$;

create function queue._admit_candidates(
  queue_id integer,
  versions integer[],
  limits   queue.flow_limits,
  want     integer,
  moment   timestamptz
)
returns integer
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
set jit = off
as $function$
declare
  v_counts    constant boolean := (limits).concurrency is not null or (limits).key_concurrency is not null;
  v_is_keyed  constant boolean := (limits).key_concurrency is not null or (limits).key_spacing is not null;
  v_room      integer;
  v_filled_at timestamptz;
  v_run_ids   bigint[];
begin
  select least(
      want,
      coalesce((limits).concurrency - coalesce(g.taken, 0), want),
      queue._rate_room(g.filled_at, (limits).spacing, (limits).burst, moment)
    ),
    g.filled_at
  into v_room, v_filled_at
  from (select) as one
  left join queue.workflow_gate as g on g.queue_id = _admit_candidates.queue_id and g.key = '';
  if v_room <= 0 then
    return 0;
  end if;

  with first as materialized (
    select a.run_id
    from unnest(versions) as v (version)
    cross join lateral (
      select c.run_id, c.priority, c.due_at
      from queue.workflow_admission as c
      where c.queue_id = _admit_candidates.queue_id
        and c.version = v.version
        and c.state = 'candidate'
        and not c.is_over
      order by c.priority desc, c.due_at, c.run_id
      limit v_room
      for no key update skip locked
    ) as a
    order by a.priority desc, a.due_at, a.run_id
    limit v_room
  ),
  -- Transactions that end or pause a run lock its continuation first, so this waits for none of them.
  chosen as materialized (
    select m.msg_id
    from first as f
    join queue.workflow_continuation as m on m.msg_id = f.run_id
    for no key update of m skip locked
  ),
  shown as (
    update queue.workflow_continuation as m
    set visible_at = case when m.headers ? 'paused' then m.visible_at else moment end,
      headers = case when m.headers ? 'paused' then queue._due_after_pause(m.headers, moment) else m.headers end
    from chosen as c
    where m.msg_id = c.msg_id
    returning m.msg_id
  )
  select array_agg(s.msg_id) into v_run_ids from shown as s;
  if v_run_ids is null then
    return 0;
  end if;

  if v_is_keyed then
    update queue.workflow_gate as g
    set candidates = g.candidates - k.runs,
      taken = g.taken - case when v_counts then 0 else k.runs end,
      filled_at = coalesce(k.filled_at, g.filled_at),
      opens_at = queue._gate_opens_at(g.key, k.filled_at, limits, moment)
    from (
      select o.place, a.runs, greatest(o.filled_at, moment) + (limits).key_spacing * a.runs as filled_at
      from (
        select c.key, count(*) as runs
        from queue.workflow_admission as c
        where c.run_id = any (v_run_ids)
          and c.key <> ''
        group by c.key
      ) as a
      -- One index lookup per key, whatever the statistics are.
      cross join lateral (
        select n.ctid as place, n.filled_at
        from queue.workflow_gate as n
        where n.queue_id = _admit_candidates.queue_id
          and n.key = a.key
        limit 1
      ) as o
    ) as k
    where g.ctid = k.place;
  end if;
  if v_counts then
    update queue.workflow_admission as a set state = 'admitted' where a.run_id = any (v_run_ids);
  else
    delete from queue.workflow_admission as a where a.run_id = any (v_run_ids);
  end if;
  if v_counts or (limits).spacing is not null then
    insert into queue.workflow_gate as g (opens_at, filled_at, queue_id, taken, key)
    select queue._gate_opens_at('', n.filled_at, limits, moment), coalesce(n.filled_at, '-infinity'),
      _admit_candidates.queue_id, case when v_counts then cardinality(v_run_ids) else 0 end, ''
    from (
      select greatest(v_filled_at, moment) + (limits).spacing * cardinality(v_run_ids) as filled_at
    ) as n
    on conflict on constraint workflow_gate_pkey do update
    set taken = g.taken + excluded.taken,
      filled_at = excluded.filled_at,
      opens_at = excluded.opens_at;
  end if;
  return cardinality(v_run_ids);
end
$function$;

comment on function queue._admit_candidates(integer, integer[], queue.flow_limits, integer, timestamptz) is
$comment$Admits candidates, highest priority first, as many as the limits of the workflow and the caller allow. The caller holds the lock of the admission.
want: how many at most.
moment: the current time.
Returns how many became visible.
Touches: queue.workflow_admission, queue.workflow_gate, queue.workflow_continuation (SKIP LOCKED).$comment$;

create function queue._admit_runs(queue_id integer, versions integer[], want integer)
returns integer
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set plan_cache_mode = force_generic_plan
set jit = off
as $function$
declare
  v_now    timestamptz;
  v_limits queue.flow_limits;
  v_keys   text[];
  v_count  integer;
begin
  if coalesce(queue._admission_opens_at(queue_id, versions), 'infinity') > clock_timestamp() then
    return 0;
  end if;
  -- One transaction at a time counts. Starts and ends don't wait for it, nor it for them. It takes a moment; but if a
  -- long transaction changes the flow control, a receive must still get runs of other workflows.
  for v_try in 1..20 loop
    exit when pg_try_advisory_xact_lock(hashtextextended('oxbow:admit:' || queue_id, 0));
    if v_try = 20 then
      return 0;
    end if;
    perform pg_sleep(0.001);
  end loop;
  perform pg_current_xact_id();  -- before the clock: see _advance_ready_mark()
  v_now := clock_timestamp();
  v_limits := (select queue._flow_limits(q.flow_control) from queue.queue as q where q.queue_id = _admit_runs.queue_id);

  v_keys := queue._free_slots(queue_id);
  v_keys := v_keys || queue._sort_arrivals(queue_id, versions, v_limits, v_now);
  v_keys := v_keys || array(
    select g.key
    from queue.workflow_gate as g
    where g.queue_id = _admit_runs.queue_id
      and g.opens_at <= v_now
    order by g.opens_at
    limit 500
  );
  perform queue._promote_runs(queue_id, v_limits, v_keys, v_now);
  v_count := queue._admit_candidates(queue_id, versions, v_limits, want, v_now);
  perform queue._refresh_gates(queue_id, v_limits, v_keys, v_now);
  return v_count;
end
$function$;

comment on function queue._admit_runs(integer, integer[], integer) is
$comment$Admits runs of a workflow with flow control: frees the slots of ended runs, places arrivals, and makes the first candidates visible as far as the limits allow. The cost depends on what happened since the last call, not on how many runs wait.
versions: the versions that the caller serves.
want: how many runs the caller can take.
Returns how many became visible.
Touches: an advisory lock of the workflow; queue.workflow_admission, queue.workflow_gate, queue.workflow_continuation.$comment$;

create function queue._await_admission(
  queue_id   integer,
  flow       jsonb,
  started    bigint[],
  run_ids    bigint[] default null,
  keys       text[] default null,
  priorities integer[] default null
)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $function$
declare
  v_limits constant queue.flow_limits := queue._flow_limits(flow);
begin
  if not flow ?| '{concurrency,concurrency_per_key,rate_limit,rate_limit_per_key,priority}' then
    return;
  end if;
  insert into queue.workflow_admission (run_id, due_at, queue_id, version, priority, state, key)
  select r.run_id, m.visible_at, _await_admission.queue_id, r.workflow_version,
    coalesce(i.priority, queue._flow_priority(r.input, v_limits.priority_path)), 'new',
    coalesce(i.key, queue._flow_key(r.input, v_limits.key_path), '')
  from unnest(coalesce(run_ids, started), keys, priorities) as i (run_id, key, priority)
  join queue.workflow_run as r on r.run_id = i.run_id
  join queue.workflow_continuation as m on m.msg_id = i.run_id
  where cardinality(started) = cardinality(coalesce(run_ids, started))
    or i.run_id = any (started)
  -- A retried run whose end has not been processed yet.
  on conflict on constraint workflow_admission_pkey do update
  set is_again = true,
    due_at = excluded.due_at;

  -- At its deadline the run fails, whether or not it has begun.
  update queue.workflow_continuation as m
  set visible_at = coalesce(r.deadline, 'infinity')
  from queue.workflow_run as r
  where m.msg_id = any (started)
    and r.run_id = m.msg_id;
end
$function$;

comment on function queue._await_admission(integer, jsonb, bigint[], bigint[], text[], integer[]) is
$comment$Makes runs that the caller has just started wait for admission, if their workflow limits runs. They become due when they would have become visible.
queue_id, flow: of the workflow.
started: ids of the runs.
run_ids, keys, priorities: parallel arrays, which may contain more runs; a null or missing element means the value in the input.
Touches: queue.workflow_admission, queue.workflow_continuation.$comment$;

create function queue._await_admission_if_limited(queue_id integer, started bigint[])
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_flow constant jsonb := (select q.flow_control from queue.queue as q where q.queue_id = _await_admission_if_limited.queue_id);
begin
  if v_flow is not null then
    perform queue._await_admission(queue_id, v_flow, started);
  end if;
end
$function$;

comment on function queue._await_admission_if_limited(integer, bigint[]) is
$comment$Calls _await_admission() if the workflow has flow control, for callers that have not loaded it. Runs that are started this way are not debounced.
Touches: as _await_admission().$comment$;

create function queue._claim_admitted(
  claimed  queue.claimed_runs,
  names    text[],
  versions jsonb,
  max_runs integer,
  lease    interval
)
returns queue.claimed_runs
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_wanted integer := max_runs - coalesce(cardinality((claimed).run_ids), 0);
  v_served text[];
  v_queue  record;
  v_more   queue.claimed_runs;
begin
  for v_queue in
    select q.queue_id, n.name, coalesce(queue._served_versions(versions, n.name), queue._present_versions(q.queue_id)) as versions
    from unnest(names) with ordinality as n (name, position)
    join queue.queue as q on q.name = '__wf_' || n.name
    where q.queue_id = any ((claimed).limited)
    order by n.position
  loop
    exit when v_wanted <= 0;
    v_wanted := v_wanted - queue._admit_runs(v_queue.queue_id, v_queue.versions, v_wanted);
    v_served := v_served || v_queue.name;
  end loop;
  if v_wanted = max_runs - coalesce(cardinality((claimed).run_ids), 0) then
    return claimed;
  end if;

  -- The time is read again, because admitted runs are visible only from then on.
  v_more := queue._claim_runs(
    v_served, versions, max_runs - coalesce(cardinality((claimed).run_ids), 0), clock_timestamp(), lease, false, 0, false
  );
  return queue._join_claims(claimed, v_more);
end
$function$;

comment on function queue._claim_admitted(queue.claimed_runs, text[], jsonb, integer, interval) is
$comment$Admits runs of workflows with flow control, and leases them, if a receive wants more runs than it has.
claimed: the runs that the receive has leased.
names, versions, max_runs: as in workflow_receive().
Returns claimed with the additional runs.
Touches: as _admit_runs() and _claim_runs().$comment$;

create function queue._end_admissions(run_ids bigint[])
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $function$
declare
  v_queue_ids integer[];
begin
  with left_now as (
    update queue.workflow_admission as a
    set is_over = true,
      is_again = false
    where a.run_id = any (run_ids)
      and not exists (select from queue.workflow_run as r where r.run_id = a.run_id and r.status = 'running')
    returning a.queue_id
  )
  select array_agg(distinct l.queue_id) into v_queue_ids from left_now as l;

  -- The next receive admits others.
  perform queue._wake('queue_' || q.name)
  from queue.queue as q
  where q.queue_id = any (v_queue_ids);
end
$function$;

comment on function queue._end_admissions(bigint[]) is
$comment$Records that runs have ended which flow control counts or holds back, and wakes workers, whose next receive admits others.
Touches: queue.workflow_admission; as _wake().$comment$;

create function queue._free_slots(queue_id integer)
returns text[]
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
set jit = off
as $function$
declare
  v_keys     text[];
  v_admitted bigint;
begin
  with over as materialized (
    select a.run_id, a.key, a.state, a.is_again
    from queue.workflow_admission as a
    where a.queue_id = _free_slots.queue_id
      and a.is_over
    limit 10000
    for update skip locked
  ),
  gone as (
    delete from queue.workflow_admission as a
    using over as o
    where a.run_id = o.run_id
      and not o.is_again
  ),
  retried as (
    update queue.workflow_admission as a
    set state = 'new',
      is_over = false,
      is_again = false
    from over as o
    where a.run_id = o.run_id
      and o.is_again
  ),
  freed as (
    select o.key,
      count(*) filter (where o.state in ('candidate', 'admitted')) as taken,
      count(*) filter (where o.state = 'candidate') as candidates,
      count(*) filter (where o.state = 'admitted') as admitted
    from over as o
    group by o.key
  ),
  counted as (
    update queue.workflow_gate as g
    set taken = g.taken - f.taken,
      candidates = g.candidates - f.candidates
    from freed as f
    -- One index lookup per key, whatever the statistics are.
    cross join lateral (
      select n.ctid as place
      from queue.workflow_gate as n
      where n.queue_id = _free_slots.queue_id
        and n.key = f.key
      limit 1
    ) as o
    where g.ctid = o.place
      and f.key <> ''
  )
  select array_agg(f.key) filter (where f.key <> ''), sum(f.admitted)::bigint
  into v_keys, v_admitted
  from freed as f;

  if v_admitted > 0 then
    update queue.workflow_gate as g
    set taken = g.taken - v_admitted
    where g.queue_id = _free_slots.queue_id
      and g.key = '';
  end if;
  return v_keys;
end
$function$;

comment on function queue._free_slots(integer) is
$comment$Frees the slots of runs that have ended. The caller holds the lock of the admission.
Returns the keys that have more room.
Touches: queue.workflow_admission, queue.workflow_gate.$comment$;

create function queue._gate_opens_at(
  key       text,
  filled_at timestamptz,
  limits    queue.flow_limits,
  moment    timestamptz
)
returns timestamptz
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_spacing constant interval := case when key = '' then (limits).spacing else (limits).key_spacing end;
  v_burst   constant integer := case when key = '' then (limits).burst else (limits).key_burst end;
begin
  if filled_at <= moment or v_spacing is null then
    return null;
  elsif queue._rate_room(filled_at, v_spacing, v_burst, moment) = 0 then
    return filled_at - v_spacing * (v_burst - 1);
  end if;
  -- The gate of a key, which then stores nothing but the rate, is deleted at that time.
  return case when key <> '' then filled_at end;
end
$function$;

comment on function queue._gate_opens_at(text, timestamptz, queue.flow_limits, timestamptz) is
$comment$Returns when to look at a gate again even if nothing else happens.
key, filled_at: of the gate.
moment: the current time.
Returns a time; null if only another event can open the gate.
Touches: nothing.$comment$;

create function queue._promote_runs(
  queue_id integer,
  limits   queue.flow_limits,
  keys     text[],
  moment   timestamptz
)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
set jit = off
as $function$
begin
  with room as (
    select k.key, least(
        coalesce((limits).key_concurrency - coalesce(g.taken, 0), 2147483647),
        -- A candidate uses the rate when it is admitted.
        queue._rate_room(g.filled_at, (limits).key_spacing, (limits).key_burst, moment) - coalesce(g.candidates, 0)
      ) as runs
    from (select distinct u.key from unnest(keys) as u (key) where u.key <> '') as k
    -- One index lookup per key, whatever the statistics are.
    left join lateral (
      select o.taken, o.candidates, o.filled_at
      from queue.workflow_gate as o
      where o.queue_id = _promote_runs.queue_id
        and o.key = k.key
      limit 1
    ) as g on true
  ),
  chosen as materialized (
    select w.run_id
    from room as r
    cross join lateral (
      select a.run_id
      from queue.workflow_admission as a
      where a.queue_id = _promote_runs.queue_id
        and a.key = r.key
        and a.state = 'waiting'
        and not a.is_over
      order by a.priority desc, a.due_at, a.run_id
      limit greatest(r.runs, 0)
      for no key update skip locked
    ) as w
    where r.runs > 0
  ),
  promoted as (
    update queue.workflow_admission as a
    set state = 'candidate'
    from chosen as c
    where a.run_id = c.run_id
    returning a.key
  )
  insert into queue.workflow_gate as g (queue_id, taken, candidates, key)
  select _promote_runs.queue_id, count(*), count(*), p.key
  from promoted as p
  group by p.key
  on conflict on constraint workflow_gate_pkey do update
  set taken = g.taken + excluded.taken,
    candidates = g.candidates + excluded.candidates;
end
$function$;

comment on function queue._promote_runs(integer, queue.flow_limits, text[], timestamptz) is
$comment$Promotes waiting runs to candidates, as many as the limits of their keys allow. The caller holds the lock of the admission.
keys: the keys for which something has changed.
Touches: queue.workflow_admission, queue.workflow_gate.$comment$;

create function queue._rate_room(filled_at timestamptz, spacing interval, burst integer, moment timestamptz)
returns integer
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
begin
  if spacing is null then
    return 2147483647;
  elsif filled_at is null or filled_at <= moment then
    return burst;
  end if;
  -- The clock has microseconds: tolerate a thousandth of a run.
  return greatest(0, floor(burst - extract(epoch from filled_at - moment) / extract(epoch from spacing) + 0.001))::integer;
end
$function$;

comment on function queue._rate_room(timestamptz, interval, integer, timestamptz) is
$comment$Returns how many runs a rate allows to begin.
filled_at: of the gate; null if there is none yet.
moment: the current time.
Returns a number; the maximum integer without a rate.
Touches: nothing.$comment$;

create function queue._refresh_gates(
  queue_id integer,
  limits   queue.flow_limits,
  keys     text[],
  moment   timestamptz
)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
set jit = off
as $function$
begin
  delete from queue.workflow_gate as g
  where g.queue_id = _refresh_gates.queue_id
    and g.key = any (keys)
    and g.key <> ''
    and g.taken = 0
    and g.filled_at <= moment;
  update queue.workflow_gate as g
  set opens_at = queue._gate_opens_at(g.key, g.filled_at, limits, moment)
  where g.queue_id = _refresh_gates.queue_id
    and g.key = any (keys)
    and g.opens_at is distinct from queue._gate_opens_at(g.key, g.filled_at, limits, moment);
end
$function$;

comment on function queue._refresh_gates(integer, queue.flow_limits, text[], timestamptz) is
$comment$Updates when gates open, and deletes gates of keys that have nothing left to count. The caller holds the lock of the admission.
keys: the gates to update.
Touches: queue.workflow_gate.$comment$;

create function queue._sort_arrivals(
  queue_id integer,
  versions integer[],
  limits   queue.flow_limits,
  moment   timestamptz
)
returns text[]
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set plan_cache_mode = force_generic_plan
set jit = off
as $function$
declare
  v_is_keyed constant boolean := (limits).key_concurrency is not null or (limits).key_spacing is not null;
  v_keys     text[];
begin
  with arrived as materialized (
    select a.run_id
    from unnest(versions) as v (version)
    cross join lateral (
      select n.run_id
      from queue.workflow_admission as n
      where n.queue_id = _sort_arrivals.queue_id
        and n.version = v.version
        and n.state = 'new'
        and not n.is_over
        and n.due_at <= moment
      order by n.due_at
      limit 500
      for no key update skip locked
    ) as a
  ),
  sorted as (
    update queue.workflow_admission as a
    set state = case when v_is_keyed and a.key <> '' then 'waiting' else 'candidate' end
    from arrived
    where a.run_id = arrived.run_id
    returning a.key, a.state
  )
  select array_agg(distinct s.key) into v_keys
  from sorted as s
  where s.state = 'waiting';
  return v_keys;
end
$function$;

comment on function queue._sort_arrivals(integer, integer[], queue.flow_limits, timestamptz) is
$comment$Places runs that have become due in the list of their key, or among the candidates. The caller holds the lock of the admission.
Returns the keys that have more waiting runs.
Touches: queue.workflow_admission.$comment$;

create function queue._debounce(
  flow             jsonb,
  inputs           jsonb[],
  idempotency_keys text[],
  delay_seconds    numeric[],
  on_running       text[],
  on_ended         text[],
  flow_keys        text[]
)
returns queue.debounced_starts
language plpgsql
immutable
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_seconds constant numeric := (flow #>> '{debounce,seconds}')::numeric;
  v_starts  queue.debounced_starts;
begin
  select
    array_agg(case when d.key is null then d.idempotency_key else 'debounce:' || d.key end order by d.n),
    array_agg(case when d.key is null then d.delay else greatest(d.delay, v_seconds) end order by d.n),
    array_agg(case when d.key is null then d.on_running else 'debounce' end order by d.n),
    array_agg(case when d.key is null then d.on_ended else 'start-new' end order by d.n)
  into v_starts.idempotency_keys, v_starts.delay_seconds, v_starts.on_running, v_starts.on_ended
  from (
    select i.n, i.idempotency_key, i.delay, i.on_running, i.on_ended,
      case
        when i.idempotency_key is null then nullif(coalesce(i.key, queue._flow_key(s.input, flow ->> 'key')), '')
      end as key
    from generate_subscripts(inputs, 1) as g (n)
    cross join lateral (select inputs[g.n] as input) as s
    cross join lateral (
      select g.n, idempotency_keys[g.n] as idempotency_key, delay_seconds[g.n] as delay, on_running[g.n] as on_running,
        on_ended[g.n] as on_ended, flow_keys[g.n] as key
    ) as i
  ) as d;
  return v_starts;
end
$function$;

comment on function queue._debounce(jsonb, jsonb[], text[], numeric[], text[], text[], text[]) is
$comment$Changes the arguments of starts of a debounced workflow: each start gets the delay, and the idempotency key by which a later start finds its run. Starts with their own idempotency key, or without a flow key, are not debounced.
flow: of the workflow.
inputs, idempotency_keys, delay_seconds, on_running, on_ended, flow_keys: as in workflow_start_batch().
Returns the changed arguments. The value "debounce" of on_running is for _resolve_key_conflicts() only.
Touches: nothing.$comment$;

create function queue._postpone_start(run_id bigint, input jsonb, delay numeric, flow jsonb)
returns boolean
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $function$
declare
  v_limit  constant interval := make_interval(secs => (flow #>> '{debounce,max_seconds}')::double precision);
  v_now    timestamptz;
  v_due    timestamptz;
  v_run    record;
begin
  -- The lock on the continuation excludes workers: the run has either begun or not.
  select m.visible_at, m.enqueued_at, m.headers is not null as is_special,
    m.receipt is not null or m.settled_receipt is not null as has_begun
  into v_run
  from queue.workflow_continuation as m
  where m.msg_id = run_id
  for no key update;
  if not found or v_run.has_begun then
    return false;
  end if;
  update queue.workflow_run as r
  set input = _postpone_start.input
  where r.run_id = _postpone_start.run_id;

  perform pg_current_xact_id();  -- before the clock: see _advance_ready_mark()
  v_now := clock_timestamp();
  v_due := least(v_now + make_interval(secs => delay::double precision), v_run.enqueued_at + v_limit);
  update queue.workflow_admission as a
  set due_at = greatest(a.due_at, v_due)
  where a.run_id = _postpone_start.run_id
    and a.state = 'new'
    and a.due_at > v_now;
  if not v_run.is_special and not exists (
    select from queue.workflow_admission as a where a.run_id = _postpone_start.run_id
  ) then
    update queue.workflow_continuation as m
    set visible_at = greatest(m.visible_at, v_due)
    where m.msg_id = run_id
      and m.visible_at > v_now;
  end if;
  return true;
end
$function$;

comment on function queue._postpone_start(bigint, jsonb, numeric, jsonb) is
$comment$Replaces the input of a run that has not begun, and postpones it if it is not due yet: a debounced start does this to the previous one.
input, delay: of the later start; delay in seconds.
flow: of the workflow.
Returns false if the run has begun or ended.
Touches: queue.workflow_continuation, queue.workflow_run, queue.workflow_admission.$comment$;

create function queue._adopt_runs(queue_id integer, settings jsonb)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $function$
declare
  v_limits  constant queue.flow_limits := queue._flow_limits(settings);
  v_counts  constant boolean := settings ?| '{concurrency,concurrency_per_key}';
  v_run_ids bigint[];
begin
  if not settings ?| '{concurrency,concurrency_per_key,rate_limit,rate_limit_per_key,priority}' then
    return;
  end if;

  -- Transactions that end a run lock its continuation first: one that did so before has ended the run, and one that
  -- does so after this transaction sees what is written here. Locked runs are tried again, because most locks are
  -- short.
  for v_try in 1..50 loop
    select array_agg(c.msg_id) into v_run_ids
    from (
      select m.msg_id
      from queue.workflow_continuation as m
      where m.queue_id = _adopt_runs.queue_id
        and (v_counts or not queue._has_begun(m.receipt, m.settled_receipt, m.message))
        and not exists (select from queue.workflow_admission as a where a.run_id = m.msg_id)
      order by m.msg_id
      for no key update skip locked
    ) as c;

    insert into queue.workflow_admission (run_id, due_at, queue_id, version, priority, state, key)
    select r.run_id,
      case
        when b.has_begun then m.enqueued_at
        else coalesce((m.headers #>> '{paused,due}')::timestamptz, m.visible_at)
      end,
      _adopt_runs.queue_id, m.version, queue._flow_priority(r.input, v_limits.priority_path),
      case when b.has_begun then 'admitted' else 'new' end, coalesce(queue._flow_key(r.input, v_limits.key_path), '')
    from unnest(v_run_ids) as i (run_id)
    join queue.workflow_run as r on r.run_id = i.run_id
    join queue.workflow_continuation as m on m.msg_id = i.run_id
    cross join lateral (
      select queue._has_begun(m.receipt, m.settled_receipt, m.message) as has_begun
    ) as b
    where v_counts or not b.has_begun;

    update queue.workflow_continuation as m
    set visible_at = case when m.headers ? 'paused' then m.visible_at else coalesce(r.deadline, 'infinity') end,
      headers = case
        when m.headers ? 'paused' then queue._due_after_pause(m.headers, coalesce(r.deadline, 'infinity'))
        else m.headers
      end
    from queue.workflow_run as r
    where m.msg_id = any (v_run_ids)
      and r.run_id = m.msg_id
      and not queue._has_begun(m.receipt, m.settled_receipt, m.message);

    exit when not exists (
      select
      from queue.workflow_continuation as m
      where m.queue_id = _adopt_runs.queue_id
        and (v_counts or not queue._has_begun(m.receipt, m.settled_receipt, m.message))
        and not exists (select from queue.workflow_admission as a where a.run_id = m.msg_id)
    );
    perform pg_sleep(0.01);
  end loop;
end
$function$;

comment on function queue._adopt_runs(integer, jsonb) is
$comment$Places runs that were started without limits under the flow control of their workflow: runs in flight are counted if concurrency is limited, and runs that have not begun wait for admission. Keys and priorities come from their inputs. The caller holds the lock of the admission. A run that another transaction locks for longer than half a second is left out.
Touches: queue.workflow_continuation (SKIP LOCKED), queue.workflow_admission.$comment$;

create function queue._check_flow_keys(name text, flow jsonb, keys text[], priorities integer[])
returns void
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_problem text;
begin
  select
    case
      when i.priority is not null and not coalesce(flow ? 'priority', false) then
        format('priority %s of a run of workflow "%s", whose flow control has no priority', i.priority, name)
      when i.priority not between -1000000 and 1000000 then
        format('invalid priority %s: it is from -1000000 to 1000000', i.priority)
      when not coalesce(flow ? 'key', false) then
        format('flow key "%s" of a run of workflow "%s", whose flow control has no key', left(i.key, 40), name)
      else format('invalid flow key "%s": a key is 1 to 512 characters', left(i.key, 40))
    end
  into v_problem
  from unnest(keys, priorities) as i (key, priority)
  where i.priority is not null and not coalesce(flow ? 'priority', false)
    or i.priority not between -1000000 and 1000000
    or i.key is not null and not coalesce(flow ? 'key', false)
    or i.key = ''
    or length(i.key) > 512
  limit 1;
  if v_problem is not null then
    perform queue._raise('OX004', v_problem, null,
      'Correct the start, or change the flow control with workflow_set_flow_control(). Nothing was written.');
  end if;
end
$function$;

comment on function queue._check_flow_keys(text, jsonb, text[], integer[]) is
$comment$Checks the flow keys and priorities of starts.
name, flow: of the workflow.
Errors: OX004 invalid argument, with the first invalid value.
Touches: nothing.$comment$;

create function queue._check_flow_settings(settings jsonb)
returns void
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_problem text;
begin
  if jsonb_typeof(settings) is distinct from 'object' then
    perform queue._raise('OX004', 'flow control is not a JSON object', null,
      'Pass an object such as {"concurrency": 10}, or null for no flow control.');
  end if;

  select
    case
      when s.name not in (
        'key', 'concurrency', 'concurrency_per_key', 'rate_limit', 'rate_limit_per_key', 'debounce', 'priority'
      ) then
        format('unknown setting "%s": the settings are key, concurrency, concurrency_per_key, rate_limit, rate_limit_per_key, debounce and priority',
          left(s.name, 40))
      when s.name = 'priority' and s.value <> 'true' and not queue._is_message_path(s.value) then
        'invalid priority: it is a path into the input, keys separated by ".", or true if starts pass it'
      when s.name = 'key' and not queue._is_message_path(s.value) then
        'invalid key: it is a path into the input, keys separated by "."'
      when s.name in ('concurrency', 'concurrency_per_key') and not queue._is_number(s.value, 1, 1000000, true) then
        format('invalid %s %s: it is a whole number from 1 to 1000000', s.name, left(s.value::text, 40))
      when s.name in ('rate_limit', 'rate_limit_per_key') and not coalesce(
        jsonb_typeof(s.value) = 'object'
          and s.value - '{limit,per_seconds,burst}'::text[] = '{}'
          and queue._is_number(s.value -> 'limit', 1, 1000000, true)
          and queue._is_number(s.value -> 'per_seconds', 0.001, 31536000, false)
          and queue._is_number(coalesce(s.value -> 'burst', '1'), 1, 1000000, true),
        false
      ) then
        format('invalid %s %s: it is {"limit": 1 to 1000000, "per_seconds": 0.001 to 31536000, "burst": optional, 1 to 1000000}',
          s.name, left(s.value::text, 80))
      when s.name = 'debounce' and not coalesce(
        jsonb_typeof(s.value) = 'object'
          and s.value - '{seconds,max_seconds}'::text[] = '{}'
          and queue._is_number(s.value -> 'seconds', 0.001, 31536000, false)
          and queue._is_number(coalesce(s.value -> 'max_seconds', s.value -> 'seconds'), 0.001, 31536000, false)
          and coalesce((s.value -> 'max_seconds')::numeric, 31536000) >= (s.value -> 'seconds')::numeric,
        false
      ) then
        format('invalid debounce %s: it is {"seconds": 0.001 to 31536000, "max_seconds": optional, at least as much}',
          left(s.value::text, 80))
    end
  into v_problem
  from jsonb_each(settings) as s (name, value)
  order by 1
  limit 1;
  if v_problem is null and settings ?| '{concurrency_per_key,rate_limit_per_key,debounce}' and not settings ? 'key' then
    v_problem := 'limits per key require a key, which is a path into the input';
  end if;
  if v_problem is not null then
    perform queue._raise('OX004', v_problem, null, 'Correct the flow control. Nothing was written.');
  end if;
end
$function$;

comment on function queue._check_flow_settings(jsonb) is
$comment$Checks the settings of workflow_set_flow_control().
Errors: OX004 invalid argument, with the first invalid value.
Touches: nothing.$comment$;

create function queue._flow_key(input jsonb, path text)
returns text
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_key constant text := queue._at_path(input, path) #>> '{}';
begin
  -- Longer keys don't fit into an index.
  return case when length(v_key) > 512 then md5(v_key) else v_key end;
end
$function$;

comment on function queue._flow_key(jsonb, text) is
$comment$Returns the key under which the limits per key count a run.
input: of the run.
path: as in _at_path().
Returns the key, as a digest if it is longer than 512 characters; null if there is no value at the path.
Touches: nothing.$comment$;

create function queue._flow_limits(settings jsonb)
returns queue.flow_limits
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_limits queue.flow_limits;
begin
  v_limits.key_path := settings ->> 'key';
  v_limits.priority_path := settings ->> 'priority';
  v_limits.concurrency := (settings ->> 'concurrency')::integer;
  v_limits.key_concurrency := (settings ->> 'concurrency_per_key')::integer;
  v_limits.spacing := queue._rate_spacing(settings -> 'rate_limit');
  v_limits.burst := queue._rate_burst(settings -> 'rate_limit');
  v_limits.key_spacing := queue._rate_spacing(settings -> 'rate_limit_per_key');
  v_limits.key_burst := queue._rate_burst(settings -> 'rate_limit_per_key');
  v_limits.debounce := make_interval(secs => (settings #>> '{debounce,seconds}')::double precision);
  v_limits.debounce_limit := make_interval(secs => (settings #>> '{debounce,max_seconds}')::double precision);
  return v_limits;
end
$function$;

comment on function queue._flow_limits(jsonb) is
$comment$Parses the settings of workflow_set_flow_control(), which are already checked.
Returns the limits; all null if there is none.
Touches: nothing.$comment$;

create function queue._flow_priority(input jsonb, path text)
returns integer
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_priority constant jsonb := queue._at_path(input, path);
begin
  if jsonb_typeof(v_priority) is distinct from 'number' then
    return 0;
  end if;
  return greatest(-1000000, least(1000000, round(v_priority::numeric)))::integer;
end
$function$;

comment on function queue._flow_priority(jsonb, text) is
$comment$Returns the priority of a run.
input: of the run.
path: as in _at_path(); null if runs have no priority.
Returns a whole number; 0 if there is no number at the path.
Touches: nothing.$comment$;

create function queue._has_begun(receipt bigint, settled_receipt bigint, message jsonb)
returns boolean
language sql
as $function$
  select receipt is not null or settled_receipt is not null or coalesce(message operator(pg_catalog.?) 'waits', false)
$function$;

comment on function queue._has_begun(bigint, bigint, jsonb) is
$comment$Returns whether a worker has ever received the run of a continuation, even if it has not journaled anything.
Returns true or false.
Touches: nothing.$comment$;

create function queue._is_number(value jsonb, at_least numeric, at_most numeric, is_whole boolean)
returns boolean
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
begin
  if jsonb_typeof(value) is distinct from 'number' then
    return false;
  end if;
  return value::numeric between at_least and at_most
    and (not is_whole or value::numeric = trunc(value::numeric));
end
$function$;

comment on function queue._is_number(jsonb, numeric, numeric, boolean) is
$comment$Returns whether a JSON value is a number within bounds.
Returns true or false.
Touches: nothing.$comment$;

create function queue._rate_burst(rate jsonb)
returns integer
language sql
immutable
parallel safe
as $function$
  -- The time between two receives must not slow down a high rate, so a tenth of a second's worth begins at once.
  select coalesce(
    (rate operator(pg_catalog.->>) 'burst')::integer,
    greatest(1, (0.1::pg_catalog.float8 operator(pg_catalog./) (rate operator(pg_catalog.->>) 'per_seconds')::pg_catalog.float8
      operator(pg_catalog.*) (rate operator(pg_catalog.->>) 'limit')::pg_catalog.float8)::integer)
  )
$function$;

comment on function queue._rate_burst(jsonb) is
$comment$Returns how many runs may begin at once after a pause: "burst" of a rate, or a tenth of a second's worth, at least one.
Returns a number; it has no meaning without a rate.
Touches: nothing.$comment$;

create function queue._rate_spacing(rate jsonb)
returns interval
language sql
immutable
parallel safe
as $function$
  select pg_catalog.make_interval(
    secs => (rate operator(pg_catalog.->>) 'per_seconds')::pg_catalog.float8
      operator(pg_catalog./) (rate operator(pg_catalog.->>) 'limit')::pg_catalog.float8
  )
$function$;

comment on function queue._rate_spacing(jsonb) is
$comment$Returns the time between two runs at a rate {"limit", "per_seconds"}.
Returns an interval; null without a rate.
Touches: nothing.$comment$;

create function queue._recount_admissions(queue_id integer)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $function$
declare
  v_flow     jsonb;
  v_is_keyed boolean;
begin
  select q.flow_control into v_flow from queue.queue as q where q.queue_id = _recount_admissions.queue_id;
  v_is_keyed := v_flow ?| '{concurrency_per_key,rate_limit_per_key}';
  update queue.workflow_admission as a
  set state = 'new',
    due_at = least(a.due_at, clock_timestamp())
  where a.queue_id = _recount_admissions.queue_id
    and a.state in ('waiting', 'candidate');

  insert into queue.workflow_gate as g (queue_id, taken, key)
  select _recount_admissions.queue_id, count(*), a.key
  from queue.workflow_admission as a
  where a.queue_id = _recount_admissions.queue_id
    and a.state = 'admitted'
    and a.key <> ''
    and v_is_keyed
  group by a.key
  union all
  select _recount_admissions.queue_id, count(*), ''
  from queue.workflow_admission as a
  where a.queue_id = _recount_admissions.queue_id
    and a.state = 'admitted'
  on conflict on constraint workflow_gate_pkey do nothing;
  update queue.workflow_gate as g
  set taken = case when g.key = '' or v_is_keyed then n.admitted else 0 end,
    candidates = 0,
    opens_at = case when g.filled_at > '-infinity' then clock_timestamp() end
  from (
    select o.key,
      (
        select count(*)
        from queue.workflow_admission as a
        where a.queue_id = _recount_admissions.queue_id
          and a.state = 'admitted'
          and (o.key = '' or a.key = o.key)
      ) as admitted
    from queue.workflow_gate as o
    where o.queue_id = _recount_admissions.queue_id
  ) as n
  where g.queue_id = _recount_admissions.queue_id
    and g.key = n.key;
end
$function$;

comment on function queue._recount_admissions(integer) is
$comment$Returns all waiting runs of a workflow to the arrivals, and recounts the admitted ones, after its flow control has changed. The caller holds the lock of the admission.
Touches: queue.workflow_admission, queue.workflow_gate.$comment$;

create function queue.workflow_flow_control(name text)
returns setof queue.flow_state
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $function$
begin
  perform queue._require_current_tables();
  return query
    select q.flow_control - 'version', (q.flow_control -> 'version')::integer,
      (
        select count(*)
        from queue.workflow_admission as a
        where a.queue_id = q.queue_id
          and a.state = 'admitted'
          and not a.is_over
      ),
      (
        select count(*)
        from queue.workflow_admission as a
        where a.queue_id = q.queue_id
          and a.state <> 'admitted'
          and not a.is_over
      ),
      nullif(queue._admission_opens_at(q.queue_id, queue._present_versions(q.queue_id)), '-infinity')
    from queue.queue as q
    where q.name = '__wf_' || workflow_flow_control.name
      and q.flow_control is not null;
end
$function$;

comment on function queue.workflow_flow_control(text) is
$comment$Returns the flow control of a workflow and its current state.
Returns one row; none if the workflow has no flow control.
Touches: nothing; reads queue.queue, and counts the workflow's rows of queue.workflow_admission.$comment$;

create function queue.workflow_set_flow_control(name text, settings jsonb, version integer default 1)
returns text
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_settings constant jsonb := jsonb_strip_nulls(coalesce(nullif(settings, 'null'), '{}'));
  v_queue_id integer;
  v_before   jsonb;
begin
  perform queue._ensure_migrated();
  perform queue._check_flow_settings(v_settings);
  perform queue._check_start(array[version], null, null, null, null, null);
  v_queue_id := coalesce(queue._workflow_queue_id(name), queue._create_workflow_queue(name));

  perform pg_advisory_xact_lock(hashtextextended('oxbow:admit:' || v_queue_id, 0));
  select q.flow_control into v_before from queue.queue as q where q.queue_id = v_queue_id;
  if v_before -> 'version' > to_jsonb(version) then
    return 'kept';
  elsif v_before - 'version' = v_settings or v_before is null and v_settings = '{}' then
    if v_before -> 'version' < to_jsonb(version) then
      update queue.queue as q
      set flow_control = v_settings || jsonb_build_object('version', version)
      where q.queue_id = v_queue_id;
    end if;
    return 'unchanged';
  end if;

  update queue.queue as q
  set flow_control = v_settings || jsonb_build_object('version', version)
  where q.queue_id = v_queue_id;
  perform queue._adopt_runs(v_queue_id, v_settings);
  perform queue._recount_admissions(v_queue_id);
  perform queue._wake(queue._workflow_channel(name));
  return case when v_before is null then 'created' else 'changed' end;
end
$function$;

comment on function queue.workflow_set_flow_control(text, jsonb, integer) is
$comment$Limits how many runs of a workflow are in flight, how fast they begin, and in which order. The limits apply to every run, including existing ones: those in flight are counted and continue even if there are too many, the others wait for their turn. Workers register the settings of the workflows that they serve when they start.
settings: a JSON object with any of the following keys; null removes all limits.
- concurrency: runs in flight, from their first delivery until they end, also while they sleep or wait.
- concurrency_per_key: the same for each key. With 1, runs with the same key execute one after another in the order of their starts.
- rate_limit: {"limit", "per_seconds", "burst"}: how many runs begin in that time, evenly spaced. After a pause, burst runs begin at once; the default is a tenth of a second's worth, at least 1.
- rate_limit_per_key: the same for each key.
- debounce: {"seconds", "max_seconds"}: a run begins after this many seconds without another start with the same key; until then, each such start replaces the input of the waiting run instead of creating a run. The run waits for at most max_seconds.
- key: path into the input, keys separated by ".". A run without a value there is not limited per key.
- priority: path to a number in the input, higher first; or true, if starts pass the priority.
version: of the workflow that has these settings. An older version than the one that made the last change changes nothing.
Returns created, changed, unchanged, or kept, if a newer version has set the current settings.
Errors: OX003 invalid name, OX004 invalid argument.
Touches: queue.queue, queue.workflow_admission, queue.workflow_gate; queue.workflow_continuation of the workflow's runs, if it had no such limits before: workers that give these runs back wait until the transaction ends.$comment$;

create function queue._check_schedule(
  name           text,
  workflow       text,
  cron           text,
  every_seconds  integer,
  time_zone      text,
  input          jsonb,
  tags           jsonb,
  jitter_seconds numeric,
  catch_up       text,
  catch_up_limit integer,
  grace_seconds  numeric,
  overlap        text
)
returns void
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_problem text;
begin
  if not queue._is_name(name) then
    perform queue._raise('OX003', format('invalid schedule name "%s"', coalesce(left(name, 260), 'null')), null,
      'A schedule name is 1 to 256 characters without control characters that neither begin nor end with a space.');
  end if;
  if workflow is null or workflow !~ '^[a-z0-9][a-z0-9_-]{0,42}$' then
    perform queue._raise('OX003', format('invalid workflow name "%s"', coalesce(left(workflow, 100), 'null')), null,
      'A workflow name is 1 to 43 characters of a-z, 0-9, "_" and "-", and begins with a letter or a digit.');
  end if;

  v_problem := case
    when num_nonnulls(cron, every_seconds) <> 1 then 'pass either a cron expression or every_seconds'
    -- Only tickers parse the rest of the expression.
    when length(cron) > 256 or cron !~ '^\s*(@[a-zA-Z]+|[-0-9a-zA-Z*,/?#+]+(\s+[-0-9a-zA-Z*,/?#+]+){4,5})\s*$' then
      format('invalid cron expression "%s": it has five fields (minute, hour, day of the month, month, day of the week), or six, with the second first',
        left(cron, 100))
    when every_seconds not between 1 and 315360000 then
      format('invalid interval of %s seconds: it is between 1 second and 10 years', every_seconds)
    when time_zone is null then 'invalid time zone null'
    when every_seconds is not null and time_zone <> 'UTC' then
      format('time zone "%s" of an interval: an interval has no time zone', left(time_zone, 100))
    when jitter_seconds is null or jitter_seconds not between 0 and 86400 then
      format('invalid jitter of %s seconds: it is between 0 and 86400', coalesce(jitter_seconds::text, 'null'))
    when grace_seconds is null or grace_seconds not between 10 and 86400 then
      format('invalid grace of %s seconds: it is between 10 and 86400', coalesce(grace_seconds::text, 'null'))
    when catch_up is null or catch_up not in ('skip', 'latest', 'backfill') then
      format('invalid catch_up "%s": it is skip, latest or backfill', coalesce(left(catch_up, 40), 'null'))
    when catch_up = 'backfill' and (catch_up_limit is null or catch_up_limit not between 1 and 1000) then
      format('invalid catch_up_limit %s: a backfill has 1 to 1000 ticks', coalesce(catch_up_limit::text, 'null'))
    when catch_up <> 'backfill' and catch_up_limit is not null then
      format('catch_up_limit %s without a backfill', catch_up_limit)
    when overlap is null or overlap not in ('allow', 'skip') then
      format('invalid overlap "%s": it is allow or skip', coalesce(left(overlap, 40), 'null'))
    when overlap = 'skip' and catch_up = 'backfill' then
      'overlap "skip" excludes a backfill, whose runs would skip each other'
    when jsonb_typeof(tags) <> 'object' then
      format('tags are a JSON %s, not an object', jsonb_typeof(tags))
  end;
  if v_problem is not null then
    perform queue._raise('OX004', v_problem, null, format('Correct schedule "%s". Nothing was written.', name));
  end if;

  if octet_length(input::text) > 1048576 then
    perform queue._raise('OX008', format('input of schedule "%s" has %s bytes', name, octet_length(input::text)), null,
      'An input has at most 1048576 bytes. Pass a reference to the data.');
  end if;

  begin
    perform clock_timestamp() at time zone time_zone;
  exception
    when invalid_parameter_value then
      perform queue._raise('OX004', format('unknown time zone "%s"', left(time_zone, 100)), null,
        'Use the IANA name of a time zone, such as Europe/Berlin.');
  end;
end
$function$;

comment on function queue._check_schedule(text, text, text, integer, text, jsonb, jsonb, numeric, text, integer, numeric, text) is
$comment$Checks the arguments of schedule_create(), as far as SQL can.
Errors: OX003 invalid name, OX004 invalid argument, OX008 input too large.
Touches: nothing.$comment$;

create function queue._raise_schedule_not_found(name text)
returns void
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  perform queue._raise('OX011', format('schedule "%s" does not exist', coalesce(left(name, 140), 'null')), null,
    'Check the name with schedule_list(), or create it with schedule_create().');
end
$function$;

comment on function queue._raise_schedule_not_found(text) is
$comment$Raises OX011 for the name of a schedule.
Errors: OX011, always.
Touches: nothing.$comment$;

create function queue.schedule_create(
  name           text,
  workflow       text,
  cron           text default null,
  every_seconds  integer default null,
  time_zone      text default 'UTC',
  input          jsonb default null,
  version        integer default null,
  tags           jsonb default null,
  retention_days integer default null,
  jitter_seconds numeric default 0,
  catch_up       text default 'latest',
  catch_up_limit integer default null,
  grace_seconds  numeric default 60,
  overlap        text default 'allow'
)
returns text
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_now      constant timestamptz := clock_timestamp();
  v_jitter   interval;
  v_grace    interval;
  v_before   record;
  v_is_moved boolean;
  v_settings queue.queue_settings;
begin
  perform queue._ensure_migrated();
  perform queue._check_schedule(
    name, workflow, cron, every_seconds, time_zone, input, tags, jitter_seconds, catch_up, catch_up_limit,
    grace_seconds, overlap
  );
  perform queue._check_start(array[version], null, array[retention_days], null, null, null);
  v_jitter := queue._duration(jitter_seconds, 'jitter');
  v_grace := queue._duration(grace_seconds, 'grace');
  if to_regclass('queue.q___schedules') is null then
    v_settings.name := '__schedules';
    v_settings.kind := 'standard';
    v_settings.visibility_timeout := 30;
    perform queue._register_queue(v_settings);
  end if;

  insert into queue.schedule as s (
    created_at, changed_at, done_until, jitter, grace, every_seconds, workflow_version, retention_days,
    catch_up_limit, name, workflow_name, cron, time_zone, catch_up, overlap, input, tags
  )
  values (
    v_now, v_now, v_now, v_jitter, v_grace, schedule_create.every_seconds, schedule_create.version,
    schedule_create.retention_days, schedule_create.catch_up_limit, schedule_create.name, schedule_create.workflow,
    schedule_create.cron, schedule_create.time_zone, schedule_create.catch_up, schedule_create.overlap,
    schedule_create.input, schedule_create.tags
  )
  on conflict on constraint schedule_pkey do nothing;
  if found then
    perform queue._plan_tick(name, v_now);
    return 'created';
  end if;

  select s.msg_id, s.paused_at, s.next_tick_at,
    (s.cron, s.every_seconds, s.time_zone, s.jitter)
      is distinct from (schedule_create.cron, schedule_create.every_seconds, schedule_create.time_zone, v_jitter)
      as other_ticks,
    (s.grace, s.catch_up, s.catch_up_limit)
      is distinct from (v_grace, schedule_create.catch_up, schedule_create.catch_up_limit) as other_catch_up,
    (s.workflow_name, s.workflow_version, s.retention_days, s.overlap, s.input, s.tags)
      is distinct from (
        schedule_create.workflow, schedule_create.version, schedule_create.retention_days,
        schedule_create.overlap, schedule_create.input, schedule_create.tags
      ) as other_runs
  into v_before
  from queue.schedule as s
  where s.name = schedule_create.name
  for no key update;
  if not found then
    perform queue._raise('OX010', format('schedule "%s" was deleted at the same time', name), null,
      'Create it again.');
  end if;

  v_is_moved := v_before.other_ticks or v_before.other_catch_up;
  if v_is_moved or v_before.other_runs then
    update queue.schedule as s
    set changed_at = v_now,
      -- Ticks that were due before are started by the old rule or not at all.
      done_until = case when v_before.other_ticks then v_now else s.done_until end,
      next_tick_at = case when v_before.other_ticks then null else s.next_tick_at end,
      jitter = v_jitter,
      grace = v_grace,
      every_seconds = schedule_create.every_seconds,
      workflow_version = schedule_create.version,
      retention_days = schedule_create.retention_days,
      catch_up_limit = schedule_create.catch_up_limit,
      workflow_name = schedule_create.workflow,
      cron = schedule_create.cron,
      time_zone = schedule_create.time_zone,
      catch_up = schedule_create.catch_up,
      overlap = schedule_create.overlap,
      input = schedule_create.input,
      tags = schedule_create.tags
    where s.name = schedule_create.name;
  end if;
  if v_before.paused_at is null and (v_is_moved or v_before.msg_id is not null and not queue._has_tick(v_before.msg_id)) then
    perform queue._plan_tick(name, v_now);
  end if;
  return case when v_is_moved or v_before.other_runs then 'changed' else 'unchanged' end;
end
$function$;

comment on function queue.schedule_create(text, text, text, integer, text, jsonb, integer, jsonb, integer, numeric, text, integer, numeric, text) is
$comment$Creates a schedule, which starts a run of a workflow at each of its ticks, or changes the schedule of that name, in the caller's transaction. Tickers carry out the ticks; every worker and every server is one.
A change of cron, every_seconds, time_zone or jitter_seconds applies from the moment of the call. A paused schedule stays paused.
name: 1 to 256 characters without control characters that neither begin nor end with a space.
workflow, input, version, tags, retention_days: of the runs, as in workflow_start(). Without a version, each tick starts the highest registered one. Each run also has the tag "schedule" with the name.
cron: minute, hour, day of the month, month, day of the week, with the second before them if there are six fields; or @hourly, @daily, @weekly, @monthly, @yearly. A ticker parses it; if that fails, the schedule is paused with the reason.
every_seconds: an interval, instead of cron. Its ticks are the multiples of the interval since 1970-01-01T00:00Z.
time_zone: IANA name of the time zone of cron.
jitter_seconds: the most by which all runs of the schedule are delayed. The name determines the delay, which spreads schedules evenly.
catch_up: what happens to missed ticks: skip them; latest starts a run for the newest one; backfill starts a run for each of the newest catch_up_limit, in order.
catch_up_limit: 1 to 1000, with backfill only.
grace_seconds: a tick is missed if no ticker carries it out within this time, 10 to 86400.
overlap: allow, or skip ticks while the schedule's last run is running.
Returns created, changed or unchanged.
Errors: OX003 invalid name, OX004 invalid argument, OX008 input too large, OX010 the schedule was deleted at the same time.
Touches: queue.schedule; the table of queue __schedules, which is created with the first schedule.$comment$;

create function queue.schedule_delete(name text)
returns boolean
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  perform queue._ensure_migrated();
  perform from queue.schedule as s where s.name = schedule_delete.name for update;
  if not found then
    return false;
  end if;
  perform queue._cancel_tick(name);
  delete from queue.schedule as s where s.name = schedule_delete.name;
  return true;
end
$function$;

comment on function queue.schedule_delete(text) is
$comment$Deletes a schedule: it starts nothing after the commit. Its runs are unaffected.
Returns false if the schedule does not exist.
Touches: queue.schedule, the table of queue __schedules.$comment$;

create function queue.schedule_list(name text default null)
returns setof queue.schedule_info
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  perform queue._require_current_tables();
  if to_regclass('queue.schedule') is null then
    return;
  end if;
  return query
    select s.name, s.workflow_name, s.workflow_version, s.cron, s.every_seconds, s.time_zone, s.input, s.tags,
      s.retention_days, extract(epoch from s.jitter), s.catch_up, s.catch_up_limit, extract(epoch from s.grace),
      s.overlap, s.created_at, s.changed_at, s.paused_at, s.pause_reason, s.next_tick_at, s.last_tick_at,
      s.last_run_id
    from queue.schedule as s
    where s.name = schedule_list.name
      or schedule_list.name is null
    order by s.name;
end
$function$;

comment on function queue.schedule_list(text) is
$comment$Lists schedules by name.
name: lists this schedule only; null lists all.
Returns one row per schedule.
Touches: nothing; reads queue.schedule.$comment$;

create function queue.schedule_next_tick_at()
returns timestamptz
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  if to_regclass('queue.q___schedules') is null then
    return null;
  end if;
  return queue.next_visible_at('__schedules');
end
$function$;

comment on function queue.schedule_next_tick_at() is
$comment$Returns when a ticker must look at a schedule next. Without any schedule, a ticker need not wait for messages of queue __schedules.
Returns a time, which may have passed; null if no schedule exists, or all are paused or finished.
Touches: nothing; as next_visible_at().$comment$;

create function queue.schedule_pause(name text, reason text default null)
returns boolean
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_paused_at timestamptz;
begin
  perform queue._ensure_migrated();
  select s.paused_at into v_paused_at
  from queue.schedule as s
  where s.name = schedule_pause.name
  for no key update;
  if not found then
    perform queue._raise_schedule_not_found(name);
  end if;
  if v_paused_at is not null then
    return false;
  end if;

  perform queue._cancel_tick(name);
  update queue.schedule as s
  set paused_at = clock_timestamp(),
    pause_reason = schedule_pause.reason,
    next_tick_at = null
  where s.name = schedule_pause.name;
  return true;
end
$function$;

comment on function queue.schedule_pause(text, text) is
$comment$Pauses a schedule: it starts nothing until schedule_resume(). Its runs continue.
reason: shown with the schedule.
Returns true if this call paused the schedule; false if it was already paused.
Errors: OX011 no such schedule.
Touches: queue.schedule, the table of queue __schedules.$comment$;

create function queue.schedule_receive(
  max_ticks          integer default 1,
  visibility_timeout integer default null
)
returns setof queue.delivery
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  if to_regclass('queue.q___schedules') is null then
    return;
  end if;
  return query
    select d.msg_id, d.receipt, d.read_ct, d.enqueued_at, d.visible_at, null::text, d.message, d.headers
    from queue._receive(queue._internal_queue('__schedules'), max_ticks, visibility_timeout, null, 0) as r
    cross join unnest(
      r.msg_ids, r.receipts, r.read_cts, r.enqueued_ats, r.visible_ats, r.messages, r.headers
    ) as d (msg_id, receipt, read_ct, enqueued_at, visible_at, message, headers);
end
$function$;

comment on function queue.schedule_receive(integer, integer) is
$comment$For tickers: receives schedules whose next tick is due. schedule_tick() carries the ticks out, and describes the message.
max_ticks: 1 to 10000. visibility_timeout: seconds; null means 30.
Returns a row for each schedule, the one that has been due longest first.
Errors: OX004 invalid argument.
Touches: as receive(), queue __schedules.$comment$;

create function queue.schedule_resume(name text)
returns boolean
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_now       constant timestamptz := clock_timestamp();
  v_paused_at timestamptz;
begin
  perform queue._ensure_migrated();
  select s.paused_at into v_paused_at
  from queue.schedule as s
  where s.name = schedule_resume.name
  for no key update;
  if not found then
    perform queue._raise_schedule_not_found(name);
  end if;
  if v_paused_at is null then
    return false;
  end if;

  update queue.schedule as s
  set paused_at = null,
    pause_reason = null,
    done_until = v_now
  where s.name = schedule_resume.name;
  perform queue._plan_tick(name, v_now);
  return true;
end
$function$;

comment on function queue.schedule_resume(text) is
$comment$Resumes a paused schedule with the first tick from now on. Ticks during the pause are not missed ticks and start nothing.
Returns true if this call resumed the schedule; false if it was not paused.
Errors: OX011 no such schedule.
Touches: queue.schedule, the table of queue __schedules.$comment$;

create function queue.schedule_tick(
  receipt      bigint,
  ticks        timestamptz[],
  next_tick_at timestamptz,
  problem      text default null
)
returns queue.ticked_schedule
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_now      constant timestamptz := clock_timestamp();
  v_queue    constant queue.queue_settings := queue._internal_queue('__schedules');
  v_count    constant integer := coalesce(cardinality(ticks), 0);
  v_last     constant timestamptz := ticks[cardinality(ticks)];
  v_schedule record;
  v_is_held  boolean;
  v_starts   timestamptz[] := coalesce(ticks, '{}');
  v_result   queue.ticked_schedule;
begin
  -- Locked first, as by all transactions that change a schedule.
  select s.name, s.workflow_name, s.workflow_version, s.retention_days, s.input, s.overlap, s.done_until,
    queue._jitter_of(s.name, s.jitter) as jitter,
    coalesce(s.tags, '{}') || jsonb_build_object('schedule', s.name) as tags,
    exists (
      select from queue.workflow_run as r where r.run_id = s.last_run_id and r.status = 'running'
    ) as is_running
  into v_schedule
  from queue.schedule as s
  where s.msg_id = queue._receipt_msg_id(schedule_tick.receipt)
  for no key update;
  v_is_held := cardinality(queue._delete_messages(v_queue, array[schedule_tick.receipt], null)) > 0;
  if not v_is_held or v_schedule.name is null then
    v_result.outcome := 'lost';
    return v_result;
  end if;

  if problem is not null then
    update queue.schedule as s
    set msg_id = null,
      next_tick_at = null,
      paused_at = v_now,
      pause_reason = left(problem, 1000)
    where s.name = v_schedule.name;
    v_result.outcome := 'ok';
    v_result.run_ids := '{}';
    return v_result;
  end if;
  perform queue._check_ticks(v_schedule.name, ticks, next_tick_at, v_schedule.done_until, v_now - v_schedule.jitter);

  if v_schedule.overlap = 'skip' then
    v_starts := case when v_schedule.is_running or v_count = 0 then '{}' else array[v_last] end;
  end if;
  if cardinality(v_starts) > 0 then
    with started as (
      select i.tick, r.run_id, r.created
      from queue.workflow_start_batch(
          v_schedule.workflow_name,
          array_fill(v_schedule.input, array[cardinality(v_starts)]),
          array_fill(v_schedule.workflow_version, array[cardinality(v_starts)]),
          -- Exactly one run per tick, whatever happens to schedules, messages and tickers.
          array(
            select format('schedule:%s:%s', v_schedule.name, to_char(t.tick at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'))
            from unnest(v_starts) with ordinality as t (tick, position)
            order by t.position
          ),
          array_fill(v_schedule.retention_days, array[cardinality(v_starts)]),
          tags => array_fill(v_schedule.tags, array[cardinality(v_starts)])
        ) with ordinality as r (run_id, created, status, position)
      join unnest(v_starts) with ordinality as i (tick, position) using (position)
    )
    select array_agg(started.run_id order by t.position) into v_result.run_ids
    from unnest(ticks) with ordinality as t (tick, position)
    left join started on started.tick = t.tick;

    update queue.workflow_run as r
    set scheduled_at = t.tick
    from unnest(ticks, v_result.run_ids) as t (tick, run_id)
    where r.run_id = t.run_id
      and r.scheduled_at is null;
  else
    v_result.run_ids := array_fill(null::bigint, array[v_count]);
  end if;

  update queue.schedule as s
  set msg_id = null,
    next_tick_at = schedule_tick.next_tick_at,
    done_until = coalesce(v_last, s.done_until),
    last_tick_at = coalesce(v_last, s.last_tick_at),
    last_run_id = coalesce(
      (
        select i.run_id
        from unnest(v_result.run_ids) with ordinality as i (run_id, position)
        where i.run_id is not null
        order by i.position desc
        limit 1
      ),
      s.last_run_id
    )
  where s.name = v_schedule.name;
  if next_tick_at is not null then
    perform queue._plan_tick(v_schedule.name, next_tick_at + v_schedule.jitter);
  end if;
  v_result.outcome := 'ok';
  return v_result;
end
$function$;

comment on function queue.schedule_tick(bigint, timestamptz[], timestamptz, text) is
$comment$For tickers: carries out ticks of a schedule and plans the next one, in one transaction. A ticker receives messages of queue __schedules with schedule_receive(). Each message describes its schedule: cron or every_seconds, time_zone, late_by_seconds, grace_seconds, catch_up, catch_up_limit, done_until. The due ticks are those after done_until and up to the time of the delivery minus late_by_seconds, except for ticks that catch_up leaves out. The time of the delivery is visible_at minus the visibility timeout; the ticker's clock is not used.
receipt: of the delivery.
ticks: whole seconds, ascending, at most 1000.
next_tick_at: the first later tick to carry out, which may have passed; null if there is none.
problem: why the ticks cannot be computed; pauses the schedule with this reason.
Returns ok with the run of each tick, null for a tick that overlap skipped; or lost, which changed nothing: another ticker has the message, or the schedule was changed, paused or deleted.
Errors: OX001 no schedule was ever created, OX004 a tick is not due, already done, or out of order.
Touches: queue.schedule, the table of queue __schedules; as workflow_start_batch().$comment$;

create function queue.schedule_trigger(name text)
returns queue.started_run
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_now      constant timestamptz := clock_timestamp();
  v_schedule record;
  v_started  queue.started_run;
begin
  perform queue._ensure_migrated();
  select s.workflow_name, s.input, s.workflow_version, s.retention_days, s.tags
  into v_schedule
  from queue.schedule as s
  where s.name = schedule_trigger.name
  for no key update;
  if not found then
    perform queue._raise_schedule_not_found(name);
  end if;

  v_started := queue.workflow_start(
    v_schedule.workflow_name,
    v_schedule.input,
    version => v_schedule.workflow_version,
    retention_days => v_schedule.retention_days,
    tags => coalesce(v_schedule.tags, '{}') || jsonb_build_object('schedule', schedule_trigger.name)
  );
  update queue.workflow_run as r
  set scheduled_at = v_now
  where r.run_id = v_started.run_id;
  update queue.schedule as s
  set last_run_id = v_started.run_id
  where s.name = schedule_trigger.name;
  return v_started;
end
$function$;

comment on function queue.schedule_trigger(text) is
$comment$Starts a run of a schedule at once, in the caller's transaction, even if it is paused, and regardless of overlap. Its ticks are unaffected.
Returns the run.
Errors: OX011 no such schedule.
Touches: queue.schedule; as workflow_start().$comment$;

create function queue._cancel_tick(name text)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_msg_id bigint;
begin
  select s.msg_id into v_msg_id
  from queue.schedule as s
  where s.name = _cancel_tick.name;
  if v_msg_id is null then
    return;
  end if;

  -- An administrator may have dropped the queue.
  if to_regclass('queue.q___schedules') is not null then
    execute format($sql$
      delete from %1$s as m where m.msg_id = $1
    $sql$, queue._queue_table('__schedules'))
    using v_msg_id;
  end if;
  update queue.schedule as s
  set msg_id = null
  where s.name = _cancel_tick.name;
end
$function$;

comment on function queue._cancel_tick(text) is
$comment$Deletes the message that is the next tick of a schedule, even if a ticker has received it: the receipt is then dead, and the tick is not carried out.
name: of a schedule whose row the caller has locked.
Touches: queue.schedule, the table of queue __schedules.$comment$;

create function queue._check_ticks(
  name         text,
  ticks        timestamptz[],
  next_tick_at timestamptz,
  done_until   timestamptz,
  due_until    timestamptz
)
returns void
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_last    constant timestamptz := ticks[cardinality(ticks)];
  v_problem text;
begin
  if cardinality(ticks) > 1000 then
    v_problem := format('%s ticks at once: at most 1000 are allowed', cardinality(ticks));
  elsif next_tick_at <= greatest(v_last, done_until) then
    v_problem := format('next tick %s is not after %s', next_tick_at, greatest(v_last, done_until));
  else
    select
      case
        when t.tick is null or t.tick <> date_trunc('second', t.tick) then
          format('invalid tick %s: a tick is a whole second', coalesce(t.tick::text, 'null'))
        when t.tick <= t.previous then format('tick %s is not after %s', t.tick, t.previous)
        else format('tick %s is not due before %s', t.tick, due_until)
      end
    into v_problem
    from (
      select i.tick, coalesce(lag(i.tick) over (order by i.position), done_until) as previous
      from unnest(ticks) with ordinality as i (tick, position)
    ) as t
    where t.tick is null
      or t.tick <> date_trunc('second', t.tick)
      or t.tick <= t.previous
      or t.tick > due_until
    limit 1;
  end if;
  if v_problem is not null then
    perform queue._raise('OX004', v_problem, null,
      format('The clock of the database determines which ticks of schedule "%s" are due: see schedule_tick().', name));
  end if;
end
$function$;

comment on function queue._check_ticks(text, timestamptz[], timestamptz, timestamptz, timestamptz) is
$comment$Checks the ticks that a ticker reports, which may have a wrong clock.
done_until: up to when ticks have been carried out.
due_until: the latest time at which a tick can be due.
Errors: OX004 invalid argument.
Touches: nothing.$comment$;

create function queue._has_tick(msg_id bigint)
returns boolean
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_is_there boolean;
begin
  if to_regclass('queue.q___schedules') is null then
    return false;
  end if;
  execute format($sql$
    select exists (select from %1$s as m where m.msg_id = $1)
  $sql$, queue._queue_table('__schedules'))
  into v_is_there
  using _has_tick.msg_id;
  return v_is_there;
end
$function$;

comment on function queue._has_tick(bigint) is
$comment$Returns whether the message of a schedule exists, which it does unless the queue was purged.
Returns true or false.
Touches: nothing; reads the table of queue __schedules.$comment$;

create function queue._jitter_of(name text, jitter interval)
returns interval
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
begin
  return date_trunc('milliseconds', _jitter_of.jitter * ((hashtextextended(_jitter_of.name, 0) & 1048575) / 1048576.0)::double precision);
end
$function$;

comment on function queue._jitter_of(text, interval) is
$comment$Returns by how much the ticks of a schedule are delayed. The delay is the same for all of its ticks, so schedules are spread and the time between two ticks stays exact.
jitter: the maximum.
Returns the interval.
Touches: nothing.$comment$;

create function queue._plan_tick(name text, due_at timestamptz)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_now    constant timestamptz := clock_timestamp();
  v_body   jsonb;
  v_msg_id bigint;
begin
  perform queue._cancel_tick(_plan_tick.name);
  select jsonb_strip_nulls(jsonb_build_object(
      'schedule', s.name,
      'cron', s.cron,
      'every_seconds', s.every_seconds,
      'time_zone', s.time_zone,
      'late_by_seconds', extract(epoch from queue._jitter_of(s.name, s.jitter)),
      'grace_seconds', extract(epoch from s.grace),
      'catch_up', s.catch_up,
      'catch_up_limit', s.catch_up_limit,
      'done_until', s.done_until
    ))
  into v_body
  from queue.schedule as s
  where s.name = _plan_tick.name;

  v_msg_id := (
    queue._send_messages('__schedules', array[v_body], greatest(due_at - v_now, '0'), array[null::jsonb])
  )[1];
  update queue.schedule as s
  set msg_id = v_msg_id
  where s.name = _plan_tick.name;
end
$function$;

comment on function queue._plan_tick(text, timestamptz) is
$comment$Creates the message that is the next tick of a schedule, in place of the previous one. The message contains everything that a ticker needs.
name: of a schedule whose row the caller has locked.
due_at: when a ticker must look at the schedule.
Touches: queue.schedule, the table of queue __schedules.$comment$;

create function queue.captured_deliveries(
  after          bigint default 0,
  max_deliveries integer default 100
)
returns setof queue.captured_message
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $function$
declare
  v_is_masked constant boolean := not queue._may_see_passwords();
begin
  perform queue._require_current_tables();
  if max_deliveries is null or max_deliveries not between 1 and 10000 then
    perform queue._raise('OX004', format('invalid max_deliveries %s', coalesce(max_deliveries::text, 'null')), null,
      'Request between 1 and 10000 deliveries at a time.');
  end if;
  if to_regclass('queue.captured_delivery') is null then
    return;
  end if;
  return query
    select c.capture_id, c.captured_at, c.subscription_id,
      case when v_is_masked then queue._masked_url(c.url) else c.url end,
      c.headers ->> 'topic', c.message,
      case
        when v_is_masked and c.url is not null then
          c.headers || jsonb_build_object('url', queue._masked_url(c.url))
        else c.headers
      end
    from queue.captured_delivery as c
    where c.capture_id > coalesce(captured_deliveries.after, 0)
    order by c.capture_id
    limit max_deliveries;
end
$function$;

comment on function queue.captured_deliveries(bigint, integer) is
$comment$Lists what a sandbox would have sent to urls, in order.
after: capture_id of the last row of the previous page; 0 for the first page.
max_deliveries: size of the page, 1 to 10000.
Returns one row per delivery to a url of a subscription. Passwords in urls are masked except for oxbow_admin.
Errors: OX004 invalid argument, OX006 the tables are older than the functions.
Touches: nothing; reads queue.captured_delivery.$comment$;

create function queue.guard_incarnation(is_guarded boolean default true)
returns boolean
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  perform queue._ensure_migrated();
  if is_guarded is null then
    perform queue._raise('OX004', 'invalid is_guarded null', null, 'Pass true or false.');
  end if;
  -- A database that is already on another timeline is held by its previous guard.
  if queue._must_hold(true) then
    perform queue._raise('OX004', 'a held database cannot be guarded', null,
      'Release it first; the release records its current timeline.');
  end if;
  update queue.own_incarnation as i
  set guarded_timeline = case when guard_incarnation.is_guarded then queue._wal_timeline() end,
    written_by = pg_current_xact_id()
  where i.guarded_timeline is null = guard_incarnation.is_guarded;
  return found;
end
$function$;

comment on function queue.guard_incarnation(boolean) is
$comment$Sets whether this database counts as a copy, and is held, once its server writes another timeline of the write-ahead log: after the promotion of a standby, or after recovery from an archive. Use it for databases without automatic failover; with failover, the takeover would stop all runs until release_incarnation(). A copied volume stays on its timeline and is not detected.
is_guarded: false removes the guard.
Returns true if this call changed the setting. A release keeps the guard.
Errors: OX004 invalid argument, or the database is held.
Touches: queue.own_incarnation.$comment$;

create function queue.hold_incarnation(
  origin    text default 'held by hand',
  copied_at timestamptz default null
)
returns boolean
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  perform queue._ensure_migrated();
  if origin is null or length(origin) not between 1 and 200 then
    perform queue._raise('OX004', format('invalid origin "%s"', left(origin, 50)), null,
      'Give the reason in 1 to 200 characters.');
  elsif copied_at > clock_timestamp() then
    perform queue._raise('OX004', format('copied_at %s is in the future', copied_at), null,
      'Pass the time at which the copy was made.');
  end if;
  update queue.own_incarnation as i
  set state = 'held',
    became_at = clock_timestamp(),
    copied_at = coalesce(hold_incarnation.copied_at, clock_timestamp()),
    origin = hold_incarnation.origin,
    written_by = pg_current_xact_id()
  where i.state <> 'held';
  return found;
end
$function$;

comment on function queue.hold_incarnation(text, timestamptz) is
$comment$Marks this database as a copy: nothing is received, delivered or started by the clock until release_incarnation(). Use it for copies that cannot be distinguished from their source: copied files of a cluster, point-in-time recoveries, standbys promoted by mistake. Call it before any worker or server connects. A run that a worker has already received continues until it suspends.
origin: the reason, for people, 1 to 200 characters.
copied_at: time up to which the copy has the history of its source; null means now.
Returns true if this call marked the database; false if it was already held.
Errors: OX004 invalid argument.
Touches: queue.own_incarnation.$comment$;

create function queue.incarnation()
returns queue.incarnation_info
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_verdict text;
  v_info    queue.incarnation_info;
begin
  perform queue._require_current_tables();
  if to_regclass('queue.own_incarnation') is null then
    return null;
  end if;
  v_verdict := queue._judge_incarnation(true);
  select i.incarnation_id, i.parent_id, i.state, i.origin, i.became_at, i.copied_at, i.guarded_timeline is not null
  into v_info
  from queue.own_incarnation as i;
  v_info.state := case
    when v_verdict in ('moved', 'promoted', 'held') then 'held'
    when v_verdict = 'new' then 'live'
    else v_info.state
  end;
  if v_verdict = 'moved' then
    v_info.origin := 'is in another cluster or database than before';
  elsif v_verdict = 'promoted' then
    v_info.origin := 'was promoted, or recovered from an archive';
  end if;
  return v_info;
end
$function$;

comment on function queue.incarnation() is
$comment$Returns the identity of this database. Its state is held if it detects that it is a copy (restored from a dump, or copied by CREATE DATABASE … TEMPLATE), if its server writes another timeline and guard_incarnation() was called, or after hold_incarnation(), which copies of files need because they cannot be distinguished from their source.
Returns its id, its state (live, sandbox or held) and its origin; nulls if Oxbow has no tables yet.
Errors: OX006 the tables are older than the functions.
Touches: nothing; reads queue.own_incarnation.$comment$;

create function queue._capture_deliveries()
returns bigint
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_messages jsonb[];
  v_headers  jsonb[];
begin
  if to_regclass('queue.q___http') is null then
    return 0::bigint;
  end if;
  execute format($sql$
    with taken as (
      delete from %1$s as m
      returning m.msg_id, m.message, m.headers
    )
    select array_agg(t.message order by t.msg_id), array_agg(t.headers order by t.msg_id)
    from taken as t
    where t.message is not null
  $sql$, queue._queue_table('__http'))
  into v_messages, v_headers;

  insert into queue.captured_delivery (captured_at, subscription_id, url, message, headers)
  select clock_timestamp(), (i.headers ->> 'subscription_id')::bigint, i.headers ->> 'url', i.message, i.headers
  from unnest(v_messages, v_headers) with ordinality as i (message, headers, position)
  order by i.position;
  return coalesce(cardinality(v_messages), 0)::bigint;
end
$function$;

comment on function queue._capture_deliveries() is
$comment$Captures the deliveries to urls that came with a copy.
Returns how many.
Touches: the table of queue __http, queue.captured_delivery.$comment$;

create function queue._last_history_at()
returns timestamptz
language plpgsql
stable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
begin
  return coalesce(
    greatest(
      (select max(r.started_at) from queue.workflow_run as r),
      (select max(r.completed_at) from queue.workflow_run as r),
      (select max(s.completed_at) from queue.workflow_step as s)
    ),
    clock_timestamp()
  );
end
$function$;

comment on function queue._last_history_at() is
$comment$Returns up to when this database has a history, judged by its runs.
Returns the latest start, end or step; the current time if there is none.
Touches: nothing; reads queue.workflow_run and queue.workflow_step.$comment$;

create function queue._pause_timed_runs(after timestamptz)
returns bigint
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  return (
    select count(*)
    from (
      select m.msg_id
      from queue.workflow_continuation as m
      where m.receipt is null
        and (
          m.visible_at > after and m.visible_at < 'infinity'
          -- Delayed starts that will wait for admission aren't visible before.
          or exists (
            select
            from queue.workflow_admission as a
            where a.run_id = m.msg_id
              and a.state = 'new'
              and not a.is_over
              and a.due_at > after
          )
        )
      order by m.msg_id
      offset 0
    ) as timed
    where queue.workflow_pause(timed.msg_id, 'its timer is on hold since the copy')
  );
end
$function$;

comment on function queue._pause_timed_runs(timestamptz) is
$comment$Pauses runs that would resume at some time.
after: runs that were due by then are not paused.
Returns how many it paused.
Touches: as workflow_pause().$comment$;

create function queue._restart_schedules(timers text)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_now      constant timestamptz := clock_timestamp();
  v_schedule record;
begin
  for v_schedule in
    select s.name
    from queue.schedule as s
    where s.msg_id is not null
    order by s.name
    for no key update
  loop
    if timers = 'hold' then
      perform queue.schedule_pause(v_schedule.name, 'held since the copy');
      continue;
    elsif timers = 'shift' then
      update queue.schedule as s
      set done_until = greatest(s.done_until, v_now),
        next_tick_at = null
      where s.name = v_schedule.name;
    end if;
    -- A new message, so that a ticker of the source cannot report.
    perform queue._plan_tick(v_schedule.name, v_now);
  end loop;
end
$function$;

comment on function queue._restart_schedules(text) is
$comment$Plans the ticks of all schedules of a copy again, so that no ticker of the source can carry them out.
timers: as in release_incarnation().
Touches: queue.schedule, the table of queue __schedules.$comment$;

create function queue._revoke_leases(after timestamptz)
returns bigint
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_killed bigint;
begin
  -- In the order of run ids, as all transactions lock runs: signals and cancellations may be concurrent.
  perform
  from queue.workflow_continuation as m
  order by m.msg_id
  for no key update;

  -- As if the leases had expired. A paused run that was set aside keeps a receipt, but no worker holds it.
  update queue.workflow_continuation as m
  set receipt = queue._new_receipt(m.msg_id, m.receipt),
    suspect_at = null,
    deaths = null,
    visible_at = clock_timestamp(),
    read_ct = greatest(m.read_ct - (m.visible_at > after)::integer, 0)
  where m.receipt is not null
    and (m.headers ? 'paused' and m.visible_at = queue._paused_until(m.headers)) is not true;
  get diagnostics v_killed = row_count;

  perform queue._revoke_message_leases(q.name, make_interval(secs => q.visibility_timeout), after)
  from (
    select o.name, o.visibility_timeout
    from queue.queue as o
    where o.kind <> 'workflow'
    order by o.name
  ) as q;

  -- Marks refer to transactions of the source, which may be far ahead of those here.
  delete from queue.ready_mark;
  delete from queue.group_mark;
  delete from queue.id_mark;
  return v_killed;
end
$function$;

comment on function queue._revoke_leases(timestamptz) is
$comment$Revokes the leases of all runs, and of messages of all queues: their receipts are dead, and they can be received again. Interrupted deliveries do not count.
after: when the copy was made; leases that had expired by then count.
Returns how many runs had a lease.
Touches: queue.workflow_continuation, all rows; as _revoke_message_leases() for each queue; queue.ready_mark, queue.group_mark, queue.id_mark.$comment$;

create function queue._revoke_message_leases(name text, lease interval, after timestamptz)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  -- A message that was postponed for longer than a lease has failed at its consumer and waits for its next attempt.
  execute format($sql$
    with leased as materialized (
      select m.msg_id
      from %1$s as m
      where m.receipt is not null
      order by m.msg_id
      for no key update
    )
    update %1$s as m
    set receipt = queue._message_receipt(m.msg_id, m.receipt, true),
      visible_at = case when m.visible_at <= $1 + $2 then clock_timestamp() else m.visible_at end,
      read_ct = greatest(m.read_ct - (m.visible_at > $1 and m.visible_at <= $1 + $2)::integer, 0)
    from leased as l
    where m.msg_id = l.msg_id
  $sql$, queue._queue_table(name))
  using after, lease;
end
$function$;

comment on function queue._revoke_message_leases(text, interval, timestamptz) is
$comment$Revokes the leases of a queue's messages: their receipts are dead, and they can be received again at once, without a counted delivery. Messages that were postponed for longer than a lease stay postponed.
name: of the queue.
lease: the queue's visibility timeout.
after: when the copy was made.
Errors: OX001 no such queue.
Touches: the queue's table, rows with a receipt, locked in the order of message ids.$comment$;

create function queue._shift_deadlines(items jsonb, after timestamptz, shift interval)
returns jsonb
language sql
stable
as $function$
  select pg_catalog.jsonb_agg(
      case
        when u.until > after then
          pg_catalog.jsonb_set(
            i.item, '{until}',
            pg_catalog.to_jsonb(
              pg_catalog.to_char((u.until + shift) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
            )
          )
        else i.item
      end
      order by i.n
    )
  from pg_catalog.jsonb_array_elements(items) with ordinality as i (item, n)
  -- Workers write deadlines as ISO 8601 text. Other values mean nothing to them and stay.
  cross join lateral (
    select case
      when i.item ->> 'until' ~ '^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d' then (i.item ->> 'until')::timestamptz
    end
  ) as u (until)
$function$;

comment on function queue._shift_deadlines(jsonb, timestamptz, interval) is
$comment$Shifts the deadlines in the waits or the retries of a continuation.
items: its waits or its retries; until is ISO 8601 text.
after: deadlines up to then stay.
shift: in whole milliseconds.
Returns the items; null if there are none.
Touches: nothing.$comment$;

create function queue._shift_messages(name text, shift interval, after timestamptz, until timestamptz)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  execute format($sql$
    with delayed as materialized (
      select m.msg_id
      from %1$s as m
      where m.visible_at > $2
        and (m.receipt is null or m.visible_at > $3)
      order by m.msg_id
      for no key update
    )
    update %1$s as m
    set visible_at = m.visible_at + $1
    from delayed as d
    where m.msg_id = d.msg_id
  $sql$, queue._queue_table(name))
  using shift, after, until;
end
$function$;

comment on function queue._shift_messages(text, interval, timestamptz, timestamptz) is
$comment$Shifts the times at which delayed messages of a queue become visible.
name: of the queue.
shift: by how much.
after: messages that were due by then stay.
until: the current time; messages whose lease was revoked are visible by then.
Errors: OX001 no such queue.
Touches: the queue's table, delayed rows, locked in the order of message ids.$comment$;

create function queue._shift_timers(shift interval, after timestamptz)
returns bigint
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  -- Deadlines in continuations have whole milliseconds, and everything must shift together.
  v_shift   constant interval := date_trunc('milliseconds', shift);
  v_now     constant timestamptz := clock_timestamp();
  v_shifted bigint;
begin
  update queue.workflow_run as r
  set deadline = r.deadline + v_shift
  where r.status = 'running'
    and r.deadline > after;
  update queue.workflow_admission as a
  set due_at = a.due_at + v_shift
  where a.due_at > after
    and a.due_at < 'infinity';
  -- A used-up rate stays used up for the same time.
  update queue.workflow_gate as g
  set filled_at = case when g.filled_at > after then g.filled_at + v_shift else g.filled_at end,
    opens_at = case when g.opens_at > after then g.opens_at + v_shift else g.opens_at end
  where g.filled_at > after
    or g.opens_at > after;
  update queue.deduplication as d
  set expires_at = d.expires_at + v_shift
  where d.expires_at > after;
  update queue.subscription as s
  set failing_since = s.failing_since + v_shift
  where s.failing_since is not null;
  -- Ticks are planned again by _restart_schedules().
  perform queue._shift_messages(q.name, v_shift, after, v_now)
  from (
    select o.name
    from queue.queue as o
    where o.kind <> 'workflow'
      and o.name <> '__schedules'
    order by o.name
  ) as q;

  update queue.workflow_continuation as m
  set visible_at = case
      when m.visible_at > after and (m.receipt is null or m.headers ? 'paused') then m.visible_at + v_shift
      else m.visible_at
    end,
    headers = case
      when m.headers ? 'paused' then m.headers || jsonb_build_object('paused', jsonb_strip_nulls(jsonb_build_object(
          'until', (m.headers #>> '{paused,until}')::timestamptz
            + case when (m.headers #>> '{paused,until}')::timestamptz > after then v_shift else '0' end,
          'due', (m.headers #>> '{paused,due}')::timestamptz
            + case when (m.headers #>> '{paused,due}')::timestamptz > after then v_shift else '0' end
        )))
      else m.headers
    end,
    message = m.message || jsonb_strip_nulls(jsonb_build_object(
      'waits', queue._shift_deadlines(nullif(m.message -> 'waits', 'null'), after, v_shift),
      'retries', queue._shift_deadlines(nullif(m.message -> 'retries', 'null'), after, v_shift)
    ))
  where m.visible_at > after and m.visible_at < 'infinity'
    or m.headers ? 'paused'
    or m.receipt is not null;
  get diagnostics v_shifted = row_count;
  return v_shifted;
end
$function$;

comment on function queue._shift_timers(interval, timestamptz) is
$comment$Shifts all stored times to come: of runs, delayed messages, rates of flow control and deduplication ids. Retention counts from the end of a run or the time of a send, which do not change.
shift: by how much; fractions of a millisecond are dropped.
after: times up to then stay.
Returns how many continuations it looked at.
Touches: queue.workflow_continuation, which the caller has locked; queue.workflow_run, queue.workflow_admission, queue.workflow_gate, queue.deduplication, queue.subscription; as _shift_messages() for each queue but __schedules.$comment$;

create function queue._spread_overdue()
returns bigint
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_at_once constant bigint := 1000::bigint;
  v_within  constant interval := interval '1 minute';
  v_now     constant timestamptz := clock_timestamp();
  v_overdue constant bigint := (
    select count(*) from queue.workflow_continuation as m where m.visible_at <= v_now
  );
begin
  if v_overdue <= v_at_once then
    return 0::bigint;
  end if;
  update queue.workflow_continuation as m
  set visible_at = v_now + v_within * (o.place::double precision / v_overdue)
  from (
    select d.msg_id, row_number() over (order by d.visible_at, d.msg_id) as place
    from queue.workflow_continuation as d
    where d.visible_at <= v_now
  ) as o
  where m.msg_id = o.msg_id;
  return v_overdue;
end
$function$;

comment on function queue._spread_overdue() is
$comment$Spreads runs that are due over a minute, oldest first, if there are more than 1000.
Returns how many it postponed.
Touches: queue.workflow_continuation, which the caller has locked.$comment$;

create function queue.release_incarnation(mode text, timers text default 'fire')
returns queue.released_incarnation
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_copied_at timestamptz;
  v_guarded   boolean;
  v_result    queue.released_incarnation;
begin
  perform queue._ensure_migrated();
  if mode is null or mode not in ('live', 'sandbox') then
    perform queue._raise('OX004', format('invalid mode "%s"', mode), null,
      'The mode is "sandbox", which captures deliveries to urls, or "live".');
  elsif timers is null or timers not in ('fire', 'shift', 'hold') then
    perform queue._raise('OX004', format('invalid timers "%s"', timers), null,
      'Timers "fire" when they are due, "shift" by the time since the copy, or "hold" until their run is resumed.');
  end if;
  v_result.released := queue._must_hold(true);
  if not v_result.released then
    return v_result;
  end if;

  -- Concurrent releases wait here. The transaction id comes before the clock: see _advance_ready_mark().
  perform pg_current_xact_id();
  lock table queue.own_incarnation in share row exclusive mode;
  lock table queue.workflow_continuation in row exclusive mode;
  select i.copied_at, i.guarded_timeline is not null into v_copied_at, v_guarded
  from queue.own_incarnation as i
  where i.state = 'held';
  if not found and exists (select from queue.own_incarnation) then
    v_result.released := false;
    return v_result;
  end if;
  v_copied_at := coalesce(v_copied_at, queue._last_history_at());

  v_result.leases := queue._revoke_leases(v_copied_at);
  v_result.timers := case timers
    when 'shift' then queue._shift_timers(clock_timestamp() - v_copied_at, v_copied_at)
    when 'hold' then queue._pause_timed_runs(v_copied_at)
    else 0
  end;
  v_result.timers := v_result.timers + queue._spread_overdue();
  perform queue._restart_schedules(timers);
  v_result.captured := case when mode = 'sandbox' then queue._capture_deliveries() else 0 end;
  v_result.incarnation_id := gen_random_uuid();

  delete from queue.own_incarnation as i
  where i.is_the_only_one
  returning i.incarnation_id into v_result.incarnation_id;
  insert into queue.own_incarnation (
    became_at, copied_at, system_identifier, written_by, incarnation_id, parent_id, database_oid, table_oid,
    server_version, state, origin, guarded_timeline
  )
  select clock_timestamp(), v_copied_at, c.system_identifier, pg_current_xact_id(), gen_random_uuid(),
    v_result.incarnation_id, split_part(pg_relation_filepath('queue.own_incarnation'), '/', -2)::oid,
    'queue.own_incarnation'::regclass::oid, current_setting('server_version_num')::integer, mode,
    'released by ' || queue._caller(), case when v_guarded then queue._wal_timeline() end
  from pg_control_system() as c
  returning incarnation_id into v_result.incarnation_id;

  -- A database that takes over may lack ids that its source has given out since.
  if mode = 'live' then
    perform queue._advance_ids();
  end if;
  perform queue._wake('queue_' || q.name) from queue.queue as q;
  return v_result;
end
$function$;

comment on function queue.release_incarnation(text, text) is
$comment$Releases a held database under a new identity. Leases that came with the copy are dead: their runs and messages can be received again at once, and the interrupted deliveries do not count. Messages that were postponed for longer than a lease stay postponed. If more than 1000 runs are due, they become ready one by one within a minute.
mode: live, or sandbox, which captures deliveries to urls instead of sending them, including those that came with the copy: see captured_deliveries().
timers: what happens to sleeps, timeouts, retries, delayed starts and schedules.
- fire: each timer fires at its time, or now if that has passed; schedules catch up by their settings.
- shift: all timers, deadlines of runs, delayed messages and used-up rates are postponed by the time since the copy was made, or since the last event in its history if that is unknown. Schedules continue with their next tick.
- hold: runs with a timer and all schedules are paused; resume the ones you want. Messages are unaffected.
Returns what it did; released is false if the database was not held, and then nothing was done.
Errors: OX004 invalid argument.
Touches: queue.own_incarnation, locked against other releases; queue.workflow_continuation, queue.workflow_run, queue.workflow_admission, queue.workflow_gate, queue.schedule, queue.deduplication, queue.subscription; the tables of all queues; queue.captured_delivery.$comment$;

create function queue._judge_incarnation(thorough boolean)
returns text
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $function$
declare
  v_own      record;
  v_system   bigint;
  v_is_other boolean;
begin
  select i.state, i.system_identifier, i.server_version, i.guarded_timeline, i.is_untouched, i.is_same_database
  into v_own
  from queue._own_incarnation() as i;
  if coalesce(v_own.state, 'held') in ('new', 'held') then
    return coalesce(v_own.state, 'held');
  elsif not v_own.is_same_database then
    return 'moved';
  end if;
  v_is_other := v_own.guarded_timeline is not null
    and case when not pg_is_in_recovery() then v_own.guarded_timeline <> queue._wal_timeline() else false end;
  if v_own.is_untouched and not v_is_other and not thorough then
    return 'home';
  end if;

  select c.system_identifier into v_system from pg_control_system() as c;
  return case
    when v_system = v_own.system_identifier then case when v_is_other then 'promoted' else 'home' end
    when v_own.is_untouched
      and v_own.server_version / 10000 <> current_setting('server_version_num')::integer / 10000 then 'upgraded'
    else 'moved'
  end;
end
$function$;

comment on function queue._judge_incarnation(boolean) is
$comment$Decides whether this database is a copy, by comparing where it is with where it was. Cheap evidence comes first: the path of a table contains the oid of the database, and after a restore another transaction has written the row. If both fit, the control file is read only if asked for. If not, the control file decides, because a table may have been rewritten in place.
thorough: read the control file in any case.
Returns home; promoted (on another timeline, if that counts: see guard_incarnation()); new (never judged before); upgraded (by pg_upgrade, which makes a new cluster of the same files); moved (a copy); or held.
Touches: nothing; reads queue.own_incarnation.$comment$;

create function queue._must_hold(thorough boolean)
returns boolean
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_verdict constant text := queue._judge_incarnation(thorough);
begin
  if v_verdict = 'home' then
    return false;
  end if;
  if v_verdict <> 'held' and not pg_is_in_recovery() then
    perform queue._record_verdict(v_verdict);
  end if;
  return v_verdict in ('moved', 'promoted', 'held');
end
$function$;

comment on function queue._must_hold(boolean) is
$comment$Returns whether this database must not receive, deliver or fire timers, and records a new verdict.
thorough: as in _judge_incarnation().
Returns true or false.
Touches: queue.own_incarnation, if the verdict is new.$comment$;

create function queue._own_incarnation()
returns table (
  state             text,
  system_identifier bigint,
  server_version    integer,
  guarded_timeline  integer,
  is_untouched      boolean,
  is_same_database  boolean
)
language sql
stable
as $function$
  select i.state, i.system_identifier, i.server_version, i.guarded_timeline,
    i.xmin operator(pg_catalog.=) i.written_by::xid,
    i.tableoid operator(pg_catalog.=) i.table_oid
      and i.database_oid operator(pg_catalog.=)
        pg_catalog.split_part(pg_catalog.pg_relation_filepath('queue.own_incarnation'), '/', -2)::oid
  from queue.own_incarnation as i
  where i.is_the_only_one
$function$;

comment on function queue._own_incarnation() is
$comment$Returns what this database has recorded about itself, and whether the record still fits. Inlined, so that a receive does not pay for a call.
is_untouched: the transaction that wrote the row is the one named in it, which a restore changes.
is_same_database: the table and the database have the recorded oids.
Returns one row; none in a database without a record.
Touches: nothing; reads queue.own_incarnation.$comment$;

create function queue._record_verdict(verdict text)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  if verdict in ('moved', 'promoted') then
    update queue.own_incarnation as i
    set state = 'held',
      became_at = clock_timestamp(),
      copied_at = null,
      origin = case verdict
        when 'moved' then 'was moved to another cluster or database'
        else 'was promoted, or recovered from an archive'
      end,
      written_by = pg_current_xact_id()
    where i.is_the_only_one = (select l.is_the_only_one from queue.own_incarnation as l where l.state <> 'held' for no key update skip locked);
  else
    -- Don't wait for a transaction that records the same.
    update queue.own_incarnation as i
    set state = case when i.state = 'new' then 'live' else i.state end,
      became_at = case when i.state = 'new' then clock_timestamp() else i.became_at end,
      -- A copy of a new database needs another identity.
      incarnation_id = case when i.state = 'new' then gen_random_uuid() else i.incarnation_id end,
      system_identifier = (select c.system_identifier from pg_control_system() as c),
      database_oid = split_part(pg_relation_filepath('queue.own_incarnation'), '/', -2)::oid,
      table_oid = i.tableoid,
      server_version = current_setting('server_version_num')::integer,
      guarded_timeline = case when i.guarded_timeline is not null then queue._wal_timeline() end,
      written_by = pg_current_xact_id()
    where i.is_the_only_one = (
      select l.is_the_only_one
      from queue.own_incarnation as l
      where (l.state = 'new') = (verdict = 'new')
        and l.state <> 'held'
      for no key update skip locked
    );
  end if;
end
$function$;

comment on function queue._record_verdict(text) is
$comment$Records a verdict of _judge_incarnation(): a new or upgraded database is at home, and one that was moved or promoted is held.
verdict: new, upgraded, moved or promoted.
Touches: queue.own_incarnation (SKIP LOCKED).$comment$;

create function queue._wal_timeline()
returns integer
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  -- Not from the control file, which contains a promotion only after the next checkpoint.
  return ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::integer;
end
$function$;

comment on function queue._wal_timeline() is
$comment$Returns the timeline of the write-ahead log that this server writes. It changes with each promotion and each recovery from an archive.
Returns its number.
Errors: 55000 the server is a standby, which writes no log.
Touches: nothing.$comment$;

create function queue.check_invariants()
returns setof queue.violation
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_queue record;
begin
  perform queue._require_current_tables();
  if to_regclass('queue.workflow_run') is null then
    return;
  end if;

  return query
    select 'a journal row has its run', format('run %s', s.run_id), format('step "%s"', s.step_name)
    from queue.workflow_step as s
    where not exists (select from queue.workflow_run as r where r.run_id = s.run_id)
    union all
    select 'a journal has the positions 1 to n', format('run %s', s.run_id),
      format('%s rows, last position %s', count(*), max(s.position))
    from queue.workflow_step as s
    group by s.run_id
    having count(*) <> max(s.position)
      or count(distinct s.position) <> count(*)
    union all
    select 'a buffered signal has its run', format('run %s', b.run_id), format('event "%s"', b.event)
    from queue.workflow_buffered_signal as b
    where not exists (select from queue.workflow_run as r where r.run_id = b.run_id)
    union all
    select 'a deduplicated signal has its run', format('run %s', d.run_id), format('id "%s"', d.deduplication_id)
    from queue.workflow_signal_receipt as d
    where not exists (select from queue.workflow_run as r where r.run_id = d.run_id)
    union all
    select 'a published value has its run', format('run %s', s.run_id), format('key "%s"', s.key)
    from queue.workflow_run_state as s
    where not exists (select from queue.workflow_run as r where r.run_id = s.run_id)
    union all
    select 'a chunk of a stream has its run', format('run %s', c.run_id), format('position %s', c.position)
    from queue.workflow_stream_chunk as c
    where not exists (select from queue.workflow_run as r where r.run_id = c.run_id)
    union all
    select 'a run in flight holds its idempotency key', format('run %s', r.run_id),
      format('superseded by run %s', r.superseded_by)
    from queue.workflow_run as r
    where r.superseded_by is not null
      and r.status = 'running'
    union all
    select 'a run has the queue of its workflow', format('run %s', r.run_id),
      format('workflow "%s"', r.workflow_name)
    from queue.workflow_run as r
    where queue._workflow_queue_id(r.workflow_name) is null
    union all
    select 'a schedule has its next tick', format('schedule "%s"', s.name), format('message %s', s.msg_id)
    from queue.schedule as s
    where s.msg_id is not null
      and not queue._has_tick(s.msg_id)
    union all
    select v.* from queue._violations_of_continuations() as v
    union all
    select v.* from queue._violations_of_admission() as v;

  for v_queue in
    select q.name, queue._queue_table(q.name) as queue_table
    from queue.queue as q
    where q.kind = 'fifo'
    order by q.name
  loop
    return query select v.* from queue._violations_of_heads(v_queue.name, v_queue.queue_table) as v;
  end loop;
end
$function$;

comment on function queue.check_invariants() is
$comment$Lists broken invariants; always empty in a healthy database. It checks that every running run has a continuation and no ended run has one, that journals have no gaps, that each message group has a head, that paused runs are not visible, that schedules have their next tick, and that flow control counts correctly. It reads all tables, so don't call it on a hot path.
Returns one row per violation.
Errors: OX006 the tables are older than the functions.
Touches: nothing; reads all tables.$comment$;

create function queue._violations_of_admission()
returns setof queue.violation
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  return query
    select 'a run that waits for its turn is running', format('run %s', a.run_id), a.state
    from queue.workflow_admission as a
    where not a.is_over
      and not exists (select from queue.workflow_run as r where r.run_id = a.run_id and r.status = 'running')
    union all
    select 'a gate counts its runs', format('workflow queue %s, key "%s"', g.queue_id, g.key),
      format('%s taken instead of %s, %s candidates instead of %s', g.taken, n.taken, g.candidates, n.candidates)
    from queue.workflow_gate as g
    join queue.queue as q on q.queue_id = g.queue_id
    cross join lateral (
      select
        count(*) filter (where a.state = 'admitted' or g.key <> '' and a.state = 'candidate') as taken,
        count(*) filter (where g.key <> '' and a.state = 'candidate') as candidates
      from queue.workflow_admission as a
      where a.queue_id = g.queue_id
        and (g.key = '' or a.key = g.key)
    ) as n
    where (g.key = '' or q.flow_control ?| '{concurrency_per_key,rate_limit_per_key}')
      and (g.taken, g.candidates) is distinct from (n.taken, n.candidates);
end
$function$;

comment on function queue._violations_of_admission() is
$comment$Returns the broken invariants of flow control.
Returns one row per violation.
Touches: nothing; reads queue.workflow_admission, queue.workflow_gate and queue.workflow_run.$comment$;

create function queue._violations_of_continuations()
returns setof queue.violation
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  return query
    select 'a running run has one continuation', format('run %s', r.run_id), format('workflow "%s"', r.workflow_name)
    from queue.workflow_run as r
    where r.status = 'running'
      and not exists (select from queue.workflow_continuation as m where m.msg_id = r.run_id)
    union all
    select 'a continuation belongs to a running run', format('run %s', m.msg_id), format('workflow "%s"', r.workflow_name)
    from queue.workflow_continuation as m
    left join queue.workflow_run as r on r.run_id = m.msg_id
    where r.status is distinct from 'running'
    union all
    select 'a continuation is in the queue of its workflow', format('run %s', m.msg_id), format('workflow "%s"', r.workflow_name)
    from queue.workflow_continuation as m
    join queue.workflow_run as r on r.run_id = m.msg_id
    where m.queue_id is distinct from queue._workflow_queue_id(r.workflow_name)
    union all
    select 'a continuation has the version of its run', format('run %s', m.msg_id), format('version %s', m.version)
    from queue.workflow_continuation as m
    join queue.workflow_run as r on r.run_id = m.msg_id
    where r.workflow_version <> m.version
    union all
    select 'a continuation has the time of the start of its run', format('run %s', m.msg_id),
      format('%s instead of %s', m.enqueued_at, r.started_at)
    from queue.workflow_continuation as m
    join queue.workflow_run as r on r.run_id = m.msg_id
    where r.started_at <> m.enqueued_at
    union all
    select 'a pending wait or retry is not journaled', format('run %s', m.msg_id), format('step "%s"', s.step_name)
    from queue.workflow_continuation as m
    cross join lateral jsonb_array_elements(
      coalesce(m.message -> 'waits', '[]') || coalesce(m.message -> 'retries', '[]')
    ) as w
    join queue.workflow_step as s
      on s.run_id = m.msg_id
      and s.step_name = w ->> 'step'
    union all
    select 'a blocked run has the length of its journal', format('run %s', m.msg_id),
      format('%s instead of %s', m.message ->> 'journaled', j.rows)
    from queue.workflow_continuation as m
    cross join lateral (select count(*) as rows from queue.workflow_step as s where s.run_id = m.msg_id) as j
    where m.receipt is null
      and m.message ? 'journaled'
      and (m.message ->> 'journaled')::bigint <> j.rows
    union all
    select 'a run is paused where its continuation is', format('run %s', r.run_id), format('workflow "%s"', r.workflow_name)
    from queue.workflow_continuation as m
    join queue.workflow_run as r on r.run_id = m.msg_id
    where (r.paused_at is not null) <> coalesce(m.headers ? 'paused', false)
    union all
    select 'a paused run that no worker executes is not visible', format('run %s', m.msg_id),
      format('visible at %s', m.visible_at)
    from queue.workflow_continuation as m
    where m.headers ? 'paused'
      and m.receipt is null
      and m.visible_at <> queue._paused_until(m.headers);
end
$function$;

comment on function queue._violations_of_continuations() is
$comment$Returns the broken invariants of continuations.
Returns one row per violation.
Touches: nothing; reads queue.workflow_run, queue.workflow_step and queue.workflow_continuation.$comment$;

create function queue._violations_of_heads(name text, queue_table regclass)
returns setof queue.violation
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  return query execute format($sql$
    select 'a message group has one head, its oldest message',
      format('queue "%%s", group "%%s"', $1, m.message_group_id),
      format('oldest %%s, head %%s', min(m.msg_id), coalesce(min(m.msg_id) filter (where m.head)::text, 'none'))
    from %1$s as m
    group by m.message_group_id
    having count(*) filter (where m.head) = 0
      or count(*) filter (where m.head and m.message is not null) > 1
      or min(m.msg_id) filter (where m.head and m.message is not null)
        <> min(m.msg_id) filter (where m.message is not null)
  $sql$, queue_table)
  using name;
end
$function$;

comment on function queue._violations_of_heads(text, regclass) is
$comment$Returns message groups of a FIFO queue that break the invariant: a group has one head, which is its oldest message or a tombstone.
Returns one row per violation.
Touches: nothing; reads the queue's table.$comment$;

create function queue.migrate()
returns integer
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_latest constant integer := 29;
  v_current integer := 0;
begin
  if to_regclass('queue.migration') is not null then
    select coalesce(max(m.version), 0) into v_current from queue.migration as m;
    if v_current >= v_latest and to_regclass('queue.state_0029') is not null then
      return 0;
    end if;
  end if;

  perform queue._lock_tables();
  perform queue._require_migration_rights();

  create table if not exists queue.migration (
    applied_at timestamptz not null,
    version    integer not null,
    name       text not null,
    constraint migration_pkey primary key (version)
  );
  comment on table queue.migration is
    'One row per change of state that was applied to this database, from migrations/.';
  comment on column queue.migration.applied_at is 'When it was applied.';
  comment on column queue.migration.version is 'Number of the migration.';
  comment on column queue.migration.name is 'Name of the migration.';

  -- Again, because another migrator may have held the lock.
  select coalesce(max(m.version), 0) into v_current from queue.migration as m;

  if v_current < 1 then
    execute $migration_1$
-- The registry of queues, and the deduplication ids of FIFO queues.
--
-- The messages of queue n are in queue.q_<n>, which queue._create_queue_table() makes with the queue. The names
-- of its indexes and of its sequence begin otherwise, so that no queue's table can collide with them.

create table queue.queue (
  created_at         timestamptz not null default clock_timestamp(),
  visibility_timeout integer not null,
  max_receives       integer,
  name               text not null,
  kind               text not null,
  dead_letter_queue  text,
  constraint queue_pkey primary key (name),
  constraint dead_letter_queue_exists foreign key (dead_letter_queue) references queue.queue (name),
  constraint kind_is_known check (kind in ('standard', 'fifo', 'workflow')),
  constraint visibility_timeout_is_not_negative check (visibility_timeout >= 0),
  constraint max_receives_is_positive check (max_receives > 0),
  constraint max_receives_goes_with_dead_letter_queue check ((max_receives is null) = (dead_letter_queue is null)),
  constraint dead_letter_queue_is_another_queue check (dead_letter_queue <> name)
);

create index queue_dead_letter_queue on queue.queue (dead_letter_queue)
  where dead_letter_queue is not null;

comment on table queue.queue is
  'One row a queue, from create_queue() to drop_queue(). Its messages are in queue.q_<name>.';
comment on column queue.queue.created_at is 'When the queue was created.';
comment on column queue.queue.visibility_timeout is 'Seconds for which a received message is in flight, where receive() is not told otherwise.';
comment on column queue.queue.max_receives is 'How often a message is delivered before it moves to the dead letter queue; null: for ever.';
comment on column queue.queue.name is 'Name of the queue; one that begins with "__" is Oxbow''s own.';
comment on column queue.queue.kind is 'standard, fifo (order within a message group) or workflow (continuations of runs).';
comment on column queue.queue.dead_letter_queue is 'Queue that messages move to after max_receives deliveries.';

create table queue.deduplication (
  expires_at       timestamptz not null,
  msg_id           bigint not null,
  queue_name       text not null,
  deduplication_id text not null,
  constraint deduplication_pkey primary key (queue_name, deduplication_id)
) with (
  fillfactor = 80,
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0
);

create index deduplication_expiry on queue.deduplication (expires_at);

comment on table queue.deduplication is
  'Deduplication ids that send_fifo() has seen of late. Expired rows are reused, and swept a few at a time by later sends.';
comment on column queue.deduplication.expires_at is 'From when on the id may be used again.';
comment on column queue.deduplication.msg_id is 'The message that was sent with the id.';
comment on column queue.deduplication.queue_name is 'The queue; an id counts within its queue.';
comment on column queue.deduplication.deduplication_id is 'As given to send_fifo().';
$migration_1$;
    insert into queue.migration (applied_at, version, name) values (clock_timestamp(), 1, 'queue');
  end if;

  if v_current < 2 then
    execute $migration_2$
-- Runs, their journals, and buffered signals.
--
-- A run's one message, its continuation, is in the queue table q___wf_<name>, made at the first start of a
-- workflow. Here is what outlives it. No foreign key ties steps to runs: it would lock the run's row at
-- every step; check_invariants() looks for orphans instead.

create type queue.workflow_status as enum ('running', 'completed', 'failed', 'cancelled');

create table queue.workflow_run (
  run_id           bigint generated by default as identity (cache 100),
  started_at       timestamptz not null,
  completed_at     timestamptz,
  expires_at       timestamptz,
  deadline         timestamptz,
  ended_by         bigint,
  retention_days   integer not null,
  workflow_version integer not null,
  status           queue.workflow_status not null,
  workflow_name    text not null,
  idempotency_key  text,
  input            jsonb,
  output           jsonb,
  error            jsonb,
  tags             jsonb,
  constraint workflow_run_pkey primary key (run_id),
  constraint run_id_fits_in_a_receipt check (run_id between 1 and 8796093022207),
  constraint version_is_positive check (workflow_version > 0),
  constraint retention_is_not_negative check (retention_days >= 0),
  constraint ended_run_has_completed_at check ((status = 'running') = (completed_at is null)),
  constraint ended_run_expires check ((completed_at is null) = (expires_at is null)),
  constraint only_completed_run_has_output check (output is null or status = 'completed')
) with (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

create unique index workflow_run_idempotency_key on queue.workflow_run (workflow_name, idempotency_key)
  where idempotency_key is not null;
create index workflow_run_expiry on queue.workflow_run (expires_at)
  where expires_at is not null;

comment on table queue.workflow_run is
  'One row a run, from its start until the sweeper deletes it. What a running run is doing is told by its continuation in queue.q___wf_<workflow_name>.';
comment on column queue.workflow_run.run_id is 'Identity of the run; also the msg_id of its continuation.';
comment on column queue.workflow_run.started_at is 'When workflow_start was called, by the database''s clock.';
comment on column queue.workflow_run.completed_at is 'When the run ended, whichever way; null while it runs.';
comment on column queue.workflow_run.expires_at is 'From when on the sweeper may delete the ended run: completed_at plus retention_days.';
comment on column queue.workflow_run.deadline is 'When a run that is still running fails with DeadlineExceeded; null: never.';
comment on column queue.workflow_run.ended_by is 'Receipt of the commit that ended the run, so that its repetition after a lost answer is recognised.';
comment on column queue.workflow_run.retention_days is 'Days that the ended run is kept; fixed at the start.';
comment on column queue.workflow_run.workflow_version is 'Version of the definition that the run started with and stays with.';
comment on column queue.workflow_run.status is 'running, completed, failed or cancelled.';
comment on column queue.workflow_run.workflow_name is 'Name of the workflow; its queue is __wf_<workflow_name>.';
comment on column queue.workflow_run.idempotency_key is 'A second start of the workflow with this key finds this run.';
comment on column queue.workflow_run.input is 'What the run was started with.';
comment on column queue.workflow_run.output is 'What the body of a completed run returned.';
comment on column queue.workflow_run.error is 'Why a failed or cancelled run ended: name, message, code, cause.';
comment on column queue.workflow_run.tags is 'Whatever the starter wants to find the run by.';

create table queue.workflow_step (
  run_id       bigint not null,
  started_at   timestamptz not null,
  completed_at timestamptz not null,
  position     integer not null,
  attempts     integer not null,
  step_name    text not null,
  kind         text not null,
  output       jsonb,
  error        jsonb,
  constraint workflow_step_pkey primary key (run_id, step_name),
  constraint step_kind_is_known check (kind in ('run', 'sleep', 'wait')),
  constraint step_has_output_or_error check (output is null or error is null)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

comment on table queue.workflow_step is
  'The journal: one row a finished step. Rows are only ever inserted, the first commit of a step wins, and they leave with their run.';
comment on column queue.workflow_step.run_id is 'The run.';
comment on column queue.workflow_step.started_at is 'completed_at less the time that the last call of the callback took.';
comment on column queue.workflow_step.completed_at is 'When the row was committed.';
comment on column queue.workflow_step.position is 'Place in the run''s journal, from 1: the order in which a replay hands the values to the body. The clock does not decide it, since clocks are set back.';
comment on column queue.workflow_step.attempts is 'How many times the callback was called.';
comment on column queue.workflow_step.step_name is 'Name of the step, unique within the run.';
comment on column queue.workflow_step.kind is 'run, sleep or wait.';
comment on column queue.workflow_step.output is 'What the step returned, or the payload of the event; null where there was nothing, or a wait timed out.';
comment on column queue.workflow_step.error is 'Why the step failed for good; its body may have caught that.';

create table queue.workflow_buffered_signal (
  signal_id   bigint generated always as identity,
  run_id      bigint not null,
  received_at timestamptz not null,
  event       text not null,
  payload     jsonb,
  constraint workflow_buffered_signal_pkey primary key (run_id, signal_id)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

comment on table queue.workflow_buffered_signal is
  'Signals that came while no wait of their run matched them; taken in arrival order by the next wait that does.';
comment on column queue.workflow_buffered_signal.signal_id is 'Arrival order.';
comment on column queue.workflow_buffered_signal.run_id is 'The run that was signalled.';
comment on column queue.workflow_buffered_signal.received_at is 'When workflow_signal was called.';
comment on column queue.workflow_buffered_signal.event is 'Name of the event.';
comment on column queue.workflow_buffered_signal.payload is 'What was sent along.';
$migration_2$;
    insert into queue.migration (applied_at, version, name) values (clock_timestamp(), 2, 'workflow');
  end if;

  if v_current < 3 then
    execute $migration_3$
-- Subscriptions to topics.
--
-- There is no table of topics: every name that a message is published to is a topic. The key begins with the pattern, byte by
-- byte, so that the index of it is a trie of words that a publish walks down; see queue._subscriptions_for().

create table queue.subscription (
  subscription_id bigint generated always as identity,
  created_at      timestamptz not null default clock_timestamp(),
  filter_hash     bigint not null,
  pattern         text collate "C" not null,
  filter_path     text collate "C" not null,
  target_type     text not null,
  target          text not null,
  filter          jsonb,
  options         jsonb not null,
  constraint subscription_pkey primary key (subscription_id),
  constraint target_type_is_known check (target_type in ('queue', 'http', 'workflow')),
  constraint options_are_an_object check (jsonb_typeof(options) = 'object'),
  constraint no_filter_has_no_path check (filter is not null or filter_path = '')
);

create index subscription_match on queue.subscription (pattern, filter_path, filter_hash);
create index subscription_target on queue.subscription (target_type, target);

comment on table queue.subscription is
  'One row a subscription, from subscribe() to unsubscribe(): where messages of the topics that match go.';
comment on column queue.subscription.subscription_id is 'Identity of the subscription.';
comment on column queue.subscription.created_at is 'When subscribe() was called.';
comment on column queue.subscription.filter_hash is 'jsonb_hash_extended() of the value that the filter wants at filter_path; 0 where there is no path.';
comment on column queue.subscription.pattern is 'Words split by "."; "*" is any one word, "#" any number of words.';
comment on column queue.subscription.filter_path is 'The path, as a text array, of the one value of the filter that the index knows; empty when there is none.';
comment on column queue.subscription.target_type is 'queue, http or workflow.';
comment on column queue.subscription.target is 'Name of the queue or of the workflow, or the url.';
comment on column queue.subscription.filter is 'JSON that a message must contain (message @> filter); null takes all.';
comment on column queue.subscription.options is 'As given to subscribe().';
$migration_3$;
    insert into queue.migration (applied_at, version, name) values (clock_timestamp(), 3, 'topic');
  end if;

  if v_current < 4 then
    execute $migration_4$
-- How far the indexes of each queue have been read, so that receives skip dead entries.
--
-- While an old snapshot is held (a long query, a dump, a forgotten transaction), vacuum removes nothing, and the
-- entries of messages that have gone pile up where a receive, or a send to a group, begins to read. Rows are only
-- inserted, and the newest one is read first, since the versions of an updated row would pile up all the same.

create table queue.ready_mark (
  mark_id    bigint generated always as identity,
  taken_at   timestamptz not null,
  ready_from timestamptz not null,
  swept_at   timestamptz not null,
  sweep_took interval not null,
  horizon    xid8 not null,
  part       integer not null,
  queue_name text not null,
  constraint ready_mark_pkey primary key (queue_name, part, mark_id)
) with (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0
);

comment on table queue.ready_mark is
  'Where a receive begins to read the ready index: the newest row of a queue counts. Only speed depends on it; an empty table is correct too.';
comment on column queue.ready_mark.mark_id is 'Order of the marks.';
comment on column queue.ready_mark.taken_at is 'When the mark was made.';
comment on column queue.ready_mark.ready_from is 'No message is, or will ever be, visible from an earlier time on.';
comment on column queue.ready_mark.swept_at is 'When the index was last read from its beginning.';
comment on column queue.ready_mark.sweep_took is 'How long that took.';
comment on column queue.ready_mark.horizon is 'The transaction that made the mark, which got its id after taken_at was read.';
comment on column queue.ready_mark.part is 'Version of the workflow; 0 in other queues.';
comment on column queue.ready_mark.queue_name is 'The queue.';

create table queue.group_mark (
  mark_id          bigint generated always as identity,
  taken_at         timestamptz not null,
  empty_below      bigint not null,
  queue_name       text not null,
  message_group_id text not null,
  constraint group_mark_pkey primary key (queue_name, message_group_id, mark_id)
) with (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0
);

comment on table queue.group_mark is
  'Which messages of a group are known to have gone: the newest row of a group counts. Only speed depends on it; an empty table is correct too.';
comment on column queue.group_mark.mark_id is 'Order of the marks.';
comment on column queue.group_mark.taken_at is 'When the mark was made; old ones are swept now and then.';
comment on column queue.group_mark.empty_below is 'Every message of the group with a smaller id has gone.';
comment on column queue.group_mark.queue_name is 'The FIFO queue.';
comment on column queue.group_mark.message_group_id is 'The message group.';

-- FIFO queues that are there: one index for both questions, who is the newest of a group and who comes next. No
-- unique index, since each insertion into one reads all dead entries of its key; the lock on the group is the guard.
do $queues$
declare
  v_name text;
begin
  for v_name in
    select 'q_' || q.name from queue.queue as q where q.kind = 'fifo' order by q.name
  loop
    execute format('create index %I on queue.%I (message_group_id, msg_id)', 'group_of_' || v_name, v_name);
    execute format('drop index queue.%I', 'head_of_' || v_name);
    execute format('drop index queue.%I', 'next_of_' || v_name);
  end loop;
end
$queues$;
$migration_4$;
    insert into queue.migration (applied_at, version, name) values (clock_timestamp(), 4, 'marks');
  end if;

  if v_current < 5 then
    execute $migration_5$
-- Operating runs: owners of idempotency keys, pauses, reruns, deduplicated signals, and indexes to find runs by.
-- A run that starts and completes by itself writes one index entry more than before, of
-- workflow_run_ended; all other indexes here are partial, and hold only runs for which something unusual is true.

alter table queue.workflow_run
  add column superseded_by bigint,
  add column rerun_of bigint,
  add column paused_at timestamptz,
  add column pause_reason text,
  add constraint only_running_run_is_paused check (paused_at is null or status = 'running');

comment on column queue.workflow_run.superseded_by is 'The run that took over the idempotency key; null: this run holds it, if it has one.';
comment on column queue.workflow_run.rerun_of is 'The run that this one repeats.';
comment on column queue.workflow_run.paused_at is 'Since when a running run executes nothing, until workflow_resume(); null: it isn''t paused.';
comment on column queue.workflow_run.pause_reason is 'As given to workflow_pause().';

drop index queue.workflow_run_idempotency_key;
create unique index workflow_run_idempotency_key on queue.workflow_run (workflow_name, idempotency_key)
  where idempotency_key is not null and superseded_by is null;
create index workflow_run_superseded on queue.workflow_run (workflow_name, idempotency_key)
  where superseded_by is not null;
create index workflow_run_ended on queue.workflow_run (workflow_name, run_id)
  where completed_at is not null;
create index workflow_run_unsuccessful on queue.workflow_run (run_id)
  where status in ('failed', 'cancelled');
create index workflow_run_paused on queue.workflow_run (run_id)
  where paused_at is not null;
create index workflow_run_tags on queue.workflow_run using gin (tags jsonb_path_ops)
  where tags is not null;
create index workflow_run_long_retention on queue.workflow_run (completed_at)
  where completed_at is not null and retention_days > 30;

create table queue.workflow_signal_receipt (
  run_id           bigint not null,
  deduplication_id text not null,
  outcome          text not null,
  constraint workflow_signal_receipt_pkey primary key (run_id, deduplication_id)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

comment on table queue.workflow_signal_receipt is
  'Deduplication ids of signals that a run has had; they leave with their run.';
comment on column queue.workflow_signal_receipt.run_id is 'The run that was signalled.';
comment on column queue.workflow_signal_receipt.deduplication_id is 'As given to workflow_signal().';
comment on column queue.workflow_signal_receipt.outcome is 'What became of the first signal with the id: delivered or buffered.';

create table queue.workflow_run_state (
  run_id bigint not null,
  set_at timestamptz not null,
  key    text not null,
  value  jsonb,
  constraint workflow_run_state_pkey primary key (run_id, key)
) with (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

comment on table queue.workflow_run_state is
  'What a run tells about itself while it goes on, for others to see; it leaves with its run.';
comment on column queue.workflow_run_state.run_id is 'The run.';
comment on column queue.workflow_run_state.set_at is 'When the value was committed.';
comment on column queue.workflow_run_state.key is 'As given to ctx.set().';
comment on column queue.workflow_run_state.value is 'The last value that was set.';

create table queue.workflow_stream_chunk (
  run_id     bigint not null,
  position   bigint not null,
  written_at timestamptz not null,
  attempt    integer not null,
  number     integer not null,
  step_name  text not null,
  chunk      jsonb,
  constraint workflow_stream_chunk_pkey primary key (run_id, position),
  constraint chunk_is_written_once unique (run_id, step_name, attempt, number)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

comment on table queue.workflow_stream_chunk is
  'The output that a run streams while it goes on; it leaves with its run.';
comment on column queue.workflow_stream_chunk.run_id is 'The run.';
comment on column queue.workflow_stream_chunk.position is 'Place in the stream of the run, from 1; there may be gaps.';
comment on column queue.workflow_stream_chunk.written_at is 'When the chunk was committed.';
comment on column queue.workflow_stream_chunk.attempt is 'Which call of the step wrote it; of the body, how many rows of the journal it had seen then.';
comment on column queue.workflow_stream_chunk.number is 'The how manieth chunk of that call, from 1: a replay writes none twice.';
comment on column queue.workflow_stream_chunk.step_name is 'The step whose callback wrote it; empty: the body.';
comment on column queue.workflow_stream_chunk.chunk is 'What was written.';
$migration_5$;
    insert into queue.migration (applied_at, version, name) values (clock_timestamp(), 5, 'run_operations');
  end if;

  if v_current < 6 then
    execute $migration_6$
-- The kinds of steps that a journal may hold. Not validated: existing rows passed the narrower rule.

alter table queue.workflow_step
  drop constraint step_kind_is_known,
  add constraint step_kind_is_known
    check (kind in ('run', 'sleep', 'wait', 'rollback', 'invoke', 'signal', 'publish', 'tx')) not valid;

comment on column queue.workflow_step.kind is
  'run, sleep, wait, rollback, invoke, signal, publish or tx.';
$migration_6$;
    insert into queue.migration (applied_at, version, name) values (clock_timestamp(), 6, 'step_kinds');
  end if;

  if v_current < 7 then
    execute $migration_7$
-- Runs that a step of another run has started. The index holds only those.

alter table queue.workflow_run
  add column parent_run_id bigint,
  add column parent_step text,
  add column is_detached boolean;

comment on column queue.workflow_run.parent_run_id is 'The run whose step.invoke started this one; null: it was started from outside.';
comment on column queue.workflow_run.parent_step is 'Name of that step. A parent starts one run a step.';
comment on column queue.workflow_run.is_detached is 'The parent does not wait for the end of this run; null: there is no parent.';

create unique index workflow_run_parent on queue.workflow_run (parent_run_id, parent_step)
  where parent_run_id is not null;
$migration_7$;
    insert into queue.migration (applied_at, version, name) values (clock_timestamp(), 7, 'invoke');
  end if;

  if v_current < 8 then
    execute $migration_8$
-- Retention and privileges of single queues. The four
-- roles of Oxbow may use all queues, each in its way, and need no row here.

alter table queue.queue
  add column retention_seconds integer,
  add constraint retention_is_positive check (retention_seconds > 0);

comment on column queue.queue.retention_seconds is 'After how many seconds a message that nobody has received is dropped; null: never.';

create table queue.queue_grant (
  granted_at timestamptz not null,
  queue_name text not null,
  role_name  name not null,
  privilege  text not null,
  constraint queue_grant_pkey primary key (queue_name, role_name, privilege),
  constraint privilege_is_known check (privilege in ('send', 'receive'))
);

comment on table queue.queue_grant is
  'One row for each thing that a role may do with one queue, from grant_queue() to revoke_queue(). A role that was renamed or dropped has no rights by it.';
comment on column queue.queue_grant.granted_at is 'When grant_queue() was called.';
comment on column queue.queue_grant.queue_name is 'The queue.';
comment on column queue.queue_grant.role_name is 'The role; its members have the right too.';
comment on column queue.queue_grant.privilege is 'send, or receive (which is to acknowledge, too).';
$migration_8$;
    insert into queue.migration (applied_at, version, name) values (clock_timestamp(), 8, 'queue_settings');
  end if;

  if v_current < 9 then
    execute $migration_9$
-- The continuations of all workflows in one table, so that what works on them is planned once a session, and one
-- statement does for many workflows. Their queues, queue.q___wf_<name>, are views of it.

alter table queue.queue
  add column queue_id integer generated always as identity,
  add constraint queue_id_is_unique unique (queue_id);

comment on column queue.queue.queue_id is 'What rows of a table that several queues share know their queue by.';

create table queue.workflow_continuation (
  msg_id          bigint not null,
  visible_at      timestamptz not null,
  enqueued_at     timestamptz not null,
  receipt         bigint,
  settled_receipt bigint,
  queue_id        integer not null,
  version         integer not null,
  read_ct         integer not null default 0,
  message         jsonb,
  headers         jsonb,
  constraint workflow_continuation_pkey primary key (msg_id)
);

-- Rows live for seconds and are written thrice: room for the next version on the page, and vacuum as soon as it
-- pays. Statistics matter little, and an emptied table grows again.
alter table queue.workflow_continuation set (
  fillfactor = 70, vacuum_truncate = off,
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0,
  autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 100000,
  toast.vacuum_truncate = off, toast.autovacuum_vacuum_scale_factor = 0,
  toast.autovacuum_vacuum_threshold = 2000, toast.autovacuum_vacuum_cost_delay = 0
);

comment on table queue.workflow_continuation is
  'One row a run in flight: the one message of its group, and the lock on the run. A row is ready when receipt is null and visible_at has passed, delayed when receipt is null and visible_at is to come (asleep, waiting, backing off), leased when it has a receipt and visible_at, the end of the lease, is to come, and receivable again after that.';
comment on column queue.workflow_continuation.msg_id is 'The run_id.';
comment on column queue.workflow_continuation.visible_at is 'From when on a worker may receive the run; infinity: when something happens to it.';
comment on column queue.workflow_continuation.enqueued_at is 'When the run was started.';
comment on column queue.workflow_continuation.receipt is 'Proof of the last delivery; null when no worker has the run.';
comment on column queue.workflow_continuation.settled_receipt is 'Receipt of the delivery that the last commit gave back, so that its repetition is recognised; null while the journal is empty, 0 where it is not, though no delivery was.';
comment on column queue.workflow_continuation.queue_id is 'The queue of the workflow.';
comment on column queue.workflow_continuation.version is 'Version of the workflow that the run stays with.';
comment on column queue.workflow_continuation.read_ct is 'Deliveries since the last progress.';
comment on column queue.workflow_continuation.message is 'What is transient: waits, retries, and the number of rows in the journal.';
comment on column queue.workflow_continuation.headers is 'What others want of the run: paused, cancelled.';

create index workflow_continuation_ready on queue.workflow_continuation (queue_id, version, visible_at);

do $queues$
declare
  v_queue record;
begin
  for v_queue in
    select q.queue_id, 'q_' || q.name as table_name
    from queue.queue as q
    where q.kind = 'workflow'
    order by q.name
  loop
    execute format($sql$
      insert into queue.workflow_continuation (
        msg_id, visible_at, enqueued_at, receipt, settled_receipt, queue_id, version, read_ct, message, headers
      )
      select m.msg_id, m.visible_at, m.enqueued_at, m.receipt, m.settled_receipt, %2$s, m.version, m.read_ct,
        m.message, m.headers
      from queue.%1$I as m
    $sql$, v_queue.table_name, v_queue.queue_id);
    execute format('drop table queue.%I', v_queue.table_name);
    execute format($sql$
      create view queue.%1$I as
        select m.msg_id, m.visible_at, m.enqueued_at, m.receipt, m.settled_receipt, m.read_ct, m.version, m.message,
          m.headers
        from queue.workflow_continuation as m
        where m.queue_id = %2$s
    $sql$, v_queue.table_name, v_queue.queue_id);
  end loop;
end
$queues$;
$migration_9$;
    insert into queue.migration (applied_at, version, name) values (clock_timestamp(), 9, 'continuations');
  end if;

  if v_current < 10 then
    execute $migration_10$
-- Schedules, which start runs by the clock. The next tick is a delayed message on the queue __schedules.

alter table queue.workflow_run
  add column scheduled_at timestamptz;

comment on column queue.workflow_run.scheduled_at is
  'The tick of a schedule that started the run, whose name is its tag "schedule"; null for other runs.';

create table queue.schedule (
  created_at       timestamptz not null,
  changed_at       timestamptz not null,
  done_until       timestamptz not null,
  next_tick_at     timestamptz,
  last_tick_at     timestamptz,
  paused_at        timestamptz,
  last_run_id      bigint,
  msg_id           bigint,
  jitter           interval not null,
  grace            interval not null,
  every_seconds    integer,
  workflow_version integer not null,
  retention_days   integer,
  catch_up_limit   integer,
  name             text not null,
  workflow_name    text not null,
  cron             text,
  time_zone        text not null,
  catch_up         text not null,
  overlap          text not null,
  pause_reason     text,
  input            jsonb,
  tags             jsonb,
  constraint schedule_pkey primary key (name),
  constraint schedule_has_cron_or_interval check (num_nonnulls(cron, every_seconds) = 1),
  constraint catch_up_is_known check (catch_up in ('skip', 'latest', 'backfill')),
  constraint only_a_backfill_has_a_limit check ((catch_up = 'backfill') = (catch_up_limit is not null)),
  constraint overlap_is_known check (overlap in ('allow', 'skip')),
  constraint paused_schedule_has_no_message check (paused_at is null or msg_id is null)
);

-- Partial, since a change of the rest then leaves it alone.
create unique index schedule_message on queue.schedule (msg_id) where msg_id is not null;

comment on table queue.schedule is
  'One row a schedule, from schedule_create() to schedule_delete(). Its ticks are worked out by whoever runs a ticker; the database decides which of them are due, and that each is done once.';
comment on column queue.schedule.created_at is 'When schedule_create() was called first.';
comment on column queue.schedule.changed_at is 'When schedule_create() changed something.';
comment on column queue.schedule.done_until is 'Ticks up to then are done with, whatever became of them.';
comment on column queue.schedule.next_tick_at is 'The next tick, without jitter; null while no ticker has worked it out, while paused, and where there is none.';
comment on column queue.schedule.last_tick_at is 'The last tick that was not passed over for being missed.';
comment on column queue.schedule.paused_at is 'Since when the schedule is paused; null: it is not.';
comment on column queue.schedule.last_run_id is 'The run that the schedule started last.';
comment on column queue.schedule.msg_id is 'The message on __schedules that is its next tick; null while paused, and where there is none.';
comment on column queue.schedule.jitter is 'By how much all ticks of the schedule are late at most; the name decides by how much they are.';
comment on column queue.schedule.grace is 'A tick that is later than this is missed, which is what catch_up is about.';
comment on column queue.schedule.every_seconds is 'Length of the interval; its ticks are the multiples of it since 1970. Null: cron.';
comment on column queue.schedule.workflow_version is 'Version of the workflow that runs are started with.';
comment on column queue.schedule.retention_days is 'Days that an ended run is kept; null: the default of workflow_start().';
comment on column queue.schedule.catch_up_limit is 'How many missed ticks a backfill starts runs for at most.';
comment on column queue.schedule.name is 'Identity of the schedule.';
comment on column queue.schedule.workflow_name is 'The workflow that it starts runs of.';
comment on column queue.schedule.cron is 'Cron expression of five or six fields. Null: every_seconds.';
comment on column queue.schedule.time_zone is 'IANA name of the time zone that the cron expression speaks of.';
comment on column queue.schedule.catch_up is 'What becomes of missed ticks: skip, latest (the newest starts a run) or backfill.';
comment on column queue.schedule.overlap is 'Whether a tick starts a run while the run before is running: allow or skip.';
comment on column queue.schedule.pause_reason is 'Why it is paused: what schedule_pause() was told, or what is wrong with the schedule.';
comment on column queue.schedule.input is 'Input of the runs.';
comment on column queue.schedule.tags is 'Tags of the runs, besides the name of the schedule.';
$migration_10$;
    insert into queue.migration (applied_at, version, name) values (clock_timestamp(), 10, 'schedule');
  end if;

  if v_current < 11 then
    execute $migration_11$
-- Flow control: how many runs of a workflow are in flight, how fast they begin, in which order.

alter table queue.queue
  add column flow_control jsonb;

comment on column queue.queue.flow_control is
  'What workflow_set_flow_control() says of a workflow; null where it was never called.';

-- Whether there is any, which each end of a run asks: one look, whatever has come and gone in the tables below.
create index queue_with_flow_control on queue.queue (queue_id) where flow_control is not null;

create table queue.workflow_admission (
  run_id   bigint not null,
  due_at   timestamptz not null,
  queue_id integer not null,
  version  integer not null,
  priority integer not null,
  is_over  boolean not null default false,
  is_again boolean not null default false,
  state    text not null,
  key      text not null,
  constraint workflow_admission_pkey primary key (run_id),
  constraint admission_state_is_known check (state in ('new', 'waiting', 'candidate', 'admitted'))
);

alter table queue.workflow_admission set (
  fillfactor = 70, vacuum_truncate = off,
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0,
  autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 100000
);

-- Sessions have ids in store, so that the order of starts is that of their times. A list each, so that what waits behind one key is never walked through for another one.
create index workflow_admission_new on queue.workflow_admission (queue_id, version, due_at)
  where state = 'new' and not is_over;
create index workflow_admission_waiting on queue.workflow_admission (queue_id, key, priority desc, due_at, run_id)
  where state = 'waiting' and not is_over;
create index workflow_admission_candidate on queue.workflow_admission (queue_id, version, priority desc, due_at, run_id)
  where state = 'candidate' and not is_over;
create index workflow_admission_over on queue.workflow_admission (queue_id)
  where is_over;

comment on table queue.workflow_admission is
  'One row a run of a workflow with flow control, from its start until its end has been noticed, or, where nothing counts runs in flight, until it is admitted. Before it is admitted its continuation is not visible. Only starts, ends and whoever holds the lock of the admission (see _admit_runs()) write here.';
comment on column queue.workflow_admission.run_id is 'The run.';
comment on column queue.workflow_admission.due_at is 'When the run may begin at the earliest.';
comment on column queue.workflow_admission.queue_id is 'The queue of the workflow.';
comment on column queue.workflow_admission.version is 'Version of the workflow that the run stays with.';
comment on column queue.workflow_admission.priority is 'The higher goes first.';
comment on column queue.workflow_admission.is_over is 'The run has ended; what it held is to be given to others.';
comment on column queue.workflow_admission.is_again is 'The run has ended, and was retried before anybody took note.';
comment on column queue.workflow_admission.state is 'new: nobody has looked at it. waiting: for its key. candidate: its key lets it begin, and it waits for the workflow. admitted: it is in flight.';
comment on column queue.workflow_admission.key is 'What limits for each key count it under; empty where there is none.';

create table queue.workflow_gate (
  opens_at   timestamptz,
  filled_at  timestamptz not null default '-infinity',
  queue_id   integer not null,
  taken      integer not null default 0,
  candidates integer not null default 0,
  key        text not null,
  constraint workflow_gate_pkey primary key (key, queue_id)
);

alter table queue.workflow_gate set (
  fillfactor = 50, vacuum_truncate = off,
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0,
  autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 100000
);

create index workflow_gate_opens on queue.workflow_gate (queue_id, opens_at)
  where opens_at is not null;

comment on table queue.workflow_gate is
  'What is counted of a workflow (key empty) and of each of its keys that has runs. Written only by whoever holds the lock of the admission.';
comment on column queue.workflow_gate.opens_at is 'When to look at it again without anything having happened; null: not before something does.';
comment on column queue.workflow_gate.filled_at is 'Until when the rate is used up, as the generic cell rate algorithm counts (ITU-T I.371): each run moves it on by the time that it has for itself.';
comment on column queue.workflow_gate.queue_id is 'The queue of the workflow.';
comment on column queue.workflow_gate.taken is 'Runs that are admitted, those of a key also as candidates, and not over.';
comment on column queue.workflow_gate.candidates is 'Candidates of the key.';
comment on column queue.workflow_gate.key is 'The key; empty: of the whole workflow.';
$migration_11$;
    insert into queue.migration (applied_at, version, name) values (clock_timestamp(), 11, 'flow_control');
  end if;

  if v_current < 12 then
    execute $migration_12$
-- The trace of a run, and an index of runs that started or ended recently.

alter table queue.workflow_run
  add column trace jsonb;

comment on column queue.workflow_run.trace is
  'Headers of the trace that the start was part of, as text by name: {"traceparent": …}; null where there was none.';

-- For workflow_metrics() alone. Small, and nearly free to keep, since runs end about in the order of their starts; of
-- expressions, so that it is no candidate for any other statement, nor
-- any other index for that one.
create index workflow_run_times on queue.workflow_run using brin (
  (started_at - timestamptz '2000-01-01 00:00:00+00'),
  (case when completed_at is not null then completed_at - timestamptz '2000-01-01 00:00:00+00' end)
) with (pages_per_range = 32);
$migration_12$;
    insert into queue.migration (applied_at, version, name) values (clock_timestamp(), 12, 'trace');
  end if;

  if v_current < 13 then
    execute $migration_13$
-- Runs that wait for a message of a topic: a subscription of the run for as long as it waits, and an inbox, so that
-- a publish waits for no run.

alter table queue.subscription
  drop constraint target_type_is_known,
  add constraint target_type_is_known check (target_type in ('queue', 'http', 'workflow', 'run'));

comment on column queue.subscription.target_type is 'queue, http, workflow, or run, for a step that waits.';
comment on column queue.subscription.target is 'Name of the queue or of the workflow, the url, or the run_id.';

create table queue.workflow_inbox (
  inbox_id bigint generated always as identity,
  run_id   bigint not null,
  event    text not null,
  payload  jsonb,
  constraint workflow_inbox_pkey primary key (inbox_id)
);

alter table queue.workflow_inbox set (
  vacuum_truncate = off,
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0
);

-- The last migration makes a table or an index.
create index workflow_inbox_run on queue.workflow_inbox (run_id);

comment on table queue.workflow_inbox is
  'One row a message of a topic that a run waits for, from the publish until the next receive hands it over as a signal.';
comment on column queue.workflow_inbox.inbox_id is 'Order of arrival.';
comment on column queue.workflow_inbox.run_id is 'The run that waits.';
comment on column queue.workflow_inbox.event is 'The event that its step waits for.';
comment on column queue.workflow_inbox.payload is 'The message.';
$migration_13$;
    insert into queue.migration (applied_at, version, name) values (clock_timestamp(), 13, 'topic_wait');
  end if;

  if v_current < 14 then
    execute $migration_14$
-- Subscriptions whose target has failed for long are disabled.

alter table queue.subscription
  add column failing_since timestamptz,
  add column disabled_at timestamptz,
  add column disabled_reason text,
  add constraint disabled_subscription_has_a_reason check ((disabled_at is null) = (disabled_reason is null));

comment on column queue.subscription.failing_since is
  'Of a url: when the first of the failures in a row was, that nothing has succeeded since; null where the last delivery succeeded.';
comment on column queue.subscription.disabled_at is 'Since when nothing is delivered; null where it is.';
comment on column queue.subscription.disabled_reason is 'How the last delivery before that failed.';

-- Those that somebody has to look at, without the many that are well.
create index subscription_failing on queue.subscription (failing_since) where failing_since is not null;
$migration_14$;
    insert into queue.migration (applied_at, version, name) values (clock_timestamp(), 14, 'failing_subscriptions');
  end if;

  if v_current < 15 then
    execute $migration_15$
-- The identity and place of this database, by which a copy detects that it is one and is held. Deliveries that a
-- sandbox would have sent to urls are kept here too.

create table queue.own_incarnation (
  became_at         timestamptz not null,
  copied_at         timestamptz,
  system_identifier bigint not null,
  written_by        xid8 not null,
  incarnation_id    uuid not null,
  parent_id         uuid,
  database_oid      oid not null,
  table_oid         oid not null,
  server_version    integer not null,
  is_the_only_one   boolean not null default true,
  state             text not null,
  origin            text not null,
  constraint own_incarnation_pkey primary key (is_the_only_one),
  constraint incarnation_is_the_only_one check (is_the_only_one),
  constraint incarnation_state_is_known check (state in ('new', 'live', 'sandbox', 'held'))
);

comment on table queue.own_incarnation is
  'One row: who this database is, and where that was written down. No migration may rewrite this table: by the transaction that wrote its row it is seen, for nothing, that the row was not restored from a dump.';
comment on column queue.own_incarnation.became_at is 'Since when it is in this state.';
comment on column queue.own_incarnation.copied_at is 'Of one that was copied: up to when the copy has the history of its source; null where nobody has said so.';
comment on column queue.own_incarnation.system_identifier is 'The cluster, by pg_control_system(). A copy of the files has the same.';
comment on column queue.own_incarnation.written_by is 'The transaction that wrote this row: its xmin.';
comment on column queue.own_incarnation.incarnation_id is 'Identity. A copy gets its own when it is released.';
comment on column queue.own_incarnation.parent_id is 'The incarnation that it is a copy of.';
comment on column queue.own_incarnation.database_oid is 'The database within the cluster.';
comment on column queue.own_incarnation.table_oid is 'This table within the database.';
comment on column queue.own_incarnation.server_version is 'As server_version_num: pg_upgrade makes a new cluster, but no copy.';
comment on column queue.own_incarnation.is_the_only_one is 'There is one row.';
comment on column queue.own_incarnation.state is 'new: nobody has received a run yet, and a copy of it is as new. live, sandbox. held: nothing is received, delivered or started by the clock until release_incarnation().';
comment on column queue.own_incarnation.origin is 'How it came into this state, for people.';

-- Where runs are in flight, this is where they belong.
insert into queue.own_incarnation (
  became_at, system_identifier, written_by, incarnation_id, database_oid, table_oid, server_version, state, origin
)
select clock_timestamp(), c.system_identifier, pg_current_xact_id(), gen_random_uuid(), d.oid,
  'queue.own_incarnation'::regclass::oid, current_setting('server_version_num')::integer,
  case when exists (select from queue.workflow_run) then 'live' else 'new' end, 'installed'
from pg_control_system() as c, pg_database as d
where d.datname = current_database();

create table queue.captured_delivery (
  capture_id      bigint generated always as identity,
  captured_at     timestamptz not null,
  subscription_id bigint,
  url             text,
  message         jsonb,
  headers         jsonb,
  constraint captured_delivery_pkey primary key (capture_id)
);

comment on table queue.captured_delivery is
  'One row for each delivery to a url that a sandbox did not send.';
comment on column queue.captured_delivery.capture_id is 'Order of the captures.';
comment on column queue.captured_delivery.captured_at is 'When it was published; of what came along with a fork, when that was released.';
comment on column queue.captured_delivery.subscription_id is 'The subscription.';
comment on column queue.captured_delivery.url is 'Where it would have gone.';
comment on column queue.captured_delivery.message is 'The message.';
comment on column queue.captured_delivery.headers is 'Its headers; topic is among them.';
$migration_15$;
    insert into queue.migration (applied_at, version, name) values (clock_timestamp(), 15, 'incarnation');
  end if;

  if v_current < 16 then
    execute $migration_16$
-- Functions per queue, which contain the statements of its hot path. migrate() creates them after the last step: see queue._create_queue_functions().

-- A send to a group asks whether that is empty. It need not look at messages that are known to have gone. As with the
-- other marks, rows are only inserted, and the newest one is read first.
create table queue.id_mark (
  mark_id    bigint generated always as identity,
  least_id   bigint,
  last_id    bigint not null,
  horizon    xid8 not null,
  queue_name text not null,
  constraint id_mark_pkey primary key (queue_name, mark_id)
) with (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0
);

comment on table queue.id_mark is
  'From which id on a FIFO queue has messages: the newest row of a queue counts. Only speed depends on it; an empty table is correct too.';
comment on column queue.id_mark.mark_id is 'Order of the marks.';
comment on column queue.id_mark.least_id is 'No message is there, or ever will be, with a smaller id; null where nobody has looked yet.';
comment on column queue.id_mark.last_id is 'The greatest id of a message that had been received when the mark was made.';
comment on column queue.id_mark.horizon is 'The transaction that made the mark, which got its id after it had received.';
comment on column queue.id_mark.queue_name is 'The FIFO queue.';

-- FIFO queues that are there: heads, which change all the time, and messages behind them, which do not, in indexes of
-- their own, so that what happens to a head does not touch an index as large as the backlog.
do $queues$
declare
  v_name text;
begin
  for v_name in
    select 'q_' || q.name from queue.queue as q where q.kind = 'fifo' order by q.name
  loop
    execute format('create index %I on queue.%I (message_group_id, msg_id) where head', 'heads_of_' || v_name, v_name);
    execute format('create index %I on queue.%I (message_group_id, msg_id) where not head', 'waiting_of_' || v_name, v_name);
    execute format('drop index queue.%I', 'group_of_' || v_name);
  end loop;
end
$queues$;
$migration_16$;
    insert into queue.migration (applied_at, version, name) values (clock_timestamp(), 16, 'queue_functions');
  end if;

  if v_current < 17 then
    execute $migration_17$
-- Whether a promotion, or a recovery from an archive, counts as a copy.

alter table queue.own_incarnation
  add column guarded_timeline integer;

comment on column queue.own_incarnation.guarded_timeline is
  'The timeline of the log on which this database is at home; on another one it is a copy. Null: timelines don''t matter, as where a standby takes over.';

-- One row needs no index: its name shows that the column exists.
create index own_incarnation_guarded on queue.own_incarnation (guarded_timeline)
  where guarded_timeline is not null;
$migration_17$;
    insert into queue.migration (applied_at, version, name) values (clock_timestamp(), 17, 'guard');
  end if;

  if v_current < 18 then
    execute $migration_18$
-- Progress of runs, and failures of steps that were retried, for display. No replay reads them.

create table queue.workflow_failed_attempt (
  run_id    bigint not null,
  failed_at timestamptz not null,
  retry_at  timestamptz not null,
  attempt   integer not null,
  step_name text not null,
  error     jsonb not null,
  constraint workflow_failed_attempt_pkey primary key (run_id, step_name, retry_at)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

comment on table queue.workflow_failed_attempt is
  'One row a failed call of a step that was called again, the first 10 and the last 90 of each step. Rows leave with their run.';
comment on column queue.workflow_failed_attempt.run_id is 'The run.';
comment on column queue.workflow_failed_attempt.failed_at is 'When the failure was committed.';
comment on column queue.workflow_failed_attempt.retry_at is 'When the next call was due. With the step it identifies the failure: a continuation that is written again carries the same.';
comment on column queue.workflow_failed_attempt.attempt is 'Which call of the step failed, from 1; counted from 1 again after workflow_retry().';
comment on column queue.workflow_failed_attempt.step_name is 'Name of the step.';
comment on column queue.workflow_failed_attempt.error is 'What the call threw.';

create table queue.workflow_progress (
  run_id      bigint not null,
  receipt     bigint not null,
  reported_at timestamptz not null,
  worker      text not null,
  steps       jsonb not null,
  constraint workflow_progress_pkey primary key (run_id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

comment on table queue.workflow_progress is
  'Which steps a worker is calling, of runs whose calls take longer than a second. True only while the receipt is alive. Rows leave with their run.';
comment on column queue.workflow_progress.run_id is 'The run.';
comment on column queue.workflow_progress.receipt is 'The delivery that the report belongs to.';
comment on column queue.workflow_progress.reported_at is 'When the worker reported.';
comment on column queue.workflow_progress.worker is 'What the worker calls itself: host and process.';
comment on column queue.workflow_progress.steps is 'The calls: [{"step", "attempt", "since"}].';
$migration_18$;
    insert into queue.migration (applied_at, version, name) values (clock_timestamp(), 18, 'attempts');
  end if;

  if v_current < 19 then
    execute $migration_19$
-- Message and run ids that were given out and then lost with the tail of the log are not given out again.

-- An unlogged sequence keeps its state over a clean restart, and loses it through events that may lose committed transactions:
-- crash recovery, and the promotion of a standby.
create unlogged sequence queue.crash_marker as bigint;

comment on sequence queue.crash_marker is
  'Called once since the last crash recovery or promotion: then the ids of this database are ahead of those that were lost. See queue._skip_lost_ids().';

select setval('queue.crash_marker', 1);

create sequence queue.skipped_ids as bigint;

comment on sequence queue.skipped_ids is
  'How many ids each sequence of a queue has skipped in all; not called: none. A new queue begins after as many.';
$migration_19$;
    insert into queue.migration (applied_at, version, name) values (clock_timestamp(), 19, 'crash_marker');
  end if;

  if v_current < 20 then
    execute $migration_20$
-- Lists of runs are in the order of their starts, which is not that of their ids: sessions draw those in blocks.

-- Replaced, so that the end of a run writes as many entries as before, and its start none.
drop index queue.workflow_run_ended;
create index workflow_run_ended on queue.workflow_run (workflow_name, started_at, run_id)
  where completed_at is not null;
drop index queue.workflow_run_unsuccessful;
create index workflow_run_unsuccessful on queue.workflow_run (workflow_name, started_at, run_id)
  where status in ('failed', 'cancelled');
drop index queue.workflow_run_paused;

-- Runs in flight are sorted by their continuations, which have to have the same time.
update queue.workflow_continuation as m
set enqueued_at = r.started_at
from queue.workflow_run as r
where r.run_id = m.msg_id
  and r.started_at <> m.enqueued_at;

-- Under a new name, by which the functions see that this migration was applied.
create index workflow_run_paused_by_start on queue.workflow_run (started_at, run_id)
  where paused_at is not null;
$migration_20$;
    insert into queue.migration (applied_at, version, name) values (clock_timestamp(), 20, 'newest_first');
  end if;

  if v_current < 21 then
    execute $migration_21$
-- Versions of workflows that workers have registered, so that a start by name finds the highest one and its defaults.

create table queue.workflow_version (
  registered_at  timestamptz not null,
  version        integer not null,
  retention_days integer,
  deadline       interval,
  workflow_name  text not null,
  on_failure     text,
  constraint workflow_version_pkey primary key (workflow_name, version),
  constraint version_is_positive check (version >= 1)
);

comment on table queue.workflow_version is
  'One row a version of a workflow that a worker has registered, until workflow_unregister().';
comment on column queue.workflow_version.registered_at is 'When a worker registered it first, or changed it.';
comment on column queue.workflow_version.version is 'The version.';
comment on column queue.workflow_version.retention_days is 'How long its ended runs are kept; null: 30 days.';
comment on column queue.workflow_version.deadline is 'How long after its start a run fails; null: never.';
comment on column queue.workflow_version.workflow_name is 'The workflow.';
comment on column queue.workflow_version.on_failure is 'The workflow of which a run is started for each of its runs that fails; null: none.';

-- One look for each end of a run: whether any workflow has a failure handler.
create index workflow_version_with_handler on queue.workflow_version (workflow_name) where on_failure is not null;

alter table queue.workflow_run
  add column failure_of bigint;
comment on column queue.workflow_run.failure_of is 'The run whose failure this one handles.';

-- A schedule without a version starts the latest one at each tick.
alter table queue.schedule
  alter column workflow_version drop not null;
comment on column queue.schedule.workflow_version is 'Version of the runs; null: the latest that is registered at the tick.';
$migration_21$;
    insert into queue.migration (applied_at, version, name) values (clock_timestamp(), 21, 'registered_versions');
  end if;

  if v_current < 22 then
    execute $migration_22$
-- Suspects: runs that may end their workers, and an index to receive them one at a time.

alter table queue.workflow_continuation
  add column suspect_at timestamptz,
  add column deaths bigint[];

comment on column queue.workflow_continuation.suspect_at is 'From when on a worker that executes no other suspect may receive the run: its last two leases, or more, expired without a commit. Until then visible_at is its deadline, or infinity. infinity: a worker executes it apart from other suspects; null: a death of its worker does not count.';
comment on column queue.workflow_continuation.deaths is 'Receipts of the workers in a row that executed the run apart from other suspects and have not been heard of since their leases expired; null: none.';

create index workflow_continuation_suspect on queue.workflow_continuation (queue_id, version, suspect_at)
  where suspect_at is not null;
$migration_22$;
    insert into queue.migration (applied_at, version, name) values (clock_timestamp(), 22, 'suspects');
  end if;

  if v_current < 23 then
    execute $migration_23$
-- Retries of failed runs by the policy of their workflow.

alter table queue.workflow_run
  add column retried integer;

comment on column queue.workflow_run.retried is 'How often the run was retried by the policy of its workflow since it was started or retried by hand; null: never.';

-- What is shown of a run that has retries; its name tells that the column exists.
create index workflow_run_retried on queue.workflow_run (run_id) where retried is not null;
$migration_23$;
    insert into queue.migration (applied_at, version, name) values (clock_timestamp(), 23, 'run_retries');
  end if;

  if v_current < 24 then
    execute $migration_24$
-- Deadlines that end runs even if no worker serves them. Only runs with a deadline have an index entry.
create index workflow_run_deadline on queue.workflow_run (deadline)
  where deadline is not null and status = 'running';

comment on index queue.workflow_run_deadline is 'Runs that are still running, by when they fail.';
$migration_24$;
    insert into queue.migration (applied_at, version, name) values (clock_timestamp(), 24, 'deadlines');
  end if;

  if v_current < 25 then
    execute $migration_25$
-- Which delivery wrote a chunk of a stream, so that a repeated call replaces an interrupted one.

alter table queue.workflow_stream_chunk
  add column receipt bigint,
  add column since bigint;

comment on column queue.workflow_stream_chunk.attempt is
  'Number of the call of the step, from 1; for the body, how many rows of the journal it had seen.';
comment on column queue.workflow_stream_chunk.number is
  'Number of the chunk within its call, from 1, so that a replay writes none twice; 0 and less for a reset.';
comment on column queue.workflow_stream_chunk.receipt is
  'Receipt of the delivery that wrote the chunk. All chunks of one call of a step have the same.';
comment on column queue.workflow_stream_chunk.since is
  'Of a reset, which is no chunk: the first position at which chunks of the step were deleted; null for a chunk.';

-- Few rows; its name shows that the columns exist.
create index workflow_stream_reset on queue.workflow_stream_chunk (run_id, position)
  where since is not null;
$migration_25$;
    insert into queue.migration (applied_at, version, name) values (clock_timestamp(), 25, 'stream_resets');
  end if;

  if v_current < 26 then
    execute $migration_26$
-- The sizes of large journal rows, so that the size of a journal is known without reading it.

alter table queue.workflow_step add column bytes integer;

comment on column queue.workflow_step.bytes is 'Size of a large output or error, in bytes of JSON; null for one of less than 2,000 bytes.';

-- Runs that have ended are not received again.
update queue.workflow_step as s
set bytes = coalesce(octet_length(s.output::text), octet_length(s.error::text))
where s.run_id in (select m.msg_id from queue.workflow_continuation as m)
  and (pg_column_size(s.output) > 4000 or pg_column_size(s.error) > 4000);

create index workflow_step_large on queue.workflow_step (run_id) include (bytes) where bytes is not null;
$migration_26$;
    insert into queue.migration (applied_at, version, name) values (clock_timestamp(), 26, 'journal_size');
  end if;

  if v_current < 27 then
    execute $migration_27$
-- A description of the statuses of a run.

comment on type queue.workflow_status is
  'Status of a run: running until it ends, then completed, failed or cancelled.';
$migration_27$;
    insert into queue.migration (applied_at, version, name) values (clock_timestamp(), 27, 'status_comment');
  end if;

  if v_current < 28 then
    execute $migration_28$
-- Descriptions of tables and columns in plain English.

comment on table queue.deduplication is
  'Deduplication ids of recent send_fifo() calls. Expired rows are reused, and deleted a few at a time by later sends.';
comment on column queue.deduplication.expires_at is
  'When the id may be used again.';
comment on table queue.queue is
  'One row per queue, from create_queue() to drop_queue(). Its messages are in queue.q_<name>.';
comment on column queue.queue.visibility_timeout is
  'Seconds for which a received message is in flight unless receive() specifies otherwise.';
comment on column queue.queue.max_receives is
  'How often a message is delivered before it moves to the dead letter queue; null for no limit.';
comment on column queue.queue.name is
  'Name of the queue; names that begin with "__" are reserved for Oxbow.';
comment on column queue.queue.retention_seconds is
  'Seconds after which a message that was not received is dropped; null for never.';
comment on column queue.queue.queue_id is
  'Number by which rows of shared tables refer to the queue.';
comment on column queue.queue.flow_control is
  'Settings of workflow_set_flow_control(); null if it was never called.';
comment on table queue.queue_grant is
  'One row per privilege of a role on one queue, from grant_queue() to revoke_queue(). A renamed or dropped role loses its privileges.';
comment on column queue.queue_grant.role_name is
  'The role; its members have the privilege too.';
comment on column queue.queue_grant.privilege is
  'send; or receive, which includes acknowledging.';
comment on table queue.ready_mark is
  'Where receives begin to read the ready index: the newest row of a queue counts. It affects speed only; an empty table is correct.';
comment on column queue.ready_mark.ready_from is
  'No message is, or will ever be, visible from an earlier time.';
comment on table queue.group_mark is
  'Below which id a message group is known to be empty: the newest row of a group counts. It affects speed only; an empty table is correct.';
comment on column queue.group_mark.taken_at is
  'When the mark was made; old marks are deleted now and then.';
comment on column queue.group_mark.empty_below is
  'The group has no message with a smaller id.';
comment on table queue.id_mark is
  'From which id on a FIFO queue has messages: the newest row of a queue counts. It affects speed only; an empty table is correct.';
comment on column queue.id_mark.least_id is
  'No message has, or will ever have, a smaller id; null if this was not determined yet.';
comment on table queue.own_incarnation is
  'One row: the identity of this database, and where the row was written. No migration may rewrite this table, because the transaction that wrote the row shows at no cost that it was not restored from a dump.';
comment on column queue.own_incarnation.copied_at is
  'Of a copy: up to when it has the history of its source; null if unknown.';
comment on column queue.own_incarnation.server_version is
  'As server_version_num. pg_upgrade makes a new cluster, but not a copy.';
comment on column queue.own_incarnation.state is
  'new: no run was received yet, and a copy is new too. live, sandbox. held: nothing is received, delivered or started by the clock until release_incarnation().';
comment on column queue.own_incarnation.guarded_timeline is
  'Timeline of the write-ahead log on which this database is at home; on another one it is a copy. Null if timelines do not matter, as with automatic failover.';
comment on table queue.captured_delivery is
  'One row per delivery to a url that a sandbox did not send.';
comment on column queue.captured_delivery.captured_at is
  'When the message was published; for a delivery that came with a copy, when the copy was released.';
comment on column queue.captured_delivery.url is
  'The url to which it was not sent.';
comment on column queue.captured_delivery.headers is
  'Its headers, including topic.';
comment on sequence queue.crash_marker is
  'Called once since the last crash recovery or promotion, after which the ids of this database are ahead of lost ones. See queue._skip_lost_ids().';
comment on sequence queue.skipped_ids is
  'How many ids each sequence of a queue has skipped in total; not called means none. A new queue begins after that many.';
comment on table queue.subscription is
  'One row per subscription, from subscribe() to unsubscribe(): where messages of matching topics go.';
comment on column queue.subscription.pattern is
  'Words separated by "."; "*" is any one word, "#" any number of words.';
comment on column queue.subscription.filter_hash is
  'jsonb_hash_extended() of the value that the filter requires at filter_path; 0 without a path.';
comment on column queue.subscription.filter_path is
  'Path, as a text array, to the one value of the filter that is indexed; empty if there is none.';
comment on column queue.subscription.failing_since is
  'Of a url: time of the first of the consecutive failures; null if the last delivery succeeded.';
comment on column queue.subscription.disabled_at is
  'Since when nothing is delivered; null if the subscription is enabled.';
comment on column queue.subscription.disabled_reason is
  'Failure of the last delivery before that.';
comment on table queue.schedule is
  'One row per schedule, from schedule_create() to schedule_delete(). Tickers compute its ticks; the database decides which are due, and that each is carried out once.';
comment on column queue.schedule.done_until is
  'Ticks up to this time have been carried out or skipped.';
comment on column queue.schedule.next_tick_at is
  'The next tick, without jitter; null until a ticker has computed it, while paused, and after the last tick.';
comment on column queue.schedule.last_tick_at is
  'The last tick that was not missed.';
comment on column queue.schedule.paused_at is
  'Since when the schedule is paused; null if it is not.';
comment on column queue.schedule.msg_id is
  'The message on __schedules that is its next tick; null while paused, and after the last tick.';
comment on column queue.schedule.jitter is
  'Maximum delay of all ticks of the schedule; the name determines the delay.';
comment on column queue.schedule.grace is
  'A tick that is later than this is missed, and catch_up applies.';
comment on column queue.schedule.every_seconds is
  'Length of the interval; its ticks are its multiples since 1970. Null for cron.';
comment on column queue.schedule.workflow_version is
  'Version of the runs; null for the highest registered one at the tick.';
comment on column queue.schedule.catch_up_limit is
  'For how many missed ticks a backfill starts runs.';
comment on column queue.schedule.cron is
  'Cron expression of five or six fields. Null for every_seconds.';
comment on column queue.schedule.time_zone is
  'IANA name of the time zone of the cron expression.';
comment on column queue.schedule.catch_up is
  'What happens to missed ticks: skip, latest (the newest starts a run) or backfill.';
comment on column queue.schedule.overlap is
  'Whether a tick starts a run while the previous run is running: allow or skip.';
comment on column queue.schedule.pause_reason is
  'Why it is paused: the reason passed to schedule_pause(), or a problem of the schedule.';
comment on column queue.schedule.tags is
  'Tags of the runs, in addition to the name of the schedule.';
comment on table queue.workflow_admission is
  'One row per run of a workflow with flow control, from its start until its end is processed, or until it is admitted if runs in flight are not counted. Its continuation is invisible until it is admitted. Only starts, ends and the holder of the lock of the admission (see _admit_runs()) write here.';
comment on column queue.workflow_admission.priority is
  'Higher values are admitted first.';
comment on column queue.workflow_admission.is_over is
  'The run has ended; its slots can be freed.';
comment on column queue.workflow_admission.is_again is
  'The run has ended, and was retried before its end was processed.';
comment on column queue.workflow_admission.state is
  'new: not processed yet. waiting: for its key. candidate: its key allows it to begin, and it waits for the workflow. admitted: in flight.';
comment on column queue.workflow_admission.key is
  'Key under which the limits per key count the run; empty if there is none.';
comment on table queue.workflow_gate is
  'Counts of a workflow (empty key) and of each of its keys that has runs. Only the holder of the lock of the admission writes here.';
comment on column queue.workflow_gate.opens_at is
  'When to look at the gate again without another event; null if only an event can open it.';
comment on column queue.workflow_gate.filled_at is
  'Until when the rate is used up, by the generic cell rate algorithm (ITU-T I.371): each run adds the spacing between two runs.';
comment on column queue.workflow_gate.key is
  'The key; empty for the whole workflow.';
comment on table queue.workflow_inbox is
  'One row per message of a topic that a run waits for, from the publish until the next receive delivers it as a signal.';
comment on table queue.workflow_buffered_signal is
  'Signals that matched no wait of their run when they arrived; the next matching wait takes them in order of arrival.';
comment on column queue.workflow_buffered_signal.payload is
  'The payload of the signal.';
comment on table queue.workflow_continuation is
  'One row per run in flight: the one message of its group, and the lock on the run. A row is ready if receipt is null and visible_at has passed; delayed if receipt is null and visible_at is in the future (asleep, waiting, backing off); leased if it has a receipt and visible_at, the end of the lease, is in the future; and receivable again after that.';
comment on column queue.workflow_continuation.visible_at is
  'When a worker may receive the run; infinity if only an event makes it ready.';
comment on column queue.workflow_continuation.settled_receipt is
  'Receipt of the delivery that the last commit gave back, by which a repeated commit is recognized; null while the journal is empty; 0 if the journal is not empty but there was no such delivery.';
comment on column queue.workflow_continuation.message is
  'Transient state: waits, retries, and the number of rows in the journal.';
comment on column queue.workflow_continuation.headers is
  'Requests to the run: paused, cancelled.';
comment on column queue.workflow_continuation.suspect_at is
  'When a worker that executes no other suspect may receive the run, because its last two or more leases expired without a commit. Until then, visible_at is its deadline, or infinity. infinity: a worker executes it apart from other suspects. Null: a death of its worker does not count.';
comment on column queue.workflow_continuation.deaths is
  'Receipts of consecutive workers that executed the run apart from other suspects and have sent nothing since their leases expired; null for none.';
comment on table queue.workflow_failed_attempt is
  'One row per failed call of a step that was called again, the first 10 and the last 90 of each step. Rows are deleted with their run.';
comment on column queue.workflow_failed_attempt.retry_at is
  'When the next call was due. Together with the step it identifies the failure, because a continuation that is written again contains the same time.';
comment on table queue.workflow_progress is
  'Steps that a worker is calling, for runs whose calls take longer than a second. Valid only while the receipt is alive. Rows are deleted with their run.';
comment on column queue.workflow_progress.worker is
  'Name of the worker: host and process.';
comment on table queue.workflow_run is
  'One row per run, from its start until the sweeper deletes it. Its continuation, in queue.q___wf_<workflow_name>, shows what a running run is doing.';
comment on column queue.workflow_run.completed_at is
  'When the run ended, with any status; null while it runs.';
comment on column queue.workflow_run.expires_at is
  'When the sweeper may delete the ended run: completed_at plus retention_days.';
comment on column queue.workflow_run.deadline is
  'When a run that is still running fails with DeadlineExceeded; null for never.';
comment on column queue.workflow_run.ended_by is
  'Receipt of the commit that ended the run, by which a repeated commit is recognized after a lost answer.';
comment on column queue.workflow_run.input is
  'Input of the run.';
comment on column queue.workflow_run.output is
  'Result of the body of a completed run.';
comment on column queue.workflow_run.tags is
  'Values to find the run by.';
comment on column queue.workflow_run.superseded_by is
  'The run that took over the idempotency key; null if this run still has it, or has none.';
comment on column queue.workflow_run.paused_at is
  'Since when the run is paused, until workflow_resume(); null if it is not.';
comment on column queue.workflow_run.parent_run_id is
  'The run whose step started this one; null if no step did.';
comment on column queue.workflow_run.parent_step is
  'Name of that step. A parent starts one run per step.';
comment on column queue.workflow_run.is_detached is
  'The parent does not wait for this run to end; null without a parent.';
comment on column queue.workflow_run.scheduled_at is
  'The tick of the schedule that started the run, whose name is its tag "schedule"; null for other runs.';
comment on column queue.workflow_run.trace is
  'Headers of the trace of the start, as text by name: {"traceparent": …}; null if there was none.';
comment on column queue.workflow_run.retried is
  'How often the policy of its workflow has retried the run since it was started or retried by a user; null for never.';
comment on table queue.workflow_run_state is
  'Values that a run publishes while it runs. Rows are deleted with their run.';
comment on table queue.workflow_signal_receipt is
  'Deduplication ids of signals that a run has received. Rows are deleted with their run.';
comment on column queue.workflow_signal_receipt.outcome is
  'Outcome of the first signal with the id: delivered or buffered.';
comment on table queue.workflow_step is
  'The journal: one row per finished step. Rows are only inserted, the first commit of a step wins, and they are deleted with their run.';
comment on column queue.workflow_step.started_at is
  'completed_at minus the duration of the last call of the callback.';
comment on column queue.workflow_step.position is
  'Place in the run''s journal, from 1: the order in which a replay returns the values to the body. The clock does not determine it, because clocks are set back.';
comment on column queue.workflow_step.output is
  'Result of the step, or payload of the event; null if there was none, or a wait timed out.';
comment on column queue.workflow_step.bytes is
  'Size of a large output or error, in bytes of JSON; null for less than 2,000 bytes.';
comment on table queue.workflow_stream_chunk is
  'The stream of a run. Rows are deleted with their run.';
comment on column queue.workflow_stream_chunk.position is
  'Place in the stream of the run, from 1, with possible gaps.';
comment on column queue.workflow_stream_chunk.attempt is
  'Number of the call of the step, from 1; for the body, how many rows of the journal it had read.';
comment on column queue.workflow_stream_chunk.number is
  'Number of the chunk within its call, from 1, so that a replay writes no chunk twice; 0 or less for a reset.';
comment on column queue.workflow_stream_chunk.step_name is
  'The step whose callback wrote the chunk; empty for the body.';
comment on column queue.workflow_stream_chunk.chunk is
  'The value that was written.';
comment on column queue.workflow_stream_chunk.receipt is
  'Receipt of the delivery that wrote the chunk; the same for all chunks of one call of a step.';
comment on column queue.workflow_stream_chunk.since is
  'Of a reset: the first position at which chunks of the step were deleted; null for a chunk.';
comment on table queue.workflow_version is
  'One row per version of a workflow that a worker has registered, until workflow_unregister().';
comment on column queue.workflow_version.retention_days is
  'How long its ended runs are kept; null for 30 days.';
comment on column queue.workflow_version.deadline is
  'How long after its start a run fails; null for never.';
comment on column queue.workflow_version.on_failure is
  'Workflow to start for each of its runs that fails; null for none.';
$migration_28$;
    insert into queue.migration (applied_at, version, name) values (clock_timestamp(), 28, 'descriptions');
  end if;

  if v_current < 29 then
    execute $migration_29$
-- Messages that are suspected of ending their consumers are received apart, and the deliveries of others don't count.

create table queue.suspect (
  suspected_at timestamptz not null,
  msg_id       bigint not null,
  queue_name   text not null,
  constraint suspect_pkey primary key (queue_name, msg_id, suspected_at)
) with (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0
);

comment on table queue.suspect is
  'One row a message that waits to be received apart from others of its kind, since its last leases expired. A row whose message is not visible at infinity is out of date.';
comment on column queue.suspect.suspected_at is 'When a receive put the message apart.';
comment on column queue.suspect.msg_id is 'The message.';
comment on column queue.suspect.queue_name is 'Its queue.';

alter table queue.queue add column suspected_at timestamptz;

comment on column queue.queue.suspected_at is 'When a message of the queue was first put apart; null: never, and queue.suspect has no row of it.';

do $queues$
declare
  v_name text;
begin
  for v_name in
    select 'q_' || q.name from queue.queue as q where q.kind <> 'workflow' order by q.name
  loop
    execute format('alter table queue.%I add column spared integer', v_name);
  end loop;
end
$queues$;
$migration_29$;
    insert into queue.migration (applied_at, version, name) values (clock_timestamp(), 29, 'suspects_of_queues');
  end if;

  perform queue._create_state_markers(v_latest);
  if v_current < v_latest then
    perform queue._create_queue_functions(q.name, q.kind) from queue.queue as q where q.kind <> 'workflow';
  end if;
  return greatest(v_latest - v_current, 0);
end
$function$;

comment on function queue.migrate() is
$comment$Upgrades the tables to the version of the functions: applies the migrations that this database lacks, in the caller's transaction. Concurrent callers wait for each other, and the second finds nothing to do. The tables belong to the owner of the functions, never to the extension, so that pg_dump includes their rows.
Returns how many migrations it applied; 0 if there was nothing to do.
Errors: OX006 called by an extension script, or by a role that may not create tables in schema queue; 55P03 the tables stayed locked by other transactions for a minute: call it again.
Touches: an advisory lock and all tables of the schema, locked exclusively before anything changes; queue.migration, and everything that the migrations change.$comment$;

create function queue._create_state_markers(latest integer)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  -- Databases at an earlier migration have none, and no release looks for one.
  v_first  constant integer := 26;
  v_marker text;
begin
  for v_version in v_first .. latest loop
    v_marker := format('queue.state_%s', lpad(v_version::text, 4, '0'));
    continue when to_regclass(v_marker) is not null;
    execute format('create type %s as ()', v_marker);
    execute format('comment on type %s is %L', v_marker,
      format('Marks that migration %s was applied. Functions look for this name in the catalog cache and read no table.', v_version));
  end loop;
end
$function$;

comment on function queue._create_state_markers(integer) is
$comment$Creates the markers of applied migrations: an empty composite type queue.state_<number> each, which to_regclass() finds without reading a table. A marker is never dropped, so functions of an earlier release still find theirs.
latest: number of the last applied migration.
Touches: creates the types that are missing.$comment$;

create function queue._lock_tables()
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  -- The server looks for a deadlock after this time; this function gives up before.
  v_patience constant interval := least(0.7 * current_setting('deadlock_timeout')::interval, interval '2 seconds');
  v_give_up  constant timestamptz := clock_timestamp() + interval '60 seconds';
  v_timeout  constant text := current_setting('lock_timeout');
  v_until    timestamptz;
  v_table    regclass;
begin
  loop
    begin
      v_until := clock_timestamp() + v_patience;
      perform set_config('lock_timeout', ceil(extract(epoch from v_patience) * 1000)::text, true);
      perform pg_advisory_xact_lock(hashtextextended('queue.migrate', 0));
      for v_table in
        select c.oid::regclass
        from pg_class as c
        where c.relnamespace = 'queue'::regnamespace
          and c.relkind in ('r', 'p')
        order by c.oid
      loop
        perform set_config(
          'lock_timeout', greatest(1, ceil(extract(epoch from v_until - clock_timestamp()) * 1000))::text, true
        );
        execute format('lock table %s in access exclusive mode', v_table);
      end loop;
      perform set_config('lock_timeout', v_timeout, true);
      return;
    exception
      -- The end of this block has released its locks.
      when lock_not_available then
        if clock_timestamp() > v_give_up then
          raise;
        end if;
    end;
    perform pg_sleep(0.05 + 0.2 * random());
  end loop;
end
$function$;

comment on function queue._lock_tables() is
$comment$Locks all tables of the schema exclusively until the transaction ends, and excludes other migrations. Functions lock tables in various orders, so an attempt gives up its locks before a deadlock would be detected. Attempts are repeated for a minute.
Errors: 55P03 other transactions kept the tables locked.
Touches: an advisory lock, all tables of schema queue.$comment$;

create function queue._require_migration_rights()
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_is_member boolean;
begin
  if not has_schema_privilege('queue', 'create') then
    perform queue._raise('OX006', format('role "%s" may not create tables in schema "queue"', current_user), null,
      'Call queue.migrate() as the owner of the schema, once after the installation and after each upgrade.');
  end if;

  -- No function reports that an extension script is running, but everything that one creates becomes a member.
  create domain queue._migration_probe as integer;
  select exists (
    select
    from pg_depend as d
    where d.classid = 'pg_type'::regclass
      and d.objid = to_regtype('queue._migration_probe')
      and d.deptype = 'e'
  ) into v_is_member;
  drop domain queue._migration_probe;

  if v_is_member then
    perform queue._raise('OX006', 'an extension script may not migrate schema "queue"',
      'The tables would belong to the extension, and pg_dump would leave out their rows.',
      'Call queue.migrate() after CREATE EXTENSION or ALTER EXTENSION, in a separate statement.');
  end if;
end
$function$;

comment on function queue._require_migration_rights() is
$comment$Requires that the caller may create tables in schema queue, and that they would not belong to an extension.
Errors: OX006 the caller may not, or an extension script is running.
Touches: a domain, which is created and dropped.$comment$;

create function queue.protocol_version()
returns integer
language sql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
  select 1
$function$;

comment on function queue.protocol_version() is
$comment$Returns the version of the protocol between workers and functions. It increases only if existing workers can no longer work with the functions.
Returns a number, from 1.
Touches: nothing.$comment$;

create function queue.version()
returns text
language sql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
  select '0.2.0'
$function$;

comment on function queue.version() is
$comment$Returns the version of the functions in this schema.
Returns a version such as "0.1.0".
Touches: nothing.$comment$;

create function queue._grant_functions(grantee text, role_name name)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_function regprocedure;
begin
  execute format('grant usage on schema queue to %I', role_name);
  for v_function in
    select p.oid::regprocedure
    from queue._privileges() as m
    join pg_proc as p
      on p.proname = m.function_name
      and p.pronamespace = 'queue'::regnamespace
    where m.grantee = _grant_functions.grantee
    order by p.proname
  loop
    execute format('grant execute on function %s to %I', v_function, role_name);
  end loop;
end
$function$;

comment on function queue._grant_functions(text, name) is
$comment$Grants a role the functions of one grantee of the matrix.
grantee: as in _privileges().
Touches: privileges of functions and of schema queue.$comment$;

create function queue._privileges()
returns table (grantee text, function_name text)
language sql
immutable
parallel safe
as $function$
  -- "send" and "receive" are the privileges of grant_queue(). _wake_key is the former name of wake_key.
  select g.grantee, f.function_name
  from (
    values
      (array['oxbow_producer', 'oxbow_worker', 'oxbow_reader', 'oxbow_admin', 'send', 'receive'], array[
        'version', 'protocol_version', 'incarnation', 'list_queues', 'get_queue', 'queue_stats', 'next_visible_at', 'wake_key',
        '_wake_key'
      ]),
      (array['oxbow_producer', 'oxbow_admin', 'send'], array[
        'send', 'send_batch', 'send_fifo'
      ]),
      (array['oxbow_worker', 'oxbow_admin', 'receive'], array[
        'receive', 'receive_fifo', 'receive_arrays', 'change_visibility', 'change_visibility_batch', 'give_back_batch',
        'delete', 'delete_batch'
      ]),
      (array['oxbow_worker', 'oxbow_reader', 'oxbow_admin', 'receive'], array[
        'peek'
      ]),
      (array['oxbow_producer', 'oxbow_admin'], array[
        'send_topic', 'workflow_start', 'workflow_start_batch', 'workflow_signal', 'workflow_signal_with_start',
        'workflow_cancel', 'schedule_trigger'
      ]),
      (array['oxbow_worker', 'oxbow_admin'], array[
        'workflow_receive', 'workflow_journal_page', 'workflow_commit', 'workflow_commit_tx', 'workflow_complete_step',
        'workflow_heartbeat', 'workflow_report_progress', 'workflow_expire', 'workflow_next_visible_at',
        'workflow_set_flow_control', 'workflow_register', 'schedule_receive', 'schedule_tick', 'schedule_next_tick_at'
      ]),
      (array['oxbow_producer', 'oxbow_worker', 'oxbow_reader', 'oxbow_admin'], array[
        'workflow_get', 'workflow_of', 'workflow_versions', 'workflow_children', 'workflow_journal', 'workflow_state', 'workflow_stream'
      ]),
      (array['oxbow_reader', 'oxbow_admin'], array[
        'list_subscriptions', 'get_subscription', 'check_invariants', 'captured_deliveries', 'workflow_list', 'workflow_count',
        'workflow_tally', 'workflow_backlog', 'workflow_export', 'workflow_lag', 'workflow_metrics', 'workflow_changes',
        'workflow_flow_control', 'schedule_list'
      ]),
      (array['oxbow_admin'], array[
        'create_queue', 'drop_queue', 'purge_queue', 'expire_messages', 'redrive', 'grant_queue', 'revoke_queue',
        'subscribe', 'unsubscribe', 'enable_subscription', 'workflow_cancel_all', 'workflow_pause', 'workflow_pause_all', 'workflow_resume',
        'workflow_resume_all', 'workflow_retry', 'workflow_retry_all', 'workflow_rerun', 'workflow_rerun_all',
        'workflow_sweep', 'workflow_unregister', 'workflow_index_input', 'schedule_create', 'schedule_delete',
        'schedule_pause', 'schedule_resume', 'hold_incarnation', 'release_incarnation', 'guard_incarnation', 'migrate', 'deliveries_receive',
        'deliveries_succeeded', 'deliveries_give_back', 'delivery_failed', 'delivery_retry', 'delivery_abandon',
        'topic_dead_letters', 'redrive_topic_dead_letters', 'delete_topic_dead_letters'
      ])
  ) as m (grantees, function_names)
  cross join unnest(m.grantees) as g (grantee)
  cross join unnest(m.function_names) as f (function_name)
$function$;

comment on function queue._privileges() is
$comment$The matrix of privileges: which role may call which function.
grantee: a role, or a privilege of grant_queue(): send or receive.
Returns one row per grantee and function.
Touches: nothing.$comment$;

create function queue.create_roles()
returns setof text
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_may_create constant boolean := coalesce(
    (select r.rolsuper or r.rolcreaterole from pg_roles as r where r.rolname = current_user), false
  );
  v_role       text;
  v_grant      record;
begin
  foreach v_role in array array['oxbow_producer', 'oxbow_worker', 'oxbow_reader', 'oxbow_admin'] loop
    if to_regrole(v_role) is null and v_may_create then
      begin
        execute format('create role %I nologin', v_role);
      exception
        -- Roles belong to the whole cluster: a session in another database has just created it.
        when duplicate_object or unique_violation then
          null;
      end;
    end if;

    if to_regrole(v_role) is null then
      return next v_role;
    else
      perform queue._grant_functions(v_role, v_role::name);
    end if;
  end loop;

  if to_regclass('queue.queue_grant') is not null then
    for v_grant in
      select distinct g.privilege, g.role_name
      from queue.queue_grant as g
      join pg_roles as r on r.rolname = g.role_name
      order by g.role_name, g.privilege
    loop
      perform queue._grant_functions(v_grant.privilege, v_grant.role_name);
    end loop;
  end if;
end
$function$;

comment on function queue.create_roles() is
$comment$Creates the roles of Oxbow that are missing, if the caller has CREATEROLE, and grants them their functions: oxbow_producer sends, publishes, starts, signals and cancels; oxbow_worker receives, acknowledges and commits; oxbow_reader reads; oxbow_admin may call everything. No role has privileges on tables. Installation and upgrade call this. Call it again, as the owner of the functions, if the roles were created later.
Returns the roles that are still missing.
Touches: roles of the cluster; privileges of functions and of schema queue; reads queue.queue_grant.$comment$;

create function queue.grant_queue(queue text, role_name name, privilege text)
returns boolean
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_queue constant queue.queue_settings := queue._find_queue(grant_queue.queue);
begin
  if grant_queue.privilege is null or grant_queue.privilege not in ('send', 'receive') then
    perform queue._raise('OX004', format('invalid privilege "%s"', coalesce(grant_queue.privilege, 'null')), null,
      'A privilege is send or receive; receive includes acknowledging.');
  end if;
  if not exists (select from pg_roles as r where r.rolname = grant_queue.role_name) then
    perform queue._raise('42704', format('role "%s" does not exist', coalesce(grant_queue.role_name, 'null')), null,
      'Create the role first.');
  end if;

  insert into queue.queue_grant (granted_at, queue_name, role_name, privilege)
  values (clock_timestamp(), v_queue.name, grant_queue.role_name, grant_queue.privilege)
  on conflict do nothing;
  if not found then
    return false;
  end if;
  perform queue._grant_functions(grant_queue.privilege, grant_queue.role_name);
  return true;
end
$function$;

comment on function queue.grant_queue(text, name, text) is
$comment$Allows a role and its members to use one queue. Members of oxbow_producer and oxbow_worker may use all queues without a grant.
privilege: send; or receive, which includes acknowledging, peeking and changing the visibility.
Returns true if this call granted the privilege; false if the role already had it.
Errors: OX001 no such queue, OX004 invalid argument, OX007 the queue belongs to a workflow or to Oxbow, 42704 no such role.
Touches: queue.queue_grant, privileges of functions and of schema queue.$comment$;

create function queue.revoke_queue(queue text, role_name name, privilege text)
returns boolean
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  perform queue._migrate_if_older();
  delete from queue.queue_grant as g
  where g.queue_name = revoke_queue.queue
    and g.role_name = revoke_queue.role_name
    and g.privilege = revoke_queue.privilege;
  return found;
end
$function$;

comment on function queue.revoke_queue(text, name, text) is
$comment$Revokes a privilege granted by grant_queue(). The role may still call the functions, but they reject this queue.
privilege: send or receive.
Returns true if this call revoked the privilege; false if the role did not have it.
Touches: queue.queue_grant.$comment$;

revoke all on all functions in schema queue from public;
do $roles$
begin
  perform queue.create_roles();
end
$roles$;
