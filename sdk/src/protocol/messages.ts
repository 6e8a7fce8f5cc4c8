/**
 * What travels between the runtime and the database, in one shape for every transport.
 *
 * int8 values (run ids, receipts) are opaque strings. Values that users journal go out as JSON text, so
 * that they are serialized once, and come in parsed. Times are milliseconds since the Unix epoch by the
 * database's clock.
 */
import type { ErrorRecord } from "../core/error-record.ts";

/** JSON text of a value that has passed `core/json.ts`; `undefined` stands for "no value" (SQL null). */
export type JsonText = string;

export type StepKind =
  "run" | "sleep" | "wait" | "rollback" | "invoke" | "signal" | "publish" | "tx";

/** How a run ended, or that it has not. */
export type RunStatus = "running" | "completed" | "failed" | "cancelled";

export type { ErrorRecord };

/** One journal row, in commit order: what a finished step left behind. It never changes. */
export interface JournalEntry {
  readonly name: string;
  readonly kind: StepKind;
  /** The journaled value; absent where the step returned nothing, or timed out waiting. */
  readonly output?: unknown;
  /** Present when the step failed for good. */
  readonly error?: ErrorRecord;
  /** How many times the callback was called; 1 for other kinds. */
  readonly attempts: number;
}

/** A call of a step that failed, and was followed by another one. */
export interface FailedAttempt {
  /** Which call of the step, from 1; counted from 1 again after a retry of the run. */
  readonly attempt: number;
  readonly failedAt: Date;
  readonly error: ErrorRecord;
}

/** A call of a step that is under way, as its worker has reported it. */
export interface StepInProgress {
  readonly step: string;
  readonly attempt: number;
  readonly since: Date;
  /** Host and process of the worker. */
  readonly worker: string;
}

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

/** A journal row with its times, as shown to people. */
export interface TimedJournalEntry extends JournalEntry {
  /** What earlier calls failed by: the first 10 and the last 90. Absent when none failed. */
  readonly failures?: readonly FailedAttempt[];
  /** Place in the journal, from 1. It never changes while the run goes on. */
  readonly position: number;
  readonly startedAt: Date;
  readonly completedAt: Date;
}

/** A sleep that has not ended yet. */
interface SleepWait {
  readonly kind: "sleep";
  readonly step: string;
  /** When it began. */
  readonly since?: number;
  readonly until: number;
  /** The body has given the date itself, rather than a duration. */
  readonly isDate?: true;
}

/** An event that has not come yet. */
export interface EventWait {
  readonly kind: "event";
  readonly step: string;
  readonly event: string;
  /** JSON that the payload must contain (`payload @> match`); absent: any payload. */
  readonly match?: unknown;
  /** When it began. */
  readonly since?: number;
  /** When it times out; absent: never. */
  readonly until?: number;
  /**
   * The deadline has passed by the clock of the run. The database still decides: a signal that was
   * buffered in time wins over the timeout.
   */
  readonly expired?: true;
}

/** An invoked run that has not ended yet. */
interface InvokeWait {
  readonly kind: "invoke";
  readonly step: string;
  readonly since?: number;
  readonly until?: never;
}

export type Wait = SleepWait | EventWait | InvokeWait;

/** A step that threw, and will be tried again. */
export interface Retry {
  readonly step: string;
  /** Calls made so far. */
  readonly attempts: number;
  /** When the last call failed. */
  readonly since?: number;
  /** When the next call is due. */
  readonly until: number;
  readonly error: ErrorRecord;
}

/** The transient state of a run, the body of its one message: what it waits for and what it retries. */
export interface Continuation {
  /** In the order in which the body asked; the first that matches a signal gets it. */
  readonly waits: readonly Wait[];
  readonly retries: readonly Retry[];
  /** Grows with each continuation that is written. Never written by the engine. */
  readonly revision?: number;
  /** The run was cancelled with rollback: it goes on only to roll back. Never written by a worker. */
  readonly cancelled?: { readonly reason?: string };
}

/** Headers that tell of a trace, by name in lower case: `traceparent` and others, as W3C has them. */
export type TraceHeaders = Readonly<Record<string, string>>;

/** A delivery of a run to a worker: everything that a replay needs, in one round trip. */
export interface WorkflowDelivery {
  readonly runId: string;
  /** Proof of the lease, made anew at every delivery. */
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
  /** How often the run was retried by the policy of its workflow. Absent: never. */
  readonly retried?: number;
  /** When the run fails, by the database's clock. */
  readonly deadline?: number;
  /** About how large input and journal are. */
  readonly bytes?: number;
  /** `journal` is empty: it is too large for one answer, and read in pages. */
  readonly journalFollows?: true;
}

/** A step that has finished, on its way to the journal. */
export interface StepRecord {
  readonly name: string;
  readonly kind: StepKind;
  readonly output?: JsonText;
  readonly error?: ErrorRecord;
  readonly attempts: number;
  /** How long it took: the last call of a callback, or the time spent asleep. */
  readonly durationMs: number;
  /** What the step does to others, in the transaction that journals it. */
  readonly effect?: StepEffect;
}

/** What a step does to others, in the transaction that journals it. */
export type StepEffect =
  | {
      /** `detach`: nobody waits for the end of the run that is started. */
      readonly kind: "invoke" | "detach";
      readonly step: string;
      readonly workflow: string;
      readonly version: number;
      readonly retentionDays?: number;
      readonly input?: JsonText;
      /** How its trace goes on. */
      readonly trace?: TraceHeaders;
    }
  | {
      readonly kind: "signal";
      readonly step: string;
      readonly runId: string;
      readonly event: string;
      readonly payload?: JsonText;
    }
  | {
      /** The wait of the step takes messages too. */
      readonly kind: "subscribe";
      readonly step: string;
      readonly event: string;
      readonly topic: string;
      readonly match?: JsonText;
    }
  | {
      readonly kind: "publish";
      readonly step: string;
      readonly topic: string;
      readonly message: JsonText;
      /** How its trace goes on. */
      readonly trace?: TraceHeaders;
    };

/** A value that a run shows to others. */
export interface StateRecord {
  readonly key: string;
  /** Absent: null. */
  readonly value?: JsonText;
}

/** A piece of the output that a run streams. */
export interface ChunkRecord {
  /** The step whose callback wrote it; empty: the body. */
  readonly step: string;
  /** Which call of it; of the body, how many rows of the journal it had seen. */
  readonly attempt: number;
  /** Its place among what that call wrote, from 1. */
  readonly number: number;
  /** Absent: null. */
  readonly value?: JsonText;
}

/** What becomes of a run with a commit. */
export type Transition =
  /** Goes on: the lease is kept. `continuation` is present when what is waited for or retried has changed. */
  | { readonly kind: "keep"; readonly continuation?: Continuation }
  /**
   * Is blocked: the continuation becomes visible at `resumeAt` (absent: only a signal wakes it) — unless
   * an event wait is resolved by this very commit, in which case the lease is kept.
   */
  | { readonly kind: "suspend"; readonly continuation: Continuation; readonly resumeAt?: number }
  | { readonly kind: "complete"; readonly output?: JsonText }
  | { readonly kind: "fail"; readonly error: ErrorRecord }
  /** The body has failed, and gets another attempt at `resumeAt`, without the journal of the failure. */
  | { readonly kind: "retry"; readonly error: ErrorRecord; readonly resumeAt: number }
  /** Ends a run that was cancelled with rollback. */
  | { readonly kind: "cancel"; readonly error: ErrorRecord }
  /** Given back untouched, to be received again at once: a worker that stops. */
  | { readonly kind: "release" };

/**
 * One thing that the last commit of a delivery that was answered `ok` has written; empty while there was none. A crash
 * or a failover loses the log from its end, so where this is there, everything before it is.
 */
export interface Known {
  /** Name of a journaled step. */
  readonly step?: string;
  /** Of the continuation. */
  readonly revision?: number;
  readonly chunk?: { readonly step: string; readonly attempt: number; readonly number: number };
}

/** A lease, and what its worker takes to be written. */
export interface LeaseClaim {
  readonly receipt: string;
  readonly known?: Known;
}

/** One run's part of a group commit. */
export interface RunCommit {
  readonly workflow: string;
  readonly runId: string;
  readonly receipt: string;
  /** Rows in the journal before this commit: `steps` get the positions after it. */
  readonly journaled: number;
  readonly steps: readonly StepRecord[];
  readonly transition: Transition;
  /** If it is not there, the commit is `lost`, and the run is replayed from what is there. */
  readonly known?: Known;
  /** Of the continuation that the transition writes, if it does. */
  readonly revision?: number;
  /** What the run shows to others from now on; each key once. */
  readonly state?: readonly StateRecord[];
  /** What is appended to the stream of the run; what is there already is left out. */
  readonly stream?: readonly ChunkRecord[];
  readonly effects?: readonly StepEffect[];
  /** This is progress after deliveries without any: the count of them, which ends in `PoisonedRun`, restarts. */
  readonly restartsCount: boolean;
}

/** A wait for an event or an invoked run that the database has resolved, and journaled, in a commit. */
export interface ResolvedWait {
  readonly step: string;
  /** Absent: an event. */
  readonly kind?: "invoke" | "tx";
  /** The payload of the signal, absent at a timeout; or what the invoked run returned. */
  readonly payload?: unknown;
  /** Why the invoked run failed. */
  readonly error?: ErrorRecord;
}

/** What a commit did to one run. `lost` and `cancelled` mean: nothing was written, drop the run. */
export type CommitResult = {
  readonly runId: string;
  readonly receipt: string;
  readonly outcome: "ok" | "lost" | "cancelled";
  /** Event waits resolved by this commit. After a `suspend`, a non-empty list means that the lease was kept. */
  readonly resolved: readonly ResolvedWait[];
};

/** Another transaction has locked the run, or one that its commit reaches. Nothing was written. */
export type BusyCommit = Omit<CommitResult, "outcome"> & { readonly outcome: "busy" };

/** A lease that needs its worker's attention. */
export interface LeaseNotice {
  readonly receipt: string;
  readonly runId: string;
  /**
   * `signalled`: still held, and a buffered signal matches one of its waits: commit to take it. `paused`: still
   * held; finish what is running, call nothing new, and release it. `cancelling`: the same, and tell callbacks to stop.
   * `busy`: still held, but not extended, since another transaction has locked the run.
   */
  readonly outcome: "lost" | "cancelled" | "signalled" | "paused" | "cancelling" | "busy";
}
