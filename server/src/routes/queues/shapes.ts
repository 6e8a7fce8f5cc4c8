/** Queues and messages, as answers show them. */
import type { MessageDelivery, PeekedMessage, QueueSettings } from "@oxbow/sdk/internal/server";
import { type Static, Type } from "typebox";
import { Id, Instant, Json, Nullable, oneOf, QueueName } from "../../http/schemas.ts";

export const Named = Type.Object({ name: QueueName });
export const OneReceipt = Type.Object({ name: QueueName, receipt: Id });

export const DeduplicationScope = oneOf(
  ["queue", "group"],
  "Within what a deduplication id counts: the queue, or the message group.",
);

export const Settings = Type.Object({
  name: Type.String(),
  fifo: Type.Boolean(),
  visibilityTimeout: Type.Number({ description: "Seconds." }),
  maxReceives: Nullable(Type.Integer()),
  deadLetterQueue: Nullable(Type.String()),
  retentionSeconds: Nullable(Type.Number()),
  delaySeconds: Type.Number({ description: "Default delay of messages." }),
  deduplicationScope: DeduplicationScope,
  sqsName: Nullable(
    Type.String({
      description:
        "Its name for clients of SQS, if one of them has created it and queues can't have that name.",
    }),
  ),
  createdAt: Instant,
});

export const shownSettings = (queue: QueueSettings): Static<typeof Settings> => ({
  name: queue.name,
  fifo: queue.fifo,
  visibilityTimeout: queue.visibilityTimeoutMs / 1_000,
  maxReceives: queue.maxReceives,
  deadLetterQueue: queue.deadLetterQueue,
  retentionSeconds: queue.retentionMs === null ? null : queue.retentionMs / 1_000,
  delaySeconds: queue.delayMs / 1_000,
  deduplicationScope: queue.deduplicationScope,
  sqsName: queue.sqsName,
  createdAt: queue.createdAt,
});

const Message = {
  message: Json,
  headers: Json,
  receiveCount: Type.Integer(),
  messageGroupId: Nullable(Type.String()),
  enqueuedAt: Instant,
  visibleAt: Instant,
};

const shownMessage = (message: Omit<MessageDelivery, "receipt" | "isSuspect">) => ({
  messageId: message.id,
  message: message.body ?? null,
  headers: message.headers ?? null,
  receiveCount: message.receiveCount,
  messageGroupId: message.groupId,
  enqueuedAt: message.enqueuedAt,
  visibleAt: message.visibleAt,
});

export const Delivery = Type.Object({
  messageId: Id,
  receipt: Id,
  suspect: Type.Boolean({ description: "The message may have ended its last consumers." }),
  ...Message,
});

export const shownDelivery = (delivery: MessageDelivery): Static<typeof Delivery> => ({
  ...shownMessage(delivery),
  receipt: delivery.receipt,
  suspect: delivery.isSuspect,
});

export const Peeked = Type.Object({
  messageId: Id,
  state: oneOf(
    ["ready", "delayed", "in-flight", "blocked"],
    "blocked: an earlier message of the same group must be deleted first.",
  ),
  ...Message,
});

export const shownPeek = (message: PeekedMessage): Static<typeof Peeked> => ({
  ...shownMessage(message),
  state: message.state,
});

/** Milliseconds of seconds, which may be left out. */
export const toMs = (seconds: number | undefined): number | undefined =>
  seconds === undefined ? undefined : seconds * 1_000;
