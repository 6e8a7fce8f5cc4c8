import type { BackoffOptions, RetryOptions } from "../core/backoff.ts";
import type { Duration } from "../core/duration.ts";
import type { OptionNames } from "../core/options.ts";
import type { Journaled } from "../core/journaled.ts";
import type { InputOf, OutputOf, Workflow } from "./workflow.ts";
import type { EventName, EventPayload, EventSchemas } from "./events.ts";

export type { BackoffOptions, RetryOptions };

/** What a rollback is given beside the value of its step. */
export interface RollbackContext {
  /** Aborts at the timeout of the step, and when the lease is lost. */
  readonly signal: AbortSignal;
  readonly runId: string;
  /** Name of the step that is rolled back. */
  readonly step: string;
}

export interface RunStepOptions<Value = unknown> {
  /**
   * Undoes the step, when its run fails or is cancelled with rollback: called after it has ended, with the journaled
   * value, after the rollbacks of all steps that completed later. A step of its own: journaled, retried and timed
   * out as its step is. Like a callback it may be called more than once.
   */
  readonly rollback?: (value: Value, context: RollbackContext) => unknown;
  /** When the step is tried again. What is left out comes from the workflow's `retry`. */
  readonly retry?: RetryOptions;
  /** How long one call may take; the step then has failed with `StepTimeout`, and is retried. Default: no limit. */
  readonly timeout?: Duration;
}

export interface MapOptions<Value = unknown> extends RunStepOptions<Value> {
  /** How many callbacks are called at a time. Default 10. */
  readonly concurrency?: number;
}

/** A transaction that commits together with the journal. */
export interface StepTransaction {
  query(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
}

export const RUN_STEP_OPTIONS: OptionNames<RunStepOptions> = {
  rollback: true,
  retry: true,
  timeout: true,
};
export const MAP_OPTIONS: OptionNames<MapOptions> = { ...RUN_STEP_OPTIONS, concurrency: true };

export interface WaitOptions {
  /** What the event's payload must contain, as `payload @> match` in SQL. Default: any payload. */
  readonly match?: unknown;
  /** How long to wait; the step then returns null. Default: for ever. */
  readonly timeout?: Duration;
  /**
   * Also takes a message of the topics of this pattern (words split by "."; "*" is one word, "#" any number) that
   * contains `match`: the run is subscribed from the moment that the database knows of the wait until it ends. What
   * was published before is not seen.
   */
  readonly topic?: string;
}

export const WAIT_OPTIONS: OptionNames<WaitOptions & { readonly event?: string }> = {
  event: true,
  match: true,
  timeout: true,
  topic: true,
};

export interface InvokeOptions {
  /** Only start the run: the step returns its id at once, and the run outlives this one. Default false. */
  readonly detach?: boolean;
}

export const INVOKE_OPTIONS: OptionNames<InvokeOptions> = { detach: true };

/**
 * The durable steps of a run, at `ctx.step`. Each has a name, unique within the run: 1 to 256 characters without
 * control characters that neither begin nor end with a space, such as `fetch New York`. What a step came to is journaled under its name, and never done again.
 *
 * All of them reject with `InvalidName`, with `InvalidArgument` for options that make no sense, and with
 * `DuplicateStepName`.
 */
export interface Step<Events extends EventSchemas = EventSchemas> {
  /**
   * Calls a function until it succeeds, and journals what it returns. After that it is never called again:
   * a replay returns the journaled value. Before that it may be called more than once (a worker can die
   * between the call and the journal), so make it idempotent.
   *
   * @param callback Gets a signal that aborts at the timeout, at cancellation and when the lease is lost.
   * @returns What JSON makes of the value that the callback returned, in the first run as on every replay.
   * @throws StepFailed once all attempts have failed; its `cause` is what the last one threw.
   * @example
   * const user = await ctx.step.run("create-user", () => users.create(input), { timeout: "30s" });
   */
  run<Value>(
    name: string,
    callback: (signal: AbortSignal) => Value | PromiseLike<Value>,
    options?: RunStepOptions<Journaled<Value>>,
  ): Promise<Journaled<Value>>;

  /**
   * Calls a function for each item, each as a step of its own, named `<name>-<index>`, some at a time. When one
   * fails for good no more are begun.
   *
   * @returns The values, in the order of the items.
   * @throws StepFailed of the first that fails.
   * @example
   * const sizes = await ctx.step.map("measure", files, (file, { signal }) => measure(file, signal), { concurrency: 5 });
   */
  map<Item, Value>(
    name: string,
    items: readonly Item[],
    callback: (
      item: Item,
      at: { readonly index: number; readonly signal: AbortSignal },
    ) => Value | PromiseLike<Value>,
    options?: MapOptions<Journaled<Value>>,
  ): Promise<Journaled<Value>[]>;

  /**
   * Calls a function with a transaction of Oxbow's own database, which commits together with the journal: what its SQL
   * does is done exactly once. Retried like `run`, each time in a new transaction.
   *
   * @param callback Must not end the transaction. Keep it short: it holds a connection. At the timeout, at cancellation
   *   and when the lease is lost its signal aborts, what it runs in the database is cancelled there, and all is rolled
   *   back.
   * @throws StepFailed once all attempts have failed.
   * @example
   * await ctx.step.tx("pay", (tx) => tx.query("update account set balance = balance - $1 where id = $2", [sum, id]));
   */
  tx<Value>(
    name: string,
    callback: (tx: StepTransaction, signal: AbortSignal) => Value | PromiseLike<Value>,
    options?: Omit<RunStepOptions, "rollback">,
  ): Promise<Journaled<Value>>;

  /**
   * Sleeps, for seconds or for months, across crashes and deploys. The deadline is fixed when the step is
   * reached for the first time, and nothing moves it.
   *
   * @param duration Milliseconds, or text like "5m"; zero and less is no sleep at all, but journaled.
   * @example
   * await ctx.step.sleep("welcome-delay", "5m");
   */
  sleep(name: string, duration: Duration): Promise<void>;

  /**
   * Sleeps until a point in time, by the database's clock.
   *
   * @example
   * await ctx.step.sleepUntil("trial-over", new Date(user.trialEndsAt));
   */
  sleepUntil(name: string, date: Date): Promise<void>;

  /**
   * Waits for a signal. One that was sent before the run got here, while it lived, is not lost: it is kept for
   * the first wait that it matches.
   *
   * @param name Of the step; also of the event, unless `options.event` says otherwise.
   * @returns The payload; null at the timeout, and for a signal without payload.
   * @throws ValidationFailed if the workflow has a schema for the event, and the payload doesn't pass it.
   * @example
   * const verified = await ctx.step.waitForEvent("verify", { match: { userId: user.id }, timeout: "7d" });
   */
  waitForEvent<Name extends EventName<Events>>(
    name: Name,
    options?: WaitOptions & { readonly event?: never },
  ): Promise<EventPayload<Events, Name> | null>;
  waitForEvent<Event extends EventName<Events>>(
    name: string,
    options: WaitOptions & { readonly event: Event },
  ): Promise<EventPayload<Events, Event> | null>;

  /**
   * Starts a run of another workflow, once, and waits for its end. This run gives its slot up meanwhile.
   * Cancelling this run cancels that one.
   *
   * @returns What that run returned; with `detach` its id.
   * @throws StepFailed when it failed or was cancelled; its `cause` is the error of that run.
   * @example
   * const crm = await ctx.step.invoke("sync-crm", syncCrm, { userId: user.id });
   */
  invoke<Definition extends Workflow>(
    name: string,
    workflow: Definition,
    input: InputOf<Definition>,
    options: InvokeOptions & { readonly detach: true },
  ): Promise<string>;
  invoke<Definition extends Workflow>(
    name: string,
    workflow: Definition,
    input: InputOf<Definition>,
    options?: InvokeOptions,
  ): Promise<Journaled<OutputOf<Definition>>>;

  /**
   * Sends an event to another run, in the transaction that journals the step: exactly once. One that has ended,
   * or is gone, gets nothing.
   */
  signal(name: string, runId: string, event: string, payload?: unknown): Promise<void>;

  /** Sends a message to everybody who has subscribed to its topic, in the transaction that journals the step. */
  publish(name: string, topic: string, message: unknown): Promise<void>;
}
