/** Forks: deliveries that a sandbox has captured instead of sending them. */
import { Type } from "typebox";
import { route, type Route } from "../http/route.ts";
import { closed, Id, Instant, Json } from "../http/schemas.ts";
import { visibleUrl } from "./topics/shapes.ts";

const Captured = Type.Object({
  id: Id,
  capturedAt: Instant,
  subscriptionId: Type.Union([Id, Type.Null()]),
  url: Type.Union([Type.String(), Type.Null()]),
  topic: Type.Union([Type.String(), Type.Null()]),
  message: Json,
  headers: Json,
});

const DEFAULT_PAGE = 100;

export const listCapturedDeliveries: Route = route({
  operationId: "listCapturedDeliveries",
  method: "GET",
  path: "/v1/captured-deliveries",
  scope: "read",
  schema: {
    summary: "List captured deliveries",
    description: "Returns deliveries to urls that a sandbox has captured instead of sending them.",
    querystring: Type.Object(
      {
        after: Type.Optional(Id),
        max: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000, default: DEFAULT_PAGE })),
      },
      closed,
    ),
    response: { 200: Type.Object({ deliveries: Type.Array(Captured) }) },
  },
  handler: async (request, _reply, { transport: { topics } }) => {
    const { after, max = DEFAULT_PAGE } = request.query;
    const captured = await topics.captured(after, max);
    return {
      deliveries: captured.map(({ url: given, headers, ...one }) => {
        const url = given === null ? null : visibleUrl(given, request);
        return {
          ...one,
          capturedAt: one.capturedAt.toISOString(),
          url,
          headers: url === null ? headers : { ...(headers as object), url },
        };
      }),
    };
  },
});
