/** Queues themselves: create, list, look, drop, purge, send their dead letters back, and move their messages. */
import { Type } from "typebox";
import { route, type Route } from "../../http/route.ts";
import { about, Closed, Id, Nullable, Positive, QueueName } from "../../http/schemas.ts";
import { DeduplicationScope, Named, Settings, shownSettings, toMs } from "./shapes.ts";

const MOST_LISTED = 100;

const DelaySeconds = {
  minimum: 0,
  maximum: 2_147_483_647,
  description: "How long a message stays invisible if its sender sets no delay.",
};

export const createQueue: Route = route({
  method: "POST",
  path: "/v1/queues",
  scope: "admin",
  isAudited: true,
  summary: "Create a queue",
  description: "Answers 200 if the queue exists with the same settings.",
  body: Closed({
    name: QueueName,
    fifo: Type.Boolean({
      default: false,
      description: "Whether messages of a group are delivered in order, one at a time.",
    }),
    visibilityTimeout: Type.Number({
      minimum: 0,
      maximum: 43_200,
      default: 30,
      description: "Seconds for which a received message is in flight.",
    }),
    maxReceives: Type.Optional(
      about(Positive, "Deliveries before a message moves to the dead letter queue."),
    ),
    deadLetterQueue: Type.Optional(QueueName),
    retentionSeconds: Type.Optional(
      about(
        Positive,
        "Messages that are not received within this time are dropped. Default: never.",
      ),
    ),
    delaySeconds: Type.Integer({ ...DelaySeconds, default: 0 }),
    deduplicationScope: Type.Optional(DeduplicationScope),
  }),
  response: { 200: Settings, 201: Settings },
  handler: async ({ body }, { transport: { queues } }, reply) => {
    const { name, fifo, visibilityTimeout, maxReceives, retentionSeconds, deadLetterQueue } = body;
    const created = await queues.create({
      name,
      fifo,
      visibilityTimeoutMs: visibilityTimeout * 1_000,
      maxReceives,
      retentionMs: toMs(retentionSeconds),
      deadLetterQueue,
      delayMs: body.delaySeconds * 1_000,
      deduplicationScope: body.deduplicationScope ?? "queue",
    });
    return reply.code(created ? 201 : 200).send(shownSettings(await queues.get(name)));
  },
});

export const alterQueue: Route = route({
  method: "PATCH",
  path: "/v1/queues/:name",
  scope: "admin",
  isAudited: true,
  summary: "Change settings of a queue",
  description:
    "Settings that are left out stay. The next calls follow the new ones; messages keep the delays and leases that they have.",
  params: Named,
  body: Closed({
    visibilityTimeout: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 43_200,
        description: "Seconds for which a received message is in flight.",
      }),
    ),
    maxReceives: Type.Optional(
      Nullable(
        about(
          Positive,
          "Deliveries before a message moves to the dead letter queue. Any number if null, as deadLetterQueue then has to be.",
        ),
      ),
    ),
    deadLetterQueue: Type.Optional(Nullable(QueueName)),
    retentionSeconds: Type.Optional(
      Nullable(
        about(
          Positive,
          "Messages that are not received within this time are dropped; never if null.",
        ),
      ),
    ),
    delaySeconds: Type.Optional(Type.Integer(DelaySeconds)),
    deduplicationScope: Type.Optional(DeduplicationScope),
  }),
  response: { 200: Settings },
  handler: async ({ params: { name }, body }, { transport: { queues } }) => {
    const { visibilityTimeout, maxReceives, deadLetterQueue, retentionSeconds, delaySeconds } =
      body;
    const settings = await queues.alter(name, {
      visibilityTimeoutMs: toMs(visibilityTimeout),
      maxReceives,
      deadLetterQueue,
      retentionMs: retentionSeconds === null ? null : toMs(retentionSeconds),
      delayMs: toMs(delaySeconds),
      deduplicationScope: body.deduplicationScope,
    });
    return shownSettings(settings);
  },
});

export const listQueues: Route = route({
  method: "GET",
  path: "/v1/queues",
  scope: "read",
  summary: "List queues",
  response: { 200: Type.Object({ queues: Type.Array(Settings) }) },
  handler: async (_request, { transport: { queues } }) => ({
    queues: (await queues.list()).map(shownSettings),
  }),
});

const Statistics = {
  visible: Type.Integer(),
  inFlight: Type.Integer(),
  delayed: Type.Integer(),
  groups: Nullable(Type.Integer()),
  totalSent: Type.Integer(),
  oldestMessageAge: Nullable(Type.Number({ description: "Seconds." })),
};

export const getQueue: Route = route({
  method: "GET",
  path: "/v1/queues/:name",
  scope: "read",
  summary: "Get a queue",
  description: "Returns the settings of the queue and the counts of its messages.",
  params: Named,
  response: { 200: Type.Object({ ...Settings.properties, ...Statistics }) },
  handler: async ({ params: { name } }, { transport: { queues } }) => {
    const { oldestMessageAgeMs, ...stats } = await queues.stats(name);
    return {
      ...shownSettings(await queues.get(name)),
      ...stats,
      oldestMessageAge: oldestMessageAgeMs === null ? null : oldestMessageAgeMs / 1_000,
    };
  },
});

export const listDeadLetterQueues: Route = route({
  method: "GET",
  path: "/v1/dead-letter-queues",
  scope: "read",
  summary: "List queues that hold dead letters",
  description:
    "Returns the queues that hold dead letters of other queues, by name. Pass the last name as after for the next page.",
  querystring: Closed({
    max: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000, default: MOST_LISTED })),
    after: Type.Optional(Type.String({ maxLength: 256 })),
  }),
  response: {
    200: Type.Object({
      queues: Type.Array(
        Type.Object({
          name: Type.String(),
          messages: Type.Integer({ description: "At most 10,000 are counted in a shard." }),
          hasMore: Type.Boolean({ description: "Whether it holds more." }),
        }),
      ),
    }),
  },
  handler: async ({ query: { max = MOST_LISTED, after } }, { transport: { queues } }) => ({
    queues: await queues.deadLetterQueues(max, after),
  }),
});

export const dropQueue: Route = route({
  method: "DELETE",
  path: "/v1/queues/:name",
  scope: "admin",
  isAudited: true,
  summary: "Drop a queue with its messages",
  params: Named,
  response: { 204: Type.Null() },
  handler: async ({ params: { name } }, { transport: { queues } }, reply) => {
    await queues.drop(name);
    return reply.code(204).send(null);
  },
});

export const purgeQueue: Route = route({
  method: "DELETE",
  path: "/v1/queues/:name/messages",
  scope: "admin",
  isAudited: true,
  summary: "Delete all messages of a queue",
  params: Named,
  response: { 200: Type.Object({ purged: Type.Integer() }) },
  handler: async ({ params: { name } }, { transport: { queues } }) => ({
    purged: await queues.purge(name),
  }),
});

const DEFAULT_REDRIVE = 1_000;

export const redriveQueue: Route = route({
  method: "POST",
  path: "/v1/queues/:name/redrive",
  scope: "admin",
  isAudited: true,
  summary: "Redrive a dead letter queue",
  description: "Sends dead letters back to the queues they came from, oldest first.",
  params: Named,
  body: Closed({
    maxMessages: Type.Integer({ minimum: 1, maximum: 100_000, default: DEFAULT_REDRIVE }),
    messageIds: Type.Optional(
      Type.Array(Id, {
        minItems: 1,
        maxItems: 10_000,
        description:
          "Only these letters. In a FIFO queue, one that is not among them holds back those behind it in its group.",
      }),
    ),
  }),
  response: { 200: Type.Object({ redriven: Type.Integer() }) },
  handler: async ({ params: { name }, body }, { transport: { queues } }) => ({
    redriven: await queues.redrive(name, body.maxMessages, body.messageIds),
  }),
});

export const moveMessages: Route = route({
  method: "POST",
  path: "/v1/queues/:name/move",
  scope: "admin",
  isAudited: true,
  summary: "Move messages to another queue",
  description:
    "Moves messages that are not in flight to a queue of the same kind, oldest first, as new messages with the same bodies, headers and message groups. Delayed ones keep the rest of their delay.",
  params: Named,
  body: Closed({
    target: QueueName,
    maxMessages: Type.Integer({ minimum: 1, maximum: 10_000, default: DEFAULT_REDRIVE }),
  }),
  response: { 200: Type.Object({ moved: Type.Integer() }) },
  handler: async ({ params: { name }, body }, { transport: { queues } }) => ({
    moved: await queues.moveMessages(name, body.target, body.maxMessages),
  }),
});
