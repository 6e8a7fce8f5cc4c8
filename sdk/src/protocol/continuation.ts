/** The transient state of a run: what it waits for, and what it retries. */
import type { ErrorRecord } from "../core/error-record.ts";

/** A sleep that has not ended yet. */
interface SleepWait {
  readonly kind: "sleep";
  readonly step: string;
  /** When it began. */
  readonly since?: number;
  /** Instead of `since`, for a wait that begins with its commit: what the worker's clock showed when the body asked. */
  readonly asked?: number;
  readonly until: number;
  /** The body has given the date itself, rather than a duration. */
  readonly isDate?: true;
}

/** An event that has not come yet. */
export interface EventWait {
  readonly kind: "event";
  readonly step: string;
  readonly event: string;
  /** JSON that the payload must contain (`payload @> match`); default: any payload. */
  readonly match?: unknown;
  /** When it began. */
  readonly since?: number;
  /** As of a sleep. */
  readonly asked?: number;
  /** When it times out; absent without a timeout. */
  readonly until?: number;
  /**
   * The deadline has passed by the clock of the run. The database still decides: a signal that was
   * buffered in time wins over the timeout.
   */
  readonly expired?: true;
  /** Only a decision about the request for approval of the step satisfies it, and no signal. */
  readonly approval?: true;
}

/** An invoked run that has not ended yet. */
interface InvokeWait {
  readonly kind: "invoke";
  readonly step: string;
  /** What the run belongs with, which may be at home in another shard. */
  readonly route?: string;
  /** It ends as soon as the run has started. */
  readonly detached?: true;
  readonly since?: number;
  /** As of a sleep. */
  readonly asked?: number;
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
  /** The run resumes only to roll back, and fails by this: a replay of its body may not reject it again. */
  readonly failure?: ErrorRecord;
  /**
   * How many rows of the journal the body had got when the run left its worker. Those after them were journaled without
   * it, so what it sets and streams after these is not durable.
   */
  readonly seen?: number;
  /** Grows with each continuation that is written. Never written by the engine. */
  readonly revision?: number;
  /** The run was cancelled with rollback: it resumes only to roll back. Never written by a worker. */
  readonly cancelled?: { readonly reason?: string };
  /** The run is an item of a loop of its parent. Never written by a worker. */
  readonly item?: true;
}
