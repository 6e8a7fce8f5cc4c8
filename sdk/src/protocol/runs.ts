/** Runs: how they start, what becomes of them, and how they are found. */
import type { JsonText } from "../core/json.ts";
import type { TimedJournalEntry } from "./journal.ts";
import type {
  ChildRun,
  RunActivity,
  RunGeneration,
  RunState,
  RunStatus,
  RunSummary,
} from "./run-shapes.ts";
import type { RunTokenRequest } from "./run-token.ts";
import type { TraceHeaders } from "./trace-headers.ts";
import type { TransactionClient } from "./transaction.ts";
import type { RequestTimes } from "./worker.ts";

/** The behavior of a start while a run that holds its idempotency key is in flight. */
export type OnRunning = "use-existing" | "fail" | "cancel-existing";

/** The behavior of a start once the run that holds its idempotency key has ended. */
export type OnEnded = "use-existing" | "start-new" | "start-new-if-failed";

export interface StartRequest {
  readonly workflow: string;
  /** Version to start; undefined for the latest that is registered. */
  readonly version?: number | undefined;
  readonly input: JsonText | undefined;
  readonly idempotencyKey: string | undefined;
  /** What the run belongs with, such as a tenant, in a fleet of shards. */
  readonly route?: string | undefined;
  /** It goes to the shard of the run that has its key, wherever its route is at home. */
  readonly followsKey?: boolean | undefined;
  /** Days until the ended run is deleted; undefined for the setting of the registered version. */
  readonly retentionDays?: number | undefined;
  readonly delayMs?: number | undefined;
  /** When the run may begin. */
  readonly startAt?: Date | undefined;
  readonly deadline?: Date | undefined;
  /** Instead of a deadline: how long after the run may begin. */
  readonly deadlineMs?: number | undefined;
  readonly tags?: JsonText | undefined;
  readonly onRunning?: OnRunning | undefined;
  readonly onEnded?: OnEnded | undefined;
  /** Key for the flow control of the workflow; undefined for what it finds in the input. */
  readonly flowKey?: string | undefined;
  readonly priority?: number | undefined;
  /** The trace that it is part of. */
  readonly trace?: TraceHeaders | undefined;
  /** Leases the run to the caller, for so long, if it may begin immediately. Only straight to the database. */
  readonly leaseMs?: number | undefined;
  /** Only if the run gets this version; undefined for any. */
  readonly leaseVersion?: number | undefined;
}

interface StartBatchOptions {
  /** False: fails with `isLockTimeout` rather than wait for another transaction that uses one of the keys. */
  readonly isPatient?: boolean;
}

export interface StartedRun {
  readonly runId: string;
  /** False if a run with the same idempotency key existed. */
  readonly created: boolean;
  readonly status: RunStatus;
  /** Absent if the start did not lease the run: any worker receives it. */
  readonly lease?: StartLease;
}

/** The lease of a run that the start has leased to its caller. */
export interface StartLease {
  readonly receipt: string;
  /** The database's time at the start. */
  readonly startedAt: number;
  /** When the run fails, by the database's clock; absent without a deadline. */
  readonly deadline?: number;
  readonly times: RequestTimes;
}

/**
 * `delivered` to a wait, `buffered` for the next one that matches, `ignored` because the run has ended, or `sent` by a
 * transaction of another shard, which the signal leaves after its commit.
 */
export type SignalOutcome = "delivered" | "buffered" | "ignored" | "sent";

export interface SignalRequest {
  readonly event: string;
  readonly payload: JsonText | undefined;
  /** The same again for the run does nothing. */
  readonly deduplicationId: string | undefined;
}

/** The workflow of a run, and what became of a signal to it. */
export interface SignalledRunOf {
  readonly workflow: string;
  readonly outcome: SignalOutcome;
}

/** A run that was started, or found, and what became of the signal that went along. */
interface SignalledStart extends StartedRun {
  readonly outcome: SignalOutcome;
}

export interface CancelRequest {
  readonly reason: string | undefined;
  readonly rollback: boolean;
}

interface RerunRequest {
  readonly fromStep: string | undefined;
  /** Input of the new run; undefined for that of the old one. */
  readonly input: JsonText | undefined;
  readonly version: number | undefined;
}

/** Selects the runs for which all conditions are true. Instants are ISO 8601. */
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
  readonly activity?: readonly RunActivity[] | undefined;
  /** A run id. */
  readonly parent?: string | undefined;
  readonly errorText?: string | undefined;
}

/** A page of runs, newest first. */
interface PageRequest {
  /** Cursor of the run that the page before ended with. */
  readonly before: string | undefined;
  readonly maxRuns: number;
  /** Also input and output: then the page ends after about 64 MiB, with one run at least. */
  readonly withValues: boolean;
  /** With values, fewer bytes after which the page ends. */
  readonly maxBytes?: number | undefined;
}

/** Most bytes of a page with values, about. */
export const LARGEST_PAGE = 64 * 1024 * 1024;

interface ListedRuns {
  readonly runs: RunListing[];
  /** Cursor of the next page; null after the last one. */
  readonly before: string | null;
}

/** Runs with the same value of a tag, and the sums of the numbers in a value that they have published. */
export interface PublishedSum {
  readonly tag: string | null;
  readonly runs: number;
  readonly sums: Readonly<Record<string, number>>;
}

/** A run as it is listed, before its values are decoded. */
export interface RunListing extends RunSummary {
  readonly input: unknown;
  readonly output: unknown;
  /** Its place in the list, behind which the next page begins: opaque to everything above the transport. */
  readonly cursor: string;
}

/** The reason that a run does not advance. */
export type RunCause =
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

/** Why a run does not advance, and what to do about it. */
export interface RunExplanation {
  readonly runId: string;
  readonly cause: RunCause;
  /** A sentence for people. */
  readonly summary: string;
  /** The action to take, for people. */
  readonly remedy: string;
  /** When the cause began; null if unknown. */
  readonly since: Date | null;
  /** When the run advances without intervention; null if unknown. Of `executing`: the end of the worker's lease. */
  readonly until: Date | null;
  /** The facts of the cause by name, such as `event`, `key`, `limit` or `worker`; null without facts. */
  readonly details: unknown;
}

export interface ChildListing extends ChildRun {
  /** Its place in the list. */
  readonly cursor: string;
}

/** A piece of the output of a run, before it is decoded. */
export interface StreamChunk {
  /** Place in the stream: where to read on. */
  readonly position: string;
  readonly value: unknown;
  /** The step whose callback wrote it; null for the body. */
  readonly step: string | null;
  /** Which call of that callback. */
  readonly attempt: number | null;
  readonly writtenAt: Date;
  /**
   * True if this is no chunk but a reset, without a value: a call of the step failed or its worker died, and the call that
   * repeats it begins again. Discard the chunks of this `step` whose position is `since` or later.
   */
  readonly reset?: true;
  /** Position from which a reset counts. */
  readonly since?: string;
}

/** A change of all runs that match a filter. */
export type RunChange = "cancel" | "pause" | "resume" | "retry" | "rerun" | "delete";

/** New tags or retention of a run; what is undefined stays. */
interface UpdateRequest {
  /** Instead of all its tags. */
  readonly tags?: JsonText | undefined;
  readonly retentionDays?: number | undefined;
}

interface ChangeRequest {
  /** Why runs are cancelled or paused. */
  readonly reason: string | undefined;
  /** First step that a rerun repeats. */
  readonly fromStep: string | undefined;
  /** Cursor of the batch. */
  readonly before: string | undefined;
  readonly maxRuns: number;
}

interface ChangedRuns {
  readonly changed: number;
  /** Cursor of the next batch; null after the last one. */
  readonly before: string | null;
}

/** A run as the database knows it, before its values are decoded. */
export interface RunRecord extends RunState {
  /** False without an input, which differs from an input of null. */
  readonly hasInput: boolean;
  /** False without an output, also while the run is in progress. */
  readonly hasOutput: boolean;
}

/** Ends runs at their deadlines. */
export interface ExpiryTransport {
  /** Returns how many runs it ended. */
  expire(maxRuns: number): Promise<number>;
}

/** Watches many runs by one statement. */
export interface RunMarkTransport {
  /** The mark of each run that exists: another one if the run has changed. */
  marks(runIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

/** Limits how long ended runs are kept. */
export interface RetentionTransport {
  /** Sets the ceiling for all runs of the database, in days. Returns whether it has changed. */
  limitRetention(maxDays: number): Promise<boolean>;
}

/** Calls about runs. A call with `tx` takes part in that transaction. */
export interface RunTransport {
  /** Starts that are under way at the same time share a statement. */
  start(request: StartRequest, tx?: TransactionClient): Promise<StartedRun>;
  /** Starts runs of one workflow in one statement. Returns them in the order of the requests. */
  startBatch(
    workflow: string,
    requests: readonly StartRequest[],
    tx?: TransactionClient,
    options?: StartBatchOptions,
  ): Promise<StartedRun[]>;
  /**
   * Starts a run where its route is at home, also in another shard than that of the transaction. Undefined if it starts
   * there, after the commit.
   */
  startElsewhere(
    request: StartRequest,
    route: string,
    tx: TransactionClient,
  ): Promise<StartedRun | undefined>;
  signal(runId: string, signal: SignalRequest, tx?: TransactionClient): Promise<SignalOutcome>;
  /** Signals a run of one workflow, or of any; undefined if there is no such run. */
  signalOf(
    workflow: string | undefined,
    runId: string,
    signal: SignalRequest,
  ): Promise<SignalledRunOf | undefined>;
  signalWithStart(
    request: StartRequest,
    signal: SignalRequest,
    tx?: TransactionClient,
  ): Promise<SignalledStart>;
  pause(runId: string, reason: string | undefined, tx?: TransactionClient): Promise<boolean>;
  resume(runId: string, tx?: TransactionClient): Promise<boolean>;
  retry(runId: string, tx?: TransactionClient): Promise<boolean>;
  /** Returns the id of the new run. */
  rerun(runId: string, request: RerunRequest, tx?: TransactionClient): Promise<string>;
  cancel(runId: string, request: CancelRequest, tx?: TransactionClient): Promise<boolean>;
  delete(runId: string, tx?: TransactionClient): Promise<boolean>;
  update(runId: string, request: UpdateRequest, tx?: TransactionClient): Promise<boolean>;

  /** Undefined if the run doesn't exist. */
  get(runId: string): Promise<RunRecord | undefined>;
  /** Undefined if the run doesn't exist. */
  explain(runId: string): Promise<RunExplanation | undefined>;
  /** The name of its workflow, without its input and output; undefined if the run doesn't exist. */
  workflowOf(runId: string): Promise<string | undefined>;
  /** The rows after a position; all of them if `maxSteps` is undefined. */
  getJournal(runId: string, after?: number, maxSteps?: number): Promise<TimedJournalEntry[]>;
  /** The values that the run shows to others, by key; undefined if the run doesn't exist. */
  getState(runId: string): Promise<Record<string, unknown> | undefined>;
  /** The output that the run streams after a position, as it is written, until the run ends. */
  readStream(
    runId: string,
    after: string,
    signal: AbortSignal,
  ): Promise<AsyncIterable<StreamChunk[]>>;
  /** Signs a run token with the key of the server or of the environment. @throws InvalidArgument without a key */
  issueToken(request: RunTokenRequest): Promise<string>;
  /** Resolves with the run once it has ended; undefined if it doesn't exist. Rejects when the signal aborts. */
  awaitEnd(runId: string, signal: AbortSignal): Promise<RunRecord | undefined>;

  list(conditions: RunConditions, page: PageRequest): Promise<ListedRuns>;
  /** Runs that steps of a run have started, oldest first, those behind a cursor: all of them, or that of one step. */
  listChildren(
    runId: string,
    after: string | undefined,
    maxRuns: number,
    step?: string,
  ): Promise<ChildListing[]>;
  /** The stored generations of a run, oldest first, and the current one. */
  listGenerations(runId: string): Promise<RunGeneration[]>;
  count(conditions: RunConditions, atMost: number): Promise<number>;
  sum(key: string, conditions: RunConditions, byTag: string | undefined): Promise<PublishedSum[]>;
  /** All matching runs with their values, as of one instant, in batches. */
  export(conditions: RunConditions): Promise<AsyncIterable<RunListing[]>>;
  /** Changes one batch of runs. */
  change(
    change: RunChange,
    conditions: RunConditions,
    request: ChangeRequest,
  ): Promise<ChangedRuns>;
  /** Deletes runs whose retention has passed; without a ceiling if `maxRetentionDays` is undefined. */
  sweep(maxRuns: number, maxRetentionDays?: number): Promise<number>;
}
