/** /v1/queues: queues and their messages. */
import type { TransactionClient } from "@oxbow/sdk";
import type { MessageDelivery, PeekedMessage, QueueSettings } from "@oxbow/sdk/internal";
import { type Static, Type } from "typebox";
import type { App, RouteContext } from "../http/app.ts";
import { MANY_VALUES_BYTES } from "../http/body-limits.ts";
import { isThere, LONGEST_WAIT_MS, whileClientWaits } from "../http/long-poll.ts";
import { IdempotencyHeader, idempotencyKeyOf } from "../http/idempotency.ts";
import { HttpProblem } from "../http/problems.ts";
import {
  closed,
  Id,
  Independent,
  Instant,
  Json,
  Nullable,
  ProblemBody,
  QueueName,
} from "../http/schemas.ts";
import { toJsonText, toRequiredText, toText } from "../http/values.ts";

const Named = Type.Object({ name: QueueName });
const OneReceipt = Type.Object({ name: QueueName, receipt: Id });

const Settings = Type.Object({
  name: Type.String(),
  fifo: Type.Boolean(),
  visibilityTimeout: Type.Number({ description: "Seconds." }),
  maxReceives: Nullable(Type.Integer()),
  deadLetterQueue: Nullable(Type.String()),
  retentionSeconds: Nullable(Type.Number()),
  createdAt: Instant,
});

const Statistics = {
  visible: Type.Integer(),
  inFlight: Type.Integer(),
  delayed: Type.Integer(),
  groups: Nullable(Type.Integer()),
  totalSent: Type.Integer(),
  oldestMessageAge: Nullable(Type.Number({ description: "Seconds." })),
};

const Message = Type.Object(
  {
    message: Json,
    headers: Type.Optional(Type.Object({}, { additionalProperties: true })),
    delaySeconds: Type.Optional(Type.Number({ minimum: 0, maximum: 3_155_760_000 })),
    messageGroupId: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
    deduplicationId: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
  },
  closed,
);

const MOST_MESSAGES = 1_000;

const Peeked = Type.Object({
  messageId: Id,
  state: Type.Union(
    [
      Type.Literal("ready"),
      Type.Literal("delayed"),
      Type.Literal("in-flight"),
      Type.Literal("blocked"),
    ],
    { description: "blocked: behind an earlier message of its group." },
  ),
  message: Json,
  headers: Json,
  receiveCount: Type.Integer(),
  messageGroupId: Nullable(Type.String()),
  enqueuedAt: Instant,
  visibleAt: Instant,
});

const Delivery = Type.Object({
  messageId: Id,
  receipt: Id,
  message: Json,
  headers: Json,
  receiveCount: Type.Integer(),
  messageGroupId: Nullable(Type.String()),
  enqueuedAt: Instant,
  visibleAt: Instant,
});

export function addQueueRoutes(app: App, { transport }: RouteContext): void {
  const { queues } = transport;

  app.post(
    "/v1/queues",
    {
      config: { scope: "admin" },
      schema: {
        summary: "Create a queue, unless it is there",
        body: Type.Object(
          {
            name: QueueName,
            fifo: Type.Boolean({ default: false }),
            visibilityTimeout: Type.Number({ minimum: 0, maximum: 43_200, default: 30 }),
            maxReceives: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647 })),
            deadLetterQueue: Type.Optional(QueueName),
            retentionSeconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647 })),
          },
          closed,
        ),
        response: { 200: Settings, 201: Settings, default: ProblemBody },
      },
    },
    async ({ body }, reply) => {
      const created = await queues.create({
        name: body.name,
        fifo: body.fifo,
        visibilityTimeoutMs: body.visibilityTimeout * 1_000,
        maxReceives: body.maxReceives,
        retentionMs:
          body.retentionSeconds === undefined ? undefined : body.retentionSeconds * 1_000,
        deadLetterQueue: body.deadLetterQueue,
      });
      return reply.code(created ? 201 : 200).send(shownSettings(await find(body.name)));
    },
  );

  app.get(
    "/v1/queues",
    {
      config: { scope: "read" },
      schema: {
        summary: "All queues",
        response: { 200: Type.Object({ queues: Type.Array(Settings) }), default: ProblemBody },
      },
    },
    async () => ({ queues: (await queues.list()).map(shownSettings) }),
  );

  app.get(
    "/v1/queues/:name",
    {
      config: { scope: "read" },
      schema: {
        summary: "A queue, and what is in it",
        params: Named,
        response: {
          200: Type.Object({ ...Settings.properties, ...Statistics }),
          default: ProblemBody,
        },
      },
    },
    async ({ params: { name } }) => {
      const { oldestMessageAgeMs, ...stats } = await queues.stats(name);
      return {
        ...shownSettings(await find(name)),
        ...stats,
        oldestMessageAge: oldestMessageAgeMs === null ? null : oldestMessageAgeMs / 1_000,
      };
    },
  );

  app.delete(
    "/v1/queues/:name",
    {
      config: { scope: "admin" },
      schema: {
        summary: "Drop a queue with its messages",
        params: Named,
        response: { 204: Type.Null(), default: ProblemBody },
      },
    },
    async ({ params }, reply) => {
      await queues.drop(params.name);
      return reply.code(204).send(null);
    },
  );

  app.post(
    "/v1/queues/:name/messages",
    {
      config: { scope: "produce" },
      bodyLimit: MANY_VALUES_BYTES,
      schema: {
        summary: "Send a message, or several",
        headers: IdempotencyHeader,
        params: Named,
        body: Type.Union([
          Message,
          Type.Object(
            { messages: Type.Array(Message, { minItems: 1, maxItems: MOST_MESSAGES }) },
            closed,
          ),
          Type.Array(Message, { minItems: 1, maxItems: MOST_MESSAGES }),
        ]),
        response: {
          201: Type.Union([
            Type.Object({ messageId: Id }),
            Type.Object({ messageIds: Type.Array(Id) }),
          ]),
          default: ProblemBody,
        },
      },
    },
    async ({ params, body, headers }, reply) => {
      if ("message" in body) {
        const { messageGroupId, deduplicationId } = body;
        // Only FIFO queues know what was sent before.
        const key =
          messageGroupId === undefined
            ? deduplicationId
            : idempotencyKeyOf(headers, deduplicationId, "deduplicationId");
        const message = key === undefined ? body : { ...body, deduplicationId: key };
        return reply.code(201).send({ messageId: await send(params.name, message) });
      }
      const messages = Array.isArray(body) ? body : body.messages;
      return reply.code(201).send({ messageIds: await sendAll(params.name, messages) });
    },
  );

  app.get(
    "/v1/queues/:name/messages",
    {
      config: { scope: "read" },
      schema: {
        summary: "Peek at messages without receiving them, oldest first",
        params: Named,
        querystring: Type.Object(
          {
            limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 10 }),
            after: Type.Optional(Id),
            matching: Type.Optional(
              Type.String({ description: "JSON that the messages must contain." }),
            ),
          },
          closed,
        ),
        response: {
          200: Type.Object({
            messages: Type.Array(Peeked),
            after: Nullable(Type.String({ description: "Of the next page; null: the last one." })),
          }),
          default: ProblemBody,
        },
      },
    },
    async ({ params: { name }, query: { limit, after, matching } }) => {
      const messages = await queues.peek({
        queue: name,
        max: limit,
        after,
        matching: matching === undefined ? undefined : toJsonText(matching, "matching"),
      });
      const last = messages.length === limit ? messages.at(-1) : undefined;
      return { messages: messages.map(shownPeek), after: last?.id ?? null };
    },
  );

  app.delete(
    "/v1/queues/:name/messages",
    {
      config: { scope: "admin" },
      schema: {
        summary: "Delete all messages of a queue",
        params: Named,
        response: { 200: Type.Object({ purged: Type.Integer() }), default: ProblemBody },
      },
    },
    async ({ params }) => ({ purged: await queues.purge(params.name) }),
  );

  app.post(
    "/v1/queues/:name/receive",
    {
      config: { scope: "work" },
      schema: {
        summary: "Receive messages; with waitSeconds, as soon as there is one",
        params: Named,
        body: Type.Optional(
          Type.Object(
            {
              maxMessages: Type.Integer({ minimum: 1, maximum: 1_000, default: 1 }),
              visibilityTimeout: Type.Optional(Type.Integer({ minimum: 0, maximum: 43_200 })),
              waitSeconds: Type.Number({
                minimum: 0,
                maximum: LONGEST_WAIT_MS / 1_000,
                default: 0,
              }),
              matching: Type.Optional(Json),
            },
            closed,
          ),
        ),
        response: { 200: Type.Object({ messages: Type.Array(Delivery) }), default: ProblemBody },
      },
    },
    async ({ params: { name }, body }, reply) => {
      const signal = whileClientWaits(reply);
      const deliveries = await queues
        .receive({
          queue: name,
          max: body?.maxMessages ?? 1,
          visibilityTimeoutMs:
            body?.visibilityTimeout === undefined ? undefined : body.visibilityTimeout * 1_000,
          matching: toText(body?.matching, "matching"),
          waitMs: (body?.waitSeconds ?? 0) * 1_000,
          signal,
        })
        .catch((error: unknown) => {
          // The server stops, or nobody is there any more.
          if (signal.aborted) return [];
          throw error;
        });
      if (!isThere(reply)) await giveBack(name, deliveries);
      return { messages: deliveries.map(shownDelivery) };
    },
  );

  app.delete(
    "/v1/queues/:name/messages/:receipt",
    {
      config: { scope: "work" },
      schema: {
        summary: "Acknowledge a message",
        params: OneReceipt,
        response: {
          200: Type.Object({
            deleted: Type.Boolean({ description: "False: the receipt is dead." }),
          }),
          default: ProblemBody,
        },
      },
    },
    async ({ params }) => ({ deleted: await queues.delete(params.name, params.receipt) }),
  );

  app.post(
    "/v1/queues/:name/delete",
    {
      config: { scope: "work" },
      schema: {
        summary: "Acknowledge many messages",
        params: Named,
        querystring: Independent,
        body: Type.Object({ receipts: Type.Array(Id, { minItems: 1, maxItems: 10_000 }) }, closed),
        response: {
          200: Type.Object({
            deleted: Type.Array(Id, { description: "The receipts that were alive." }),
          }),
          default: ProblemBody,
        },
      },
    },
    async ({ params: { name }, body: { receipts }, query: { independent = false } }) => {
      const [first, ...others] = receipts;
      if (!independent || first === undefined || others.length > 0) {
        return { deleted: await queues.deleteBatch(name, receipts, { isPatient: !independent }) };
      }
      return { deleted: (await queues.delete(name, first)) ? receipts : [] };
    },
  );

  app.post(
    "/v1/queues/:name/give-back",
    {
      config: { scope: "work" },
      schema: {
        summary: "Give messages back as if they had not been received",
        params: Named,
        body: Type.Object(
          {
            receipts: Type.Array(Id, { minItems: 1, maxItems: 10_000 }),
            delaySeconds: Type.Number({ minimum: 0, maximum: 3_153_600_000, default: 0 }),
          },
          closed,
        ),
        response: {
          200: Type.Object({
            givenBack: Type.Array(Id, { description: "The receipts that were alive." }),
          }),
          default: ProblemBody,
        },
      },
    },
    async ({ params, body }) => ({
      givenBack: await queues.giveBack(params.name, body.receipts, body.delaySeconds * 1_000),
    }),
  );

  app.patch(
    "/v1/queues/:name/messages/:receipt",
    {
      config: { scope: "work" },
      schema: {
        summary: "Change how long nobody else receives a message",
        params: OneReceipt,
        body: Type.Object(
          { visibilityTimeout: Type.Number({ minimum: 0, maximum: 43_200 }) },
          closed,
        ),
        response: {
          200: Type.Object({
            changed: Type.Boolean({ description: "False: the receipt is dead." }),
          }),
          default: ProblemBody,
        },
      },
    },
    async ({ params, body }) => ({
      changed: await queues.changeVisibility(
        params.name,
        params.receipt,
        body.visibilityTimeout * 1_000,
      ),
    }),
  );

  app.post(
    "/v1/queues/:name/redrive",
    {
      config: { scope: "admin" },
      schema: {
        summary: "Send dead letters back to where they came from",
        params: Named,
        body: Type.Optional(
          Type.Object(
            { maxMessages: Type.Integer({ minimum: 1, maximum: 100_000, default: 1_000 }) },
            closed,
          ),
        ),
        response: { 200: Type.Object({ redriven: Type.Integer() }), default: ProblemBody },
      },
    },
    async ({ params, body }) => ({
      redriven: await queues.redrive(params.name, body?.maxMessages ?? 1_000),
    }),
  );

  type Sent = Static<typeof Message>;

  function send(queue: string, given: Sent, tx?: TransactionClient): Promise<string> {
    const request = {
      queue,
      message: toRequiredText(given.message, "message"),
      headers: toText(given.headers, "headers"),
      delayMs: (given.delaySeconds ?? 0) * 1_000,
    };
    if (given.messageGroupId === undefined) {
      if (given.deduplicationId === undefined) return queues.send(request, tx);
      throw new HttpProblem(
        400,
        "INVALID_REQUEST",
        "A deduplicationId is for FIFO queues: give a messageGroupId too.",
      );
    }
    return queues.sendFifo(
      { ...request, groupId: given.messageGroupId, deduplicationId: given.deduplicationId },
      tx,
    );
  }

  /** All or none: in one statement where they allow it, else in one transaction, in order. */
  async function sendAll(queue: string, messages: readonly Sent[]): Promise<string[]> {
    const [first] = messages;
    const isUniform = messages.every(
      (one) =>
        one.messageGroupId === undefined &&
        one.deduplicationId === undefined &&
        one.delaySeconds === first?.delaySeconds,
    );
    if (isUniform) {
      return queues.sendBatch({
        queue,
        messages: messages.map((one) => toRequiredText(one.message, "message")),
        headers: messages.map((one) => toText(one.headers, "headers")),
        delayMs: (first?.delaySeconds ?? 0) * 1_000,
      });
    }
    const ids: string[] = [];
    await transport.transaction(async (tx) => {
      for (const one of messages) ids.push(await send(queue, one, tx));
    });
    return ids;
  }

  /** What a client that has gone would have got is ready again at once. */
  async function giveBack(queue: string, deliveries: readonly MessageDelivery[]): Promise<void> {
    if (deliveries.length === 0) return;
    await queues.giveBack(
      queue,
      deliveries.map(({ receipt }) => receipt),
      0,
    );
  }

  async function find(name: string): Promise<QueueSettings> {
    const settings = (await queues.list()).find((queue) => queue.name === name);
    if (settings !== undefined) return settings;
    throw new HttpProblem(404, "QUEUE_NOT_FOUND", `There is no queue "${name}".`);
  }
}

const shownSettings = (queue: QueueSettings) => ({
  name: queue.name,
  fifo: queue.fifo,
  visibilityTimeout: queue.visibilityTimeoutMs / 1_000,
  maxReceives: queue.maxReceives,
  deadLetterQueue: queue.deadLetterQueue,
  retentionSeconds: queue.retentionMs === null ? null : queue.retentionMs / 1_000,
  createdAt: queue.createdAt.toISOString(),
});

const shownMessage = (message: Omit<MessageDelivery, "receipt">) => ({
  messageId: message.id,
  message: message.body ?? null,
  headers: message.headers ?? null,
  receiveCount: message.receiveCount,
  messageGroupId: message.groupId,
  enqueuedAt: message.enqueuedAt.toISOString(),
  visibleAt: message.visibleAt.toISOString(),
});

const shownDelivery = (delivery: MessageDelivery) => ({
  ...shownMessage(delivery),
  receipt: delivery.receipt,
});

const shownPeek = (message: PeekedMessage) => ({ ...shownMessage(message), state: message.state });
