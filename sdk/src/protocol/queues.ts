/** Queues: one method a SQL function. Times are lengths, in milliseconds. */
import type { JsonText } from "../core/json.ts";
import type { TransactionClient } from "./transaction.ts";

/** The queue, or the message group. */
export type DeduplicationScope = "queue" | "group";

export interface QueueSettings {
  readonly name: string;
  readonly fifo: boolean;
  readonly visibilityTimeoutMs: number;
  readonly maxReceives: number | null;
  /** Null if messages are kept for ever. */
  readonly retentionMs: number | null;
  readonly deadLetterQueue: string | null;
  /** How long a message stays invisible if its sender sets no delay. */
  readonly delayMs: number;
  /** Within what a deduplication id counts. */
  readonly deduplicationScope: DeduplicationScope;
  /** Its name for clients of SQS, if one of them has created it and queues can't have that name; otherwise null. */
  readonly sqsName: string | null;
  readonly createdAt: Date;
}

interface CreateQueueRequest {
  readonly name: string;
  readonly fifo: boolean;
  readonly visibilityTimeoutMs: number;
  readonly maxReceives: number | undefined;
  readonly retentionMs: number | undefined;
  readonly deadLetterQueue: string | undefined;
  readonly delayMs: number;
  readonly deduplicationScope: DeduplicationScope;
}

/** Settings to change; undefined leaves one as it is, null removes it. */
interface AlterQueueRequest {
  readonly visibilityTimeoutMs: number | undefined;
  readonly maxReceives: number | null | undefined;
  readonly retentionMs: number | null | undefined;
  readonly deadLetterQueue: string | null | undefined;
  readonly delayMs: number | undefined;
  readonly deduplicationScope: DeduplicationScope | undefined;
}

export interface QueueStatistics {
  /** Ready, or their lease has ended; those behind the head of their group included. */
  readonly visible: number;
  /** Received, and neither deleted nor given back. */
  readonly inFlight: number;
  /** Sent with a delay that has not passed. */
  readonly delayed: number;
  /** Groups with messages; null in a standard queue. */
  readonly groups: number | null;
  /** Message ids drawn, those of sends that were rolled back included. */
  readonly totalSent: number;
  /** Null when the queue is empty. */
  readonly oldestMessageAgeMs: number | null;
}

/** The depth of a queue from an instant until the next sample. */
export interface QueueDepth {
  readonly sampledAt: Date;
  /** As in the statistics of the queue. Null, with the other two: nothing is known until the next depth. */
  readonly visible: number | null;
  readonly inFlight: number | null;
  readonly delayed: number | null;
  /** When the oldest message was sent; null if the queue was empty, or nothing is known. */
  readonly oldestAt: Date | null;
  /** The queue was too large to count. */
  readonly isEstimate: boolean;
}

/** The work of a server, once a minute. */
export interface QueueSamplingTransport {
  /** Writes the depth of the queues that have changed, unless another server has just done so. Returns how many. */
  sampleDepths(): Promise<number>;
}

export interface SendRequest {
  readonly queue: string;
  readonly message: JsonText;
  readonly headers: JsonText | undefined;
  /** Undefined for the delay of the queue. */
  readonly delayMs: number | undefined;
}

export interface SendBatchRequest {
  readonly queue: string;
  readonly messages: readonly JsonText[];
  readonly headers: readonly (JsonText | undefined)[];
  /** One for all, or one for each message; undefined for the delay of the queue. */
  readonly delayMs: number | undefined | readonly (number | undefined)[];
}

export interface SendFifoRequest extends SendRequest {
  readonly groupId: string;
  readonly deduplicationId: string | undefined;
}

export type FifoItem = Omit<SendFifoRequest, "queue">;

/** The outcome of one message of a batch. */
export interface SentMessage {
  /** The id of the message, or that of the earlier one with the same deduplication id. */
  readonly id: string;
  /** It was not sent, because an earlier message has its deduplication id. */
  readonly duplicate: boolean;
}

export interface ReceiveMessagesRequest {
  readonly queue: string;
  readonly max: number;
  /** Whole seconds; undefined for the visibility timeout of the queue. */
  readonly visibilityTimeoutMs: number | undefined;
  readonly matching: JsonText | undefined;
  /**
   * How many messages to receive that are suspected of ending their consumers: 0 or 1; undefined for a consumer that
   * doesn't keep track, which gets one. 2 for a consumer that gives messages back by letting their time run out: it gets one
   * too, and makes no message a suspect.
   */
  readonly suspects?: 0 | 1 | 2 | undefined;
  /** How many messages of a group to receive at most, of a FIFO queue; undefined for one. */
  readonly maxPerGroup?: number | undefined;
  /** How long to wait for the first message; 0: not at all. */
  readonly waitMs: number;
  /** Ends the wait: the call then rejects with its reason, unless it has messages already. */
  readonly signal: AbortSignal | undefined;
}

/** A message as it was delivered. */
export interface MessageDelivery {
  readonly id: string;
  /** Proof of this delivery. */
  readonly receipt: string;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, unknown>> | null;
  /** Deliveries so far, this one included. */
  readonly receiveCount: number;
  /** Null in a standard queue. */
  readonly groupId: string | null;
  readonly enqueuedAt: Date;
  /** When this delivery ends, by the database's clock. */
  readonly visibleAt: Date;
  /** It is suspected of ending its consumers. */
  readonly isSuspect: boolean;
}

interface PeekRequest {
  readonly queue: string;
  readonly max: number;
  /** Id of the last message that was seen; undefined begins with the oldest. */
  readonly after: string | undefined;
  readonly matching: JsonText | undefined;
}

/** A queue that holds dead letters of other queues. */
export interface DeadLetterQueue {
  readonly name: string;
  /** At most 10,000 are counted. */
  readonly messages: number;
  /** Whether it holds more messages than `messages`. */
  readonly hasMore: boolean;
}

/** A message that was looked at, not received. */
export interface PeekedMessage<Body = unknown> extends Omit<
  MessageDelivery,
  "receipt" | "body" | "isSuspect"
> {
  /** The message as JSON returns it. */
  readonly body: Body;
  /** `blocked`: behind an earlier message of its group. */
  readonly state: "ready" | "delayed" | "in-flight" | "blocked";
  /** When a delayed message becomes ready, or the lease of one in flight ends. */
  readonly visibleAt: Date;
}

export interface SettleOptions {
  readonly tx?: TransactionClient | undefined;
  /** Ask again after a lost connection, until there is an answer. */
  readonly repeatable?: boolean;
  /** False: several receipts fail with `isLockTimeout` rather than wait for another transaction that has locked one. */
  readonly isPatient?: boolean;
  /** Called if one receipt waits for another transaction from now on, holding no connection. */
  readonly onWait?: (() => void) | undefined;
}

export interface DeleteOptions extends SettleOptions {
  /** Skip receipts whose lease has ended, though their messages were not received again. */
  readonly isInFlightOnly?: boolean;
}

export interface VisibilityOptions extends SettleOptions {
  /** The consumer is still handling the message: if it isn't heard of again, it is taken to have died. */
  readonly isHeartbeat?: boolean;
  /** Skip a receipt whose lease has ended, though its message was not received again. */
  readonly isInFlightOnly?: boolean;
}

export interface QueueTransport {
  create(request: CreateQueueRequest): Promise<boolean>;
  /** Returns the settings that the queue has then. */
  alter(queue: string, request: AlterQueueRequest): Promise<QueueSettings>;
  drop(queue: string): Promise<void>;
  purge(queue: string): Promise<number>;
  list(): Promise<QueueSettings[]>;
  /** Rejects with `QueueNotFound` if the queue doesn't exist. */
  get(queue: string): Promise<QueueSettings>;
  stats(queue: string): Promise<QueueStatistics>;
  /**
   * The queues that hold dead letters, in the order of their names.
   * @param after - Of the last page; undefined for the first one.
   */
  deadLetterQueues(max: number, after: string | undefined): Promise<DeadLetterQueue[]>;
  /** Oldest first; the first may be from before `since`. With undefined, as far back as servers keep samples. */
  depths(queue: string, since: Date | undefined): Promise<QueueDepth[]>;
  /** Messages in the order of their ids, without receiving them. */
  peek(request: PeekRequest): Promise<PeekedMessage[]>;

  /** Sends that are under way at the same time share a statement. */
  send(request: SendRequest, tx?: TransactionClient): Promise<string>;
  /** Ids, in order. */
  sendBatch(request: SendBatchRequest, tx?: TransactionClient): Promise<string[]>;
  /** Sends that are under way at the same time share a statement, and those to one group keep their order. */
  sendFifo(request: SendFifoRequest, tx?: TransactionClient): Promise<string>;
  /** In order. */
  sendFifoBatch(
    queue: string,
    items: readonly FifoItem[],
    tx?: TransactionClient,
  ): Promise<SentMessage[]>;

  /** Receives messages of either kind of queue. */
  receive(request: ReceiveMessagesRequest): Promise<MessageDelivery[]>;
  /** False: the receipt is dead. Those under way at the same time share a statement. */
  changeVisibility(
    queue: string,
    receipt: string,
    timeoutMs: number,
    options?: VisibilityOptions,
  ): Promise<boolean>;
  /** False: the receipt is dead. Those under way at the same time share a statement. */
  delete(queue: string, receipt: string, options?: DeleteOptions): Promise<boolean>;
  /** The receipts that were alive. */
  deleteBatch(
    queue: string,
    receipts: readonly string[],
    options?: DeleteOptions,
  ): Promise<string[]>;
  /** As if they had not been received. The receipts that were alive. */
  giveBack(queue: string, receipts: readonly string[], delayMs: number): Promise<string[]>;
  /** `ids`: only these letters; undefined for all. */
  redrive(
    deadLetterQueue: string,
    max: number,
    ids: readonly string[] | undefined,
  ): Promise<number>;
  /** To a queue of the same kind; messages in flight stay. Returns how many were moved. */
  moveMessages(source: string, target: string, max: number): Promise<number>;
}
