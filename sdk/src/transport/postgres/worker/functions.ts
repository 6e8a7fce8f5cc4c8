/** The SQL functions of this room. Made by `npm run build:seam` of extension-sql: change the sources there. */
import type { UncommonCommit } from "../../../protocol/commit.ts";
import type { Call } from "../../../protocol/rooms.ts";
import { call, type Numbers, type Texts } from "../connection/call.ts";

export interface WorkflowDeliveryRow {
  readonly runId: string;
  readonly receipt: string;
  readonly name: string;
  readonly version: number;
  readonly attempt: number;
  readonly input: unknown;
  readonly journal: unknown;
  readonly continuation: unknown;
  readonly startedAt: number;
  readonly receivedAt: number;
  readonly schedule: unknown;
  readonly trace: unknown;
  readonly failureOf: string | null;
  readonly retried: number;
  readonly deadline: number | null;
  readonly bytes: number | null;
  readonly generation: number;
  readonly hasInput: boolean;
}

export const workflowReceive: Call<
  readonly [
    names: Texts | null,
    versions: string | null,
    maxRuns: number | null,
    leaseSeconds: number | null,
    suspects: number | null,
    maxBytes: string | null,
  ],
  WorkflowDeliveryRow
> = call(
  "workflow_receive",
  `select run_id::text as "runId", receipt::text as "receipt", name, version, attempt, input, journal,
    continuation, extract(epoch from started_at)::float8 * 1000 as "startedAt",
    extract(epoch from received_at)::float8 * 1000 as "receivedAt", schedule, trace,
    failure_of::text as "failureOf", retried,
    extract(epoch from deadline)::float8 * 1000 as "deadline", bytes::float8 as "bytes", generation,
    input is not null as "hasInput"
  from queue.workflow_receive(
    names => $1::text[], versions => $2::jsonb, max_runs => $3::integer, lease_seconds => $4::numeric,
    suspects => $5::integer, max_bytes => $6::bigint) as answer`,
);

export const workflowJournalPage: Call<
  readonly [runId: string | null, after: number | null],
  { readonly value: unknown }
> = call(
  "workflow_journal_page",
  `select queue.workflow_journal_page(run_id => $1::bigint, after => $2::integer) as value`,
);

export interface WorkflowCommitResultRow {
  readonly runs: number;
  readonly exceptions: readonly UncommonCommit[] | null;
}

export const workflowCommit: Call<
  readonly [
    names: Texts | null,
    runIds: string | null,
    receipts: string | null,
    transitions: string | null,
    results: Texts | null,
    resumeAt: Texts | null,
    stepItems: string | null,
    stepPositions: string | null,
    stepNames: Texts | null,
    stepKinds: string | null,
    stepOutputs: Texts | null,
    stepErrors: Texts | null,
    stepAttempts: string | null,
    stepDurations: string | null,
    stateItems: Numbers | null,
    stateKeys: Texts | null,
    stateValues: Texts | null,
    streamItems: Numbers | null,
    streamSteps: Texts | null,
    streamAttempts: Numbers | null,
    streamNumbers: Numbers | null,
    streamChunks: Texts | null,
    effectItems: Numbers | null,
    effectKinds: Texts | null,
    effectSteps: Texts | null,
    effectTargets: Texts | null,
    effectEvents: Texts | null,
    effectValues: Texts | null,
    effectVersions: Numbers | null,
    effectRetention: Numbers | null,
    effectTraces: Texts | null,
    known: Texts | null,
    skipLocked: boolean | null,
    stepDecisions: Texts | null,
  ],
  WorkflowCommitResultRow
> = call(
  "workflow_commit",
  `select count(*)::float8 as "runs",
    jsonb_agg(jsonb_build_object('runId', run_id::text, 'outcome', outcome, 'resolved', resolved)) filter (where outcome <> 'ok' or resolved is not null) as "exceptions"
  from queue.workflow_commit(
    names => $1::text[], run_ids => $2::bigint[], receipts => $3::bigint[], transitions => $4::text[],
    results => $5::jsonb[], resume_at => $6::timestamptz[], step_items => $7::integer[],
    step_positions => $8::integer[], step_names => $9::text[], step_kinds => $10::text[],
    step_outputs => $11::jsonb[], step_errors => $12::jsonb[], step_attempts => $13::integer[],
    step_durations => $14::double precision[], state_items => $15::integer[],
    state_keys => $16::text[], state_values => $17::jsonb[], stream_items => $18::integer[],
    stream_steps => $19::text[], stream_attempts => $20::integer[], stream_numbers => $21::integer[],
    stream_chunks => $22::jsonb[], effect_items => $23::integer[], effect_kinds => $24::text[],
    effect_steps => $25::text[], effect_targets => $26::text[], effect_events => $27::text[],
    effect_values => $28::jsonb[], effect_versions => $29::integer[],
    effect_retention => $30::integer[], effect_traces => $31::jsonb[], known => $32::jsonb[],
    skip_locked => $33::boolean, step_decisions => $34::jsonb[]) as answer`,
);

export const workflowCommitTx: Call<
  readonly [
    runId: string | null,
    receipt: string | null,
    stepName: string | null,
    output: string | null,
    attempts: number | null,
    duration: number | null,
    known: string | null,
    decisions: string | null,
    streamChunks: Texts | null,
  ],
  { readonly value: "ok" | "repeated" | "lost" | "cancelled" }
> = call(
  "workflow_commit_tx",
  `select queue.workflow_commit_tx(
    run_id => $1::bigint, receipt => $2::bigint, step_name => $3::text, output => $4::jsonb,
    attempts => $5::integer, duration => $6::double precision, known => $7::jsonb,
    decisions => $8::jsonb, stream_chunks => $9::jsonb[]) as value`,
);

export interface WorkflowLeaseNoticeRow {
  readonly runId: string;
  readonly receipt: string;
  readonly outcome: "lost" | "cancelled" | "signalled" | "paused" | "cancelling" | "busy";
}

export const workflowHeartbeat: Call<
  readonly [receipts: Texts | null, leaseSeconds: number | null, known: Texts | null],
  WorkflowLeaseNoticeRow
> = call(
  "workflow_heartbeat",
  `select run_id::text as "runId", receipt::text as "receipt", outcome
  from queue.workflow_heartbeat(
    receipts => $1::bigint[], lease_seconds => $2::numeric, known => $3::jsonb[], report_busy => true) as answer`,
);

export const workflowReportProgress: Call<
  readonly [receipts: Texts | null, worker: string | null, steps: Texts | null],
  { readonly value: unknown }
> = call(
  "workflow_report_progress",
  `select queue.workflow_report_progress(
    receipts => $1::bigint[], worker => $2::text, steps => $3::jsonb[]) as value`,
);
