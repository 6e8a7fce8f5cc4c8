/**
 * One call of a consumer's handler, and its messages until they are settled.
 *
 * Promises:
 *   N1  After the handler has returned, each message is deleted; after it has thrown, each is given back with a delay.
 *       If the database can't do so at present, the request is repeated for as long as a lease lasts.
 *   N2  A message that the handler acknowledges in its transaction is deleted by that transaction or not at all. If the
 *       acknowledgement fails, the message is given back, even if the handler hides the failure and returns. A message
 *       that it has failed before is left out.
 *   N3  A message that another consumer has, or may have, is reported as lost, once, and aborts the handler's signal.
 */
import { backoffMs } from "../core/retry-policy.ts";
import { asReadable } from "../core/error-record.ts";
import { InvalidArgument, LeaseLost, OxbowError, QueueNotFound } from "../core/errors.ts";
import type { Emitter } from "../core/events.ts";
import { RetryAfterError } from "../core/retry-errors.ts";
import { blameFor } from "../protocol/blame.ts";
import { askPersistently } from "../protocol/persistence.ts";
import type { QueueTransport } from "../protocol/queues.ts";
import type { TransactionClient } from "../protocol/transaction.ts";
import type { ConsumeSettings } from "./consume-options.ts";
import type { ConsumerEvents, MessageFacts } from "./consumer-events.ts";
import type { MessageLeases } from "./message-leases.ts";
import type { ReceivedMessage } from "./message.ts";

/** Passed to a handler with its message. */
export interface MessageContext {
  /** Aborts when this consumer loses the message, or when `stopTimeout` has passed after `stop()`. */
  readonly signal: AbortSignal;
  /**
   * Deletes the message in a transaction of the handler, so that the handler's writes and the acknowledgement take
   * effect exactly once. Commit before the handler returns.
   *
   * @throws LeaseLost if another consumer has the message: roll back.
   */
  readonly acknowledge: (options: { readonly tx: TransactionClient }) => Promise<void>;
}

/** Passed to a batch handler with its messages. */
export interface BatchContext extends MessageContext {
  /**
   * Fails one message, which is given back as if its handler had thrown; the others are not affected. `acknowledge` leaves
   * it out.
   *
   * @throws InvalidArgument after `acknowledge`
   */
  readonly fail: (message: ReceivedMessage, error: unknown) => void;
}

export type Handler<Body> = (message: ReceivedMessage<Body>, context: MessageContext) => unknown;

export type BatchHandler<Body> = (
  messages: readonly ReceivedMessage<Body>[],
  context: BatchContext,
) => unknown;

const NOT_AWAITED =
  "The handler returned before acknowledge() had succeeded: await it, then commit, then return.";

/** The consumer, as its handler calls see it. */
export interface HandlingOptions {
  readonly queue: string;
  readonly handler: BatchHandler<unknown>;
  readonly transport: QueueTransport;
  readonly settings: ConsumeSettings;
  readonly leases: MessageLeases;
  readonly events: Emitter<ConsumerEvents>;
  /** Aborts when `stop()` has waited long enough: settlements are not repeated. */
  readonly givenUp: AbortSignal;
  /** Called when the handler's place is free. */
  readonly onFree: () => void;
}

export class MessageHandling {
  readonly #options: HandlingOptions;
  readonly #messages: readonly ReceivedMessage[];
  readonly #failures = new Map<string, unknown>();
  readonly #controller = new AbortController();
  readonly #startedAt = performance.now();
  readonly #reportedLost = new Set<ReceivedMessage>();
  /** Messages that are being settled, and whose leases are not lost as far as is known. */
  readonly #settling = new Set<ReceivedMessage>();
  /** `acknowledging`: in the handler's transaction, without success so far. */
  #state: "running" | "acknowledging" | "acknowledged" | "released" = "running";
  #acknowledgeError: Error | undefined;

  constructor(messages: readonly ReceivedMessage[], options: HandlingOptions) {
    this.#messages = messages;
    this.#options = options;
  }

  /** Calls the handler. Resolves once all messages are settled. Never rejects. */
  async run(): Promise<void> {
    const { leases, events, onFree } = this.#options;
    for (const message of this.#messages) {
      leases.hold(message.receipt, () => this.#lose(message));
      events.emit("messageStarted", factsOf(message));
    }
    await this.#handle();
    const settled = Promise.all(this.#messages.map((message) => this.#settle(message)));
    // Only in a FIFO queue does the acknowledgement decide which messages can be received next.
    if (this.#messages.some(({ groupId }) => groupId !== null)) await settled;
    onFree();
    await settled;
  }

  /** The handler has exceeded `stopTimeout`: aborts its signal, and releases its messages. */
  async abandon(reason: unknown): Promise<void> {
    const { leases, transport, queue, events } = this.#options;
    const isWhole = this.#state === "running";
    if (isWhole) this.#state = "released";
    this.#controller.abort(reason);
    for (const { receipt } of this.#messages) leases.release(receipt);
    try {
      if (isWhole) await releaseMessages(this.#messages, { transport, queue, events });
    } catch (error) {
      this.#trouble("giving messages back", error);
    }
  }

  async #handle(): Promise<void> {
    try {
      await this.#options.handler(this.#messages, this.#context());
      if (this.#state === "acknowledging") throw this.#acknowledgeError ?? new Error(NOT_AWAITED);
    } catch (error) {
      for (const { receipt } of this.#messages) {
        if (!this.#failures.has(receipt)) this.#failures.set(receipt, asReadable(error));
      }
    }
  }

  #context(): BatchContext {
    return {
      signal: this.#controller.signal,
      acknowledge: ({ tx }) => this.#acknowledge(tx),
      fail: (message, error) => this.#fail(message, error),
    };
  }

  #fail({ id, receipt }: ReceivedMessage, error: unknown): void {
    if (this.#state === "acknowledging" || this.#state === "acknowledged") {
      throw new InvalidArgument(
        `Message ${id} is acknowledged already: call fail() before acknowledge().`,
      );
    }
    this.#failures.set(receipt, asReadable(error));
  }

  async #acknowledge(tx: TransactionClient): Promise<void> {
    const { queue, leases, transport } = this.#options;
    this.#state = "acknowledging";
    try {
      for (const message of this.#messages) {
        if (this.#failures.has(message.receipt)) continue;
        // From here on the transaction locks the row: no consumer receives it, and an extension would wait.
        leases.release(message.receipt);
        if (await transport.delete(queue, message.receipt, { tx })) continue;
        throw leaseLost(message);
      }
    } catch (error) {
      this.#acknowledgeError = error instanceof Error ? error : new Error(String(error));
      throw error;
    }
    this.#state = "acknowledged";
  }

  /** Deletes a message after its handler, or gives it back. */
  async #settle(message: ReceivedMessage): Promise<void> {
    const { events, leases } = this.#options;
    const durationMs = performance.now() - this.#startedAt;
    this.#settling.add(message);
    try {
      if (this.#failures.has(message.receipt)) {
        const error = this.#failures.get(message.receipt);
        // A released message is visible already, and may have another receiver.
        const retryInMs = this.#state === "released" ? 0 : this.#delayAfter(error, message);
        if (this.#state !== "released") await this.#giveBack(message, retryInMs);
        events.emit("messageFailed", { ...factsOf(message), durationMs, error, retryInMs });
      } else if (this.#state === "acknowledged" || (await this.#delete(message))) {
        events.emit("messageDone", { ...factsOf(message), durationMs });
      } else {
        this.#reportLost(message);
      }
    } catch (error) {
      this.#trouble(`settling message ${message.id}`, error);
      if (error instanceof QueueNotFound || !this.#settling.has(message)) this.#reportLost(message);
    } finally {
      leases.release(message.receipt);
    }
  }

  #delayAfter(error: unknown, { receiveCount }: ReceivedMessage): number {
    return error instanceof RetryAfterError
      ? error.delayMs
      : backoffMs(this.#options.settings.retryDelay, receiveCount, Math.random());
  }

  #delete({ receipt }: ReceivedMessage): Promise<boolean> {
    const { queue, transport } = this.#options;
    return this.#persist(() => transport.delete(queue, receipt, { repeatable: true }));
  }

  async #giveBack({ receipt }: ReceivedMessage, delayMs: number): Promise<boolean> {
    const { queue, transport, leases } = this.#options;
    // An extension after it would replace the delay.
    await leases.end(receipt);
    return this.#persist(() =>
      transport.changeVisibility(queue, receipt, delayMs, { repeatable: true }),
    );
  }

  /** Heartbeats keep a message that is deleted in the meantime. The transport repeats requests after a lost connection itself. */
  #persist(settle: () => Promise<boolean>): Promise<boolean> {
    return askPersistently(settle, {
      forMs: this.#options.settings.leaseMs,
      signal: this.#options.givenUp,
      isFinal: (error) => error instanceof OxbowError || blameFor(error) === "data",
      onFailure: (error) => this.#trouble("settling messages", error),
    });
  }

  #lose(message: ReceivedMessage): void {
    // Its deletion may be the cause, and its answer decides.
    if (this.#settling.delete(message)) return;
    this.#reportLost(message);
    this.#controller.abort(leaseLost(message));
  }

  /** Both a heartbeat and the acknowledgement may discover the loss. */
  #reportLost(message: ReceivedMessage): void {
    if (this.#state === "acknowledged" || this.#reportedLost.has(message)) return;
    this.#reportedLost.add(message);
    this.#options.events.emit("messageLost", factsOf(message));
  }

  #trouble(doing: string, error: unknown): void {
    this.#options.events.emit("trouble", { doing, error });
  }
}

/** Immediately makes messages visible again that no handler has completed, as if they had not been received. */
export async function releaseMessages(
  messages: readonly ReceivedMessage[],
  { queue, transport, events }: Pick<HandlingOptions, "queue" | "transport" | "events">,
): Promise<void> {
  if (messages.length === 0) return;
  await transport.giveBack(
    queue,
    messages.map(({ receipt }) => receipt),
    0,
  );
  for (const message of messages) events.emit("messageReleased", factsOf(message));
}

export const factsOf = ({ queue, id, receiveCount }: ReceivedMessage): MessageFacts => ({
  queue,
  messageId: id,
  receiveCount,
});

const leaseLost = ({ queue, id }: ReceivedMessage): LeaseLost =>
  new LeaseLost({ queue, messageId: id });
