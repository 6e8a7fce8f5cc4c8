/**
 * Rows of the SQL functions ↔ `protocol/messages.ts`: int8 stays text, JSON goes out as text, deadlines are ISO
 * strings in the database (people read them there) and milliseconds in the runtime.
 */
import type {
  BusyCommit,
  CommitResult,
  Continuation,
  ErrorRecord,
  FailedAttempt,
  JournalEntry,
  LeaseNotice,
  ResolvedWait,
  Retry,
  RunCommit,
  StepEffect,
  StepInProgress,
  StepKind,
  TimedJournalEntry,
  Wait,
  TraceHeaders,
  WorkflowDelivery,
} from "../../protocol/messages.ts";
import type {
  FlowState,
  ChildListing,
  RegisteredVersion,
  Registration,
  RunConditions,
  RunListing,
  RunRecord,
  SignalRequest,
  StartRequest,
} from "../../protocol/transport.ts";

/** The journals of larger runs come in pages: as in `workflow_receive`. */
const MAX_ANSWER_BYTES = 67_108_864;

export interface DeliveryRow {
  readonly run_id: string;
  readonly receipt: string;
  readonly name: string;
  readonly version: number;
  readonly attempt: number;
  readonly input: unknown;
  readonly is_empty: boolean;
  readonly journal: readonly JournalEntry[] | null;
  readonly continuation: ContinuationRow;
  readonly started_at: number;
  readonly received_at: number;
  readonly schedule: { readonly name: string; readonly scheduled_at: string } | null;
  readonly trace: TraceHeaders | null;
  readonly failure_of: string | null;
  readonly retried: number;
  readonly deadline: number | null;
  readonly bytes: number | null;
}

/** The body of a continuation. Whoever writes SQL by hand may leave out what is empty. */
interface ContinuationRow {
  readonly waits?: readonly WaitRow[];
  readonly retries?: readonly RetryRow[];
  readonly revision?: number;
  readonly cancelled?: { readonly reason?: string };
}

interface WaitRow {
  readonly kind: "sleep" | "event" | "invoke";
  readonly step: string;
  readonly event?: string;
  readonly match?: unknown;
  readonly since?: string;
  readonly until?: string;
  readonly isDate?: true;
  readonly expired?: true;
}

interface RetryRow {
  readonly step: string;
  readonly attempts: number;
  readonly since?: string;
  readonly until: string;
  readonly error: ErrorRecord;
}

export interface CommitResultRow {
  readonly run_id: string;
  readonly receipt: string;
  readonly outcome: CommitResult["outcome"] | BusyCommit["outcome"];
  readonly resolved: readonly ResolvedWait[] | null;
}

export interface LeaseNoticeRow {
  readonly run_id: string;
  readonly receipt: string;
  readonly outcome: LeaseNotice["outcome"];
}

interface FailureRow {
  readonly attempt: number;
  readonly failed_at: string;
  readonly error: ErrorRecord;
}

interface StepInProgressRow {
  readonly step: string;
  readonly attempt: number;
  readonly since: string;
  readonly worker: string;
}

export interface JournalRow {
  readonly name: string;
  readonly kind: StepKind;
  readonly attempts: number;
  readonly output: unknown;
  readonly is_empty: boolean;
  readonly error: ErrorRecord | null;
  readonly started_at: Date;
  readonly completed_at: Date;
  readonly position: number;
  readonly failures: readonly FailureRow[] | null;
}

export interface RunRow {
  readonly run_id: string;
  readonly name: string;
  readonly version: number;
  readonly status: RunRecord["status"];
  readonly activity: RunRecord["activity"];
  readonly input: unknown;
  readonly is_empty: boolean;
  readonly output: unknown;
  readonly is_void: boolean;
  readonly error: unknown;
  readonly idempotency_key: string | null;
  readonly tags: unknown;
  readonly attempt: number | null;
  readonly waits: unknown;
  readonly retries: unknown;
  readonly started_at: Date;
  readonly completed_at: Date | null;
  readonly deadline: Date | null;
  readonly resumes_at: Date | number | null;
  readonly paused_at: Date | null;
  readonly pause_reason: string | null;
  readonly rerun_of: string | null;
  readonly superseded_by: string | null;
  readonly scheduled_at: Date | null;
  readonly in_progress: readonly StepInProgressRow[] | null;
  readonly failure_of: string | null;
  readonly retried: number;
  readonly failures: readonly FailureRow[] | null;
}

export interface ListingRow {
  readonly run_id: string;
  readonly name: string;
  readonly version: number;
  readonly status: RunListing["status"];
  readonly started_at: Date;
  readonly completed_at: Date | null;
  readonly deadline: Date | null;
  readonly paused_at: Date | null;
  readonly idempotency_key: string | null;
  readonly tags: unknown;
  readonly error: unknown;
  readonly rerun_of: string | null;
  readonly superseded_by: string | null;
  readonly input: unknown;
  readonly output: unknown;
  readonly cursor: string;
  readonly failure_of: string | null;
}

export interface ChildRow {
  readonly run_id: string;
  readonly name: string;
  readonly version: number;
  readonly status: ChildListing["status"];
  readonly parent_step: string;
  readonly is_detached: boolean;
  readonly started_at: Date;
  readonly completed_at: Date | null;
  readonly cursor: string;
}

export const toChildRun = (row: ChildRow): ChildListing => ({
  runId: row.run_id,
  name: row.name,
  version: row.version,
  status: row.status,
  step: row.parent_step,
  isDetached: row.is_detached,
  startedAt: row.started_at,
  completedAt: row.completed_at,
  cursor: row.cursor,
});

export const toDelivery = (row: DeliveryRow): WorkflowDelivery => ({
  runId: row.run_id,
  receipt: row.receipt,
  name: row.name,
  version: row.version,
  attempt: row.attempt,
  input: row.is_empty ? undefined : row.input,
  journal: row.journal ?? [],
  continuation: toContinuation(row.continuation),
  startedAt: row.started_at,
  receivedAt: row.received_at,
  ...(row.schedule === null
    ? {}
    : {
        schedule: {
          name: row.schedule.name,
          scheduledAt: Date.parse(row.schedule.scheduled_at),
        },
      }),
  ...(row.trace === null ? {} : { trace: row.trace }),
  ...(row.failure_of === null ? {} : { failureOf: row.failure_of }),
  ...(row.retried === 0 ? {} : { retried: row.retried }),
  ...(row.deadline === null ? {} : { deadline: row.deadline }),
  ...(row.bytes === null ? {} : { bytes: row.bytes }),
  // No input is that large.
  ...(row.journal === null && (row.bytes ?? 0) > MAX_ANSWER_BYTES ? { journalFollows: true } : {}),
});

const toContinuation = (row: ContinuationRow): Continuation => ({
  waits: (row.waits ?? []).map(toWait),
  retries: (row.retries ?? []).map(({ since, until, ...retry }): Retry => ({
    ...retry,
    ...(since === undefined ? {} : { since: Date.parse(since) }),
    until: Date.parse(until),
  })),
  ...(row.revision === undefined ? {} : { revision: row.revision }),
  ...(row.cancelled === undefined ? {} : { cancelled: row.cancelled }),
});

const toWait = (row: WaitRow): Wait => {
  const { until, since, ...rest } = row;
  const times = {
    ...(since === undefined ? {} : { since: Date.parse(since) }),
    ...(until === undefined ? {} : { until: Date.parse(until) }),
  };
  return { ...rest, ...times } as Wait;
};

const iso = (ms: number): string => new Date(ms).toISOString();

const continuationText = (
  continuation: Continuation,
  journaled: number,
  revision: number | undefined,
): string =>
  JSON.stringify({
    waits: continuation.waits.map((wait) => ({
      ...wait,
      since: wait.since === undefined ? undefined : iso(wait.since),
      until: wait.until === undefined ? undefined : iso(wait.until),
    })),
    retries: continuation.retries.map((retry) => ({
      ...retry,
      since: retry.since === undefined ? undefined : iso(retry.since),
      until: iso(retry.until),
    })),
    journaled,
    revision,
  });

/** The arguments of `workflow_commit`: one array a parameter. */
export function commitArguments(items: readonly RunCommit[]): unknown[] {
  const steps = items.flatMap((item, index) =>
    item.steps.map((step, offset) => ({
      step,
      item: index + 1,
      position: item.journaled + offset + 1,
    })),
  );
  const state = items.flatMap((item, index) =>
    (item.state ?? []).map(({ key, value }) => ({ item: index + 1, key, value: value ?? null })),
  );
  const stream = items.flatMap((item, index) =>
    (item.stream ?? []).map((chunk) => ({ ...chunk, item: index + 1 })),
  );
  const effects = items.flatMap((item, index) =>
    (item.effects ?? []).map((effect) => ({ item: index + 1, effect })),
  );
  return [
    items.map((item) => item.workflow),
    items.map((item) => item.runId),
    items.map((item) => item.receipt),
    items.map((item) => item.transition.kind),
    items.map(resultText),
    items.map(({ transition }) =>
      (transition.kind === "suspend" || transition.kind === "retry") &&
      transition.resumeAt !== undefined
        ? iso(transition.resumeAt)
        : null,
    ),
    steps.map(({ item }) => item),
    steps.map(({ position }) => position),
    steps.map(({ step }) => step.name),
    steps.map(({ step }) => step.kind),
    steps.map(({ step }) => step.output ?? null),
    steps.map(({ step }) => (step.error === undefined ? null : JSON.stringify(step.error))),
    steps.map(({ step }) => step.attempts),
    steps.map(({ step }) => step.durationMs),
    ...(state.length === 0
      ? [null, null, null]
      : [
          state.map(({ item }) => item),
          state.map(({ key }) => key),
          state.map(({ value }) => value),
        ]),
    ...(stream.length === 0
      ? [null, null, null, null, null]
      : [
          stream.map(({ item }) => item),
          stream.map(({ step }) => step),
          stream.map(({ attempt }) => attempt),
          stream.map(({ number }) => number),
          stream.map(({ value }) => value ?? null),
        ]),
    ...(effects.length === 0
      ? Array.from({ length: 9 }, () => null)
      : [
          effects.map(({ item }) => item),
          effects.map(({ effect }) => effect.kind),
          effects.map(({ effect }) => effect.step),
          effects.map(({ effect }) => targetOf(effect)),
          effects.map(({ effect }) => ("event" in effect ? effect.event : null)),
          effects.map(({ effect }) => valueOf(effect) ?? null),
          effects.map(({ effect }) => ("version" in effect ? effect.version : null)),
          effects.map(({ effect }) =>
            "retentionDays" in effect ? (effect.retentionDays ?? null) : null,
          ),
          unlessNone(
            effects.map(({ effect }) => ("trace" in effect ? JSON.stringify(effect.trace) : null)),
          ),
        ]),
    items.map(({ known }) => (known === undefined ? null : JSON.stringify(known))),
    items.length > 1,
  ];
}

function targetOf(effect: StepEffect): string {
  if (effect.kind === "signal") return effect.runId;
  return "topic" in effect ? effect.topic : effect.workflow;
}

function valueOf(effect: StepEffect): string | undefined {
  if (effect.kind === "signal") return effect.payload;
  if (effect.kind === "subscribe") return effect.match;
  return effect.kind === "publish" ? effect.message : effect.input;
}

function resultText({
  transition,
  journaled,
  steps,
  revision,
  restartsCount,
}: RunCommit): string | null {
  switch (transition.kind) {
    case "suspend":
      return continuationText(transition.continuation, journaled + steps.length, revision);
    case "keep":
      if (transition.continuation !== undefined) {
        return continuationText(transition.continuation, journaled + steps.length, revision);
      }
      // An object that changes nothing: what is written restarts the count.
      return restartsCount ? "{}" : null;
    case "complete":
      return transition.output ?? null;
    case "fail":
    case "retry":
    case "cancel":
      return JSON.stringify(transition.error);
    case "release":
      return null;
    default:
      return transition satisfies never;
  }
}

export const toCommitResult = (row: CommitResultRow): CommitResult | BusyCommit => ({
  runId: row.run_id,
  receipt: row.receipt,
  outcome: row.outcome,
  resolved: row.resolved ?? [],
});

export const toLeaseNotice = (row: LeaseNoticeRow): LeaseNotice => ({
  runId: row.run_id,
  receipt: row.receipt,
  outcome: row.outcome,
});

export const toJournalEntry = (row: JournalRow): TimedJournalEntry => ({
  name: row.name,
  kind: row.kind,
  attempts: row.attempts,
  ...(row.is_empty ? {} : { output: row.output }),
  ...(row.error === null ? {} : { error: row.error }),
  startedAt: row.started_at,
  completedAt: row.completed_at,
  position: row.position,
  ...(row.failures === null ? {} : { failures: row.failures.map(toFailure) }),
});

const toFailure = ({ attempt, failed_at, error }: FailureRow): FailedAttempt => ({
  attempt,
  failedAt: new Date(failed_at),
  error,
});

const toStepInProgress = ({ since, ...call }: StepInProgressRow): StepInProgress => ({
  ...call,
  since: new Date(since),
});

/** As JSON, like all of a continuation that is shown to people; only the name is ours. */
const toShownRetry = (retry: unknown): unknown => {
  if (typeof retry !== "object" || retry === null || !("failures" in retry)) return retry;
  const failures = (retry.failures ?? []) as readonly FailureRow[];
  return {
    ...retry,
    failures: failures.map(({ attempt, failed_at, error }) => ({
      attempt,
      failedAt: failed_at,
      error,
    })),
  };
};

export const toRunRecord = (row: RunRow): RunRecord => ({
  runId: row.run_id,
  name: row.name,
  version: row.version,
  status: row.status,
  activity: row.activity,
  input: row.input,
  isEmpty: row.is_empty,
  output: row.output,
  isVoid: row.is_void,
  error: row.error,
  idempotencyKey: row.idempotency_key,
  tags: row.tags,
  attempt: row.attempt,
  waits: row.waits,
  retries: Array.isArray(row.retries) ? row.retries.map(toShownRetry) : row.retries,
  startedAt: row.started_at,
  completedAt: row.completed_at,
  deadline: row.deadline,
  resumesAt: row.resumes_at,
  pausedAt: row.paused_at,
  pauseReason: row.pause_reason,
  rerunOf: row.rerun_of,
  supersededBy: row.superseded_by,
  scheduledAt: row.scheduled_at,
  inProgress: (row.in_progress ?? []).map(toStepInProgress),
  failureOf: row.failure_of,
  retried: row.retried,
  failures: (row.failures ?? []).map(toFailure),
});

export const toListing = (row: ListingRow): RunListing => ({
  runId: row.run_id,
  name: row.name,
  version: row.version,
  status: row.status,
  startedAt: row.started_at,
  completedAt: row.completed_at,
  deadline: row.deadline,
  pausedAt: row.paused_at,
  idempotencyKey: row.idempotency_key,
  tags: row.tags,
  error: row.error,
  rerunOf: row.rerun_of,
  supersededBy: row.superseded_by,
  input: row.input,
  output: row.output,
  cursor: row.cursor,
  failureOf: row.failure_of,
});

/** The run id and the time of a cursor; a run id alone is one too. */
export function cursorArguments(cursor: string | undefined): [string | null, string | null] {
  if (cursor === undefined) return [null, null];
  const [first = "", second] = cursor.split("-");
  return second === undefined ? [first, null] : [second, first];
}

/** The filter of `workflow_list` and its like, as JSON text; what is undefined is left out. */
export const filterText = (conditions: RunConditions): string =>
  JSON.stringify({
    name: conditions.name,
    version: conditions.version,
    status: conditions.status,
    paused: conditions.paused,
    started_after: conditions.startedAfter,
    started_before: conditions.startedBefore,
    completed_after: conditions.completedAfter,
    completed_before: conditions.completedBefore,
    tags: conditions.tags,
    input: conditions.input,
    error_code: conditions.errorCode,
    idempotency_key: conditions.idempotencyKey,
  });

export interface FlowRow {
  readonly settings: Record<string, unknown>;
  readonly version: number;
  readonly admitted: string;
  readonly queued: string;
  readonly opens_at: Date | null;
}

export const toFlowState = (row: FlowRow): FlowState => ({
  settings: row.settings,
  version: row.version,
  admitted: Number(row.admitted),
  queued: Number(row.queued),
  opensAt: row.opens_at,
});

/** The arguments of `workflow_start_batch`, all of one workflow. */
export function startArguments(workflow: string, requests: readonly StartRequest[]): unknown[] {
  return [
    workflow,
    requests.map((request) => request.input ?? null),
    requests.map((request) => request.version ?? null),
    requests.map((request) => request.idempotencyKey ?? null),
    requests.map((request) => request.retentionDays ?? null),
    requests.map((request) => (request.delayMs === undefined ? null : request.delayMs / 1000)),
    requests.map((request) => request.deadline?.toISOString() ?? null),
    requests.map((request) => request.tags ?? null),
    ruleOf(requests, ({ onRunning }) => onRunning),
    ruleOf(requests, ({ onEnded }) => onEnded),
    ruleOf(requests, ({ flowKey }) => flowKey),
    ruleOf(requests, ({ priority }) => priority),
    unlessNone(requests.map(({ trace }) => (trace === undefined ? null : JSON.stringify(trace)))),
    unlessNone(requests.map(({ startAt }) => startAt?.toISOString() ?? null)),
    unlessNone(requests.map(({ deadlineMs }) => toSeconds(deadlineMs))),
  ];
}

/** Null where nobody gives a rule, which is the usual case. */
function ruleOf<Value>(
  requests: readonly StartRequest[],
  rule: (request: StartRequest) => Value | undefined,
): (Value | null)[] | null {
  return unlessNone(requests.map((request) => rule(request) ?? null));
}

const unlessNone = <Value>(values: (Value | null)[]): (Value | null)[] | null =>
  values.every((each) => each === null) ? null : values;

/** The arguments of `workflow_signal_with_start`. */
export const signalWithStartArguments = (
  request: StartRequest,
  signal: SignalRequest,
): unknown[] => [
  request.workflow,
  request.idempotencyKey ?? null,
  signal.event,
  signal.payload ?? null,
  request.input ?? null,
  request.version ?? null,
  request.retentionDays ?? null,
  request.delayMs === undefined ? 0 : request.delayMs / 1000,
  request.deadline?.toISOString() ?? null,
  request.tags ?? null,
  request.onEnded ?? "start-new",
  signal.deduplicationId ?? null,
  request.flowKey ?? null,
  request.priority ?? null,
  request.trace === undefined ? null : JSON.stringify(request.trace),
  request.startAt?.toISOString() ?? null,
  toSeconds(request.deadlineMs),
];

const toSeconds = (ms: number | undefined): number | null => (ms === undefined ? null : ms / 1000);

export const registrationArguments = (registrations: readonly Registration[]): unknown[] => [
  registrations.map(({ name }) => name),
  registrations.map(({ version }) => version),
  registrations.map(({ retentionDays }) => retentionDays ?? null),
  registrations.map(({ deadlineMs }) => toSeconds(deadlineMs)),
  registrations.map(({ onFailure }) => onFailure ?? null),
];

export interface VersionRow {
  readonly workflow: string;
  readonly version: number;
  readonly retention_days: number | null;
  readonly deadline_ms: number | null;
  readonly on_failure: string | null;
  readonly registered_at: Date;
}

export const toRegisteredVersion = (row: VersionRow): RegisteredVersion => ({
  workflow: row.workflow,
  version: row.version,
  retentionDays: row.retention_days,
  deadlineMs: row.deadline_ms,
  onFailure: row.on_failure,
  registeredAt: row.registered_at,
});
