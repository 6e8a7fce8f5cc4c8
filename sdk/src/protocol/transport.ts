/**
 * What the SDK asks of a database, whichever way it gets there. Each method is one call of one SQL function;
 * every rule lives in that function, none in a transport. A transport owns connections, retries of lost ones,
 * and the translation between rows and `messages.ts`.
 */
import type {
  CommitResult,
  JsonText,
  LeaseNotice,
  RunCommit,
  RunStatus,
  TimedJournalEntry,
  WorkflowDelivery,
} from "./messages.ts";
import type { QueueTransport } from "./queue-transport.ts";
import type { TopicTransport } from "./topic-transport.ts";

/** Anything that runs SQL inside a transaction of the caller's: a `pg` client, or a thin shim over an ORM's. */
export interface TransactionClient {
  query(text: string, values: unknown[]): Promise<{ rows: unknown[] }>;
}

export interface StartRequest {
  readonly workflow: string;
  readonly version: number;
  readonly input: JsonText | undefined;
  readonly idempotencyKey: string | undefined;
  readonly retentionDays: number | undefined;
  readonly delayMs: number | undefined;
  readonly deadline: Date | undefined;
  readonly tags: JsonText | undefined;
}

export interface StartedRun {
  readonly runId: string;
  /** False when a run with the same idempotency key was there already. */
  readonly created: boolean;
  readonly status: RunStatus;
}

/** `delivered` to a wait, `buffered` for the next one that matches, or `ignored` because the run has ended. */
export type SignalOutcome = "delivered" | "buffered" | "ignored";

/** What a running run is doing. */
export type RunActivity = "ready" | "executing" | "sleeping" | "waiting" | "retrying" | "delayed";

/** A run as the database knows it, before `output` is decoded. */
export interface RunRecord {
  readonly runId: string;
  readonly name: string;
  readonly version: number;
  readonly status: RunStatus;
  /** Null once the run has ended. */
  readonly activity: RunActivity | null;
  readonly input: unknown;
  readonly output: unknown;
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
}

export interface ReceiveRequest {
  /** Workflows, in order of preference, and the versions of each that are served. */
  readonly versions: ReadonlyMap<string, readonly number[]>;
  readonly maxRuns: number;
  readonly leaseMs: number;
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

export interface Transport {
  readonly queues: QueueTransport;
  readonly topics: TopicTransport;

  /** Resolves when the database can be used; rejects with what is wrong with it. */
  check(): Promise<void>;

  /** Starts that are under way at the same time share a statement. */
  start(request: StartRequest, tx?: TransactionClient): Promise<StartedRun>;
  signal(
    runId: string,
    event: string,
    payload: JsonText | undefined,
    tx?: TransactionClient,
  ): Promise<SignalOutcome>;
  cancel(runId: string, reason: string | undefined, tx?: TransactionClient): Promise<boolean>;
  getRun(runId: string): Promise<RunRecord | undefined>;
  getJournal(runId: string): Promise<TimedJournalEntry[]>;
  /** Resolves with the run once it has ended; undefined when it doesn't exist. Rejects when the signal aborts. */
  awaitEnd(runId: string, signal: AbortSignal): Promise<RunRecord | undefined>;
  sweep(maxRuns: number): Promise<number>;
  checkInvariants(): Promise<{ invariant: string; subject: string; detail: string }[]>;

  receive(request: ReceiveRequest): Promise<WorkflowDelivery[]>;
  /** Answers in the order of the items. A lost connection is asked again, until an answer comes or `close`. */
  commit(items: readonly RunCommit[]): Promise<CommitResult[]>;
  /** `leaseMs` null extends nothing and only tells. */
  heartbeat(receipts: readonly string[], leaseMs: number | null): Promise<LeaseNotice[]>;
  /** Milliseconds until the next run becomes visible; 0 when one is, null when none will by itself. */
  nextVisibleIn(versions: ReadonlyMap<string, readonly number[]>): Promise<number | null>;
  subscribe(workflows: readonly string[], listener: WakeListener): WakeSubscription;

  close(): Promise<void>;
}
