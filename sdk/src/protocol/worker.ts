/** Deliveries of runs to workers, and what workers report back. */
import type { JsonText } from "../core/json.ts";
import type { BusyCommit, CommitResult, Known, RunCommit } from "./commit.ts";
import type { Continuation } from "./continuation.ts";
import type { JournalEntry } from "./journal.ts";
import type { ReceiveRequest } from "./receive-request.ts";
import type { WorkerRelay } from "./relay.ts";
import type { TraceHeaders } from "./trace-headers.ts";
import type { TransactionClient } from "./transaction.ts";

/** Which calls of a run are under way, for people who look at it. */
export interface ProgressReport {
  readonly receipt: string;
  readonly steps: readonly {
    readonly step: string;
    readonly attempt: number;
    /** How long the call has taken so far. */
    readonly forMs: number;
  }[];
}

/** A delivery of a run to a worker: everything that a replay needs, in one round trip. */
export interface WorkflowDelivery {
  readonly runId: string;
  /** Proof of the lease; every delivery has another one. */
  readonly receipt: string;
  readonly name: string;
  readonly version: number;
  /** 1 for the first delivery since the last commit, one more after each crash. */
  readonly attempt: number;
  readonly input: unknown;
  readonly journal: readonly JournalEntry[];
  readonly continuation: Continuation;
  readonly startedAt: number;
  /** The database's time at the delivery. */
  readonly receivedAt: number;
  /** The schedule that started the run, and its tick. */
  readonly schedule?: { readonly name: string; readonly scheduledAt: number };
  /** The trace that its start was part of. */
  readonly trace?: TraceHeaders;
  /** The run whose failure it handles. */
  readonly failureOf?: string;
  /** How often the run was retried by the policy of its workflow. Default: 0. */
  readonly retried?: number;
  /** When the run fails, by the database's clock. */
  readonly deadline?: number;
  /** Number of the generation. Default: 1. */
  readonly generation?: number;
  /** About how large input and journal are. */
  readonly bytes?: number;
  /** `journal` is empty: it is too large for one answer, and read in pages. */
  readonly journalFollows?: true;
}

/** When a request was sent and answered, by `performance.now()`. */
export interface RequestTimes {
  readonly sentAt: number;
  readonly answeredAt: number;
}

/** A lease, and what its worker takes to be written. */
export interface LeaseClaim {
  readonly receipt: string;
  readonly known?: Known;
}

/** A lease that needs its worker's attention. */
export interface LeaseNotice {
  readonly receipt: string;
  readonly runId: string;
  /**
   * `signalled`: still held, and a buffered signal matches one of its waits: commit to take it. `paused`: still
   * held; finish what is running, call nothing new, and release it. `cancelling`: the same, and abort callbacks.
   * `busy`: still held, but not extended, since another transaction has locked the run.
   */
  readonly outcome: "lost" | "cancelled" | "signalled" | "paused" | "cancelling" | "busy";
}

/** When the next run becomes visible. */
export interface NextVisible {
  /** Milliseconds since 1970, by the database's clock; null if no run will without a signal. */
  readonly at: number | null;
  /** That time has come: such a run may be locked for a moment. */
  readonly isDue: boolean;
}

/** Deliveries, or when there will be some. */
interface ReceivedOrNext {
  readonly deliveries: WorkflowDelivery[];
  readonly next: NextVisible;
}

/** Hints that reach a worker between its polls. Polling without hints is correct. */
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
  /** Makes senders notify, because this worker waits. Receive once more after it resolves. */
  arm(): Promise<void>;
  /** Lets senders stop notifying. */
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
  /** What the body has decided since the last commit: `Decision[]`. */
  readonly decisions?: JsonText;
  /** The chunks that the callback has written to the run's stream. */
  readonly chunks?: readonly (JsonText | null)[];
}

export type TxStepOutcome = "ok" | "repeated" | "lost" | "cancelled";

export interface WorkerTransport {
  receive(request: ReceiveRequest): Promise<WorkflowDelivery[]>;
  /** The rows of the journal after the first so many, of a delivery without its journal; empty at the end. */
  getJournalPage(runId: string, after: number): Promise<JournalEntry[]>;
  /**
   * Returns the results in the order of the items. Asks again after a lost connection, until the database answers or the
   * transport closes. Of several items, those whose runs another transaction has locked are `busy`; a single item waits.
   *
   * @param onWait Called if a single item waits for another transaction from now on, holding no connection.
   */
  commit(items: readonly RunCommit[], onWait?: () => void): Promise<(CommitResult | BusyCommit)[]>;
  /**
   * Journals a step in the transaction of its callback. Without one, the outcome `repeated` reports that a COMMIT without
   * an answer was carried out.
   */
  commitTx(step: TxStepCommit, tx?: TransactionClient): Promise<TxStepOutcome>;
  /** With `leaseMs` null, extends nothing and only reports. */
  heartbeat(leases: readonly LeaseClaim[], leaseMs: number | null): Promise<LeaseNotice[]>;
  /** Shows which calls are under way; nothing depends on it. */
  reportProgress(worker: string, reports: readonly ProgressReport[]): Promise<void>;
  /** Milliseconds until the next run becomes visible; 0 when one is, null when no run will within two seconds. */
  nextVisibleIn(versions: ReadonlyMap<string, readonly number[]>): Promise<number | null>;
  /** As `receive`; if it receives nothing, also when the next run becomes visible, in the same round trip. */
  receiveOrLook(request: ReceiveRequest): Promise<ReceivedOrNext>;
  nextVisible(versions: ReadonlyMap<string, readonly number[]>): Promise<NextVisible>;
  subscribe(workflows: readonly string[], listener: WakeListener): WakeSubscription;
  /** For a server in between; absent unless the database is next. */
  readonly relay?: WorkerRelay;
}
