/**
 * The SQL text that the SDK sends: one constant a function, and nothing but calls. Columns are named, so that
 * an older SDK runs on a newer database. A call that also runs in a transaction of the caller's casts each of its
 * parameters, and returns ids as text: see `foreign-transaction.ts`.
 */
export interface Call {
  /** Name of the prepared statement. */
  readonly name: string;
  readonly text: string;
}

export const call = (name: string, text: string): Call => ({ name: `oxbow_${name}`, text });

/** The same, but it fails with 55P03 rather than wait for longer than this for what an open transaction has locked. */
export function waitingFor({ name, text }: Call, waitMs: number): Call {
  const setting = `select pg_catalog.set_config('lock_timeout', '${waitMs}ms', true) is not null as is_set`;
  return {
    name: `${name}_${waitMs}ms`,
    text: text
      .replace(/^select (queue\.[\s\S]*\)) as (\w+)$/, "select $2 from $1 as $2")
      .replace("from queue.", `from (${setting}) as patience cross join lateral queue.`)
      // The function gets its first argument when the time is set.
      .replace("=> $1", "=> case when patience.is_set then $1 end"),
  };
}

/** For items that have nothing to do with each other. */
export const soon = (of: Call): Call => waitingFor(of, 100);

export const installedVersion = call(
  "installed_version",
  `select queue.version() as version, queue.protocol_version() as protocol,
     pg_catalog.pg_backend_pid() as process_id`,
);

/** Of one of this role's own sessions. */
export const cancelStatement = call("cancel_statement", "select pg_catalog.pg_cancel_backend($1)");

/**
 * At the beginning of a transaction: whose session it is. If this client's machine is gone without a word, the database
 * learns that by TCP within half a minute, rather than after two hours, and frees what the transaction has locked.
 */
export const beginTransaction = call(
  "begin_transaction",
  `select pg_catalog.pg_backend_pid() as id,
     pg_catalog.set_config('tcp_keepalives_idle', '10', true),
     pg_catalog.set_config('tcp_keepalives_interval', '5', true),
     pg_catalog.set_config('tcp_keepalives_count', '4', true),
     pg_catalog.set_config('tcp_user_timeout', '30000', true)`,
);

/**
 * What sessions are doing. One whose state can't be seen counts as at work; one that waits for its client to read or to
 * write doesn't.
 */
export const sessionsAtWork = call(
  "sessions_at_work",
  `select a.pid as process_id, a.state_change::text as since,
     coalesce(a.state not like 'idle%' and a.wait_event_type is distinct from 'Client', true) as is_at_work
   from pg_catalog.pg_stat_activity as a
   where a.pid = any ($1::integer[])`,
);

/** Ends sessions of this role's own, if they have done nothing since. */
export const terminateSessions = call(
  "terminate_sessions",
  `select pg_catalog.pg_terminate_backend(a.pid)
   from unnest($1::integer[], $2::text[]) as i (process_id, since)
   join pg_catalog.pg_stat_activity as a on a.pid = i.process_id and a.state_change::text = i.since`,
);

export const workflowStartBatch = call(
  "workflow_start_batch",
  `select run_id::text, created, status
   from queue.workflow_start_batch(
     name => $1::text, inputs => $2::jsonb[], versions => $3::integer[], idempotency_keys => $4::text[],
     retention_days => $5::integer[], delay_seconds => $6::numeric[], deadlines => $7::timestamptz[],
     tags => $8::jsonb[], on_running => $9::text[], on_ended => $10::text[], flow_keys => $11::text[],
     priorities => $12::integer[], traces => $13::jsonb[], start_ats => $14::timestamptz[],
     deadline_seconds => $15::numeric[])`,
);
export const workflowStartBatchSoon = soon(workflowStartBatch);

export const workflowSignal = call(
  "workflow_signal",
  `select queue.workflow_signal(
     run_id => $1::bigint, event => $2::text, payload => $3::jsonb, deduplication_id => $4::text) as outcome`,
);

export const workflowSignalWithStart = call(
  "workflow_signal_with_start",
  `select run_id::text, created, status, outcome
   from queue.workflow_signal_with_start(
     name => $1::text, idempotency_key => $2::text, event => $3::text, payload => $4::jsonb, input => $5::jsonb,
     version => $6::integer, retention_days => $7::integer, delay_seconds => $8::numeric,
     deadline => $9::timestamptz, tags => $10::jsonb, on_ended => $11::text, deduplication_id => $12::text,
     flow_key => $13::text, priority => $14::integer, trace => $15::jsonb, start_at => $16::timestamptz,
     deadline_seconds => $17::numeric)`,
);

export const workflowRegister = call(
  "workflow_register",
  `select queue.workflow_register(
     names => $1::text[], versions => $2::integer[], retention_days => $3::integer[],
     deadline_seconds => $4::numeric[], on_failure => $5::text[]) as changed`,
);

export const workflowUnregister = call(
  "workflow_unregister",
  `select queue.workflow_unregister(name => $1::text, version => $2::integer) as unregistered`,
);

export const workflowVersions = call(
  "workflow_versions",
  `select workflow, version, retention_days, (deadline_seconds * 1000)::float8 as deadline_ms, on_failure,
     registered_at
   from queue.workflow_versions(name => $1::text)`,
);

export const workflowSetFlowControl = call(
  "workflow_set_flow_control",
  `select queue.workflow_set_flow_control(name => $1::text, settings => $2::jsonb, version => $3::integer) as outcome`,
);

export const workflowFlowControl = call(
  "workflow_flow_control",
  `select settings, version, admitted, queued, opens_at from queue.workflow_flow_control(name => $1)`,
);

export const workflowPause = call(
  "workflow_pause",
  `select queue.workflow_pause(run_id => $1::bigint, reason => $2::text) as done`,
);

export const workflowResume = call(
  "workflow_resume",
  `select queue.workflow_resume(run_id => $1::bigint) as done`,
);

export const workflowRetry = call(
  "workflow_retry",
  `select queue.workflow_retry(run_id => $1::bigint) as done`,
);

export const workflowRerun = call(
  "workflow_rerun",
  `select queue.workflow_rerun(
     run_id => $1::bigint, from_step => $2::text, input => $3::jsonb, version => $4::integer)::text as run_id`,
);

const LISTING = `run_id, name, version, status, started_at, completed_at, deadline, paused_at, idempotency_key,
     tags, error, rerun_of, superseded_by, input, output,
     failure_of`;

/** Of a run in a list: its start, in microseconds as the database has it, and its id. */
const CURSOR = `(extract(epoch from started_at) * 1000000)::bigint || '-' || run_id as cursor`;
const cursorTime = (parameter: string): string =>
  `timestamptz 'epoch' + ${parameter}::bigint * interval '1 microsecond'`;

export const workflowList = call(
  "workflow_list",
  `select ${LISTING}, ${CURSOR}
   from queue.workflow_list(
     filter => $1::jsonb, before => $2, before_started_at => ${cursorTime("$3")}, max_runs => $4, with_values => $5)`,
);

export const workflowExport = call(
  "workflow_export",
  `select ${LISTING}, ${CURSOR}
   from queue.workflow_export(filter => $1::jsonb)`,
);

export const workflowCount = call(
  "workflow_count",
  `select queue.workflow_count(filter => $1::jsonb, at_most => $2)::float8 as count`,
);

export const workflowChildren = call(
  "workflow_children",
  `select run_id, name, version, status, parent_step, is_detached, started_at, completed_at, ${CURSOR}
   from queue.workflow_children(
     run_id => $1, after => $2, after_started_at => ${cursorTime("$3")}, max_runs => $4)`,
);

export const workflowTally = call(
  "workflow_tally",
  `select name, running::float8, completed::float8, failed::float8, cancelled::float8
   from queue.workflow_tally()`,
);

const changeAll = (name: string, detail?: string): string =>
  `select changed,
     (extract(epoch from before_started_at) * 1000000)::bigint || '-' || before as before
   from queue.${name}(
     filter => $1::jsonb, before => $2, before_started_at => ${cursorTime("$3")}, max_runs => $4${
       detail === undefined ? "" : `, ${detail}`
     })`;

export const workflowCancelAll = call(
  "workflow_cancel_all",
  changeAll("workflow_cancel_all", "reason => $5"),
);

export const workflowPauseAll = call(
  "workflow_pause_all",
  changeAll("workflow_pause_all", "reason => $5"),
);

export const workflowResumeAll = call("workflow_resume_all", changeAll("workflow_resume_all"));

export const workflowRetryAll = call("workflow_retry_all", changeAll("workflow_retry_all"));

export const workflowRerunAll = call(
  "workflow_rerun_all",
  changeAll("workflow_rerun_all", "from_step => $5"),
);

export const workflowCancel = call(
  "workflow_cancel",
  `select queue.workflow_cancel(run_id => $1::bigint, reason => $2::text, rollback => $3::boolean) as cancelled`,
);

export const workflowGet = call(
  "workflow_get",
  `select run_id, name, version, status, activity, input, input is null as is_empty, output,
     output is null as is_void, error, idempotency_key, tags, attempt, waits, retries, started_at, completed_at,
     deadline, resumes_at, paused_at, pause_reason, rerun_of, superseded_by, scheduled_at, in_progress,
     failure_of, retried, failures
   from unnest($1::bigint[]) as i (id)
   cross join lateral queue.workflow_get(run_id => i.id)`,
);

export const workflowStream = call(
  "workflow_stream",
  `select position, written_at, step, attempt, chunk, reset_since
   from queue.workflow_stream(run_id => $1, after => $2)`,
);

export const workflowState = call(
  "workflow_state",
  `select queue.workflow_state(run_id => $1) as state`,
);

export const workflowJournal = call(
  "workflow_journal",
  `select name, kind, attempts, output, output is null as is_empty, error, started_at, completed_at, position,
     failures
   from queue.workflow_journal(run_id => $1, after => $2, max_steps => $3)`,
);

export const workflowSweep = call(
  "workflow_sweep",
  `select queue.workflow_sweep(max_runs => $1, max_retention_days => $2) as swept`,
);

export const checkInvariants = call(
  "check_invariants",
  `select invariant, subject, detail from queue.check_invariants()`,
);

export const workflowReceive = call(
  "workflow_receive",
  `select run_id, receipt, name, version, attempt, input, input is null as is_empty, journal, continuation,
     extract(epoch from started_at)::float8 * 1000 as started_at,
     extract(epoch from received_at)::float8 * 1000 as received_at, schedule, trace,
     failure_of, retried, extract(epoch from deadline)::float8 * 1000 as deadline, bytes::float8 as bytes
   from queue.workflow_receive(names => $1, versions => $2::jsonb, max_runs => $3, lease_seconds => $4, suspects => $5,
     max_bytes => $6)`,
);

export const workflowJournalPage = call(
  "workflow_journal_page",
  `select queue.workflow_journal_page(run_id => $1, after => $2) as journal`,
);

export const workflowExpire = call(
  "workflow_expire",
  "select queue.workflow_expire(max_runs => $1) as ended",
);

export const workflowCommit = call(
  "workflow_commit",
  `select run_id, receipt, outcome, resolved
   from queue.workflow_commit(
     names => $1::text[], run_ids => $2, receipts => $3, transitions => $4, results => $5::jsonb[],
     resume_at => $6::timestamptz[], step_items => $7, step_positions => $8, step_names => $9, step_kinds => $10,
     step_outputs => $11::jsonb[], step_errors => $12::jsonb[], step_attempts => $13, step_durations => $14,
     state_items => $15, state_keys => $16, state_values => $17::jsonb[], stream_items => $18,
     stream_steps => $19, stream_attempts => $20, stream_numbers => $21, stream_chunks => $22::jsonb[],
     effect_items => $23, effect_kinds => $24, effect_steps => $25, effect_targets => $26, effect_events => $27,
     effect_values => $28::jsonb[], effect_versions => $29, effect_retention => $30, effect_traces => $31::jsonb[],
     known => $32::jsonb[], skip_locked => $33)`,
);

export const workflowCommitSoon = soon(workflowCommit);

export const workflowCommitTx = call(
  "workflow_commit_tx",
  `select queue.workflow_commit_tx(
     run_id => $1::bigint, receipt => $2::bigint, step_name => $3::text, output => $4::jsonb,
     attempts => $5::integer, duration => $6::float8, known => $7::jsonb) as outcome`,
);

export const workflowHeartbeat = call(
  "workflow_heartbeat",
  `select run_id, receipt, outcome from queue.workflow_heartbeat(
     receipts => $1, lease_seconds => $2, known => $3::jsonb[], report_busy => true)`,
);

export const workflowReportProgress = call(
  "workflow_report_progress",
  `select queue.workflow_report_progress(receipts => $1::bigint[], worker => $2, steps => $3::jsonb[])`,
);

/** Null where nothing is going to be visible within the seconds that anybody sleeps. */
export const workflowNextVisibleIn = call(
  "workflow_next_visible_in",
  `select case
     when next.at <= clock_timestamp() then 0
     when next.at < 'infinity' then greatest(0, extract(epoch from next.at - clock_timestamp())::float8 * 1000)
   end as delay
   from (select queue.workflow_next_visible_at(names => $1, versions => $2::jsonb, within_seconds => 2) as at) as next`,
);

/** On the listening connection only: it is a session's own, and never goes through a transaction pooler. */
export const armWake = (channel: string): string =>
  `select pg_advisory_lock_shared(queue.wake_key('${channel}'))`;
export const disarmWake = (channel: string): string =>
  `select pg_advisory_unlock_shared(queue.wake_key('${channel}'))`;
