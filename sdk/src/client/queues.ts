import { type Duration, parseDuration } from "../core/duration.ts";
import { InvalidArgument } from "../core/errors.ts";
import { checkOptions } from "../core/options.ts";
import { toStorableText } from "../core/json.ts";
import type {
  DeadLetterQueue,
  PeekedMessage,
  QueueDepth,
  QueueSettings,
  QueueStatistics,
  QueueTransport,
  SentMessage,
} from "../protocol/queues.ts";
import type { ConsumeBatchOptions, ConsumeOptions } from "./consume-options.ts";
import { Consumer } from "./consumer.ts";
import type { BatchHandler, Handler } from "./message-handling.ts";
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
import {
  ALTER_OPTIONS,
  type AlterQueueOptions,
  CREATE_OPTIONS,
  type CreateQueueOptions,
  DEAD_LETTER_QUEUES_OPTIONS,
  type DeadLetterQueuesOptions,
  FIFO_MESSAGE_FIELDS,
  type FifoMessage,
  PEEK_OPTIONS,
  type PeekOptions,
  RECEIVE_OPTIONS,
  type ReceiveOptions,
  REDRIVE_OPTIONS,
  type RedriveOptions,
  SEND_FIFO_OPTIONS,
  SEND_OPTIONS,
  type SendBatchOptions,
  type SendFifoOptions,
  type SendOptions,
} from "./queue-options.ts";
import { type TransactionOptions, txOf } from "./transaction.ts";

export interface QueueStats extends QueueStatistics {
  readonly name: string;
}

const DEPTHS_OPTIONS = { since: true } as const;
const MOVE_OPTIONS = { max: true } as const;

/** `client.queues`: queues of messages, standard and FIFO. */
export class Queues {
  readonly #transport: QueueTransport;
  readonly #consumers = new Set<Consumer>();

  constructor(transport: QueueTransport) {
    this.#transport = transport;
  }

  /**
   * Creates a queue, unless it exists with the same settings.
   *
   * @param name - 1 to 48 characters of a-z, 0-9, "_" and "-".
   * @returns False if the queue existed.
   * @throws QueueExists if it exists with other settings, QueueNotFound if its dead letter queue does not exist,
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
      delay = 0,
      deduplicationScope = "queue",
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
      delayMs: wholeSeconds(delay, `the delay of ${where}`),
      deduplicationScope,
    });
  }

  /**
   * Changes settings of a queue. The next calls follow them; messages keep the delays and leases that they have.
   *
   * @returns The settings that the queue has then.
   * @throws QueueNotFound if the queue or its dead letter queue does not exist, InvalidArgument, WrongQueueKind
   * @example
   * await client.queues.alter("mail", { visibilityTimeout: "2m", retention: null });
   */
  async alter(name: string, changes: AlterQueueOptions): Promise<QueueSettings> {
    checkOptions(changes, ALTER_OPTIONS, `alter() of queue "${name}"`);
    const { visibilityTimeout, maxReceives, deadLetterQueue, retention, delay } = changes;
    const { deduplicationScope } = changes;
    const where = `queue "${name}"`;
    if (typeof maxReceives === "number") checkCount(maxReceives, `maxReceives of ${where}`);
    return this.#transport.alter(name, {
      visibilityTimeoutMs: ifGiven(visibilityTimeout, (given) =>
        wholeSeconds(given, `the visibility timeout of ${where}`),
      ),
      maxReceives,
      deadLetterQueue,
      retentionMs:
        retention === null
          ? null
          : ifGiven(retention, (given) => wholeSeconds(given, `the retention of ${where}`)),
      delayMs: ifGiven(delay, (given) => wholeSeconds(given, `the delay of ${where}`)),
      deduplicationScope,
    });
  }

  /** Drops a queue with all its messages. @throws QueueNotFound, QueueInUse */
  async drop(name: string): Promise<void> {
    await this.#transport.drop(name);
  }

  /** Deletes all messages, also those in flight. @returns The number of deleted messages. @throws QueueNotFound, QueueInUse */
  async purge(name: string): Promise<number> {
    return this.#transport.purge(name);
  }

  /** Returns the queues and their settings in the order of their names, without the queues of workflows. */
  async list(): Promise<QueueSettings[]> {
    return this.#transport.list();
  }

  /** Counts the messages of a queue. It reads all of them, so call it for display and gauges, not often. @throws QueueNotFound */
  async stats(name: string): Promise<QueueStats> {
    return { name, ...(await this.#transport.stats(name)) };
  }

  /**
   * Returns the queues that hold dead letters of other queues, in the order of their names, each with the number of its
   * messages. Pass the last name as `after` for the next page. Dead letters of topics: `client.topics.deadLetters()`.
   *
   * @throws InvalidArgument
   */
  async deadLetterQueues(options: DeadLetterQueuesOptions = {}): Promise<DeadLetterQueue[]> {
    checkOptions(options, DEAD_LETTER_QUEUES_OPTIONS, "deadLetterQueues()");
    const { max = 100, after } = options;
    checkCount(max, "max of deadLetterQueues()", MOST_QUEUES);
    return this.#transport.deadLetterQueues(max, after);
  }

  /**
   * Returns how many messages a queue has held, oldest first. A server looks once a minute, and keeps what has changed
   * for a day: a depth holds until the next one. One without numbers begins a time of which nothing is known, because no
   * server looked, or so many queues were deeper that this one was not sampled.
   *
   * @param options - `since`: the first depth is that of this instant, and may be older. Default: as far back as there
   *   are depths.
   * @throws QueueNotFound
   */
  async depths(name: string, options: { readonly since?: Date } = {}): Promise<QueueDepth[]> {
    checkOptions(options, DEPTHS_OPTIONS, `depths() of queue "${name}"`);
    return this.#transport.depths(name, options.since);
  }

  /**
   * Returns messages of a queue of either kind without receiving them, oldest first, in any state. Consumers are not
   * affected: no message is leased, and no delivery counted.
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
      matching: toStorableText(matching, `\`matching\` of messages of ${where}`),
    });
    return messages as PeekedMessage<Body>[];
  }

  /**
   * Sends a message to a standard queue. Concurrent sends share a statement.
   *
   * @returns The message's id.
   * @throws QueueNotFound, WrongQueueKind, InvalidArgument, SerializationError, PayloadTooLarge: the message was not sent.
   *   ConnectionFailed: the message may have been sent.
   * @example
   * const id = await client.queues.send("mail", { to: "ada@example.com" }, { delay: "1m" });
   */
  async send(queue: string, message: unknown, options: SendOptions = {}): Promise<string> {
    checkOptions(options, SEND_OPTIONS, `send() to queue "${queue}"`);
    return this.#transport.send(toSendRequest(queue, message, options), options.tx);
  }

  /**
   * Sends many messages to a standard queue, atomically.
   *
   * @returns The ids, in the order of the messages.
   * @throws The errors of `send`.
   */
  async sendBatch(
    queue: string,
    messages: readonly unknown[],
    options: SendBatchOptions = {},
  ): Promise<string[]> {
    const where = `queue "${queue}"`;
    checkOptions(options, SEND_OPTIONS, `sendBatch() to ${where}`);
    const { headers, delay, tx } = options;
    checkLength(headers, "headers", messages, where);
    checkLength(delay, "delays", messages, where);
    if (messages.length === 0) return [];
    return this.#transport.sendBatch(
      {
        queue,
        messages: messages.map((message) => messageText(message, where)),
        headers: messages.map((_, index) => headersText(headersAt(headers, index), where)),
        delayMs: isList(delay)
          ? delay.map((one) => delayMs(one ?? undefined, where))
          : delayMs(delay, where),
      },
      tx,
    );
  }

  /**
   * Sends a message to a FIFO queue. Within its group, messages are received in the order of their commits. Concurrent sends
   * share a statement.
   *
   * @returns The id of the message, or of the earlier message with the same deduplication id.
   * @throws The errors of `send`.
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
   * Sends many messages to a FIFO queue, atomically: over shards, those of a route. Each goes to the end of its group.
   *
   * @returns For each message, in order, its id; or the id of the earlier message with its deduplication id, which may be
   *   one of the batch, and `duplicate: true`.
   * @throws The errors of `send`.
   * @example
   * await client.queues.sendFifoBatch("orders", [
   *   { message: { order: 1 }, groupId: "ada", deduplicationId: "1" },
   *   { message: { order: 2 }, groupId: "eve", deduplicationId: "2" },
   * ]);
   */
  async sendFifoBatch(
    queue: string,
    messages: readonly FifoMessage[],
    options?: TransactionOptions,
  ): Promise<SentMessage[]> {
    const tx = txOf(options, `sendFifoBatch() to queue "${queue}"`);
    const items = messages.map((one) => {
      checkOptions(one, FIFO_MESSAGE_FIELDS, `a message of sendFifoBatch() to queue "${queue}"`);
      const { queue: _, ...item } = toSendRequest(queue, one.message, one);
      return { ...item, groupId: one.groupId, deduplicationId: one.deduplicationId };
    });
    return items.length === 0 ? [] : this.#transport.sendFifoBatch(queue, items, tx);
  }

  /**
   * Receives messages of a queue of either kind. A received message is invisible to other receivers until its visibility
   * timeout ends. A FIFO queue returns the oldest message of each group, and with `maxPerGroup` those behind it.
   *
   * @returns The visible messages, at most `max`. With `wait`, resolves at the first message, or with an empty list
   *   after the wait.
   * @throws QueueNotFound, InvalidArgument, ConnectionFailed
   */
  async receive<Body = unknown>(
    queue: string,
    options: ReceiveOptions = {},
  ): Promise<ReceivedMessage<Body>[]> {
    checkOptions(options, RECEIVE_OPTIONS, `receive() from queue "${queue}"`);
    const { max = 1, visibilityTimeout, matching, maxPerGroup, wait = 0, signal } = options;
    const where = `queue "${queue}"`;
    checkCount(max, `max of receive from ${where}`);
    if (maxPerGroup !== undefined) {
      checkCount(maxPerGroup, `maxPerGroup of receive from ${where}`, MOST_PER_GROUP);
    }
    const deliveries = await this.#transport.receive({
      queue,
      max,
      visibilityTimeoutMs:
        visibilityTimeout === undefined
          ? undefined
          : wholeSeconds(visibilityTimeout, `the visibility timeout of a receive from ${where}`),
      matching: toStorableText(matching, `\`matching\` of messages of ${where}`),
      maxPerGroup,
      waitMs: parseDuration(wait, `the wait of a receive from ${where}`),
      signal,
    });
    return deliveries.map((delivery) => toReceivedMessage<Body>(queue, delivery));
  }

  /**
   * Sets when a received message becomes visible again.
   *
   * @param visibilityTimeout - From now; 0 makes the message visible immediately.
   * @returns False if the receipt is dead: the message was deleted, or received again.
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
   * Acknowledges a delivery: deletes the message. Concurrent acknowledgements share a statement.
   *
   * @returns False if the receipt is dead: the message was deleted, or received again.
   */
  async delete(queue: string, message: Receipt, options?: TransactionOptions): Promise<boolean> {
    const tx = txOf(options, `delete() from queue "${queue}"`);
    return this.#transport.delete(queue, receiptOf(message), { tx });
  }

  /** Acknowledges many deliveries. @returns The receipts that were alive, in no particular order. */
  async deleteBatch(
    queue: string,
    messages: readonly Receipt[],
    options?: TransactionOptions,
  ): Promise<string[]> {
    const tx = txOf(options, `deleteBatch() from queue "${queue}"`);
    return this.#transport.deleteBatch(queue, messages.map(receiptOf), { tx });
  }

  /**
   * Sends dead letters back to their original queues, oldest first.
   *
   * @returns The number of letters that were sent back.
   */
  async redrive(deadLetterQueue: string, options: RedriveOptions = {}): Promise<number> {
    checkOptions(options, REDRIVE_OPTIONS, `redrive() of queue "${deadLetterQueue}"`);
    const { max = 1000, ids } = options;
    checkCount(max, `max of a redrive of queue "${deadLetterQueue}"`);
    const wrong = ids?.find((id) => typeof id !== "string" || !/^\d{1,18}$/.test(id));
    if (wrong !== undefined) {
      throw new InvalidArgument(
        `Invalid message id ${JSON.stringify(wrong)} of a redrive of queue "${deadLetterQueue}": give ids as peek() returned them.`,
      );
    }
    return this.#transport.redrive(deadLetterQueue, max, ids);
  }

  /**
   * Moves messages that are not in flight to another queue of the same kind, oldest first, as new messages with the same
   * bodies, headers and message groups. Delayed ones keep the rest of their delay.
   *
   * @param options - `max`: at most this many, up to 10,000. Default 1000.
   * @returns The number of messages that were moved.
   */
  async moveMessages(
    source: string,
    target: string,
    options: { readonly max?: number } = {},
  ): Promise<number> {
    checkOptions(options, MOVE_OPTIONS, `moveMessages() from queue "${source}"`);
    const { max = 1000 } = options;
    checkCount(max, `max of a move from queue "${source}"`);
    return this.#transport.moveMessages(source, target, max);
  }

  /**
   * Calls a handler for every message until the consumer is stopped. A message is acknowledged after its handler has
   * returned; if the handler throws, the message is delivered again after `retryDelay`. Handlers are called at least once.
   *
   * @throws InvalidArgument. Errors of the queue reject `finished`.
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

  /** Calls a handler with several messages at a time: all that are visible, at most `batch`. See `consume`. */
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

const delayMs = (delay: Duration | undefined, where: string): number | undefined =>
  ifGiven(delay, (given) => parseDuration(given, `the delay of a message for ${where}`));

const ifGiven = <Value, Result>(
  value: Value | undefined,
  make: (value: Value) => Result,
): Result | undefined => (value === undefined ? undefined : make(value));

const headersAt = (
  headers: SendBatchOptions["headers"],
  index: number,
): Headers | null | undefined => (isList(headers) ? headers[index] : headers);

/** `Array.isArray` does not know lists that are read-only. */
const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

function checkLength(
  values: unknown,
  what: string,
  messages: readonly unknown[],
  where: string,
): void {
  if (!Array.isArray(values) || values.length === messages.length) return;
  throw new InvalidArgument(
    `${values.length} ${what} for ${messages.length} messages for ${where}: give one for all, or one (or null) for each.`,
  );
}

const wholeSeconds = (duration: Duration, what: string): number =>
  Math.ceil(parseDuration(duration, what) / 1000) * 1000;

const MOST_PEEKED = 1_000;
const MOST_QUEUES = 1_000;
const MOST_PER_GROUP = 10;

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
