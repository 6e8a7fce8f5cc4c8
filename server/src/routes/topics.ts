/** /v1/topics: subscriptions and publishing. */
import type { IncomingHttpHeaders } from "node:http";
import { incomingTrace } from "../telemetry/request-trace.ts";
import type { Subscription } from "@oxbow/sdk/internal";
import type { FastifyRequest } from "fastify";
import { Type } from "typebox";
import type { App, RouteContext } from "../http/app.ts";
import { ONE_VALUE_BYTES } from "../http/body-limits.ts";
import { HttpProblem } from "../http/problems.ts";
import { closed, Id, Instant, Json, Nullable, ProblemBody } from "../http/schemas.ts";
import { toRequiredText, toText } from "../http/values.ts";
import { maskedUrl } from "../masked-url.ts";

const Pattern = Type.Object({
  pattern: Type.String({
    minLength: 1,
    maxLength: 512,
    description: "Words with dots between them; * is one word, # (in a url %23) any number.",
  }),
});

const TargetType = Type.Union([
  Type.Literal("queue"),
  Type.Literal("http"),
  Type.Literal("workflow"),
]);

const Shown = Type.Object({
  subscriptionId: Id,
  pattern: Type.String(),
  type: TargetType,
  target: Type.String(),
  filter: Json,
  options: Json,
  createdAt: Instant,
  failingSince: Nullable(Instant),
  disabledAt: Nullable(Instant),
  disabledReason: Nullable(Type.String()),
});

const Captured = Type.Object({
  id: Id,
  capturedAt: Instant,
  subscriptionId: Type.Union([Id, Type.Null()]),
  url: Type.Union([Type.String(), Type.Null()]),
  topic: Type.Union([Type.String(), Type.Null()]),
  message: Json,
  headers: Json,
});

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

export function addTopicRoutes(app: App, { transport }: RouteContext): void {
  const { topics } = transport;

  app.post(
    "/v1/topics/:pattern/subscriptions",
    {
      config: { scope: "admin" },
      schema: {
        summary: "Subscribe a queue, a url or a workflow",
        params: Pattern,
        body: Type.Object(
          {
            type: TargetType,
            target: Type.Optional(Type.String({ minLength: 1, maxLength: 2_048 })),
            name: Type.Optional(
              Type.String({ description: "The same as target, of a queue or a workflow." }),
            ),
            url: Type.Optional(Type.String({ description: "The same as target, of http." })),
            filter: Type.Optional(Json),
            options: Type.Optional(Json),
          },
          closed,
        ),
        response: { 201: Type.Object({ subscriptionId: Id }), default: ProblemBody },
      },
    },
    async ({ params, body }, reply) => {
      const target = body.target ?? body.name ?? body.url;
      if (target === undefined) {
        throw new HttpProblem(
          400,
          "INVALID_REQUEST",
          "body has no target: a queue, a workflow or a url.",
        );
      }
      const subscriptionId = await topics.subscribe({
        pattern: params.pattern,
        targetType: body.type,
        target,
        filter: toText(body.filter, "filter"),
        options: toText(body.options, "options"),
      });
      return reply.code(201).send({ subscriptionId });
    },
  );

  app.get(
    "/v1/topics/:pattern/subscriptions",
    {
      config: { scope: "read" },
      schema: {
        summary: "Subscriptions with this pattern",
        params: Pattern,
        response: {
          200: Type.Object({ subscriptions: Type.Array(Shown) }),
          default: ProblemBody,
        },
      },
    },
    async (request, _reply) => ({
      subscriptions: (await topics.list(request.params.pattern)).map(shownTo(request)),
    }),
  );

  app.get(
    "/v1/subscriptions",
    {
      config: { scope: "read" },
      schema: {
        summary: "All subscriptions",
        response: {
          200: Type.Object({ subscriptions: Type.Array(Shown) }),
          default: ProblemBody,
        },
      },
    },
    async (request, _reply) => ({
      subscriptions: (await topics.list(undefined)).map(shownTo(request)),
    }),
  );

  app.get(
    "/v1/captured-deliveries",
    {
      config: { scope: "read" },
      schema: {
        summary: "What a sandbox would have sent to urls",
        querystring: Type.Object(
          {
            after: Type.Optional(Id),
            max: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000, default: 100 })),
          },
          closed,
        ),
        response: {
          200: Type.Object({ deliveries: Type.Array(Captured) }),
          default: ProblemBody,
        },
      },
    },
    async (request, _reply) => {
      const { after, max = 100 } = request.query;
      const hide = passwordsFrom(request);
      return {
        deliveries: (await topics.captured(after, max)).map(({ url, headers, ...one }) => ({
          ...one,
          capturedAt: one.capturedAt.toISOString(),
          url: url === null ? null : hide(url),
          headers: url === null ? headers : { ...(headers as object), url: hide(url) },
        })),
      };
    },
  );

  app.get(
    "/v1/topic-dead-letters",
    {
      config: { scope: "admin" },
      schema: {
        summary: "List messages that subscriptions could not take",
        querystring: Type.Object(
          {
            after: Type.Optional(Id),
            max: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000, default: 100 })),
            subscriptionId: Type.Optional(Id),
          },
          closed,
        ),
        response: {
          200: Type.Object({ letters: Type.Array(DeadLetter) }),
          default: ProblemBody,
        },
      },
    },
    async ({ query: { after, max = 100, subscriptionId } }) => ({
      letters: (await topics.deadLetters({ after, max, subscriptionId })).map((one) => ({
        ...one,
        deadLetteredAt: one.deadLetteredAt.toISOString(),
      })),
    }),
  );

  app.post(
    "/v1/topic-dead-letters/redrive",
    {
      config: { scope: "admin" },
      schema: {
        summary: "Publish dead letters again, each to its subscription",
        body: Type.Object(
          {
            maxMessages: Type.Optional(
              Type.Integer({ minimum: 1, maximum: 100_000, default: 1_000 }),
            ),
            subscriptionId: Type.Optional(Id),
          },
          closed,
        ),
        response: { 200: Type.Object({ redriven: Type.Integer() }), default: ProblemBody },
      },
    },
    async ({ body: { maxMessages = 1_000, subscriptionId } }) => ({
      redriven: await topics.redrive(maxMessages, subscriptionId),
    }),
  );

  app.post(
    "/v1/topic-dead-letters/delete",
    {
      config: { scope: "admin" },
      schema: {
        summary: "Delete dead letters for good",
        body: Type.Object({ ids: Type.Array(Id, { minItems: 1, maxItems: 1_000 }) }, closed),
        response: { 200: Type.Object({ deleted: Type.Array(Id) }), default: ProblemBody },
      },
    },
    async ({ body: { ids } }) => ({ deleted: await topics.deleteDeadLetters(ids) }),
  );

  app.delete(
    "/v1/subscriptions/:subscription_id",
    {
      config: { scope: "admin" },
      schema: {
        summary: "End a subscription, whatever its pattern",
        params: Type.Object({ subscription_id: Id }),
        response: { 200: Type.Object({ ended: Type.Boolean() }), default: ProblemBody },
      },
    },
    async ({ params }) => ({ ended: await topics.unsubscribe(params.subscription_id) }),
  );

  app.post(
    "/v1/subscriptions/:subscription_id/enable",
    {
      config: { scope: "admin" },
      schema: {
        summary: "Deliver again to a url that had failed for long",
        params: Type.Object({ subscription_id: Id }),
        response: { 200: Type.Object({ enabled: Type.Boolean() }), default: ProblemBody },
      },
    },
    async ({ params }) => ({ enabled: await topics.enable(params.subscription_id) }),
  );

  app.delete(
    "/v1/topics/:pattern/subscriptions/:subscription_id",
    {
      config: { scope: "admin" },
      schema: {
        summary: "End a subscription",
        params: Type.Object({ ...Pattern.properties, subscription_id: Id }),
        response: { 204: Type.Null(), default: ProblemBody },
      },
    },
    async ({ params: { pattern, subscription_id: id } }, reply) => {
      const isThere = (await topics.list(pattern)).some((one) => one.id === id);
      if (!isThere || !(await topics.unsubscribe(id))) {
        throw new HttpProblem(
          404,
          "SUBSCRIPTION_NOT_FOUND",
          `There is no subscription ${id} with the pattern "${pattern.slice(0, 100)}".`,
        );
      }
      return reply.code(204).send(null);
    },
  );

  app.post(
    "/v1/topics/:pattern/messages",
    {
      config: { scope: "produce" },
      bodyLimit: ONE_VALUE_BYTES,
      schema: {
        summary: "Publish a message to a topic",
        params: Pattern,
        body: Type.Object(
          {
            message: Json,
            headers: Type.Optional(Type.Object({}, { additionalProperties: true })),
          },
          closed,
        ),
        response: {
          200: Type.Object({ targets: Type.Integer({ description: "How many were reached." }) }),
          default: ProblemBody,
        },
      },
    },
    async ({ params, body, headers }) => ({
      targets: await topics.publish({
        topic: params.pattern,
        message: toRequiredText(body.message, "message"),
        headers: toText(withTrace(body.headers, headers), "headers"),
      }),
    }),
  );
}

/** The trace of the request goes along, unless the message has one. */
function withTrace(given: object | undefined, headers: IncomingHttpHeaders): object | undefined {
  const incoming = incomingTrace(headers);
  return incoming === undefined ? given : { ...incoming, ...given };
}

/** Urls as this request may see them: passwords are for administrators. */
const passwordsFrom = (request: FastifyRequest): ((url: string) => string) =>
  request.may("admin") ? (url) => url : maskedUrl;

const shownTo = (request: FastifyRequest) => {
  const hide = passwordsFrom(request);
  return (subscription: Subscription) => shown(subscription, hide);
};

const shown = (subscription: Subscription, hide: (url: string) => string) => ({
  subscriptionId: subscription.id,
  pattern: subscription.pattern,
  type: subscription.targetType,
  target: subscription.targetType === "http" ? hide(subscription.target) : subscription.target,
  filter: subscription.filter ?? null,
  options: subscription.options ?? null,
  createdAt: subscription.createdAt.toISOString(),
  failingSince: subscription.failingSince?.toISOString() ?? null,
  disabledAt: subscription.disabledAt?.toISOString() ?? null,
  disabledReason: subscription.disabledReason,
});
