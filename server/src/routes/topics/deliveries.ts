/** The log of deliveries to urls: what became of each one. Any can be sent again. */
import { Type } from "typebox";
import { HttpProblem } from "../../http/problems.ts";
import { route, type Route } from "../../http/route.ts";
import { about, Closed, Id, Instant, Json, Nullable, oneOf } from "../../http/schemas.ts";

const Status = oneOf(
  ["waiting", "delivered", "failed"],
  "waiting: for another attempt. failed: for good.",
);

const Delivery = Type.Object({
  id: Id,
  subscriptionId: Id,
  pattern: Nullable(Type.String({ description: "Null if the subscription has ended." })),
  url: Nullable(
    Type.String({ description: "With a password masked; null if the subscription has ended." }),
  ),
  topic: Type.String(),
  webhookId: Type.String({
    description: "The header by which receivers recognize a repeated delivery.",
  }),
  status: Status,
  attempts: Type.Integer(),
  publishedAt: Instant,
  attemptedAt: Instant,
  nextAttemptAt: Nullable(
    about(Instant, "Null unless it waits; null while an attempt is being made."),
  ),
  durationMs: Nullable(Type.Integer({ description: "Duration of the last attempt." })),
  statusCode: Nullable(
    Type.Integer({ description: "HTTP status of the last response; null without a response." }),
  ),
  failure: Nullable(Type.String({ description: "Null if the last attempt succeeded." })),
});

const Details = Type.Object({
  ...Delivery.properties,
  response: Nullable(
    Type.String({ description: "The beginning of the body of the last response." }),
  ),
  message: Type.Unknown({
    description:
      "Any JSON value. Null also if it has more than 64 KiB and does not wait any more: the log keeps no larger ones.",
  }),
  headers: Json,
  earlierAttempts: Type.Array(
    Type.Object({
      attempt: Type.Integer(),
      attemptedAt: Instant,
      durationMs: Nullable(Type.Integer()),
      statusCode: Nullable(Type.Integer()),
      failure: Nullable(Type.String()),
      response: Nullable(Type.String()),
    }),
    { description: "Before the last, oldest first; at most 20." },
  ),
});

const DEFAULT_PAGE = 100;

export const listDeliveries: Route = route({
  method: "GET",
  path: "/v1/deliveries",
  scope: "admin",
  summary: "List deliveries to urls",
  description:
    "Returns deliveries with an attempt, newest first. Servers keep ended ones for `OXBOW_WEBHOOK_LOG_HOURS`.",
  querystring: Closed({
    before: Type.Optional(Id),
    max: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000, default: DEFAULT_PAGE })),
    subscriptionId: Type.Optional(Id),
    status: Type.Optional(Status),
  }),
  response: { 200: Type.Object({ deliveries: Type.Array(Delivery) }) },
  handler: async (
    { query: { before, max = DEFAULT_PAGE, subscriptionId, status } },
    { transport: { topics } },
  ) => ({
    deliveries: await topics.deliveries({ before, max, subscriptionId, status }),
  }),
});

export const getDelivery: Route = route({
  method: "GET",
  path: "/v1/deliveries/:delivery_id",
  scope: "admin",
  summary: "Get a delivery to a url",
  description: "Returns a delivery with its message and its attempts.",
  params: Type.Object({ delivery_id: Id }),
  response: { 200: Details },
  handler: async ({ params: { delivery_id: id } }, { transport: { topics } }) => {
    const delivery = await topics.delivery(id);
    if (delivery !== undefined) return delivery;
    throw new HttpProblem(
      "DELIVERY_NOT_FOUND",
      `The log of deliveries doesn't have delivery ${id}, or no longer.`,
    );
  },
});

export const resendDeliveries: Route = route({
  method: "POST",
  path: "/v1/deliveries/resend",
  scope: "admin",
  isAudited: true,
  summary: "Resend deliveries to urls",
  description:
    "Sends deliveries again, with the same webhook id, by which their receivers recognize them. A waiting delivery becomes due immediately. A failed one is sent again once, and its dead letter is deleted.",
  body: Closed({ ids: Type.Array(Id, { minItems: 1, maxItems: 1_000 }) }),
  response: {
    200: Type.Object({
      deliveries: Type.Array(
        Type.Object({
          id: Id,
          problem: Nullable(
            Type.String({ description: "Why it is not sent again; null if it is." }),
          ),
        }),
      ),
    }),
  },
  handler: async ({ body: { ids } }, { transport: { topics } }) => ({
    deliveries: await topics.resend(ids),
  }),
});
