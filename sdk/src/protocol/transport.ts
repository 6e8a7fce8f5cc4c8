/**
 * What the SDK asks of a database, whichever way it gets there. Each method is one call of one SQL function;
 * every rule lives in that function, none in a transport. A transport owns connections, retries of lost ones,
 * and the translation between rows and `messages.ts`.
 */
import type {
  BusyCommit,
  CommitResult,
  FailedAttempt,
  JournalEntry,
  JsonText,
  Known,
  LeaseClaim,
  LeaseNotice,
  ProgressReport,
  RunCommit,
  RunStatus,
  StepInProgress,
  TimedJournalEntry,
  TraceHeaders,
  WorkflowDelivery,
} from "./messages.ts";
import type { DeliveryTransport } from "./delivery-transport.ts";
import type { QueueTransport } from "./queue-transport.ts";
import type { ScheduleTransport, TickTransport } from "./schedule-transport.ts";
import type { StatisticsTransport } from "./statistics-transport.ts";
import type { TopicTransport } from "./topic-transport.ts";

/** Anything that runs SQL inside a transaction of the caller's: a `pg` client, or a thin shim over an ORM's. */
export interface TransactionClient {
  query(text: string, values: unknown[]): Promise<{ rows: unknown[] }>;
}

/** What a start does while a run that holds its idempotency key is in flight. */
export type OnRunning = "use-existing" | "fail" | "cancel-existing";

/** What a start does when the run that holds its idempotency key has ended. */
export type OnEnded = "use-existing" | "start-new" | "start-new-if-failed";

export interface StartRequest {
  readonly workflow: string;
  /** Undefined: the latest that is registered. */
  readonly version: number | undefined;
  readonly input: JsonText | undefined;
  readonly idempotencyKey: string | undefined;
  /** Undefined: that of the registered version. */
  readonly retentionDays: number | undefined;
  readonly delayMs: number | undefined;
  /** When the run may begin. */
  readonly startAt?: Date | undefined;
  readonly deadline: Date | undefined;
  /** Instead of a deadline: how long after the run may begin. */
  readonly deadlineMs?: number | undefined;
  readonly tags: JsonText | undefined;
  readonly onRunning: OnRunning | undefined;
  readonly onEnded: OnEnded | undefined;
  /** For the flow control of the workflow. Undefined: what it finds in the input. */
  readonly flowKey: string | undefined;
  readonly priority: number | undefined;
  /** The trace that it is part of. */
  readonly trace?: TraceHeaders | undefined;
}

/** A version of a workflow that a worker serves, with the defaults of its runs. */
export interface Registration {
  readonly name: string;
  readonly version: number;
  readonly retentionDays: number | undefined;
  readonly deadlineMs: number | undefined;
  /** The workflow that handles its failures. */
  readonly onFailure: string | undefined;
}

/** A version of a workflow as workers have registered it; a default that is null is that of the database. */
export interface RegisteredVersion {
  readonly workflow: string;
  readonly version: number;
  readonly retentionDays: number | null;
  readonly deadlineMs: number | null;
  readonly onFailure: string | null;
  readonly registeredAt: Date;
}

export interface StartBatchOptions {
  /** False: fails with `isLockTimeout` rather than wait for another transaction that uses one of the keys. */
  readonly isPatient?: boolean;
}

export interface StartedRun {
  readonly runId: string;
  /** False when a run with the same idempotency key was there already. */
  readonly created: boolean;
  readonly status: RunStatus;
}

/** `delivered` to a wait, `buffered` for the next one that matches, or `ignored` because the run has ended. */
export type SignalOutcome = "delivered" | "buffered" | "ignored";

export interface SignalRequest {
  readonly event: string;
  readonly payload: JsonText | undefined;
  /** The same again for the run does nothing. */
  readonly deduplicationId: string | undefined;
}

/** A run that was started, or found, and what became of the signal that went along. */
export interface SignalledStart extends StartedRun {
  readonly outcome: SignalOutcome;
}

export interface CancelRequest {
  readonly reason: string | undefined;
  readonly rollback: boolean;
}

export interface RerunRequest {
  readonly fromStep: string | undefined;
  /** Undefined: that of the run. */
  readonly input: JsonText | undefined;
  readonly version: number | undefined;
}

/**
 * What a running run is doing. `queued`: it waits for its turn by the flow control of its workflow; `pausing`: it was paused, and its worker finishes what it is calling; `paused`: it
 * executes nothing.
 */
export type RunActivity =
  | "queued"
  | "ready"
  | "executing"
  | "sleeping"
  | "waiting"
  | "retrying"
  | "delayed"
  | "pausing"
  | "paused";

/** Which runs are meant: all conditions are to be true. Instants are ISO 8601. */
export interface RunConditions {
  readonly name?: string | undefined;
  readonly version?: number | undefined;
  readonly status?: readonly RunStatus[] | undefined;
  readonly paused?: boolean | undefined;
  readonly startedAfter?: string | undefined;
  readonly startedBefore?: string | undefined;
  readonly completedAfter?: string | undefined;
  readonly completedBefore?: string | undefined;
  readonly tags?: unknown;
  readonly input?: unknown;
  readonly errorCode?: string | undefined;
  readonly idempotencyKey?: string | undefined;
}

/** A page of runs, newest first. */
export interface PageRequest {
  /** Cursor of the run that the page before ended with. */
  readonly before: string | undefined;
  readonly maxRuns: number;
  /** Also input and output. */
  readonly withValues: boolean;
}

/** A run as it is listed, before its values are decoded. */
export interface RunListing {
  readonly runId: string;
  readonly name: string;
  readonly version: number;
  readonly status: RunStatus;
  readonly startedAt: Date;
  readonly completedAt: Date | null;
  readonly deadline: Date | null;
  readonly pausedAt: Date | null;
  readonly idempotencyKey: string | null;
  readonly tags: unknown;
  readonly error: unknown;
  readonly rerunOf: string | null;
  readonly supersededBy: string | null;
  readonly input: unknown;
  readonly output: unknown;
  /** Its place in the list, behind which the next page begins: opaque to everything above the transport. */
  readonly cursor: string;
  /** The run whose failure this one handles. */
  readonly failureOf: string | null;
}

/** A run that a step of another run has started. */
export interface ChildRun {
  readonly runId: string;
  readonly name: string;
  readonly version: number;
  readonly status: RunStatus;
  /** The step of the parent. */
  readonly step: string;
  /** The parent does not wait for its end. */
  readonly isDetached: boolean;
  readonly startedAt: Date;
  readonly completedAt: Date | null;
}

export interface ChildListing extends ChildRun {
  /** Its place in the list. */
  readonly cursor: string;
}

/** A workflow, and how many runs of it have each status. */
export interface WorkflowTally {
  readonly name: string;
  readonly running: number;
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
}

/** What became of flow control that was said: `kept` is that of a newer version. */
export type FlowOutcome = "created" | "changed" | "unchanged" | "kept";

/** The flow control of a workflow, and how it stands. */
export interface FlowState {
  /** As `queue.workflow_set_flow_control` takes them. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** The version that has said it. */
  readonly version: number;
  /** Runs in flight that are counted. */
  readonly admitted: number;
  /** Runs that wait for their turn, or for their time. */
  readonly queued: number;
  /** When the next may begin, where a rate or a delay tells. */
  readonly opensAt: Date | null;
}

/** A piece of the output of a run, before it is decoded. */
export interface StreamChunk {
  /** Place in the stream: where to read on. */
  readonly position: string;
  readonly value: unknown;
  /** The step whose callback wrote it; null: the body. */
  readonly step: string | null;
  /** Which call of that callback. */
  readonly attempt: number | null;
  readonly writtenAt: Date;
  /**
   * True if this is no chunk but a reset, without a value: a worker died in a call of the step, and the call that repeats
   * it begins again. Discard the chunks of this `step` whose position is `since` or later.
   */
  readonly reset?: true;
  /** Of a reset: a position. */
  readonly since?: string;
}

/** What is done to all runs that fit a filter. */
export type RunChange = "cancel" | "pause" | "resume" | "retry" | "rerun";

export interface ChangeRequest {
  /** The reason of a cancellation or a pause; the step that a rerun goes on from. */
  readonly detail: string | undefined;
  /** Cursor of the batch. */
  readonly before: string | undefined;
  readonly maxRuns: number;
}

export interface ChangedRuns {
  readonly changed: number;
  /** Cursor of the next batch; null when there is none. */
  readonly before: string | null;
}

/** A run as the database knows it, before `output` is decoded. */
export interface RunRecord {
  readonly runId: string;
  readonly name: string;
  readonly version: number;
  readonly status: RunStatus;
  /** Null once the run has ended. */
  readonly activity: RunActivity | null;
  readonly input: unknown;
  /** There is no input, which is something else than null in JSON. */
  readonly isEmpty: boolean;
  readonly output: unknown;
  /** There is no output, or not yet. */
  readonly isVoid: boolean;
  readonly error: unknown;
  readonly idempotencyKey: string | null;
  readonly tags: unknown;
  readonly attempt: number | null;
  readonly waits: unknown;
  readonly retries: unknown;
  readonly startedAt: Date;
  readonly completedAt: Date | null;
  readonly deadline: Date | null;
  readonly resumesAt: Date | number | null;
  readonly pausedAt: Date | null;
  readonly pauseReason: string | null;
  readonly rerunOf: string | null;
  readonly supersededBy: string | null;
  /** The tick of a schedule that started it. */
  readonly scheduledAt: Date | null;
  /** Calls of steps that take longer than a second. */
  readonly inProgress: readonly StepInProgress[];
  /** The run whose failure this one handles. */
  readonly failureOf: string | null;
  /** How often it was retried by the policy of its workflow, and what it failed by then. */
  readonly retried: number;
  readonly failures: readonly FailedAttempt[];
}

/** Ends runs at their deadlines. */
export interface ExpiryTransport {
  /** Returns how many runs it ended. */
  expire(maxRuns: number): Promise<number>;
}

export interface ReceiveRequest {
  /** Workflows, in order of preference, and the versions of each that are served. */
  readonly versions: ReadonlyMap<string, readonly number[]>;
  readonly maxRuns: number;
  readonly leaseMs: number;
  /** Once it aborts, the request isn't sent any more; one that was sent is answered. */
  readonly giveUp?: AbortSignal;
  /** Called each time when the request is sent, at the last moment before. */
  readonly onSent?: () => void;
  /** How many runs that may have ended their workers it takes: 0 or 1. Undefined: it doesn't keep track. */
  readonly suspects?: number | undefined;
  /** How large inputs and journals may be together; one run comes in any case. Undefined: 64 MiB, and no pages. */
  readonly maxBytes?: number | undefined;
}

/** What a worker is told without asking. All of it is a hint: polling alone is correct. */
export interface WakeListener {
  /** Something may be ready. */
  onReady(): void;
  /** A leased run was cancelled or signalled. */
  onAttention(runId: string): void;
}

/** A subscription to hints for some workflows. */
export interface WakeSubscription {
  /** Whether hints arrive at all; false behind a transaction-pooling proxy, or while reconnecting. */
  readonly listening: boolean;
  /** Tells senders that somebody waits, so that they notify. Ask once more for work after it resolves. */
  arm(): Promise<void>;
  /** Tells senders that nobody need be woken. */
  disarm(): void;
  close(): void;
}

/** A step that commits with the SQL of its callback. */
export interface TxStepCommit {
  readonly runId: string;
  readonly receipt: string;
  readonly step: string;
  readonly output: JsonText | undefined;
  readonly attempts: number;
  readonly durationMs: number;
  readonly known: Known;
}

export type TxStepOutcome = "ok" | "repeated" | "lost" | "cancelled";

export interface Transport {
  readonly queues: QueueTransport;
  readonly topics: TopicTransport;
  readonly schedules: ScheduleTransport;
  /** Undefined through a server, which is a ticker itself. */
  readonly ticks: TickTransport | undefined;
  /** Undefined through a server, which ends overdue runs itself. */
  readonly expiry: ExpiryTransport | undefined;
  /** Undefined through a server, which delivers itself. */
  readonly deliveries: DeliveryTransport | undefined;
  /** Undefined through a server, which tells by /metrics and /readyz. */
  readonly statistics: StatisticsTransport | undefined;

  /** Resolves when the database can be used; rejects with what is wrong with it. */
  check(): Promise<void>;

  /** Starts that are under way at the same time share a statement. */
  start(request: StartRequest, tx?: TransactionClient): Promise<StartedRun>;
  /** Starts runs of one workflow in one statement. Answers in the order of the requests. */
  startBatch(
    workflow: string,
    requests: readonly StartRequest[],
    tx?: TransactionClient,
    options?: StartBatchOptions,
  ): Promise<StartedRun[]>;
  signal(runId: string, signal: SignalRequest, tx?: TransactionClient): Promise<SignalOutcome>;
  signalWithStart(
    request: StartRequest,
    signal: SignalRequest,
    tx?: TransactionClient,
  ): Promise<SignalledStart>;
  pause(runId: string, reason: string | undefined, tx?: TransactionClient): Promise<boolean>;
  resume(runId: string, tx?: TransactionClient): Promise<boolean>;
  retry(runId: string, tx?: TransactionClient): Promise<boolean>;
  /** Answers with the id of the new run. */
  rerun(runId: string, request: RerunRequest, tx?: TransactionClient): Promise<string>;
  cancel(runId: string, request: CancelRequest, tx?: TransactionClient): Promise<boolean>;
  getRun(runId: string): Promise<RunRecord | undefined>;
  /** The rows after a position; `maxSteps` undefined is all of them. */
  getJournal(runId: string, after?: number, maxSteps?: number): Promise<TimedJournalEntry[]>;
  /** What the run streams after a position, as it comes, until the run ends. */
  readStream(runId: string, after: string, signal: AbortSignal): AsyncIterable<StreamChunk[]>;
  /** What the run shows to others, by key; undefined when it doesn't exist. */
  getState(runId: string): Promise<Record<string, unknown> | undefined>;
  listRuns(conditions: RunConditions, page: PageRequest): Promise<RunListing[]>;
  /** Runs that steps of a run have started, oldest first, those behind a cursor. */
  listChildren(runId: string, after: string | undefined, maxRuns: number): Promise<ChildListing[]>;
  countRuns(conditions: RunConditions, atMost: number): Promise<number>;
  /** All workflows that were ever started, by name. */
  tallyWorkflows(): Promise<WorkflowTally[]>;
  /** Answers how many are new or have changed. */
  register(registrations: readonly Registration[]): Promise<number>;
  /** Answers false when it was not registered. */
  unregister(workflow: string, version: number): Promise<boolean>;
  /** The latest version first. */
  registeredVersions(workflow: string): Promise<RegisteredVersion[]>;
  /** `settings` null: none. */
  setFlowControl(
    workflow: string,
    settings: Readonly<Record<string, unknown>> | null,
    version: number,
    tx?: TransactionClient,
  ): Promise<FlowOutcome>;
  /** Undefined where the workflow has none. */
  getFlowControl(workflow: string): Promise<FlowState | undefined>;
  /** All runs as they are at one instant, with their values, some at a time. */
  exportRuns(conditions: RunConditions): AsyncIterable<RunListing[]>;
  /** Changes one batch of runs. */
  changeRuns(
    change: RunChange,
    conditions: RunConditions,
    request: ChangeRequest,
  ): Promise<ChangedRuns>;
  /** Resolves with the run once it has ended; undefined when it doesn't exist. Rejects when the signal aborts. */
  awaitEnd(runId: string, signal: AbortSignal): Promise<RunRecord | undefined>;
  /** `maxRetentionDays` undefined: no ceiling. */
  sweep(maxRuns: number, maxRetentionDays?: number): Promise<number>;
  checkInvariants(): Promise<{ invariant: string; subject: string; detail: string }[]>;

  receive(request: ReceiveRequest): Promise<WorkflowDelivery[]>;
  /** The rows of the journal after the first so many, of a delivery without its journal; none at the end. */
  getJournalPage(runId: string, after: number): Promise<JournalEntry[]>;
  /** Answers in the order of the items. A lost connection is asked again, until an answer comes or `close`. */
  /**
   * Calls `work` inside a transaction of its own connection, and commits; rolls back when `work` throws. Resolves
   * only once COMMIT is answered, rejects only once nothing of it is running in the database any more. The signal gives
   * it up, until `work` has resolved.
   */
  transaction(work: (tx: TransactionClient) => Promise<void>, signal?: AbortSignal): Promise<void>;
  /** Journals a step in that transaction. Without one it tells by `repeated` whether a lost COMMIT came through. */
  commitTx(step: TxStepCommit, tx?: TransactionClient): Promise<TxStepOutcome>;
  /** Of several items, those whose runs another transaction has locked are answered `busy`; a single item waits. */
  commit(items: readonly RunCommit[]): Promise<(CommitResult | BusyCommit)[]>;
  /** `leaseMs` null extends nothing and only tells. */
  heartbeat(leases: readonly LeaseClaim[], leaseMs: number | null): Promise<LeaseNotice[]>;
  /** Shows which calls are under way; nothing depends on it. */
  reportProgress(worker: string, reports: readonly ProgressReport[]): Promise<void>;
  /** Milliseconds until the next run becomes visible; 0 when one is, null when none will within two seconds. */
  nextVisibleIn(versions: ReadonlyMap<string, readonly number[]>): Promise<number | null>;
  subscribe(workflows: readonly string[], listener: WakeListener): WakeSubscription;

  close(): Promise<void>;
}
