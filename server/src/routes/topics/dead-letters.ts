/** Dead letters of topics: messages that could not be delivered to a subscription. */
import { Type } from "typebox";
import { route, type Route } from "../../http/route.ts";
import { Closed, Id, Instant, Json, Nullable } from "../../http/schemas.ts";
import { TargetType } from "./shapes.ts";

const DeadLetter = Type.Object({
  id: Id,
  deadLetteredAt: Instant,
  subscriptionId: Nullable(Id),
  targetType: Nullable(TargetType),
  target: Nullable(Type.String()),
  topic: Nullable(Type.String()),
  reason: Nullable(Type.String()),
  attempts: Nullable(Type.Integer({ description: "Requests to a url; null for other targets." })),
  message: Json,
  headers: Json,
});

const DEFAULT_PAGE = 100;
const DEFAULT_REDRIVE = 1_000;

export const listTopicDeadLetters: Route = route({
  method: "GET",
  path: "/v1/topic-dead-letters",
  scope: "admin",
  summary: "List the dead letters of topics",
  description: "Returns messages that could not be delivered to a subscription, oldest first.",
  querystring: Closed({
    after: Type.Optional(Id),
    max: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000, default: DEFAULT_PAGE })),
    subscriptionId: Type.Optional(Id),
  }),
  response: { 200: Type.Object({ letters: Type.Array(DeadLetter) }) },
  handler: async (
    { query: { after, max = DEFAULT_PAGE, subscriptionId } },
    { transport: { topics } },
  ) => {
    return { letters: await topics.deadLetters({ after, max, subscriptionId }) };
  },
});

export const redriveTopicDeadLetters: Route = route({
  method: "POST",
  path: "/v1/topic-dead-letters/redrive",
  scope: "admin",
  isAudited: true,
  summary: "Redrive the dead letters of topics",
  description: "Publishes each dead letter again, to its subscription only.",
  body: Closed({
    maxMessages: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100_000, default: DEFAULT_REDRIVE }),
    ),
    subscriptionId: Type.Optional(Id),
    ids: Type.Optional(
      Type.Array(Id, { minItems: 1, maxItems: 10_000, description: "Only these letters." }),
    ),
  }),
  response: { 200: Type.Object({ redriven: Type.Integer() }) },
  handler: async (
    { body: { maxMessages = DEFAULT_REDRIVE, subscriptionId, ids } },
    { transport: { topics } },
  ) => ({ redriven: await topics.redrive({ max: maxMessages, subscriptionId, ids }) }),
});

export const deleteTopicDeadLetters: Route = route({
  method: "POST",
  path: "/v1/topic-dead-letters/delete",
  scope: "admin",
  isAudited: true,
  summary: "Delete dead letters of topics",
  body: Closed({ ids: Type.Array(Id, { minItems: 1, maxItems: 1_000 }) }),
  response: { 200: Type.Object({ deleted: Type.Array(Id) }) },
  handler: async ({ body: { ids } }, { transport: { topics } }) => ({
    deleted: await topics.deleteDeadLetters(ids),
  }),
});
