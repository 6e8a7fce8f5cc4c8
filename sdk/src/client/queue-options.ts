/** Options of `client.queues`. */
import type { Duration } from "../core/duration.ts";
import type { OptionNames } from "../core/options.ts";
import type { Headers } from "./message.ts";
import type { TransactionOptions } from "./transaction.ts";

export interface CreateQueueOptions {
  /** Keeps the order of messages within a message group. Default false. */
  readonly fifo?: boolean;
  /** How long a received message is invisible to other receivers, rounded up to whole seconds. Default "30s". */
  readonly visibilityTimeout?: Duration;
  /** After this many receives, a message moves to the dead letter queue. Default: never. */
  readonly maxReceives?: number;
  /** An existing queue for such messages; required together with `maxReceives`. */
  readonly deadLetterQueue?: string;
  /** Drops messages that no consumer has received within this time. Default: never. */
  readonly retention?: Duration;
  /** How long a message stays invisible if its sender sets no delay, rounded up to whole seconds. Default "0s". */
  readonly delay?: Duration;
  /** Whether a deduplication id counts within the queue or within its message group. Default "queue". */
  readonly deduplicationScope?: "queue" | "group";
}

/** Settings to change; those that are left out stay. */
export interface AlterQueueOptions {
  /** How long a received message is invisible to other receivers, rounded up to whole seconds. */
  readonly visibilityTimeout?: Duration;
  /** After this many receives, a message moves to the dead letter queue. Never if null, as its queue then has to be. */
  readonly maxReceives?: number | null;
  /** An existing queue for such messages. */
  readonly deadLetterQueue?: string | null;
  /** Drops messages that no consumer has received within this time; never if null. */
  readonly retention?: Duration | null;
  /** How long a message stays invisible if its sender sets no delay, rounded up to whole seconds. */
  readonly delay?: Duration;
  /** Whether a deduplication id counts within the queue or within its message group. */
  readonly deduplicationScope?: "queue" | "group";
}

export interface SendOptions extends TransactionOptions {
  /** How long the message stays invisible. Default: the delay of the queue. */
  readonly delay?: Duration;
  /** Metadata of the message; a JSON object. */
  readonly headers?: Headers;
}

export interface SendBatchOptions extends TransactionOptions {
  /** How long the messages stay invisible: one for all, or an array with one (or null) for each. Default: the delay of the queue. */
  readonly delay?: Duration | readonly (Duration | null)[];
  /** One object for all messages, or an array with one (or null) for each. */
  readonly headers?: Headers | readonly (Headers | null)[];
}

export interface SendFifoOptions extends SendOptions {
  /** The message group: its messages are received in order, one at a time. 1 to 512 characters. */
  readonly groupId: string;
  /** Within 5 minutes, the queue accepts only one message with this id. 1 to 512 characters. */
  readonly deduplicationId?: string;
}

/** A message of `sendFifoBatch`. */
export interface FifoMessage extends Omit<SendFifoOptions, "tx"> {
  /** JSON. */
  readonly message: unknown;
}

export interface ReceiveOptions {
  /** Maximum number of messages, from 1 to 10000. Default 1. */
  readonly max?: number;
  /** How long the messages are invisible to other receivers, rounded up to whole seconds. Default: the queue's. */
  readonly visibilityTimeout?: Duration;
  /** Receives only messages that contain this JSON (`message @> matching`). */
  readonly matching?: unknown;
  /**
   * Maximum number of messages of one group of a FIFO queue, from 1 to 10. Those of a group are its oldest, in order, and
   * nothing else of the group is received while one of them is in flight. Default 1.
   */
  readonly maxPerGroup?: number;
  /** How long to wait for a first message. Default: no wait. */
  readonly wait?: Duration;
  /** Ends the wait: `receive` rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

export interface PeekOptions {
  /** Maximum number of messages, from 1 to 1000. Default 10. */
  readonly max?: number;
  /** Id of the last message of the previous page. Default: starts with the oldest message. */
  readonly after?: string;
  /** Returns only messages that contain this JSON (`message @> matching`). */
  readonly matching?: unknown;
}

export const CREATE_OPTIONS: OptionNames<CreateQueueOptions> = {
  fifo: true,
  visibilityTimeout: true,
  maxReceives: true,
  deadLetterQueue: true,
  retention: true,
  delay: true,
  deduplicationScope: true,
};
export const ALTER_OPTIONS: OptionNames<AlterQueueOptions> = {
  visibilityTimeout: true,
  maxReceives: true,
  deadLetterQueue: true,
  retention: true,
  delay: true,
  deduplicationScope: true,
};
export const SEND_OPTIONS: OptionNames<SendOptions> = { delay: true, headers: true, tx: true };
export const SEND_FIFO_OPTIONS: OptionNames<SendFifoOptions> = {
  ...SEND_OPTIONS,
  groupId: true,
  deduplicationId: true,
};
export const FIFO_MESSAGE_FIELDS: OptionNames<FifoMessage> = {
  message: true,
  delay: true,
  headers: true,
  groupId: true,
  deduplicationId: true,
};
export const RECEIVE_OPTIONS: OptionNames<ReceiveOptions> = {
  max: true,
  visibilityTimeout: true,
  matching: true,
  maxPerGroup: true,
  wait: true,
  signal: true,
};
export const PEEK_OPTIONS: OptionNames<PeekOptions> = { max: true, after: true, matching: true };
/** Pages of `deadLetterQueues()`. */
export interface DeadLetterQueuesOptions {
  /** Maximum number of queues, at most 1000. Default 100. */
  readonly max?: number | undefined;
  /** Only queues whose names come after this one. */
  readonly after?: string | undefined;
}

export const DEAD_LETTER_QUEUES_OPTIONS: OptionNames<DeadLetterQueuesOptions> = {
  max: true,
  after: true,
};

export interface RedriveOptions {
  /** Maximum number of letters. Default 1000. */
  readonly max?: number;
  /**
   * Only these letters, by their message ids. In a FIFO queue, one that is not among them holds back those behind it in its
   * group.
   */
  readonly ids?: readonly string[];
}

export const REDRIVE_OPTIONS: OptionNames<RedriveOptions> = { max: true, ids: true };
