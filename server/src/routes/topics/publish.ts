/** Publishing to topics. */
import type { IncomingHttpHeaders } from "node:http";
import { Type } from "typebox";
import { ONE_VALUE_BYTES } from "../../http/body-limits.ts";
import { route, type Route } from "../../http/route.ts";
import { closed, Json } from "../../http/schemas.ts";
import { toRequiredText, toText } from "../../http/values.ts";
import { incomingTrace } from "../../telemetry/request-trace.ts";
import { Pattern } from "./shapes.ts";

export const publish: Route = route({
  operationId: "publish",
  method: "POST",
  path: "/v1/topics/:pattern/messages",
  scope: "produce",
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
      200: Type.Object({
        targets: Type.Integer({ description: "How many subscriptions received the message." }),
      }),
    },
  },
  handler: async ({ params, body, headers }, _reply, { transport: { topics } }) => ({
    targets: await topics.publish({
      topic: params.pattern,
      message: toRequiredText(body.message, "message"),
      headers: toText(withTrace(body.headers, headers), "headers"),
    }),
  }),
});

/** Adds the trace of the request, unless the message has one. */
function withTrace(given: object | undefined, headers: IncomingHttpHeaders): object | undefined {
  const incoming = incomingTrace(headers);
  return incoming === undefined ? given : { ...incoming, ...given };
}
