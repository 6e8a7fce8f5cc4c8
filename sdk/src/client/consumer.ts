/**
 * A consumer: receives the messages of a queue and calls a handler with them, from `consume()` until `stop()`.
 *
 * Owns the handler calls in progress. Promises:
 *   U1  It receives as many messages as its handlers have room for, and waits without busy polling while the queue is
 *       empty.
 *   U2  A message is deleted after its handler has returned, and heartbeats keep it until then. If the process dies in
 *       between, it is delivered again: handlers are called at least once. `message-handling.ts` has the details.
 *   U3  A message whose handler throws is given back with a delay; `max_receives` and the dead letter queue apply.
 *   U4  `stop()` lets running handlers finish, and immediately releases messages without a handler. It may be called
 *       twice.
 *   U5  The consumer waits while the database can't be reached or can't answer, and while its queue is dropped. A queue
 *       that never existed, or a database that rejects it, ends the consumer: `finished` rejects with the reason.
 *   U6  After its process has stalled, it confirms messages received in that time before it calls a handler with them.
 *   U7  It has at most one suspect, and no suspect while another consumer or worker of its process has one:
 *       `suspect-turn.ts`.
 */
import { type Pace, Pacer } from "../async/pace.ts";
import { sleep } from "../async/sleep.ts";
import { StallWatch } from "../async/stall-watch.ts";
import { WakeUp } from "../async/wake-up.ts";
import { LAST_ANSWER_MS, within } from "../async/within.ts";
import { Emitter } from "../core/events.ts";
import type { Logger } from "../definition/context.ts";
import { mayPass } from "../protocol/blame.ts";
import type { QueueTransport } from "../protocol/queues.ts";
import { troubleReporter } from "../telemetry/troubles.ts";
import {
  type ConsumeBatchOptions,
  type ConsumeSettings,
  toConsumeSettings,
} from "./consume-options.ts";
import type { ConsumerEvents } from "./consumer-events.ts";
import {
  type BatchHandler,
  factsOf,
  type HandlingOptions,
  MessageHandling,
  releaseMessages,
} from "./message-handling.ts";
import { MessageLeases } from "./message-leases.ts";
import { type ReceivedMessage, toReceivedMessage } from "./message.ts";
import { SuspectTurn } from "./suspect-turn.ts";

interface ConsumerParts {
  readonly queue: string;
  readonly handler: BatchHandler<unknown>;
  readonly transport: QueueTransport;
  readonly options: ConsumeBatchOptions;
}

const TROUBLE_PACE: Pace = { firstMs: 100, growth: 2, longestMs: 1_000 };
const MAX_RECEIVE = 10_000;
/** How soon to ask again whether the process has a place for a suspect. */
const TURN_POLL_MS = 1_000;

/** A running consumer, as `client.queues.consume` returns it. */
export class Consumer {
  readonly queue: string;
  /** Emits its events to logs, metrics and tests. */
  readonly events: Emitter<ConsumerEvents> = new Emitter<ConsumerEvents>();
  /** Resolves when the consumer has stopped; rejects if it can't work at all. */
  readonly finished: Promise<void>;

  readonly #transport: QueueTransport;
  readonly #settings: ConsumeSettings;
  readonly #handling: HandlingOptions;
  readonly #stalls: StallWatch;
  readonly #suspectTurn: SuspectTurn;
  readonly #running = new Map<MessageHandling, Promise<void>>();
  #freeSlots: number;
  readonly #stopping = new AbortController();
  /** Aborts when `stop()` has waited long enough. */
  readonly #givenUp = new AbortController();
  readonly #slotFree = new WakeUp();
  readonly #receiving: Promise<void>;
  #stopped: Promise<void> | undefined;
  #hasReceived = false;
  readonly #pauses = new Pacer(TROUBLE_PACE);

  constructor({ queue, handler, transport, options }: ConsumerParts) {
    const settings = toConsumeSettings(options, `the consumer of queue "${queue}"`);
    const { leaseMs } = settings;
    this.queue = queue;
    this.#transport = transport;
    this.#settings = settings;
    this.#freeSlots = settings.concurrency;
    this.#stalls = new StallWatch(leaseMs / 2);
    this.#suspectTurn = new SuspectTurn(settings.concurrency * settings.batch, leaseMs);
    this.#handling = {
      queue,
      handler,
      transport,
      settings,
      leases: new MessageLeases({
        leaseMs,
        extend: (receipt) => this.#extend(receipt),
        onError: (error) => this.#trouble("extending leases", error),
      }),
      events: this.events,
      givenUp: this.#givenUp.signal,
      onFree: () => {
        this.#freeSlots += 1;
        this.#slotFree.now();
      },
    };
    this.#logTo(options.logger);
    this.#receiving = this.#receiveForEver();
    this.finished = this.#finish();
    // The failure is also reported as a trouble, for callers that don't await `finished`.
    this.finished.catch(() => {});
  }

  /**
   * Receives no further messages, lets running handlers finish, and acknowledges their messages. Resolves soon after
   * `stopTimeout` at the latest. If the database doesn't respond, messages become visible again when their visibility
   * timeout ends.
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
      this.#suspectTurn.close();
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
        const messages = await this.#receive(room);
        if (this.#isStopping) {
          this.#suspectTurn.end(messages);
          await releaseMessages(messages, this.#handling);
        } else for (const some of chunksOf(messages, this.#settings.batch)) this.#start(some);
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

  /** The number of messages that free handlers could take. */
  get #room(): number {
    return Math.min(MAX_RECEIVE, this.#freeSlots * this.#settings.batch);
  }

  async #receive(max: number): Promise<readonly ReceivedMessage[]> {
    const { leaseMs, matching, waitMs } = this.#settings;
    const sentAt = performance.now();
    const suspects = this.#suspectTurn.wanted;
    const deliveries = await this.#transport.receive({
      queue: this.queue,
      max,
      visibilityTimeoutMs: leaseMs,
      matching,
      suspects,
      waitMs: suspects === 0 ? Math.min(waitMs, TURN_POLL_MS) : waitMs,
      signal: this.#stopping.signal,
    });
    this.#hasReceived = true;
    this.#pauses.restart();
    const surplus = this.#suspectTurn.begin(deliveries);
    if (surplus !== undefined) await this.#giveBackSurplus(surplus.receipt);
    const messages = deliveries
      .filter((delivery) => delivery !== surplus)
      .map((delivery) => toReceivedMessage(this.queue, delivery));
    if (!this.#stalls.hasStalledSince(sentAt)) return messages;
    try {
      return await this.#confirmed(messages);
    } catch (error) {
      this.#suspectTurn.end(messages);
      throw error;
    }
  }

  /** A failure must not lose the messages of the same receive; the lease of this one then expires. */
  async #giveBackSurplus(receipt: string): Promise<void> {
    try {
      await this.#transport.giveBack(this.queue, [receipt], 0);
    } catch (error) {
      this.#trouble("giving a message back", error);
    }
  }

  /** The messages that no other consumer has received since; their leases begin again. */
  async #confirmed(messages: readonly ReceivedMessage[]): Promise<ReceivedMessage[]> {
    const areHeld = await Promise.all(messages.map(({ receipt }) => this.#extend(receipt)));
    return messages.filter((message, index) => {
      const isHeld = areHeld[index] === true;
      if (!isHeld) {
        this.#suspectTurn.end([message]);
        this.events.emit("messageLost", factsOf(message));
      }
      return isHeld;
    });
  }

  #extend(receipt: string): Promise<boolean> {
    return this.#transport.changeVisibility(this.queue, receipt, this.#settings.leaseMs, {
      isHeartbeat: true,
    });
  }

  #mayPass(error: unknown): boolean {
    return this.#hasReceived || mayPass(error);
  }

  async #pause(): Promise<void> {
    await sleep(this.#pauses.next() * (0.5 + Math.random() / 2), this.#stopping.signal);
  }

  #start(messages: readonly ReceivedMessage[]): void {
    const handling = new MessageHandling(messages, this.#handling);
    this.#freeSlots -= 1;
    this.#running.set(
      handling,
      handling.run().finally(() => {
        this.#running.delete(handling);
        this.#suspectTurn.end(messages);
      }),
    );
  }

  async #drain(): Promise<void> {
    this.#stopping.abort(new Error(`The consumer of queue "${this.queue}" stops.`));
    this.#slotFree.now();
    await within(this.#settings.stopTimeoutMs, this.#untilIdle());
    this.#givenUp.abort();
    const reason: unknown = this.#stopping.signal.reason;
    const abandoned = [...this.#running.keys()].map((handling) => handling.abandon(reason));
    if (await within(LAST_ANSWER_MS, Promise.all(abandoned))) return;
    const error = new Error(
      "The database doesn't respond: the messages become visible when their visibility timeout ends.",
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

  #trouble(doing: string, error: unknown): void {
    this.events.emit("trouble", { doing, error });
  }

  #logTo(logger: Logger | false | undefined): void {
    if (logger === false) return;
    const logTrouble = troubleReporter(logger);
    this.events.on("trouble", ({ doing, error }) =>
      logTrouble(`consuming queue "${this.queue}": ${doing}`, error),
    );
    const logFailure = troubleReporter(logger);
    this.events.on("messageFailed", ({ error }) =>
      logFailure(`handler of queue "${this.queue}"`, error),
    );
  }
}

function chunksOf<Item>(items: readonly Item[], size: number): (readonly Item[])[] {
  const chunks: (readonly Item[])[] = [];
  for (let start = 0; start < items.length; start += size)
    chunks.push(items.slice(start, start + size));
  return chunks;
}
