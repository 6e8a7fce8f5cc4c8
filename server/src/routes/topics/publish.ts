/** Publishing to topics, and what a message would go to. */
import type { IncomingHttpHeaders } from "node:http";
import { Type } from "typebox";
import { ONE_VALUE_BYTES } from "../../http/body-limits.ts";
import { route, type Route } from "../../http/route.ts";
import { Closed, Id, Json, Nullable } from "../../http/schemas.ts";
import { toRequiredText, toText } from "../../http/values.ts";
import { incomingTrace } from "../../telemetry/request-trace.ts";
import { Pattern, TargetType, visibleUrl } from "./shapes.ts";

export const publish: Route = route({
  method: "POST",
  path: "/v1/topics/:pattern/messages",
  scope: "produce",
  bodyLimit: ONE_VALUE_BYTES,
  summary: "Publish a message to a topic",
  params: Pattern,
  body: Closed({
    message: Json,
    headers: Type.Optional(Type.Object({}, { additionalProperties: true })),
  }),
  response: {
    200: Type.Object({
      targets: Type.Integer({ description: "How many subscriptions received the message." }),
    }),
  },
  handler: async ({ params, body, headers }, { transport: { topics } }) => ({
    targets: await topics.publish({
      topic: params.pattern,
      message: toRequiredText(body.message, "message"),
      headers: toText(withTrace(body.headers, headers), "headers"),
    }),
  }),
});

const Target = Type.Object({
  subscriptionId: Id,
  pattern: Type.String(),
  targetType: Type.Union([...TargetType.anyOf, Type.Literal("run"), Type.Literal("definition")], {
    description:
      "run: a step of a run waits for the topic. definition: triggers of a pool of definitions want it.",
  }),
  target: Type.String({
    description: "Name of the queue or workflow, the url, id of the run, or the pool.",
  }),
  input: Type.Unknown({
    description: "The value for the target: the message, or the result of the options.",
  }),
  key: Nullable(
    Type.String({ description: "The idempotency key of the run, or the message group." }),
  ),
  problem: Nullable(
    Type.String({ description: "Why it would become a dead letter; null if it would not." }),
  ),
  isStrict: Type.Boolean({ description: "With a problem, publishing fails instead." }),
});

export const listTargets: Route = route({
  method: "POST",
  path: "/v1/topics/:pattern/targets",
  scope: "read",
  bodyLimit: ONE_VALUE_BYTES,
  summary: "List the targets of a message",
  description: "Returns what a message of a topic would go to, and publishes nothing.",
  params: Pattern,
  body: Closed({ message: Json }),
  response: { 200: Type.Object({ targets: Type.Array(Target) }) },
  handler: async (request, { transport: { topics } }) => {
    const { params, body } = request;
    const targets = await topics.targets(params.pattern, toRequiredText(body.message, "message"));
    return {
      targets: targets.map(({ target, ...one }) => ({
        ...one,
        target: one.targetType === "http" ? visibleUrl(target, request) : target,
      })),
    };
  },
});

/** Adds the trace of the request, unless the message has one. */
function withTrace(given: object | undefined, headers: IncomingHttpHeaders): object | undefined {
  const incoming = incomingTrace(headers);
  return incoming === undefined ? given : { ...incoming, ...given };
}
