import type {
  ChunkRecord,
  StateRecord,
  StepEffect,
  StepRecord,
  Transition,
} from "../protocol/messages.ts";

/** A callback that is to be called now: everything that precedes it is durable. */
export interface StepCall {
  readonly name: string;
  /** 1 for the first call of the step. */
  readonly attempt: number;
  /** Milliseconds after which the call counts as failed; absent: no limit. */
  readonly timeoutMs?: number;
  readonly callback: (signal: AbortSignal, tx?: never) => unknown;
  /** It wants a transaction, which commits together with the journal. */
  readonly isTx?: true;
}

/** Something to make durable, in one piece. */
export interface Commit {
  readonly steps: readonly StepRecord[];
  readonly transition: Exclude<Transition, { kind: "release" }>;
  /** What its steps do to others. */
  readonly effects?: readonly StepEffect[];
  /** What the body has set for others to see since the last commit. */
  readonly state?: readonly StateRecord[];
  /** What was streamed since the last commit. */
  readonly stream?: readonly ChunkRecord[];
}

/**
 * What a run wants, once its body is quiet. All of it is to be carried out at once; the engine is then told
 * what came of it, and asked again.
 */
export interface Turn {
  /** Callbacks to call now. Each is answered by one `stepSucceeded` or `stepFailed`. */
  readonly calls: readonly StepCall[];
  /** What to commit now; answered by one `committed`. Never given while another is unanswered. */
  readonly commit?: Commit;
  /** A `step.tx` that is to commit now; answered by `txCommitted` or `txPutOff`. Never together with `commit`. */
  readonly commitTx?: string;
  /** When to call `poll` again even if nothing else happens: the next deadline kept in memory. */
  readonly wakeAt?: number;
  /** The deadline of the run has passed: what is being called is to be aborted. */
  readonly isOverdue?: true;
  /**
   * The body is quiet, but has not asked for a step that its journal holds next. Either it awaits something
   * that is not a step (give it a moment), or it has changed (call `diverged`).
   */
  readonly stalled?: true;
}
