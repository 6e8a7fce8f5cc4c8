/**
 * A consumer: calls a handler for the messages of a queue, from `consume()` until `stop()`.
 *
 * Owns the messages that its handlers work on. Promises:
 *   U1  It receives what it has room for, and waits without polling busily where there is nothing.
 *   U2  A message is deleted after its handler has returned, and kept by heartbeats until then. If the process dies in
 *       between, it is delivered again: handlers are called at least once.
 *       A database that can't do it at present is asked again for as long as a lease lasts.
 *   U3  A message whose handler throws is given back with a delay; `max_receives` and the dead letter queue count.
 *   U4  `stop()` lets running handlers finish, and gives what has not begun back at once. It may be called twice.
 *   U5  A database that can't be reached, and a queue that was dropped, are waited for. A queue that was never there,
 *       and a database that can't be used, end the consumer: `finished` rejects with the reason.
 *   U6  A message that a handler acknowledges in its transaction is deleted by that transaction or not at all. If the
 *       acknowledgement fails, the message is given back, even when the handler hides that and returns.
 *   U7  After its process stood still, it asks whether messages that it received meanwhile are still its own before it
 *       calls a handler with them.
 */
import { sleep } from "../async/sleep.ts";
import { StallWatch } from "../async/stall-watch.ts";
import { type Pace, Pacer } from "../async/pace.ts";
import { WakeUp } from "../async/wake-up.ts";
import { LAST_ANSWER_MS, within } from "../async/within.ts";
import {
  type BackoffOptions,
  DEFAULT_RETRY,
  type RetryPolicy,
  backoffMs,
  toRetryPolicy,
} from "../core/backoff.ts";
import { type Duration, parseDuration } from "../core/duration.ts";
import { InvalidArgument, LeaseLost, OxbowError, QueueNotFound } from "../core/errors.ts";
import { Emitter } from "../core/events.ts";
import { toStorableText } from "../core/json.ts";
import { type OptionNames, checkOptions } from "../core/options.ts";
import { RetryAfterError } from "../core/retry-errors.ts";
import type { Logger } from "../definition/context.ts";
import { blameFor } from "../protocol/blame.ts";
import { askPersistently } from "../protocol/persistence.ts";
import type { QueueTransport } from "../protocol/queues.ts";
import { isRefused } from "../protocol/sqlstate.ts";
import type { TransactionClient } from "../protocol/transaction.ts";
import { troubleTeller } from "../telemetry/troubles.ts";
import type { ConsumerEvents, MessageFacts } from "./consumer-events.ts";
import { MessageLeases } from "./message-leases.ts";
import { type ReceivedMessage, toReceivedMessage } from "./message.ts";

export interface ConsumeOptions {
  /** Most calls of the handler at once: 1 to 10000. Default 10. */
  readonly concurrency?: number;
  /**
   * How long a message stays with this consumer without a heartbeat: how long a crash delays it. Shorter than a pause
   * of the process and messages are handled twice. 1s to 12h, rounded up to whole seconds. Default "30s".
   */
  readonly visibilityTimeout?: Duration;
  /** Receives only messages that contain this JSON. Default: all. */
  readonly matching?: unknown;
  /** How long an idle consumer waits before it looks for messages in any case. At least 100ms. Default "20s". */
  readonly wait?: Duration;
  /** When a message whose handler threw is delivered again. Default: exponential from 1s to 15m, 20 % jitter. */
  readonly retryDelay?: BackoffOptions;
  /** How long `stop()` waits for handlers before it gives their messages back regardless. Default "30s". */
  readonly stopTimeout?: Duration;
  /** Gets failures of handlers and troubles of the consumer. Default: they are warnings of the process. */
  readonly logger?: Logger;
}

export interface ConsumeBatchOptions extends ConsumeOptions {
  /** Most messages of one call of the handler: 1 to 10000. Default 10. */
  readonly batch?: number;
}

const CONSUME_BATCH_OPTIONS: OptionNames<ConsumeBatchOptions> = {
  concurrency: true,
  visibilityTimeout: true,
  matching: true,
  wait: true,
  retryDelay: true,
  stopTimeout: true,
  logger: true,
  batch: true,
};

/** What a handler is given besides its message. */
export interface MessageContext {
  /** Aborts when the message is no longer this consumer's, or `stop()` has waited long enough. */
  readonly signal: AbortSignal;
  /**
   * Deletes the message in a transaction of the handler's own, so that what the handler writes there and the
   * acknowledgement are one: exactly once. Commit before the handler returns.
   *
   * @throws LeaseLost when somebody else has the message: roll back.
   */
  readonly acknowledge: (options: { readonly tx: TransactionClient }) => Promise<void>;
}

/** What a handler of many messages is given besides them. */
export interface BatchContext extends MessageContext {
  /** Gives one of the messages back as if its handler had thrown; the others are not concerned. */
  readonly fail: (message: ReceivedMessage, error: unknown) => void;
}

export type Handler<Body> = (message: ReceivedMessage<Body>, context: MessageContext) => unknown;

export type BatchHandler<Body> = (
  messages: readonly ReceivedMessage<Body>[],
  context: BatchContext,
) => unknown;

interface ConsumerParts {
  readonly queue: string;
  readonly handler: BatchHandler<unknown>;
  readonly transport: QueueTransport;
  readonly options: ConsumeBatchOptions;
}

/** Messages that one call of the handler works on. */
interface Work {
  readonly messages: readonly ReceivedMessage[];
  readonly failures: Map<string, unknown>;
  readonly controller: AbortController;
  readonly startedAt: number;
  /** `acknowledging`: in a transaction of the handler's, which has not succeeded yet. */
  state: "running" | "acknowledging" | "acknowledged" | "released";
  acknowledgeError?: Error;
}

const NOT_AWAITED =
  "The handler returned before acknowledge() had succeeded: await it, then commit, then return.";
const DEFAULT_DELAY: RetryPolicy = { ...DEFAULT_RETRY, maxMs: 15 * 60_000 };
const TROUBLE_PACE: Pace = { firstMs: 100, growth: 2, longestMs: 2_000 };
const MAX_RECEIVE = 10_000;

export class Consumer {
  readonly queue: string;
  /** What happens, for logs, metrics and tests. */
  readonly events = new Emitter<ConsumerEvents>();
  /** Resolves when the consumer has stopped; rejects when it can't work at all. */
  readonly finished: Promise<void>;

  readonly #handler: BatchHandler<unknown>;
  readonly #transport: QueueTransport;
  readonly #batch: number;
  readonly #leaseMs: number;
  readonly #waitMs: number;
  readonly #stopTimeoutMs: number;
  readonly #matching: string | undefined;
  readonly #retryDelay: RetryPolicy;
  readonly #leases: MessageLeases;
  readonly #stalls: StallWatch;
  readonly #running = new Map<Work, Promise<void>>();
  #freeSlots: number;
  readonly #stopping = new AbortController();
  /** Aborts when `stop()` has waited long enough. */
  readonly #givenUp = new AbortController();
  readonly #slotFree = new WakeUp();
  /** Reported once: a heartbeat and the acknowledgement may both find out. */
  readonly #reportedLost = new WeakSet<ReceivedMessage>();
  readonly #receiving: Promise<void>;
  #stopped: Promise<void> | undefined;
  #wasThere = false;
  readonly #pauses = new Pacer(TROUBLE_PACE);

  constructor({ queue, handler, transport, options }: ConsumerParts) {
    const what = `the consumer of queue "${queue}"`;
    checkOptions(options, CONSUME_BATCH_OPTIONS, what);
    this.queue = queue;
    this.#handler = handler;
    this.#transport = transport;
    this.#freeSlots = checkCount(options.concurrency ?? 10, "concurrency", what);
    this.#batch = checkCount(options.batch ?? 10, "batch", what);
    this.#leaseMs = leaseMs(options.visibilityTimeout ?? "30s", what);
    this.#waitMs = waitMs(options.wait ?? "20s", what);
    this.#stopTimeoutMs = parseDuration(options.stopTimeout ?? "30s", `stopTimeout of ${what}`);
    this.#matching = toStorableText(options.matching, `what ${what} matches`);
    this.#retryDelay = toRetryPolicy({ backoff: options.retryDelay ?? {} }, DEFAULT_DELAY, what);
    this.#stalls = new StallWatch(this.#leaseMs / 2);
    this.#leases = new MessageLeases({
      leaseMs: this.#leaseMs,
      extend: (receipt) => transport.changeVisibility(queue, receipt, this.#leaseMs),
      onError: (error) => this.#trouble("extending leases", error),
    });
    this.#logTo(options.logger);
    this.#receiving = this.#receiveForEver();
    this.finished = this.#finish();
    // Whoever doesn't look at it is told by a trouble.
    this.finished.catch(() => {});
  }

  /**
   * Receives nothing more, lets running handlers finish and acknowledges their messages. Resolves when nothing of this
   * consumer is left, soon after `stopTimeout` at the latest: what a database that is away could not be told is visible
   * again when its time is over.
   */
  stop(): Promise<void> {
    this.#stopped ??= this.#drain();
    return this.#stopped;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #finish(): Promise<void> {
    try {
      await this.#receiving;
    } finally {
      this.#stalls.stop();
      await this.stop();
    }
  }

  async #receiveForEver(): Promise<void> {
    while (!this.#isStopping) {
      const room = this.#room;
      if (room === 0) {
        await this.#slotFree.wait();
        continue;
      }
      try {
        const sentAt = performance.now();
        const deliveries = await this.#receive(room);
        this.#wasThere = true;
        this.#pauses.restart();
        const received = deliveries.map((delivery) => toReceivedMessage(this.queue, delivery));
        const messages = this.#stalls.hasStalledSince(sentAt)
          ? await this.#confirmed(received)
          : received;
        if (this.#isStopping) await this.#release(messages);
        else for (const some of chunksOf(messages, this.#batch)) this.#start(some);
      } catch (error) {
        if (this.#isStopping) return;
        this.#trouble("receiving messages", error);
        if (!this.#mayPass(error)) throw error;
        await this.#pause();
      }
    }
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** Messages that handlers could begin with. */
  get #room(): number {
    return Math.min(MAX_RECEIVE, this.#freeSlots * this.#batch);
  }

  #receive(max: number): ReturnType<QueueTransport["receive"]> {
    return this.#transport.receive({
      queue: this.queue,
      max,
      visibilityTimeoutMs: this.#leaseMs,
      matching: this.#matching,
      waitMs: this.#waitMs,
      signal: this.#stopping.signal,
    });
  }

  /** Those that no other consumer has received while this process stood still; their leases begin again. */
  async #confirmed(messages: readonly ReceivedMessage[]): Promise<ReceivedMessage[]> {
    const confirmed: ReceivedMessage[] = [];
    await Promise.all(
      messages.map(async (message) => {
        if (await this.#transport.changeVisibility(this.queue, message.receipt, this.#leaseMs))
          confirmed.push(message);
        else this.events.emit("messageLost", factsOf(message));
      }),
    );
    return messages.filter((message) => confirmed.includes(message));
  }

  #mayPass(error: unknown): boolean {
    if (this.#wasThere) return true;
    return !isRefused(error) && blameFor(error) === "database";
  }

  async #pause(): Promise<void> {
    await sleep(this.#pauses.next() * (0.5 + Math.random() / 2), this.#stopping.signal);
  }

  #start(messages: readonly ReceivedMessage[]): void {
    const work: Work = {
      messages,
      failures: new Map(),
      controller: new AbortController(),
      startedAt: performance.now(),
      state: "running",
    };
    for (const message of messages) {
      this.#leases.hold(message.receipt, () => this.#lost(work, message));
      this.events.emit("messageStarted", factsOf(message));
    }
    this.#freeSlots -= 1;
    const done = this.#carryOut(work).finally(() => {
      for (const { receipt } of messages) this.#leases.release(receipt);
      this.#running.delete(work);
    });
    this.#running.set(work, done);
  }

  async #carryOut(work: Work): Promise<void> {
    try {
      await this.#handler(work.messages, this.#contextOf(work));
      if (work.state === "acknowledging") throw work.acknowledgeError ?? new Error(NOT_AWAITED);
    } catch (error) {
      for (const { receipt } of work.messages) {
        if (!work.failures.has(receipt)) work.failures.set(receipt, error);
      }
    }
    const settled = Promise.all(work.messages.map((message) => this.#settle(work, message)));
    // The next receive need not wait for the acknowledgement, except where it decides what can be received.
    if (work.messages.some(({ groupId }) => groupId !== null)) await settled;
    this.#freeSlots += 1;
    this.#slotFree.now();
    await settled;
  }

  #contextOf(work: Work): BatchContext {
    return {
      signal: work.controller.signal,
      acknowledge: async ({ tx }) => {
        work.state = "acknowledging";
        try {
          for (const message of work.messages) {
            // Its row is locked from now on: nobody receives it, and an extension would wait for this transaction.
            this.#leases.release(message.receipt);
            if (await this.#transport.delete(this.queue, message.receipt, { tx })) continue;
            throw leaseLost(message);
          }
        } catch (error) {
          work.acknowledgeError = error instanceof Error ? error : new Error(String(error));
          throw error;
        }
        work.state = "acknowledged";
      },
      fail: ({ receipt }, error) => void work.failures.set(receipt, error),
    };
  }

  /** After its handler: deletes the message, or gives it back. */
  async #settle(work: Work, message: ReceivedMessage): Promise<void> {
    const durationMs = performance.now() - work.startedAt;
    try {
      if (work.failures.has(message.receipt)) {
        const error = work.failures.get(message.receipt);
        // Once released it belongs to whoever receives it next.
        const retryInMs = work.state === "released" ? 0 : this.#delayAfter(error, message);
        if (work.state !== "released") await this.#giveBack(message, retryInMs);
        this.events.emit("messageFailed", { ...factsOf(message), durationMs, error, retryInMs });
      } else if (work.state === "acknowledged" || (await this.#delete(message))) {
        this.events.emit("messageDone", { ...factsOf(message), durationMs });
      } else {
        this.#reportLost(work, message);
      }
    } catch (error) {
      this.#trouble(`settling message ${message.id}`, error);
      if (error instanceof QueueNotFound) this.#reportLost(work, message);
    }
  }

  #delayAfter(error: unknown, { receiveCount }: ReceivedMessage): number {
    return error instanceof RetryAfterError
      ? error.delayMs
      : backoffMs(this.#retryDelay, receiveCount, Math.random());
  }

  #delete({ receipt }: ReceivedMessage): Promise<boolean> {
    return this.#persist(() => this.#transport.delete(this.queue, receipt, { repeatable: true }));
  }

  /** Heartbeats keep the message meanwhile. The transport itself repeats what a lost connection makes fail. */
  #persist(settle: () => Promise<boolean>): Promise<boolean> {
    return askPersistently(settle, {
      forMs: this.#leaseMs,
      signal: this.#givenUp.signal,
      isFinal: (error) => error instanceof OxbowError || blameFor(error) === "data",
      onFailure: (error) => this.#trouble("settling messages", error),
    });
  }

  #giveBack({ receipt }: ReceivedMessage, delayMs: number): Promise<boolean> {
    return this.#persist(() =>
      this.#transport.changeVisibility(this.queue, receipt, delayMs, { repeatable: true }),
    );
  }

  async #release(messages: readonly ReceivedMessage[]): Promise<void> {
    await Promise.all(
      messages.map(async (message) => {
        await this.#transport.changeVisibility(this.queue, message.receipt, 0);
        this.events.emit("messageReleased", factsOf(message));
      }),
    );
  }

  #lost(work: Work, message: ReceivedMessage): void {
    this.#reportLost(work, message);
    work.controller.abort(leaseLost(message));
  }

  #reportLost(work: Work, message: ReceivedMessage): void {
    if (work.state === "acknowledged" || this.#reportedLost.has(message)) return;
    this.#reportedLost.add(message);
    this.events.emit("messageLost", factsOf(message));
  }

  async #drain(): Promise<void> {
    this.#stopping.abort(new Error(`The consumer of queue "${this.queue}" stops.`));
    this.#slotFree.now();
    await within(this.#stopTimeoutMs, this.#untilIdle());
    this.#givenUp.abort();
    const abandoned = [...this.#running.keys()].map((work) => this.#abandon(work));
    if (await within(LAST_ANSWER_MS, Promise.all(abandoned))) return;
    const error = new Error(
      "The database doesn't answer: the messages are visible again when their time is over.",
    );
    this.#trouble("giving messages back", error);
  }

  /** Resolves when no handler is running. */
  async #untilIdle(): Promise<void> {
    await within(
      LAST_ANSWER_MS,
      this.#receiving.catch(() => {}),
    );
    await Promise.all(this.#running.values());
  }

  /** Its handler has not finished in time: tells it so, and lets others have the messages. */
  async #abandon(work: Work): Promise<void> {
    const isWhole = work.state === "running";
    if (isWhole) work.state = "released";
    work.controller.abort(this.#stopping.signal.reason);
    for (const { receipt } of work.messages) this.#leases.release(receipt);
    try {
      if (isWhole) await this.#release(work.messages);
    } catch (error) {
      this.#trouble("giving messages back", error);
    }
  }

  #trouble(doing: string, error: unknown): void {
    this.events.emit("trouble", { doing, error });
  }

  #logTo(logger: Logger | undefined): void {
    const tell = troubleTeller(logger);
    this.events.on("trouble", ({ doing, error }) =>
      tell(`consuming queue "${this.queue}": ${doing}`, error),
    );
    const tellFailure = troubleTeller(logger);
    this.events.on("messageFailed", ({ error }) =>
      tellFailure(`handler of queue "${this.queue}"`, error),
    );
  }
}

const factsOf = ({ queue, id, receiveCount }: ReceivedMessage): MessageFacts => ({
  queue,
  messageId: id,
  receiveCount,
});

const leaseLost = ({ queue, id }: ReceivedMessage): LeaseLost =>
  new LeaseLost({ queue, messageId: id });

function checkCount(count: number, name: string, what: string): number {
  if (Number.isInteger(count) && count >= 1 && count <= 10_000) return count;
  throw new InvalidArgument(
    `Invalid ${name} ${count} of ${what}: give a whole number from 1 to 10000.`,
  );
}

function leaseMs(timeout: Duration, what: string): number {
  const ms = Math.ceil(parseDuration(timeout, `the visibility timeout of ${what}`) / 1000) * 1000;
  if (ms >= 1_000 && ms <= 43_200_000) return ms;
  throw new InvalidArgument(
    `Invalid visibilityTimeout ${JSON.stringify(timeout)} of ${what}: it is 1 second to 12 hours.`,
  );
}

function waitMs(wait: Duration, what: string): number {
  const ms = parseDuration(wait, `the wait of ${what}`);
  if (ms >= 100) return ms;
  throw new InvalidArgument(
    `Invalid wait ${JSON.stringify(wait)} of ${what}: it is at least 100ms; messages are handled as they come.`,
  );
}

function chunksOf<Item>(items: readonly Item[], size: number): (readonly Item[])[] {
  const chunks: (readonly Item[])[] = [];
  for (let start = 0; start < items.length; start += size)
    chunks.push(items.slice(start, start + size));
  return chunks;
}
