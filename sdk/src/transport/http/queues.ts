/** Queues, through the server. */
import { Batchers } from "../../async/batchers.ts";
import { ConnectionFailed } from "../../core/errors.ts";
import type {
  DeduplicationScope,
  MessageDelivery,
  PeekedMessage,
  QueueDepth,
  QueueSettings,
  QueueStatistics,
  QueueTransport,
  ReceiveMessagesRequest,
  SendRequest,
} from "../../protocol/queues.ts";
import { isLockTimeout } from "../../protocol/sqlstate.ts";
import type { HttpConnection } from "./connection.ts";
import { askingFor, jsonOf, READ, refuseTx, withQuery } from "./requests.ts";
import { type Shown, toDates, toSeconds } from "./shown.ts";

/** The longest that one request waits; who waits longer asks again. */
const LONG_POLL_MS = 50_000;

interface ShownQueue {
  readonly name: string;
  readonly fifo: boolean;
  readonly visibilityTimeout: number;
  readonly maxReceives: number | null;
  readonly deadLetterQueue: string | null;
  readonly retentionSeconds: number | null;
  /** Undefined from a server of an older version. */
  readonly delaySeconds?: number;
  readonly deduplicationScope?: DeduplicationScope;
  readonly sqsName?: string | null;
  readonly createdAt: string;
}

interface ShownMessage {
  readonly messageId: string;
  readonly message: unknown;
  readonly headers: Readonly<Record<string, unknown>> | null;
  readonly receiveCount: number;
  readonly messageGroupId: string | null;
  readonly enqueuedAt: string;
  readonly visibleAt: string;
}

interface ShownDelivery extends ShownMessage {
  readonly receipt: string;
  readonly suspect?: boolean;
}

interface ShownPeek extends ShownMessage {
  readonly state: PeekedMessage["state"];
}

type ShownStatistics = Omit<QueueStatistics, "oldestMessageAgeMs"> & {
  readonly oldestMessageAge: number | null;
};

/** Most messages of one request, and bytes of one that a server takes by default. */
const MAX_ITEMS = 500;
const MAX_CHARACTERS = 900_000;

interface Settlement {
  readonly queue: string;
  readonly receipt: string;
  readonly repeatable: boolean;
  readonly isInFlightOnly: boolean;
}

export function queuesOverHttp(connection: HttpConnection): QueueTransport {
  const askFor = askingFor(connection);

  const sendBatch: QueueTransport["sendBatch"] = async (request, tx) => {
    refuseTx(tx);
    const { queue, messages, headers, delayMs } = request;
    if (messages.length === 0) return [];
    const bodies = messages.map((message, index) =>
      messageOf({
        message,
        headers: headers[index],
        delayMs: typeof delayMs === "object" ? delayMs[index] : delayMs,
      }),
    );
    return askFor("messageIds", messagesOf(queue), { body: batchOf(bodies) });
  };

  const deleteBatch: QueueTransport["deleteBatch"] = async (
    queue,
    receipts,
    { tx, repeatable = false, isPatient = true, isInFlightOnly = false } = {},
  ) => {
    refuseTx(tx);
    if (receipts.length === 0) return [];
    return askFor("deleted", `${pathOf(queue)}/delete${isPatient ? "" : "?independent=true"}`, {
      // A server of an older version refuses the word, which it doesn't know.
      body: JSON.stringify({ receipts, inFlightOnly: isInFlightOnly || undefined }),
      repeatable,
    });
  };

  const receiveWithin = async (
    request: ReceiveMessagesRequest,
    waitMs: number,
  ): Promise<MessageDelivery[]> => {
    const { queue, max, visibilityTimeoutMs, matching, suspects, maxPerGroup, signal } = request;
    const asked = {
      maxMessages: max,
      visibilityTimeout: toSeconds(visibilityTimeoutMs),
      waitSeconds: waitMs / 1_000,
      suspects,
      maxPerGroup,
    };
    const messages = await askFor<ShownDelivery[]>("messages", `${pathOf(queue)}/receive`, {
      body: jsonOf(asked, { matching }),
      signal,
      waitMs,
    });
    return messages.map((one) => ({
      ...toMessage(one),
      receipt: one.receipt,
      isSuspect: one.suspect === true,
    }));
  };

  const group = {
    maxItems: MAX_ITEMS,
    maxInFlight: 1,
    isShared: (error: unknown) => error instanceof ConnectionFailed,
  };
  /** In the order of the calls: a batch waits for the one before it. */
  const sends = new Batchers<SendRequest, string>({
    ...group,
    keyOf: ({ queue, delayMs }) => `${queue} ${delayMs}`,
    weigh: ({ message, headers }) => message.length + (headers?.length ?? 0) + 50,
    maxWeight: MAX_CHARACTERS,
    send: ([first, ...others]) =>
      sendBatch({
        queue: first.queue,
        messages: [first, ...others].map(({ message }) => message),
        headers: [first, ...others].map(({ headers }) => headers),
        delayMs: first.delayMs,
      }),
  });
  const deletes = new Batchers<Settlement, boolean>({
    ...group,
    isLocked: isLockTimeout,
    keyOf: ({ queue, repeatable, isInFlightOnly }) => `${queue} ${repeatable} ${isInFlightOnly}`,
    send: async (items) => {
      const [{ queue, repeatable, isInFlightOnly }] = items;
      const receipts = items.map(({ receipt }) => receipt);
      const options = { repeatable, isInFlightOnly, isPatient: false };
      const deleted = new Set(await deleteBatch(queue, receipts, options));
      return receipts.map((receipt) => deleted.has(receipt));
    },
  });

  return {
    create: async ({ visibilityTimeoutMs, retentionMs, delayMs, deduplicationScope, ...rest }) => {
      const { status } = await connection.askWithStatus(ROOT, {
        body: JSON.stringify({
          ...rest,
          visibilityTimeout: visibilityTimeoutMs / 1_000,
          retentionSeconds: toSeconds(retentionMs),
          // A server of an older version refuses what it doesn't know.
          delaySeconds: delayMs === 0 ? undefined : delayMs / 1_000,
          deduplicationScope: deduplicationScope === "queue" ? undefined : deduplicationScope,
        }),
        isRead: true,
      });
      return status === 201;
    },

    alter: async (queue, { visibilityTimeoutMs, retentionMs, delayMs, ...rest }) => {
      const settings = await connection.ask<ShownQueue>(pathOf(queue), {
        method: "PATCH",
        body: JSON.stringify({
          ...rest,
          visibilityTimeout: toSeconds(visibilityTimeoutMs),
          retentionSeconds: retentionMs === null ? null : toSeconds(retentionMs),
          delaySeconds: toSeconds(delayMs),
        }),
        repeatable: true,
      });
      return toSettings(settings);
    },

    drop: async (queue) => {
      await connection.ask(pathOf(queue), { method: "DELETE" });
    },

    purge: (queue) => askFor("purged", messagesOf(queue), { method: "DELETE" }),

    list: async () => (await askFor<ShownQueue[]>("queues", ROOT)).map(toSettings),

    get: async (queue) => toSettings(await connection.ask(pathOf(queue), READ)),

    stats: async (queue) => {
      const { visible, inFlight, delayed, groups, totalSent, oldestMessageAge } =
        await connection.ask<ShownStatistics>(pathOf(queue), READ);
      const oldestMessageAgeMs = oldestMessageAge === null ? null : oldestMessageAge * 1_000;
      return { visible, inFlight, delayed, groups, totalSent, oldestMessageAgeMs };
    },

    deadLetterQueues: (max, after) =>
      askFor("queues", withQuery("/v1/dead-letter-queues", { max, after })),

    depths: async (queue, since) => {
      const path = withQuery(`${pathOf(queue)}/depths`, { since: since?.toISOString() });
      const depths = await askFor<Shown<QueueDepth>[]>("depths", path);
      return depths.map((one) => toDates<QueueDepth>(one, ["sampledAt", "oldestAt"]));
    },

    peek: async ({ queue, max: limit, after, matching }) => {
      const path = withQuery(messagesOf(queue), { limit, after, matching });
      const messages = await askFor<ShownPeek[]>("messages", path);
      return messages.map((one) => ({ ...toMessage(one), state: one.state }));
    },

    send: async (request, tx) => {
      refuseTx(tx);
      return sends.submit(request);
    },

    sendBatch,

    sendFifo: (request, tx) => {
      const { queue, groupId: messageGroupId, deduplicationId } = request;
      const body = messageOf(request, { messageGroupId, deduplicationId });
      // The same deduplication id again sends nothing.
      const options = { body, isRead: deduplicationId !== undefined };
      return askFor("messageId", messagesOf(queue), options, tx);
    },

    sendFifoBatch: async (queue, items, tx) => {
      refuseTx(tx);
      const bodies = items.map(({ groupId: messageGroupId, deduplicationId, ...item }) =>
        messageOf(item, { messageGroupId, deduplicationId }),
      );
      const { messageIds, duplicates } = await connection.ask<{
        messageIds: string[];
        duplicates?: boolean[];
      }>(messagesOf(queue), { body: batchOf(bodies) });
      return messageIds.map((id, index) => ({ id, duplicate: duplicates?.[index] === true }));
    },

    receive: async (request) => {
      const endsAt = performance.now() + request.waitMs;
      for (;;) {
        request.signal?.throwIfAborted();
        const waitMs = Math.max(0, Math.min(LONG_POLL_MS, endsAt - performance.now()));
        const deliveries = await receiveWithin(request, waitMs);
        if (deliveries.length > 0 || performance.now() >= endsAt) return deliveries;
      }
    },

    changeVisibility: (queue, receipt, timeoutMs, { tx, isHeartbeat, isInFlightOnly } = {}) => {
      const body = JSON.stringify({
        visibilityTimeout: timeoutMs / 1_000,
        heartbeat: isHeartbeat,
        inFlightOnly: isInFlightOnly,
      });
      const options = { method: "PATCH", body, repeatable: true } as const;
      return askFor("changed", `${messagesOf(queue)}/${receipt}`, options, tx);
    },

    delete: async (queue, receipt, { tx, repeatable = false, isInFlightOnly = false } = {}) => {
      refuseTx(tx);
      return deletes.submit({ queue, receipt, repeatable, isInFlightOnly });
    },

    deleteBatch,

    giveBack: async (queue, receipts, delayMs) => {
      if (receipts.length === 0) return [];
      const body = JSON.stringify({ receipts, delaySeconds: delayMs / 1_000 });
      return askFor("givenBack", `${pathOf(queue)}/give-back`, { body, repeatable: true });
    },

    redrive: (deadLetterQueue, maxMessages, messageIds) =>
      askFor("redriven", `${pathOf(deadLetterQueue)}/redrive`, {
        body: JSON.stringify({ maxMessages, messageIds }),
      }),

    moveMessages: (source, target, maxMessages) =>
      askFor("moved", `${pathOf(source)}/move`, { body: JSON.stringify({ target, maxMessages }) }),
  };
}

const ROOT = "/v1/queues";
const pathOf = (queue: string): string => `${ROOT}/${encodeURIComponent(queue)}`;
const messagesOf = (queue: string): string => `${pathOf(queue)}/messages`;

const batchOf = (messages: readonly string[]): string => `{"messages":[${messages.join(",")}]}`;

const toMessage = (one: ShownMessage): Omit<MessageDelivery, "receipt" | "isSuspect"> => ({
  id: one.messageId,
  body: one.message,
  headers: one.headers,
  receiveCount: one.receiveCount,
  groupId: one.messageGroupId,
  enqueuedAt: new Date(one.enqueuedAt),
  visibleAt: new Date(one.visibleAt),
});

const messageOf = (
  { message, headers, delayMs }: Pick<SendRequest, "message" | "headers" | "delayMs">,
  more: Readonly<Record<string, unknown>> = {},
): string => jsonOf({ delaySeconds: toSeconds(delayMs), ...more }, { message, headers });

const toSettings = (queue: ShownQueue): QueueSettings => ({
  name: queue.name,
  fifo: queue.fifo,
  visibilityTimeoutMs: queue.visibilityTimeout * 1_000,
  maxReceives: queue.maxReceives,
  retentionMs: queue.retentionSeconds === null ? null : queue.retentionSeconds * 1_000,
  deadLetterQueue: queue.deadLetterQueue,
  delayMs: (queue.delaySeconds ?? 0) * 1_000,
  deduplicationScope: queue.deduplicationScope ?? "queue",
  sqsName: queue.sqsName ?? null,
  createdAt: new Date(queue.createdAt),
});
