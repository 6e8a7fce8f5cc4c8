import type { RetryOptions } from "../core/retry-policy.ts";
import type { Duration } from "../core/duration.ts";
import type { OptionNames } from "../core/options.ts";
import type { Journaled } from "../core/journaled.ts";
import type { InputOf, OutputOf, Workflow } from "./workflow.ts";
import type { EventName, EventPayload, EventSchemas } from "./events.ts";

/** The second argument of a rollback. */
export interface RollbackContext {
  /** Aborts at the timeout of the step, and when the worker loses the lease of the run. */
  readonly signal: AbortSignal;
  /** The run that is rolled back. */
  readonly runId: string;
  /** Name of the step that is rolled back. */
  readonly step: string;
}

/** Options of `step.run`. */
export interface RunStepOptions<Value = unknown> {
  /**
   * Undoes the step when the run fails, or is cancelled with rollback. It receives the journaled value of the step.
   * Rollbacks are called one at a time, that of the last completed step first. Each is journaled under
   * `rollback:<name>`, and retried and timed out like its step. Like a callback it may be called more than once, so make
   * it idempotent. Default: nothing to undo.
   *
   * @example
   * await ctx.step.run("charge", () => payments.charge(order), {
   *   rollback: (charge) => payments.refund(charge.id),
   * });
   */
  readonly rollback?: (value: Value, context: RollbackContext) => unknown;
  /** How often the step is tried, and how long to wait between attempts. Default, also per member: the workflow's `retry`. */
  readonly retry?: RetryOptions;
  /**
   * Limit of one call of the callback. A call that exceeds it fails with `StepTimeout` and is retried. Milliseconds, or
   * text like "30s", above 0. Default: no limit.
   */
  readonly timeout?: Duration;
}

/** Options of `step.map`; those of `step.run` apply to each item. */
export interface MapOptions<Value = unknown> extends RunStepOptions<Value> {
  /** How many items are in progress at a time: a whole number from 1. Default: 10. */
  readonly concurrency?: number;
}

/** The transaction of a `step.tx`, which commits together with the journal. */
export interface StepTransaction {
  /** Executes one statement, with `$1`, `$2`, … as placeholders for `values`. Rejects with the error of the database. */
  query(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
}

export const RUN_STEP_OPTIONS: OptionNames<RunStepOptions> = {
  rollback: true,
  retry: true,
  timeout: true,
};
export const MAP_OPTIONS: OptionNames<MapOptions> = { ...RUN_STEP_OPTIONS, concurrency: true };

/** Options of `step.waitForEvent`. */
export interface WaitOptions {
  /** Members that the payload must contain, as `payload @> match` in SQL. Default: any payload matches. */
  readonly match?: unknown;
  /** How long to wait before the step returns null. Milliseconds, or text like "7d". Default: no limit. */
  readonly timeout?: Duration;
  /**
   * Also waits for a message whose topic matches this pattern and that contains `match`. A pattern has 1 to 32 words
   * split by "."; "*" stands for one word, "#" for any number. The subscription begins when the wait is committed:
   * messages published before are not received. Default: signals only.
   */
  readonly topic?: string;
}

export const WAIT_OPTIONS: OptionNames<WaitOptions & { readonly event?: string }> = {
  event: true,
  match: true,
  timeout: true,
  topic: true,
};

/** Options of `step.invoke`. */
export interface InvokeOptions {
  /**
   * Starts the child run without waiting for it: the step returns its id immediately, and the child outlives this run.
   * Default: false.
   */
  readonly detach?: boolean;
  /**
   * What the child run belongs with, such as a tenant: over the shards of a fleet, it starts where that route is at home,
   * soon after the commit of the step, and its end comes back. With `detach`, the step returns once it has started. 1 to
   * 512 characters without slashes. Default: the child run is in the shard of its parent.
   */
  readonly route?: string;
}

export const INVOKE_OPTIONS: OptionNames<InvokeOptions> = { detach: true, route: true };

/**
 * The durable steps of a run, at `ctx.step`. The outcome of a step is journaled under its name; later executions of the
 * body return that outcome instead of repeating the step.
 *
 * A name is unique within its run. It has 1 to 256 characters, without control characters, and neither begins nor
 * ends with a space: `fetch New York` is valid.
 *
 * Every step rejects with `InvalidName` for an invalid name, with `InvalidArgument` for an invalid argument or option,
 * and with `NestedStep` inside the callback of another step. A name used twice fails the run with `DuplicateStepName`,
 * even if the body catches the error.
 */
export interface Step<Events extends EventSchemas = EventSchemas> {
  /**
   * Calls a function until it succeeds, and journals its result. Once journaled, the function is never called again.
   * Before that it may be called more than once, because a worker can die between the call and the commit: make it
   * idempotent.
   *
   * @param callback Receives a signal that aborts at the timeout, when the run is cancelled, and when the worker loses
   *   the lease of the run.
   * @returns The result as JSON preserves it, in the first execution as in every replay.
   * @throws StepFailed after the last attempt; its `cause` is the error of that attempt.
   * @example
   * const user = await ctx.step.run("create-user", () => users.create(input), { timeout: "30s" });
   */
  run<Value>(
    name: string,
    callback: (signal: AbortSignal) => Value | PromiseLike<Value>,
    options?: RunStepOptions<Journaled<Value>>,
  ): Promise<Journaled<Value>>;

  /**
   * Calls a function for each item, a limited number at a time. Each item is a step, named `<name>-<index>`. After an
   * item has failed for good, no further items begin.
   *
   * @param items Must be the same in every replay: take them from the input or from a step.
   * @returns The results, in the order of the items.
   * @throws StepFailed of the first item that failed.
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
   * Calls a function with a transaction on the database of Oxbow. The transaction commits together with the journal row
   * of the step, so its SQL takes effect exactly once. Retries use a new transaction each. Requires a worker that is
   * connected to Postgres: over HTTP the step fails.
   *
   * @param callback Must not end the transaction. Keep it short, because it holds a connection. At the timeout, when the
   *   run is cancelled, and when the worker loses the lease, its signal aborts, its running statement is cancelled and
   *   the transaction is rolled back.
   * @returns The result as JSON preserves it.
   * @throws StepFailed after the last attempt; its `cause` is the error of that attempt.
   * @example
   * await ctx.step.tx("pay", (tx) => tx.query("update account set balance = balance - $1 where id = $2", [sum, id]));
   */
  tx<Value>(
    name: string,
    callback: (tx: StepTransaction, signal: AbortSignal) => Value | PromiseLike<Value>,
    options?: Omit<RunStepOptions, "rollback">,
  ): Promise<Journaled<Value>>;

  /**
   * Sleeps for seconds or for months, across crashes and deploys. The deadline is set when the run first reaches the
   * step, by the clock of the database, and never moves. A sleeping run occupies no worker.
   *
   * @param duration Milliseconds, or text like "5m". Zero or less returns immediately, and is journaled.
   * @example
   * await ctx.step.sleep("welcome-delay", "5m");
   */
  sleep(name: string, duration: Duration): Promise<void>;

  /**
   * Sleeps until a point in time by the clock of the database. A date in the past returns immediately.
   *
   * @param date The date of the first execution counts; a replay doesn't move it.
   * @example
   * await ctx.step.sleepUntil("trial-over", new Date(user.trialEndsAt));
   */
  sleepUntil(name: string, date: Date): Promise<void>;

  /**
   * Waits for a signal to this run. A signal that arrives before the run waits for it is buffered for the first wait
   * that it matches.
   *
   * @param name Name of the step, and of the event unless `options.event` names another.
   * @returns The payload; null at the timeout, and for a signal without a payload.
   * @throws ValidationFailed if the workflow declares a schema for the event and the payload doesn't match it.
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
   * Starts a run of another workflow exactly once, and waits for it to end. The waiting run occupies no worker. Cancelling
   * it cancels the child run, unless that is detached.
   *
   * @param input Checked against the schema of the workflow by the child run.
   * @returns The output of the child run; with `detach`, its id.
   * @throws StepFailed if the child run failed or was cancelled; its `cause` is the error of that run.
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
    workflow: undefined extends InputOf<Definition> ? Definition : never,
  ): Promise<Journaled<OutputOf<Definition>>>;
  invoke<Definition extends Workflow>(
    name: string,
    workflow: Definition,
    input: InputOf<Definition>,
    options?: InvokeOptions,
  ): Promise<Journaled<OutputOf<Definition>>>;

  /**
   * Sends an event to another run, in the transaction that journals the step: exactly once. Does nothing if that run has
   * ended or no longer exists.
   *
   * @example
   * await ctx.step.signal("notify-parent", input.parentRunId, "child-ready", { items: 3 });
   */
  signal(name: string, runId: string, event: string, payload?: unknown): Promise<void>;

  /**
   * Publishes a message to all subscribers of a topic, in the transaction that journals the step: exactly once.
   *
   * @param topic Words split by ".", without wildcards.
   * @example
   * await ctx.step.publish("announce", "order.shipped", { orderId: order.id });
   */
  publish(name: string, topic: string, message: unknown): Promise<void>;

  /**
   * Abandons a step that is no longer needed, such as the loser of a race. Its promise stays pending for ever, so don't
   * await it. A wait takes no signal any more, a sleep or retry no longer keeps the run alive, a child run that the step
   * waits for is cancelled, and the signal of a callback under way aborts. A result that comes later changes nothing.
   *
   * The journal records the step with the error `STEP_ABANDONED`. A step that has ended stays as it is. A rollback of an
   * abandoned step is never called, even if its callback finishes.
   *
   * @throws InvalidArgument if the body has not asked for the step; NestedStep inside the callback of a step.
   * @example
   * const paid = ctx.step.waitForEvent("paid").then(() => "paid");
   * const overdue = ctx.step.sleep("grace", "14d").then(() => "overdue");
   * const first = await Promise.race([paid, overdue]);
   * ctx.step.abandon(first === "paid" ? "grace" : "paid");
   */
  abandon(name: string): void;
}
