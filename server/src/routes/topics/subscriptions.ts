/** Subscriptions: subscribe, list, enable and end them, and the secrets that sign their deliveries. */
import { Type } from "typebox";
import { HttpProblem, invalidRequest } from "../../http/problems.ts";
import { route, type Route } from "../../http/route.ts";
import { Closed, Id, Json, nonEmpty } from "../../http/schemas.ts";
import { toText } from "../../http/values.ts";
import { Pattern, Shown, shownTo, TargetType } from "./shapes.ts";

const OneSubscription = Type.Object({ subscription_id: Id });
const Subscriptions = Type.Object({ subscriptions: Type.Array(Shown) });

export const subscribe: Route = route({
  method: "POST",
  path: "/v1/topics/:pattern/subscriptions",
  scope: "admin",
  isAudited: true,
  summary: "Subscribe a queue, a url or a workflow",
  params: Pattern,
  body: Closed({
    type: TargetType,
    target: Type.Optional(nonEmpty(2_048)),
    name: Type.Optional(
      Type.String({ description: "Alias of target, for a queue or a workflow." }),
    ),
    url: Type.Optional(Type.String({ description: "Alias of target, for http." })),
    filter: Type.Optional(Json),
    options: Type.Optional(Json),
  }),
  response: { 201: Type.Object({ subscriptionId: Id }) },
  handler: async ({ params: { pattern }, body }, { transport: { topics } }, reply) => {
    const target = body.target ?? body.name ?? body.url;
    if (target === undefined) {
      throw invalidRequest(
        "The body has no target: give the name of a queue or a workflow, or a url.",
      );
    }
    const subscriptionId = await topics.subscribe({
      pattern,
      targetType: body.type,
      target,
      filter: toText(body.filter, "filter"),
      options: toText(body.options, "options"),
    });
    return reply.code(201).send({ subscriptionId });
  },
});

export const listSubscriptions: Route = route({
  method: "GET",
  path: "/v1/subscriptions",
  scope: "read",
  summary: "List subscriptions",
  response: { 200: Subscriptions },
  handler: async (request, { transport: { topics } }) => ({
    subscriptions: (await topics.list(undefined)).map(shownTo(request)),
  }),
});

export const listTopicSubscriptions: Route = route({
  method: "GET",
  path: "/v1/topics/:pattern/subscriptions",
  scope: "read",
  summary: "List the subscriptions of a pattern",
  params: Pattern,
  response: { 200: Subscriptions },
  handler: async (request, { transport: { topics } }) => ({
    subscriptions: (await topics.list(request.params.pattern)).map(shownTo(request)),
  }),
});

export const getSubscription: Route = route({
  method: "GET",
  path: "/v1/subscriptions/:subscription_id",
  scope: "read",
  summary: "Get a subscription",
  params: OneSubscription,
  response: { 200: Shown },
  handler: async (request, { transport: { topics } }) => {
    const { subscription_id: id } = request.params;
    const subscription = await topics.get(id);
    if (subscription !== undefined) return shownTo(request)(subscription);
    throw new HttpProblem("SUBSCRIPTION_NOT_FOUND", `Subscription ${id} doesn't exist.`);
  },
});

export const endSubscription: Route = route({
  method: "DELETE",
  path: "/v1/subscriptions/:subscription_id",
  scope: "admin",
  isAudited: true,
  summary: "End a subscription",
  params: OneSubscription,
  response: {
    200: Type.Object({
      ended: Type.Boolean({ description: "False if the subscription doesn't exist." }),
    }),
  },
  handler: async ({ params }, { transport: { topics } }) => ({
    ended: await topics.unsubscribe(params.subscription_id),
  }),
});

export const endTopicSubscription: Route = route({
  method: "DELETE",
  path: "/v1/topics/:pattern/subscriptions/:subscription_id",
  scope: "admin",
  isAudited: true,
  summary: "End a subscription of a pattern",
  params: Type.Object({ ...Pattern.properties, ...OneSubscription.properties }),
  response: { 204: Type.Null() },
  handler: async (
    { params: { pattern, subscription_id: id } },
    { transport: { topics } },
    reply,
  ) => {
    const subscription = await topics.get(id);
    if (subscription?.pattern !== pattern || !(await topics.unsubscribe(id))) {
      throw new HttpProblem(
        "SUBSCRIPTION_NOT_FOUND",
        `Subscription ${id} with the pattern "${pattern.slice(0, 100)}" doesn't exist.`,
      );
    }
    return reply.code(204).send(null);
  },
});

export const enableSubscription: Route = route({
  method: "POST",
  path: "/v1/subscriptions/:subscription_id/enable",
  scope: "admin",
  isAudited: true,
  summary: "Enable a disabled subscription",
  description: "Resumes deliveries to a url that failed for too long.",
  params: OneSubscription,
  response: {
    200: Type.Object({
      enabled: Type.Boolean({ description: "False if the subscription doesn't exist." }),
    }),
  },
  handler: async ({ params }, { transport: { topics } }) => ({
    enabled: await topics.enable(params.subscription_id),
  }),
});

export const getSubscriptionSecret: Route = route({
  method: "GET",
  path: "/v1/subscriptions/:subscription_id/secret",
  scope: "admin",
  summary: "Get the signing secrets of a subscription",
  description: "The receiver of a url verifies signatures with them.",
  params: OneSubscription,
  response: {
    200: Type.Object({
      secrets: Type.Array(Type.String(), {
        description: "As whsec_…; the current secret comes first.",
      }),
    }),
  },
  handler: async ({ params: { subscription_id: id } }, { transport, secrets }) => {
    const subscription = await transport.topics.get(id);
    if (subscription?.targetType !== "http") {
      throw new HttpProblem("SUBSCRIPTION_NOT_FOUND", `Subscription ${id} of a url doesn't exist.`);
    }
    if (!secrets.areThere) {
      throw new HttpProblem(
        "NOT_SIGNED",
        "Deliveries are not signed, because the server has no webhook secret: set OXBOW_WEBHOOK_SECRETS.",
      );
    }
    const own = await transport.fork?.incarnation();
    const sandbox = own?.state === "sandbox" ? own.id : undefined;
    return { secrets: secrets.of(id, subscription.target, sandbox) };
  },
});
