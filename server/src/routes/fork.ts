/** Forks: the identity of the database, its release, and deliveries that a sandbox has captured instead of sending them. */
import { Type } from "typebox";
import { route, type Route } from "../http/route.ts";
import { about, Closed, Id, Instant, Json, Nullable, oneOf } from "../http/schemas.ts";
import { visibleUrl } from "./topics/shapes.ts";

const Captured = Type.Object({
  id: Id,
  capturedAt: Instant,
  subscriptionId: about(Nullable(Id), "Null for a request."),
  url: Type.Union([Type.String(), Type.Null()]),
  topic: about(Nullable(Type.String()), "Null for a request."),
  message: about(Json, "The body of a request."),
  headers: Json,
  runId: about(Nullable(Id), "The run that made the request; null for a delivery."),
});

const DEFAULT_PAGE = 100;

export const listCapturedDeliveries: Route = route({
  method: "GET",
  path: "/v1/captured-deliveries",
  scope: "read",
  summary: "List captured deliveries",
  description:
    "Returns deliveries to urls, and requests of definitions, that a sandbox has captured instead of sending them.",
  querystring: Closed({
    after: Type.Optional(Id),
    max: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000, default: DEFAULT_PAGE })),
  }),
  response: { 200: Type.Object({ deliveries: Type.Array(Captured) }) },
  handler: async (request, { transport: { topics } }) => {
    const { after, max = DEFAULT_PAGE } = request.query;
    const captured = await topics.captured(after, max);
    return {
      deliveries: captured.map(({ url: given, headers, ...one }) => {
        const url = given === null ? null : visibleUrl(given, request);
        return {
          ...one,
          url,
          headers: url === null ? headers : { ...(headers as object), url },
        };
      }),
    };
  },
});

const IncarnationState = oneOf(["live", "sandbox", "held"]);

const Incarnation = Type.Object({
  id: Type.String(),
  parentId: Nullable(Type.String({ description: "The incarnation that it is a copy of." })),
  state: IncarnationState,
  origin: Nullable(Type.String({ description: "How it came into that state." })),
  since: Nullable(Instant),
  copiedAt: Nullable(about(Instant, "Up to when it has the history of its source.")),
  guarded: Type.Boolean({
    description: "Whether a promotion, or a recovery from an archive, holds it.",
  }),
});

export const getIncarnation: Route = route({
  method: "GET",
  path: "/v1/incarnation",
  scope: "read",
  summary: "Get the identity of the database",
  description:
    "Returns whether the database is live, a sandbox, or a copy that is held; null without tables.",
  response: { 200: Type.Object({ incarnation: Nullable(Incarnation) }) },
  handler: async (_request, { transport }) => {
    return { incarnation: (await transport.fork?.incarnation()) ?? null };
  },
});

export const releaseIncarnation: Route = route({
  method: "POST",
  path: "/v1/incarnation/release",
  scope: "admin",
  isAudited: true,
  summary: "Release a held copy",
  description:
    "Releases the database as a sandbox, which captures deliveries to urls, or as the live database.",
  body: Closed({
    as: oneOf(["sandbox", "live"]),
    timers: Type.Optional(
      oneOf(
        ["fire", "shift", "hold"],
        "Timers fire at their time (default), shift by the time since the copy, or are held: their runs and all schedules are paused.",
      ),
    ),
  }),
  response: {
    200: Type.Object({
      released: Type.Boolean({ description: "False if the database was not held." }),
      id: Nullable(Type.String({ description: "The new identity." })),
      leases: Type.Integer({ description: "Runs whose worker was in the source." }),
      timers: Type.Integer({ description: "Timers that were shifted or paused." }),
      captured: Type.Integer({ description: "Deliveries that came with the copy." }),
    }),
  },
  handler: async ({ body: { as, timers = "fire" } }, { transport }) => {
    const released = await transport.fork?.release({ as, timers });
    if (released === undefined) {
      return { released: false, id: null, leases: 0, timers: 0, captured: 0 };
    }
    return { released: true, ...released };
  },
});
