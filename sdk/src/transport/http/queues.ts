/** Queues, through the server. */
import { Batchers } from "../../async/batchers.ts";
import { ConnectionFailed } from "../../core/errors.ts";
import type {
  AlterQueueRequest,
  CreateQueueRequest,
  DeadLetterQueue,
  DeleteOptions,
  DeduplicationScope,
  FifoItem,
  MessageDelivery,
  PeekRequest,
  PeekedMessage,
  QueueDepth,
  QueueSettings,
  QueueStatistics,
  QueueTransport,
  ReceiveMessagesRequest,
  SendBatchRequest,
  SendFifoRequest,
  SendRequest,
  SentMessage,
  VisibilityOptions,
} from "../../protocol/queues.ts";
import { isLockTimeout } from "../../protocol/sqlstate.ts";
import type { TransactionClient } from "../../protocol/transaction.ts";
import type { HttpConnection } from "./connection.ts";
import { jsonOf } from "./json-of.ts";
import { refuseTx } from "./no-tx.ts";
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

/** Most messages of one request, and bytes of one that a server takes by default. */
const MAX_ITEMS = 500;
const MAX_CHARACTERS = 900_000;

interface Settlement {
  readonly queue: string;
  readonly receipt: string;
  readonly repeatable: boolean;
  readonly isInFlightOnly: boolean;
}

export class HttpQueueTransport implements QueueTransport {
  readonly #connection: HttpConnection;
  /** In the order of the calls: a batch waits for the one before it. */
  readonly #sends: Batchers<SendRequest, string>;
  readonly #deletes: Batchers<Settlement, boolean>;

  constructor(connection: HttpConnection) {
    this.#connection = connection;
    const group = {
      maxItems: MAX_ITEMS,
      maxInFlight: 1,
      isShared: (error: unknown) => error instanceof ConnectionFailed,
    };
    this.#sends = new Batchers<SendRequest, string>({
      ...group,
      keyOf: ({ queue, delayMs }) => `${queue} ${delayMs}`,
      weigh: ({ message, headers }) => message.length + (headers?.length ?? 0) + 50,
      maxWeight: MAX_CHARACTERS,
      send: ([first, ...others]) =>
        this.sendBatch({
          queue: first.queue,
          messages: [first, ...others].map(({ message }) => message),
          headers: [first, ...others].map(({ headers }) => headers),
          delayMs: first.delayMs,
        }),
    });
    this.#deletes = new Batchers<Settlement, boolean>({
      ...group,
      isLocked: isLockTimeout,
      keyOf: ({ queue, repeatable, isInFlightOnly }) => `${queue} ${repeatable} ${isInFlightOnly}`,
      send: async (items) => {
        const [{ queue, repeatable, isInFlightOnly }] = items;
        const receipts = items.map(({ receipt }) => receipt);
        const options = { repeatable, isInFlightOnly, isPatient: false };
        const deleted = new Set(await this.deleteBatch(queue, receipts, options));
        return receipts.map((receipt) => deleted.has(receipt));
      },
    });
  }

  async create(request: CreateQueueRequest): Promise<boolean> {
    const { status } = await this.#connection.askWithStatus("/v1/queues", {
      body: JSON.stringify({
        name: request.name,
        fifo: request.fifo,
        visibilityTimeout: request.visibilityTimeoutMs / 1_000,
        maxReceives: request.maxReceives,
        deadLetterQueue: request.deadLetterQueue,
        retentionSeconds: toSeconds(request.retentionMs),
        // A server of an older version refuses what it doesn't know.
        delaySeconds: request.delayMs === 0 ? undefined : request.delayMs / 1_000,
        deduplicationScope:
          request.deduplicationScope === "queue" ? undefined : request.deduplicationScope,
      }),
      isRead: true,
    });
    return status === 201;
  }

  async alter(queue: string, request: AlterQueueRequest): Promise<QueueSettings> {
    const { visibilityTimeoutMs, maxReceives, deadLetterQueue, retentionMs, delayMs } = request;
    const settings = await this.#connection.ask<ShownQueue>(pathOf(queue), {
      method: "PATCH",
      body: JSON.stringify({
        visibilityTimeout: toSeconds(visibilityTimeoutMs),
        maxReceives,
        deadLetterQueue,
        retentionSeconds: retentionMs === null ? null : toSeconds(retentionMs),
        delaySeconds: toSeconds(delayMs),
        deduplicationScope: request.deduplicationScope,
      }),
      repeatable: true,
    });
    return toSettings(settings);
  }

  async drop(queue: string): Promise<void> {
    await this.#connection.ask(pathOf(queue), { method: "DELETE" });
  }

  async purge(queue: string): Promise<number> {
    const { purged } = await this.#connection.ask<{ purged: number }>(`${pathOf(queue)}/messages`, {
      method: "DELETE",
    });
    return purged;
  }

  async list(): Promise<QueueSettings[]> {
    const { queues } = await this.#connection.get<{ queues: ShownQueue[] }>("/v1/queues");
    return queues.map(toSettings);
  }

  async get(queue: string): Promise<QueueSettings> {
    return toSettings(await this.#connection.get<ShownQueue>(pathOf(queue)));
  }

  async stats(queue: string): Promise<QueueStatistics> {
    const { visible, inFlight, delayed, groups, totalSent, oldestMessageAge } =
      await this.#connection.get<
        Omit<QueueStatistics, "oldestMessageAgeMs"> & { oldestMessageAge: number | null }
      >(pathOf(queue));
    const oldestMessageAgeMs = oldestMessageAge === null ? null : oldestMessageAge * 1_000;
    return { visible, inFlight, delayed, groups, totalSent, oldestMessageAgeMs };
  }

  async deadLetterQueues(max: number, after: string | undefined): Promise<DeadLetterQueue[]> {
    const { queues } = await this.#connection.get<{ queues: DeadLetterQueue[] }>(
      "/v1/dead-letter-queues",
      { max, after },
    );
    return queues;
  }

  async depths(queue: string, since: Date | undefined): Promise<QueueDepth[]> {
    const { depths } = await this.#connection.get<{ depths: Shown<QueueDepth>[] }>(
      `${pathOf(queue)}/depths`,
      { since: since?.toISOString() },
    );
    return depths.map((one) => toDates<QueueDepth>(one, ["sampledAt", "oldestAt"]));
  }

  async peek({ queue, max, after, matching }: PeekRequest): Promise<PeekedMessage[]> {
    const { messages } = await this.#connection.get<{ messages: ShownPeek[] }>(
      `${pathOf(queue)}/messages`,
      { limit: max, after, matching },
    );
    return messages.map((one) => ({ ...toMessage(one), state: one.state }));
  }

  async send(request: SendRequest, tx?: TransactionClient): Promise<string> {
    refuseTx(tx);
    return this.#sends.submit(request);
  }

  async sendBatch(request: SendBatchRequest, tx?: TransactionClient): Promise<string[]> {
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
    const { messageIds } = await this.#connection.ask<{ messageIds: string[] }>(
      `${pathOf(queue)}/messages`,
      { body: `{"messages":[${bodies.join(",")}]}` },
    );
    return messageIds;
  }

  async sendFifo(request: SendFifoRequest, tx?: TransactionClient): Promise<string> {
    refuseTx(tx);
    const { queue, groupId: messageGroupId, deduplicationId } = request;
    const body = messageOf(request, { messageGroupId, deduplicationId });
    const { messageId } = await this.#connection.ask<{ messageId: string }>(
      `${pathOf(queue)}/messages`,
      // The same deduplication id again sends nothing.
      { body, isRead: deduplicationId !== undefined },
    );
    return messageId;
  }

  async sendFifoBatch(
    queue: string,
    items: readonly FifoItem[],
    tx?: TransactionClient,
  ): Promise<SentMessage[]> {
    refuseTx(tx);
    const bodies = items.map(({ groupId: messageGroupId, deduplicationId, ...item }) =>
      messageOf(item, { messageGroupId, deduplicationId }),
    );
    const { messageIds, duplicates } = await this.#connection.ask<{
      messageIds: string[];
      duplicates?: boolean[];
    }>(`${pathOf(queue)}/messages`, { body: `{"messages":[${bodies.join(",")}]}` });
    return messageIds.map((id, index) => ({ id, duplicate: duplicates?.[index] === true }));
  }

  async receive(request: ReceiveMessagesRequest): Promise<MessageDelivery[]> {
    const endsAt = performance.now() + request.waitMs;
    for (;;) {
      request.signal?.throwIfAborted();
      const waitMs = Math.max(0, Math.min(LONG_POLL_MS, endsAt - performance.now()));
      const deliveries = await this.#receiveWithin(request, waitMs);
      if (deliveries.length > 0 || performance.now() >= endsAt) return deliveries;
    }
  }

  async #receiveWithin(
    {
      queue,
      max,
      visibilityTimeoutMs,
      matching,
      suspects,
      maxPerGroup,
      signal,
    }: ReceiveMessagesRequest,
    waitMs: number,
  ): Promise<MessageDelivery[]> {
    const { messages } = await this.#connection.ask<{ messages: ShownDelivery[] }>(
      `${pathOf(queue)}/receive`,
      {
        body: jsonOf(
          {
            maxMessages: max,
            visibilityTimeout: toSeconds(visibilityTimeoutMs),
            waitSeconds: waitMs / 1_000,
            suspects,
            maxPerGroup,
          },
          { matching },
        ),
        signal,
        waitMs,
      },
    );
    return messages.map((one) => ({
      ...toMessage(one),
      receipt: one.receipt,
      isSuspect: one.suspect === true,
    }));
  }

  async changeVisibility(
    queue: string,
    receipt: string,
    timeoutMs: number,
    { tx, isHeartbeat, isInFlightOnly }: VisibilityOptions = {},
  ): Promise<boolean> {
    refuseTx(tx);
    const { changed } = await this.#connection.ask<{ changed: boolean }>(
      `${pathOf(queue)}/messages/${receipt}`,
      {
        method: "PATCH",
        body: JSON.stringify({
          visibilityTimeout: timeoutMs / 1_000,
          heartbeat: isHeartbeat,
          inFlightOnly: isInFlightOnly,
        }),
        repeatable: true,
      },
    );
    return changed;
  }

  async delete(
    queue: string,
    receipt: string,
    { tx, repeatable = false, isInFlightOnly = false }: DeleteOptions = {},
  ): Promise<boolean> {
    refuseTx(tx);
    return this.#deletes.submit({ queue, receipt, repeatable, isInFlightOnly });
  }

  async deleteBatch(
    queue: string,
    receipts: readonly string[],
    { tx, repeatable = false, isPatient = true, isInFlightOnly = false }: DeleteOptions = {},
  ): Promise<string[]> {
    refuseTx(tx);
    if (receipts.length === 0) return [];
    const { deleted } = await this.#connection.ask<{ deleted: string[] }>(
      `${pathOf(queue)}/delete${isPatient ? "" : "?independent=true"}`,
      {
        // A server of an older version refuses the word, which it doesn't know.
        body: JSON.stringify({ receipts, inFlightOnly: isInFlightOnly || undefined }),
        repeatable,
      },
    );
    return deleted;
  }

  async giveBack(queue: string, receipts: readonly string[], delayMs: number): Promise<string[]> {
    if (receipts.length === 0) return [];
    const { givenBack } = await this.#connection.ask<{ givenBack: string[] }>(
      `${pathOf(queue)}/give-back`,
      { body: JSON.stringify({ receipts, delaySeconds: delayMs / 1_000 }), repeatable: true },
    );
    return givenBack;
  }

  async redrive(
    deadLetterQueue: string,
    max: number,
    ids: readonly string[] | undefined,
  ): Promise<number> {
    const { redriven } = await this.#connection.ask<{ redriven: number }>(
      `${pathOf(deadLetterQueue)}/redrive`,
      { body: JSON.stringify({ maxMessages: max, messageIds: ids }) },
    );
    return redriven;
  }

  async moveMessages(source: string, target: string, max: number): Promise<number> {
    const { moved } = await this.#connection.ask<{ moved: number }>(`${pathOf(source)}/move`, {
      body: JSON.stringify({ target, maxMessages: max }),
    });
    return moved;
  }
}

const pathOf = (queue: string): string => `/v1/queues/${encodeURIComponent(queue)}`;

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
