/** The SQL text that the SDK sends for runs: one constant a function. */
import { call, soon } from "../connection/call.ts";

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

export const workflowOf = call(
  "workflow_of",
  `select queue.workflow_of(run_id => $1::bigint) as workflow`,
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

export const workflowExpire = call(
  "workflow_expire",
  "select queue.workflow_expire(max_runs => $1) as ended",
);
