import { type Duration, parseDuration } from "../core/duration.ts";
import { InvalidArgument } from "../core/errors.ts";
import { checkOptions, type OptionNames } from "../core/options.ts";
import { toStorableText } from "../core/json.ts";
import type {
  PeekedMessage,
  QueueSettings,
  QueueStatistics,
  QueueTransport,
} from "../protocol/queues.ts";
import {
  type BatchHandler,
  type ConsumeBatchOptions,
  type ConsumeOptions,
  Consumer,
  type Handler,
} from "./consumer.ts";
import {
  type Headers,
  headersText,
  isInt8,
  messageText,
  type Receipt,
  receiptOf,
  type ReceivedMessage,
  toReceivedMessage,
} from "./message.ts";
import { type TransactionOptions, txOf } from "./transaction.ts";

export interface CreateQueueOptions {
  /** Keeps the order of messages within a message group. Default false. */
  readonly fifo?: boolean;
  /** How long a received message is not received again; rounded up to whole seconds. Default "30s". */
  readonly visibilityTimeout?: Duration;
  /** A message that was received that often moves to the dead letter queue. Default: never. */
  readonly maxReceives?: number;
  /** Where such messages go: a queue that exists. Given together with `maxReceives`. */
  readonly deadLetterQueue?: string;
  /** A message that nobody has received for that long is dropped. Default: never. */
  readonly retention?: Duration;
}

export interface SendOptions extends TransactionOptions {
  /** How long the message stays invisible. Default: not at all. */
  readonly delay?: Duration;
  /** Describes the message; a JSON object. */
  readonly headers?: Headers;
}

export interface SendBatchOptions extends TransactionOptions {
  /** How long the messages stay invisible. Default: not at all. */
  readonly delay?: Duration;
  /** One object for all of them, or an array with one (or null) for each. */
  readonly headers?: Headers | readonly (Headers | null)[];
}

export interface SendFifoOptions extends SendOptions {
  /** Whatever must stay in order: messages of one group are received one after the other. 1 to 512 characters. */
  readonly groupId: string;
  /** Within 5 minutes, a message with the same id in the same queue is not sent again. 1 to 512 characters. */
  readonly deduplicationId?: string;
}

export interface ReceiveOptions {
  /** Most messages: 1 to 10000. Default 1. */
  readonly max?: number;
  /** How long they are not received again; rounded up to whole seconds. Default: the queue's. */
  readonly visibilityTimeout?: Duration;
  /** Receives only messages that contain this JSON (`message @> matching`). */
  readonly matching?: unknown;
  /** How long to wait where there is no message. Default: not at all. */
  readonly wait?: Duration;
  /** Ends the wait: then `receive` rejects with its reason. */
  readonly signal?: AbortSignal;
}

export interface PeekOptions {
  /** Most messages: 1 to 1000. Default 10. */
  readonly max?: number;
  /** Id of the last message of the page before. Default: from the oldest message. */
  readonly after?: string;
  /** Shows only messages that contain this JSON (`message @> matching`). */
  readonly matching?: unknown;
}

export interface QueueStats extends QueueStatistics {
  readonly name: string;
}

const CREATE_OPTIONS: OptionNames<CreateQueueOptions> = {
  fifo: true,
  visibilityTimeout: true,
  maxReceives: true,
  deadLetterQueue: true,
  retention: true,
};
const SEND_OPTIONS: OptionNames<SendOptions> = { delay: true, headers: true, tx: true };
const SEND_FIFO_OPTIONS: OptionNames<SendFifoOptions> = {
  ...SEND_OPTIONS,
  groupId: true,
  deduplicationId: true,
};
const RECEIVE_OPTIONS: OptionNames<ReceiveOptions> = {
  max: true,
  visibilityTimeout: true,
  matching: true,
  wait: true,
  signal: true,
};
const PEEK_OPTIONS: OptionNames<PeekOptions> = { max: true, after: true, matching: true };
const REDRIVE_OPTIONS: OptionNames<{ max?: number }> = { max: true };

/** `client.queues`: queues of messages, standard and FIFO. */
export class Queues {
  readonly #transport: QueueTransport;
  readonly #consumers = new Set<Consumer>();

  constructor(transport: QueueTransport) {
    this.#transport = transport;
  }

  /**
   * Creates a queue, unless it is there with the same settings.
   *
   * @param name 1 to 48 characters of a-z, 0-9, "_" and "-".
   * @returns False when it was there.
   * @throws QueueExists when it is there with other settings, QueueNotFound without its dead letter queue,
   *   InvalidName, InvalidArgument, WrongQueueKind
   */
  async create(name: string, options: CreateQueueOptions = {}): Promise<boolean> {
    checkOptions(options, CREATE_OPTIONS, `create() of queue "${name}"`);
    const {
      fifo = false,
      visibilityTimeout = "30s",
      maxReceives,
      deadLetterQueue,
      retention,
    } = options;
    const where = `queue "${name}"`;
    if (maxReceives !== undefined) checkCount(maxReceives, `maxReceives of ${where}`);
    return this.#transport.create({
      name,
      fifo,
      visibilityTimeoutMs: wholeSeconds(visibilityTimeout, `the visibility timeout of ${where}`),
      maxReceives,
      deadLetterQueue,
      retentionMs:
        retention === undefined ? undefined : wholeSeconds(retention, `the retention of ${where}`),
    });
  }

  /** Drops a queue with all its messages. @throws QueueNotFound, QueueInUse */
  async drop(name: string): Promise<void> {
    await this.#transport.drop(name);
  }

  /** Deletes all messages, those in flight too. @returns How many there were. @throws QueueNotFound, QueueInUse */
  async purge(name: string): Promise<number> {
    return this.#transport.purge(name);
  }

  /** The queues and their settings, by name. Those of workflows are left out. */
  async list(): Promise<QueueSettings[]> {
    return this.#transport.list();
  }

  /** Counts messages. Reads all of them: for people and gauges, not for a hot path. @throws QueueNotFound */
  async stats(name: string): Promise<QueueStats> {
    return { name, ...(await this.#transport.stats(name)) };
  }

  /**
   * Shows messages of a queue of either kind without receiving them, oldest first, whatever their state. Nothing
   * changes for consumers: no lease, no delivery counted.
   *
   * @throws QueueNotFound, WrongQueueKind, InvalidArgument, ConnectionFailed
   */
  async peek<Body = unknown>(
    queue: string,
    options: PeekOptions = {},
  ): Promise<PeekedMessage<Body>[]> {
    const where = `queue "${queue}"`;
    checkOptions(options, PEEK_OPTIONS, `peek() at ${where}`);
    const { max = 10, after, matching } = options;
    checkCount(max, `max of a peek at ${where}`, MOST_PEEKED);
    if (after !== undefined) checkMessageId(after, where);
    const messages = await this.#transport.peek({
      queue,
      max,
      after,
      matching: toStorableText(matching, `what messages of ${where} have to match`),
    });
    return messages as PeekedMessage<Body>[];
  }

  /**
   * Sends a message to a standard queue. Sends that are under way at the same time share a statement.
   *
   * @returns The message's id.
   * @throws QueueNotFound, WrongQueueKind, InvalidArgument, SerializationError, PayloadTooLarge: nothing was sent.
   *   ConnectionFailed: perhaps it was.
   */
  async send(queue: string, message: unknown, options: SendOptions = {}): Promise<string> {
    checkOptions(options, SEND_OPTIONS, `send() to queue "${queue}"`);
    return this.#transport.send(toSendRequest(queue, message, options), options.tx);
  }

  /** Sends many messages to a standard queue, all or none. @returns Their ids, in order. */
  async sendBatch(
    queue: string,
    messages: readonly unknown[],
    options: SendBatchOptions = {},
  ): Promise<string[]> {
    const where = `queue "${queue}"`;
    checkOptions(options, SEND_OPTIONS, `sendBatch() to ${where}`);
    const { headers, delay, tx } = options;
    if (Array.isArray(headers) && headers.length !== messages.length) {
      throw new InvalidArgument(
        `${headers.length} headers for ${messages.length} messages for ${where}: give one object for all, or one (or null) for each.`,
      );
    }
    if (messages.length === 0) return [];
    return this.#transport.sendBatch(
      {
        queue,
        messages: messages.map((message) => messageText(message, where)),
        headers: messages.map((_, index) => headersText(headersAt(headers, index), where)),
        delayMs: delayMs(delay, where),
      },
      tx,
    );
  }

  /**
   * Sends a message to a FIFO queue. Within its group, messages are received in the order of their commits.
   *
   * @returns The message's id, or that of the first message with the deduplication id.
   * @throws As `send`.
   */
  async sendFifo(queue: string, message: unknown, options: SendFifoOptions): Promise<string> {
    checkOptions(options, SEND_FIFO_OPTIONS, `sendFifo() to queue "${queue}"`);
    const { groupId, deduplicationId, tx } = options;
    return this.#transport.sendFifo(
      { ...toSendRequest(queue, message, options), groupId, deduplicationId },
      tx,
    );
  }

  /**
   * Receives messages of a queue of either kind: each is not received again until its visibility timeout ends, or it
   * is deleted. Of a FIFO queue at most one of each group.
   *
   * @returns As many as are ready, at most `max`; with `wait`, as soon as there is one, or none at the end of it.
   * @throws QueueNotFound, InvalidArgument, ConnectionFailed
   */
  async receive<Body = unknown>(
    queue: string,
    options: ReceiveOptions = {},
  ): Promise<ReceivedMessage<Body>[]> {
    checkOptions(options, RECEIVE_OPTIONS, `receive() from queue "${queue}"`);
    const { max = 1, visibilityTimeout, matching, wait = 0, signal } = options;
    const where = `queue "${queue}"`;
    checkCount(max, `max of receive from ${where}`);
    const deliveries = await this.#transport.receive({
      queue,
      max,
      visibilityTimeoutMs:
        visibilityTimeout === undefined
          ? undefined
          : wholeSeconds(visibilityTimeout, `the visibility timeout of a receive from ${where}`),
      matching: toStorableText(matching, `what messages of ${where} have to match`),
      waitMs: parseDuration(wait, `the wait of a receive from ${where}`),
      signal,
    });
    return deliveries.map((delivery) => toReceivedMessage<Body>(queue, delivery));
  }

  /**
   * Sets when a received message becomes visible again.
   *
   * @param visibilityTimeout From now; 0 gives it back at once.
   * @returns False when the receipt is dead: the message was deleted, or received again.
   */
  async changeVisibility(
    queue: string,
    message: Receipt,
    visibilityTimeout: Duration,
    options?: TransactionOptions,
  ): Promise<boolean> {
    const tx = txOf(options, `changeVisibility() in queue "${queue}"`);
    const timeoutMs = parseDuration(
      visibilityTimeout,
      `the visibility timeout of a message of queue "${queue}"`,
    );
    return this.#transport.changeVisibility(queue, receiptOf(message), timeoutMs, { tx });
  }

  /**
   * Acknowledges a delivery: the message is never delivered again. Those under way at the same time share a statement.
   *
   * @returns False when the receipt is dead: the message was deleted, or received again.
   */
  async delete(queue: string, message: Receipt, options?: TransactionOptions): Promise<boolean> {
    const tx = txOf(options, `delete() from queue "${queue}"`);
    return this.#transport.delete(queue, receiptOf(message), { tx });
  }

  /** Acknowledges many deliveries. @returns The receipts that were alive, in no order. */
  async deleteBatch(
    queue: string,
    messages: readonly Receipt[],
    options?: TransactionOptions,
  ): Promise<string[]> {
    const tx = txOf(options, `deleteBatch() from queue "${queue}"`);
    return this.#transport.deleteBatch(queue, messages.map(receiptOf), { tx });
  }

  /**
   * Sends dead letters back to the queues that they came from, oldest first.
   *
   * @param options.max Most letters. Default 1000.
   * @returns How many were sent back.
   */
  async redrive(deadLetterQueue: string, options: { max?: number } = {}): Promise<number> {
    checkOptions(options, REDRIVE_OPTIONS, `redrive() of queue "${deadLetterQueue}"`);
    const { max = 1000 } = options;
    checkCount(max, `max of a redrive of queue "${deadLetterQueue}"`);
    return this.#transport.redrive(deadLetterQueue, max);
  }

  /**
   * Calls a handler for every message, until the consumer is stopped. A message is acknowledged when its handler has
   * returned; one whose handler throws is delivered again after `retryDelay`.
   *
   * @throws InvalidArgument. What is wrong with the queue rejects `finished`.
   * @example
   * const consumer = client.queues.consume<Mail>("mail", (message, { signal }) => post(message.body, { signal }));
   * await consumer.stop();
   */
  consume<Body = unknown>(
    queue: string,
    handler: Handler<Body>,
    options: ConsumeOptions = {},
  ): Consumer {
    return this.#start(
      queue,
      async ([message], context) => {
        if (message !== undefined) await handler(message as ReceivedMessage<Body>, context);
      },
      { ...options, batch: 1 },
    );
  }

  /** The same for a handler that takes several messages at a time, as many as are there and at most `batch`. */
  consumeBatch<Body = unknown>(
    queue: string,
    handler: BatchHandler<Body>,
    options: ConsumeBatchOptions = {},
  ): Consumer {
    return this.#start(
      queue,
      (messages, context) => handler(messages as readonly ReceivedMessage<Body>[], context),
      options,
    );
  }

  /** Stops all consumers. */
  async stop(): Promise<void> {
    await Promise.all([...this.#consumers].map((consumer) => consumer.stop()));
  }

  #start(queue: string, handler: BatchHandler<unknown>, options: ConsumeBatchOptions): Consumer {
    const consumer = new Consumer({ queue, handler, transport: this.#transport, options });
    this.#consumers.add(consumer);
    const forget = (): void => void this.#consumers.delete(consumer);
    consumer.finished.then(forget, forget);
    return consumer;
  }
}

const toSendRequest = (queue: string, message: unknown, { delay, headers }: SendOptions) => {
  const where = `queue "${queue}"`;
  return {
    queue,
    message: messageText(message, where),
    headers: headersText(headers, where),
    delayMs: delayMs(delay, where),
  };
};

const delayMs = (delay: Duration | undefined, where: string): number =>
  delay === undefined ? 0 : parseDuration(delay, `the delay of a message for ${where}`);

const headersAt = (
  headers: SendBatchOptions["headers"],
  index: number,
): Headers | null | undefined => (isList(headers) ? headers[index] : headers);

const isList = (headers: SendBatchOptions["headers"]): headers is readonly (Headers | null)[] =>
  Array.isArray(headers);

const wholeSeconds = (duration: Duration, what: string): number =>
  Math.ceil(parseDuration(duration, what) / 1000) * 1000;

const MOST_PEEKED = 1_000;

function checkCount(count: number, what: string, most = 2_147_483_647): void {
  if (Number.isInteger(count) && count >= 1 && count <= most) return;
  throw new InvalidArgument(`Invalid ${what}: ${count}. Give a whole number from 1 to ${most}.`);
}

function checkMessageId(id: unknown, where: string): void {
  if (typeof id === "string" && isInt8(id)) return;
  throw new InvalidArgument(
    `Invalid message id ${JSON.stringify(id)?.slice(0, 40)} to peek after in ${where}: give the id of a message, as text.`,
  );
}
