import type {
  ChunkRecord,
  StateRecord,
  StepEffect,
  StepRecord,
  Transition,
} from "../protocol/commit.ts";

/** A callback to call now: everything before it is durable (R5). */
export interface StepCall {
  readonly name: string;
  /** Number of the call, from 1. */
  readonly attempt: number;
  /** Milliseconds after which the call has failed; undefined for no limit. */
  readonly timeoutMs: number | undefined;
  readonly callback: (signal: AbortSignal, tx?: never) => unknown;
  /** The callback can see its signal, so it needs one that aborts when the step is abandoned. */
  readonly takesSignal: boolean;
  /** The callback requires a transaction, which commits together with the journal. */
  readonly isTx: boolean;
}

/** A transition of the run and all that becomes durable with it, in one transaction. */
export interface Commit {
  readonly steps: readonly StepRecord[];
  readonly transition: Exclude<Transition, { kind: "release" }>;
  /** Effects of steps on other runs and topics. */
  readonly effects?: readonly StepEffect[];
  /** Values that the body has set since the last commit. */
  readonly state?: readonly StateRecord[];
  /** Chunks streamed since the last commit. */
  readonly stream?: readonly ChunkRecord[];
}

/**
 * The needs of a run once its body is quiet. The executor carries all of it out concurrently, reports each result to
 * the engine, and advances it again.
 */
export interface Turn {
  /** Callbacks to call now. The executor answers each by one `stepSucceeded` or `stepFailed`. */
  readonly calls: readonly StepCall[];
  /** The commit to make now, answered by one `committed`. Absent while another is unanswered (R6). */
  readonly commit?: Commit;
  /** A `step.tx` to commit now, answered by `txCommitted` or `txPutOff`. Never together with `commit`. */
  readonly commitTx?: string;
  /** When to advance again if nothing happens before: the next deadline in memory. */
  readonly wakeAt?: number;
  /** Steps abandoned while their callbacks were under way: abort the signals of these. They are not answered (R15). */
  readonly aborts?: readonly string[];
  /** The deadline of the run has passed: abort callbacks under way (R14). */
  readonly isOverdue?: true;
  /**
   * The body is quiet and has not asked for the next step of its journal (R3). Either it awaits something that is not a
   * step, and needs a moment, or its code has changed: then call `diverged`.
   */
  readonly stalled?: true;
}
