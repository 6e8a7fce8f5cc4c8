/** For what watches the server: /healthz, /readyz, /metrics and /openapi.json. */
import { Type } from "typebox";
import { route, type Route } from "../http/route.ts";
import { Nullable } from "../http/schemas.ts";
import { READY } from "../telemetry/readiness.ts";

export const getHealth: Route = route({
  method: "GET",
  path: "/healthz",
  summary: "Get the liveness of the server",
  description: "Answers 200 while the process runs.",
  response: { 200: Type.Object({ status: Type.String() }) },
  handler: async () => ({ status: "alive" }),
});

const OfDatabase = {
  status: Type.String(),
  reason: Type.Optional(Type.String()),
  schema: Type.Optional(Type.String({ description: "Version of the tables and functions." })),
  incarnation: Type.Optional(
    Type.String({
      description: "live; sandbox for a released copy, held for a copy that is not released.",
    }),
  ),
  oldestReadyRun: Type.Optional(
    Nullable(
      Type.Object(
        { workflow: Type.String(), ageSeconds: Type.Number() },
        { description: "The run that has been ready longest; null if no run is ready." },
      ),
    ),
  ),
  readAgeSeconds: Type.Optional(
    Nullable(
      Type.Number({
        description:
          "How old lists, counts and metrics are: more than 0 if they come from a standby that lags; null while that does not answer.",
      }),
    ),
  ),
};

const Readiness = Type.Object({
  ...OfDatabase,
  shards: Type.Optional(
    Type.Record(Type.String(), Type.Object(OfDatabase), {
      description: "The same of each shard, if there are several.",
    }),
  ),
});

export const getReadiness: Route = route({
  method: "GET",
  path: "/readyz",
  summary: "Get the readiness of the server",
  description:
    "Answers 200 if the database answers and has the tables of this version; over shards, if one of them does. Only tokens with the scope read see the details.",
  response: { 200: Readiness, 503: Readiness },
  handler: async (request, { readiness }, reply) => {
    if (request.server.stopping.aborted) return reply.code(503).send({ status: "stopping" });
    const state = await readiness.look();
    const { status } = state;
    return reply.code(status === READY ? 200 : 503).send(request.may("read") ? state : { status });
  },
});

export const getMetrics: Route = route({
  method: "GET",
  path: "/metrics",
  scope: "read",
  hide: true,
  handler: async (_request, { scrape }, reply) =>
    reply.header("content-type", scrape.contentType).send(await scrape.render()),
});

export const getOpenApi: Route = route({
  method: "GET",
  path: "/openapi.json",
  hide: true,
  handler: (_request, _context, reply) => reply.send(reply.server.swagger()),
});
