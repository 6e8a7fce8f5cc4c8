/** One run's part of a group commit: the steps that have finished, and what becomes of the run. */
import type { ErrorRecord } from "../core/error-record.ts";
import type { JsonText } from "../core/json.ts";
import type { Continuation } from "./continuation.ts";
import type { StepKind } from "./journal.ts";
import type { TraceHeaders } from "./trace-headers.ts";

/** A step that has finished, on its way to the journal. */
export interface StepRecord {
  readonly name: string;
  readonly kind: StepKind;
  readonly output?: JsonText;
  readonly error?: ErrorRecord;
  readonly attempts: number;
  /** How long it took: the last call of a callback, or the time spent asleep. */
  readonly durationMs: number;
  /** The effect of the step on other runs, in the transaction that journals it. */
  readonly effect?: StepEffect;
  /** What the body has decided since the record before: `Decision[]`. */
  readonly decisions?: JsonText;
}

/** The effect of a step on other runs, in the transaction that journals it. */
export type StepEffect =
  | {
      /**
       * `detach`: the step does not wait for the end of the run that it starts. `item`: that run is an item of a loop, and so
       * a part of this one.
       */
      readonly kind: "invoke" | "item" | "detach";
      readonly step: string;
      readonly workflow: string;
      /** Default: the latest registered version. */
      readonly version?: number;
      readonly retentionDays?: number;
      readonly input?: JsonText;
      /** Default: that of the parent, in whose shard the run then is. */
      readonly route?: string;
      /** Headers that continue the trace. */
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
      /** Cancels the child run that the step has started, if it still runs: the step is abandoned. */
      readonly kind: "cancel";
      readonly step: string;
      /** That of the run. */
      readonly route?: string;
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
      /** Requests the approval that the step waits for. */
      readonly kind: "approval";
      readonly step: string;
      /** An `ApprovalRequest`, with `expiresAt`. */
      readonly request: JsonText;
    }
  | {
      /** Ends the request of the step, which is abandoned. */
      readonly kind: "withdraw";
      readonly step: string;
    }
  | {
      readonly kind: "publish";
      readonly step: string;
      readonly topic: string;
      readonly message: JsonText;
      /** Headers that continue the trace. */
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

/** The state of a run after a commit. */
export type Transition =
  /** The run continues, and its lease is kept. `continuation` is present if its waits or retries have changed. */
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
  /**
   * The run begins its next generation, with this input and an empty journal. Any worker may receive it immediately.
   */
  | {
      readonly kind: "continue";
      readonly input?: JsonText;
      /** Default: the current version. */
      readonly version?: number;
    }
  /** Ends a run that was cancelled with rollback. */
  | { readonly kind: "cancel"; readonly error: ErrorRecord }
  /**
   * Given back untouched: to be received again immediately, by a worker that stops; or at `resumeAt`, by one that can't
   * execute it.
   */
  | { readonly kind: "release"; readonly resumeAt?: number; readonly reason?: string };

/**
 * One thing that the last commit of a delivery that was answered `ok` has written; empty before the first. A crash
 * or a failover loses the log from its end, so if this exists, everything before it does.
 */
export interface Known {
  /** Name of a journaled step. */
  readonly step?: string;
  /** Revision of the continuation. */
  readonly revision?: number;
  readonly chunk?: { readonly step: string; readonly attempt: number; readonly number: number };
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
  /** If the database doesn't have it, the commit is `lost`, and the run is replayed from the stored journal. */
  readonly known?: Known;
  /** Revision of the continuation, if the transition writes one. */
  readonly revision?: number;
  /** Values that the run shows to others from now on; each key once. */
  readonly state?: readonly StateRecord[];
  /** Chunks to append to the stream of the run; stored ones are skipped. */
  readonly stream?: readonly ChunkRecord[];
  readonly effects?: readonly StepEffect[];
  /** This is progress after deliveries without any: the count of them, which ends in `PoisonedRun`, restarts. */
  readonly restartsCount: boolean;
}

/** Gives a run back immediately, as if it had not been received. */
export const toRelease = ({
  name,
  runId,
  receipt,
  journal,
}: {
  readonly name: string;
  readonly runId: string;
  readonly receipt: string;
  readonly journal: readonly unknown[];
}): RunCommit => ({
  workflow: name,
  runId,
  receipt,
  journaled: journal.length,
  steps: [],
  transition: { kind: "release" },
  restartsCount: false,
});

/** A wait for an event or an invoked run that the database has resolved, and journaled, in a commit. */
export interface ResolvedWait {
  readonly step: string;
  /** Default: an event. */
  readonly kind?: "invoke";
  /** The payload of the signal, if it has one; or what the invoked run returned. */
  readonly payload?: unknown;
  /** The wait timed out. */
  readonly expired?: true;
  /** Why the invoked run failed. */
  readonly error?: ErrorRecord;
}

/** The result of a commit for one run. `lost` and `cancelled` mean: nothing was written, drop the run. */
export type CommitResult = {
  readonly runId: string;
  readonly receipt: string;
  readonly outcome: "ok" | "lost" | "cancelled";
  /** Event waits resolved by this commit. After a `suspend`, a non-empty list means that the lease was kept. */
  readonly resolved: readonly ResolvedWait[];
};

/** The result of one run where it is not just `ok`, as the database returns it. */
export interface UncommonCommit {
  readonly runId: string;
  readonly outcome: CommitResult["outcome"] | "busy";
  readonly resolved: readonly ResolvedWait[] | null;
}

/** Another transaction has locked the run, or one that its commit reaches. Nothing was written. */
export type BusyCommit = Omit<CommitResult, "outcome"> & { readonly outcome: "busy" };
