/** The SQL functions of this room. Made by `npm run build:seam` of extension-sql: change the sources there. */
import type { ErrorRecord } from "../../../core/error-record.ts";
import type { Call } from "../../../protocol/rooms.ts";
import { call, type Numbers, type Texts } from "../connection/call.ts";

export interface BatchStartRow {
  readonly runId: string;
  readonly created: boolean;
  readonly status: "running" | "completed" | "failed" | "cancelled";
  readonly receipt: string | null;
  readonly startedAt: number | null;
  readonly deadline: number | null;
}

export const workflowStartBatch: Call<
  readonly [
    name: string | null,
    inputs: Texts | null,
    versions: Numbers | null,
    idempotencyKeys: Texts | null,
    retentionDays: Numbers | null,
    delaySeconds: Numbers | null,
    deadlines: Texts | null,
    tags: Texts | null,
    onRunning: Texts | null,
    onEnded: Texts | null,
    flowKeys: Texts | null,
    priorities: Numbers | null,
    traces: Texts | null,
    startAts: Texts | null,
    deadlineSeconds: Numbers | null,
    leaseSeconds: Numbers | null,
    routes: Texts | null,
    followKeys: Texts | null,
    leaseVersions: Numbers | null,
  ],
  BatchStartRow
> = call(
  "workflow_start_batch",
  `select run_id::text as "runId", created, status, receipt::text as "receipt",
    extract(epoch from started_at)::float8 * 1000 as "startedAt",
    extract(epoch from deadline)::float8 * 1000 as "deadline"
  from queue.workflow_start_batch(
    name => $1::text, inputs => $2::jsonb[], versions => $3::integer[],
    idempotency_keys => $4::text[], retention_days => $5::integer[], delay_seconds => $6::numeric[],
    deadlines => $7::timestamptz[], tags => $8::jsonb[], on_running => $9::text[],
    on_ended => $10::text[], flow_keys => $11::text[], priorities => $12::integer[],
    traces => $13::jsonb[], start_ats => $14::timestamptz[], deadline_seconds => $15::numeric[],
    lease_seconds => $16::numeric[], routes => $17::text[], follow_keys => $18::boolean[],
    lease_versions => $19::integer[]) as answer`,
);

export interface StartedRunRow {
  readonly runId: string;
  readonly created: boolean;
  readonly status: "running" | "completed" | "failed" | "cancelled";
}

export const workflowStartElsewhere: Call<
  readonly [
    route: string | null,
    name: string | null,
    input: string | null,
    version: number | null,
    idempotencyKey: string | null,
    retentionDays: number | null,
    delaySeconds: number | null,
    deadline: string | null,
    tags: string | null,
    onRunning: string | null,
    onEnded: string | null,
    flowKey: string | null,
    priority: number | null,
    trace: string | null,
    startAt: string | null,
    deadlineSeconds: number | null,
  ],
  StartedRunRow
> = call(
  "workflow_start_elsewhere",
  `select run_id::text as "runId", created, status
  from queue.workflow_start_elsewhere(
    route => $1::text, name => $2::text, input => $3::jsonb, version => $4::integer,
    idempotency_key => $5::text, retention_days => $6::integer, delay_seconds => $7::numeric,
    deadline => $8::timestamptz, tags => $9::jsonb, on_running => $10::text, on_ended => $11::text,
    flow_key => $12::text, priority => $13::integer, trace => $14::jsonb,
    start_at => $15::timestamptz, deadline_seconds => $16::numeric) as answer`,
);

export const workflowSignal: Call<
  readonly [
    runId: string | null,
    event: string | null,
    payload: string | null,
    deduplicationId: string | null,
  ],
  { readonly value: "delivered" | "buffered" | "ignored" | "sent" }
> = call(
  "workflow_signal",
  `select queue.workflow_signal(
    run_id => $1::bigint, event => $2::text, payload => $3::jsonb, deduplication_id => $4::text) as value`,
);

export interface SignalledStartRow {
  readonly runId: string;
  readonly created: boolean;
  readonly status: "running" | "completed" | "failed" | "cancelled";
  readonly outcome: "delivered" | "buffered" | "ignored";
}

export const workflowSignalWithStart: Call<
  readonly [
    name: string | null,
    idempotencyKey: string | null,
    event: string | null,
    payload: string | null,
    input: string | null,
    version: number | null,
    retentionDays: number | null,
    delaySeconds: number | null,
    deadline: string | null,
    tags: string | null,
    onEnded: string | null,
    deduplicationId: string | null,
    flowKey: string | null,
    priority: number | null,
    trace: string | null,
    startAt: string | null,
    deadlineSeconds: number | null,
    route: string | null,
    followsKey: boolean | null,
  ],
  SignalledStartRow
> = call(
  "workflow_signal_with_start",
  `select run_id::text as "runId", created, status, outcome
  from queue.workflow_signal_with_start(
    name => $1::text, idempotency_key => $2::text, event => $3::text, payload => $4::jsonb,
    input => $5::jsonb, version => $6::integer, retention_days => $7::integer,
    delay_seconds => $8::numeric, deadline => $9::timestamptz, tags => $10::jsonb,
    on_ended => $11::text, deduplication_id => $12::text, flow_key => $13::text,
    priority => $14::integer, trace => $15::jsonb, start_at => $16::timestamptz,
    deadline_seconds => $17::numeric, route => $18::text, follows_key => $19::boolean) as answer`,
);

export const workflowPause: Call<
  readonly [runId: string | null, reason: string | null],
  { readonly value: boolean }
> = call(
  "workflow_pause",
  `select queue.workflow_pause(run_id => $1::bigint, reason => $2::text) as value`,
);

export const workflowResume: Call<readonly [runId: string | null], { readonly value: boolean }> =
  call("workflow_resume", `select queue.workflow_resume(run_id => $1::bigint) as value`);

export const workflowRetry: Call<readonly [runId: string | null], { readonly value: boolean }> =
  call("workflow_retry", `select queue.workflow_retry(run_id => $1::bigint) as value`);

export const workflowCancel: Call<
  readonly [runId: string | null, reason: string | null, rollback: boolean | null],
  { readonly value: boolean }
> = call(
  "workflow_cancel",
  `select queue.workflow_cancel(
    run_id => $1::bigint, reason => $2::text, rollback => $3::boolean) as value`,
);

export const workflowRerun: Call<
  readonly [
    runId: string | null,
    fromStep: string | null,
    input: string | null,
    version: number | null,
  ],
  { readonly value: string }
> = call(
  "workflow_rerun",
  `select queue.workflow_rerun(
    run_id => $1::bigint, from_step => $2::text, input => $3::jsonb, version => $4::integer)::text as value`,
);

export const workflowOf: Call<readonly [runId: string | null], { readonly value: string | null }> =
  call("workflow_of", `select queue.workflow_of(run_id => $1::bigint) as value`);

export interface WorkflowStateRow {
  readonly runId: string;
  readonly name: string;
  readonly version: number;
  readonly status: "running" | "completed" | "failed" | "cancelled";
  readonly activity:
    | "queued"
    | "ready"
    | "executing"
    | "sleeping"
    | "waiting"
    | "retrying"
    | "delayed"
    | "pausing"
    | "paused"
    | null;
  readonly input: unknown;
  readonly output: unknown;
  readonly error: ErrorRecord | null;
  readonly idempotencyKey: string | null;
  readonly tags: unknown;
  readonly attempt: number | null;
  readonly waits: unknown;
  readonly retries: unknown;
  readonly startedAt: Date;
  readonly completedAt: Date | null;
  readonly deadline: Date | null;
  readonly resumesAt: Date | null;
  readonly pausedAt: Date | null;
  readonly pauseReason: string | null;
  readonly rerunOf: string | null;
  readonly supersededBy: string | null;
  readonly scheduledAt: Date | null;
  readonly inProgress: unknown;
  readonly failureOf: string | null;
  readonly retried: number;
  readonly failures: unknown;
  readonly generation: number;
  readonly parent: string | null;
  readonly isItem: boolean;
  readonly hasInput: boolean;
  readonly hasOutput: boolean;
}

export const workflowGet: Call<readonly [runIds: readonly string[]], WorkflowStateRow> = call(
  "workflow_get",
  `select run_id::text as "runId", name, version, status, activity, input, output, error,
    idempotency_key as "idempotencyKey", tags, attempt, waits, retries, started_at as "startedAt",
    completed_at as "completedAt", deadline, resumes_at as "resumesAt", paused_at as "pausedAt",
    pause_reason as "pauseReason", rerun_of::text as "rerunOf", superseded_by::text as "supersededBy",
    scheduled_at as "scheduledAt", in_progress as "inProgress", failure_of::text as "failureOf",
    retried, failures, generation, parent_run_id::text as "parent", is_item as "isItem",
    input is not null as "hasInput", output is not null as "hasOutput"
  from unnest($1::bigint[]) as each (item)
  cross join lateral queue.workflow_get(
    run_id => each.item) as answer`,
);

export const workflowMarks: Call<readonly [runIds: Texts | null], { readonly value: unknown }> =
  call("workflow_marks", `select queue.workflow_marks(run_ids => $1::bigint[]) as value`);

export interface WorkflowExplanationRow {
  readonly runId: string;
  readonly cause:
    | "ended"
    | "held"
    | "paused"
    | "pausing"
    | "executing"
    | "suspect"
    | "no_worker"
    | "ready"
    | "delayed"
    | "key_limit"
    | "key_rate"
    | "concurrency_limit"
    | "rate_limit"
    | "step_retry"
    | "run_retry"
    | "approval"
    | "event"
    | "child"
    | "sleep";
  readonly summary: string;
  readonly remedy: string;
  readonly since: Date | null;
  readonly until: Date | null;
  readonly details: unknown;
}

export const workflowExplain: Call<readonly [runId: string | null], WorkflowExplanationRow> = call(
  "workflow_explain",
  `select run_id::text as "runId", cause, summary, remedy, since, until, details
  from queue.workflow_explain(run_id => $1::bigint) as answer`,
);

export interface WorkflowJournalEntryRow {
  readonly name: string;
  readonly kind:
    | "run"
    | "sleep"
    | "wait"
    | "rollback"
    | "invoke"
    | "detach"
    | "signal"
    | "publish"
    | "tx"
    | "decision";
  readonly attempts: number;
  readonly output: unknown;
  readonly error: ErrorRecord | null;
  readonly startedAt: Date;
  readonly completedAt: Date;
  readonly position: number;
  readonly failures: unknown;
  readonly decisions: unknown;
  readonly hasOutput: boolean;
}

export const workflowJournal: Call<
  readonly [runId: string | null, after: number | null, maxSteps: number | null],
  WorkflowJournalEntryRow
> = call(
  "workflow_journal",
  `select name, kind, attempts, output, error, started_at as "startedAt", completed_at as "completedAt",
    "position" as "position", failures, decisions, output is not null as "hasOutput"
  from queue.workflow_journal(
    run_id => $1::bigint, after => $2::integer, max_steps => $3::integer) as answer`,
);

export const workflowState: Call<readonly [runId: string | null], { readonly value: unknown }> =
  call("workflow_state", `select queue.workflow_state(run_id => $1::bigint) as value`);

export interface WorkflowChunkRow {
  readonly position: string;
  readonly writtenAt: Date;
  readonly step: string | null;
  readonly attempt: number | null;
  readonly chunk: unknown;
  readonly resetSince: string | null;
}

export const workflowStream: Call<
  readonly [runId: string | null, after: string | null, maxChunks: number | null],
  WorkflowChunkRow
> = call(
  "workflow_stream",
  `select position::text as "position", written_at as "writtenAt", step, attempt, chunk,
    reset_since::text as "resetSince"
  from queue.workflow_stream(
    run_id => $1::bigint, after => $2::bigint, max_chunks => $3::integer) as answer`,
);

export interface WorkflowSummaryRow {
  readonly runId: string;
  readonly name: string;
  readonly version: number;
  readonly status: "running" | "completed" | "failed" | "cancelled";
  readonly startedAt: Date;
  readonly completedAt: Date | null;
  readonly deadline: Date | null;
  readonly pausedAt: Date | null;
  readonly idempotencyKey: string | null;
  readonly tags: unknown;
  readonly error: ErrorRecord | null;
  readonly rerunOf: string | null;
  readonly supersededBy: string | null;
  readonly input: unknown;
  readonly output: unknown;
  readonly failureOf: string | null;
  readonly activity:
    | "queued"
    | "ready"
    | "executing"
    | "sleeping"
    | "waiting"
    | "retrying"
    | "delayed"
    | "pausing"
    | "paused"
    | null;
  readonly parent: string | null;
  readonly cursor: string;
}

const workflowSummaryColumns = `run_id::text as "runId", name, version, status, started_at as "startedAt",
    completed_at as "completedAt", deadline, paused_at as "pausedAt",
    idempotency_key as "idempotencyKey", tags, error, rerun_of::text as "rerunOf",
    superseded_by::text as "supersededBy", input, output, failure_of::text as "failureOf", activity,
    parent_run_id::text as "parent",
    (extract(epoch from started_at) * 1000000)::bigint || '-' || run_id as "cursor"`;

export const workflowList: Call<
  readonly [
    filter: string | null,
    before: string | null,
    maxRuns: number | null,
    withValues: boolean | null,
    beforeStartedAt: string | null,
  ],
  WorkflowSummaryRow
> = call(
  "workflow_list",
  `select ${workflowSummaryColumns}
  from queue.workflow_list(
    filter => $1::jsonb, before => $2::bigint, max_runs => $3::integer, with_values => $4::boolean,
    before_started_at => timestamptz 'epoch' + $5::bigint * interval '1 microsecond') as answer`,
);

export const workflowExport: Call<readonly [filter: string | null], WorkflowSummaryRow> = call(
  "workflow_export",
  `select ${workflowSummaryColumns}
  from queue.workflow_export(filter => $1::jsonb) as answer`,
);

export interface WorkflowChildRow {
  readonly runId: string;
  readonly name: string;
  readonly version: number;
  readonly status: "running" | "completed" | "failed" | "cancelled";
  readonly step: string;
  readonly isDetached: boolean;
  readonly startedAt: Date;
  readonly completedAt: Date | null;
  readonly cursor: string;
}

export const workflowChildren: Call<
  readonly [
    runId: string | null,
    after: string | null,
    maxRuns: number | null,
    afterStartedAt: string | null,
    step: string | null,
  ],
  WorkflowChildRow
> = call(
  "workflow_children",
  `select run_id::text as "runId", name, version, status, parent_step as "step",
    is_detached as "isDetached", started_at as "startedAt", completed_at as "completedAt",
    (extract(epoch from started_at) * 1000000)::bigint || '-' || run_id as "cursor"
  from queue.workflow_children(
    run_id => $1::bigint, after => $2::bigint, max_runs => $3::integer,
    after_started_at => timestamptz 'epoch' + $4::bigint * interval '1 microsecond', step => $5::text) as answer`,
);

export interface GenerationInfoRow {
  readonly generation: number;
  readonly version: number;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
  readonly steps: number;
  readonly input: unknown;
}

export const workflowGenerations: Call<readonly [runId: string | null], GenerationInfoRow> = call(
  "workflow_generations",
  `select generation, version, started_at as "startedAt", ended_at as "endedAt", steps, input
  from queue.workflow_generations(run_id => $1::bigint) as answer`,
);

export const workflowCount: Call<
  readonly [filter: string | null, atMost: number | null],
  { readonly value: number }
> = call(
  "workflow_count",
  `select queue.workflow_count(filter => $1::jsonb, at_most => $2::integer)::float8 as value`,
);

export interface PublishedSumRow {
  readonly tag: string | null;
  readonly runs: number;
  readonly sums: Readonly<Record<string, number>>;
}

export const workflowSum: Call<
  readonly [
    key: string | null,
    filter: string | null,
    byTag: string | null,
    maxGroups: number | null,
  ],
  PublishedSumRow
> = call(
  "workflow_sum",
  `select tag, runs::float8 as "runs", sums
  from queue.workflow_sum(
    key => $1::text, filter => $2::jsonb, by_tag => $3::text, max_groups => $4::integer) as answer`,
);

export interface ChangedRunsRow {
  readonly changed: number;
  readonly before: string | null;
}

const changedRunsColumns = `changed, (extract(epoch from before_started_at) * 1000000)::bigint || '-' || before as "before"`;

export const workflowCancelAll: Call<
  readonly [
    filter: string | null,
    reason: string | null,
    before: string | null,
    maxRuns: number | null,
    beforeStartedAt: string | null,
  ],
  ChangedRunsRow
> = call(
  "workflow_cancel_all",
  `select ${changedRunsColumns}
  from queue.workflow_cancel_all(
    filter => $1::jsonb, reason => $2::text, before => $3::bigint, max_runs => $4::integer,
    before_started_at => timestamptz 'epoch' + $5::bigint * interval '1 microsecond') as answer`,
);

export const workflowPauseAll: Call<
  readonly [
    filter: string | null,
    reason: string | null,
    before: string | null,
    maxRuns: number | null,
    beforeStartedAt: string | null,
  ],
  ChangedRunsRow
> = call(
  "workflow_pause_all",
  `select ${changedRunsColumns}
  from queue.workflow_pause_all(
    filter => $1::jsonb, reason => $2::text, before => $3::bigint, max_runs => $4::integer,
    before_started_at => timestamptz 'epoch' + $5::bigint * interval '1 microsecond') as answer`,
);

export const workflowResumeAll: Call<
  readonly [
    filter: string | null,
    before: string | null,
    maxRuns: number | null,
    beforeStartedAt: string | null,
  ],
  ChangedRunsRow
> = call(
  "workflow_resume_all",
  `select ${changedRunsColumns}
  from queue.workflow_resume_all(
    filter => $1::jsonb, before => $2::bigint, max_runs => $3::integer,
    before_started_at => timestamptz 'epoch' + $4::bigint * interval '1 microsecond') as answer`,
);

export const workflowRetryAll: Call<
  readonly [
    filter: string | null,
    before: string | null,
    maxRuns: number | null,
    beforeStartedAt: string | null,
  ],
  ChangedRunsRow
> = call(
  "workflow_retry_all",
  `select ${changedRunsColumns}
  from queue.workflow_retry_all(
    filter => $1::jsonb, before => $2::bigint, max_runs => $3::integer,
    before_started_at => timestamptz 'epoch' + $4::bigint * interval '1 microsecond') as answer`,
);

export const workflowRerunAll: Call<
  readonly [
    filter: string | null,
    before: string | null,
    maxRuns: number | null,
    fromStep: string | null,
    beforeStartedAt: string | null,
  ],
  ChangedRunsRow
> = call(
  "workflow_rerun_all",
  `select ${changedRunsColumns}
  from queue.workflow_rerun_all(
    filter => $1::jsonb, before => $2::bigint, max_runs => $3::integer, from_step => $4::text,
    before_started_at => timestamptz 'epoch' + $5::bigint * interval '1 microsecond') as answer`,
);

export const workflowDelete: Call<readonly [runId: string | null], { readonly value: boolean }> =
  call("workflow_delete", `select queue.workflow_delete(run_id => $1::bigint) as value`);

export const workflowDeleteAll: Call<
  readonly [
    filter: string | null,
    before: string | null,
    maxRuns: number | null,
    beforeStartedAt: string | null,
  ],
  ChangedRunsRow
> = call(
  "workflow_delete_all",
  `select ${changedRunsColumns}
  from queue.workflow_delete_all(
    filter => $1::jsonb, before => $2::bigint, max_runs => $3::integer,
    before_started_at => timestamptz 'epoch' + $4::bigint * interval '1 microsecond') as answer`,
);

export const workflowUpdate: Call<
  readonly [runId: string | null, tags: string | null, retentionDays: number | null],
  { readonly value: boolean }
> = call(
  "workflow_update",
  `select queue.workflow_update(
    run_id => $1::bigint, tags => $2::jsonb, retention_days => $3::integer) as value`,
);

export const workflowSweep: Call<
  readonly [maxRuns: number | null, maxRetentionDays: number | null],
  { readonly value: number }
> = call(
  "workflow_sweep",
  `select queue.workflow_sweep(
    max_runs => $1::integer, max_retention_days => $2::integer) as value`,
);

export const workflowSetMaxRetention: Call<
  readonly [days: number | null],
  { readonly value: boolean }
> = call(
  "workflow_set_max_retention",
  `select queue.workflow_set_max_retention(days => $1::integer) as value`,
);

export const workflowExpire: Call<readonly [maxRuns: number | null], { readonly value: number }> =
  call("workflow_expire", `select queue.workflow_expire(max_runs => $1::integer) as value`);
