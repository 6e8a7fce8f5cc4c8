/** For what watches the server: /healthz, /readyz, /metrics and /openapi.json. */
import { type Transport, within } from "@oxbow/sdk/internal";
import { type Static, Type } from "typebox";
import { route, type Route } from "../http/route.ts";
import { Nullable } from "../http/schemas.ts";

export const getHealth: Route = route({
  operationId: "getHealth",
  method: "GET",
  path: "/healthz",
  schema: {
    summary: "Get the liveness of the server",
    description: "Answers 200 while the process runs.",
    response: { 200: Type.Object({ status: Type.String() }) },
  },
  handler: async () => ({ status: "alive" }),
});

const READY_WITHIN_MS = 2_000;

const Readiness = Type.Object({
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
});

export const getReadiness: Route = route({
  operationId: "getReadiness",
  method: "GET",
  path: "/readyz",
  schema: {
    summary: "Get the readiness of the server",
    description:
      "Answers 200 if the database answers and has the tables of this version. Only tokens with the scope read see the details.",
    response: { 200: Readiness, 503: Readiness },
  },
  handler: async (request, reply, { transport }) => {
    if (request.server.stopping.aborted) return reply.code(503).send({ status: "stopping" });
    const state = await look(transport);
    const isReady = typeof state !== "string";
    const status = isReady ? "ready" : "not ready";
    const details = !request.may("read") ? {} : isReady ? state : { reason: state };
    return reply.code(isReady ? 200 : 503).send({ status, ...details });
  },
});

/** The state of the database, or why there is none. */
async function look(
  transport: Transport,
): Promise<Omit<Static<typeof Readiness>, "status"> | string> {
  const asked = ask(transport).catch((error: unknown) =>
    error instanceof Error ? error.message : String(error),
  );
  const isInTime = await within(READY_WITHIN_MS, asked);
  return isInTime ? asked : "The database does not answer in time.";
}

/** Queries every time, because the check of versions is made only once. */
async function ask({ statistics, fork }: Transport) {
  const [schema, incarnation, lags] = await Promise.all([
    statistics?.version(),
    fork?.incarnation(),
    statistics?.lag(),
  ]);
  const oldest = lags?.[0];
  return {
    ...(schema === undefined ? {} : { schema }),
    ...(incarnation === undefined ? {} : { incarnation: incarnation.state }),
    oldestReadyRun:
      oldest === undefined ? null : { workflow: oldest.name, ageSeconds: oldest.lagSeconds },
  };
}

export const getMetrics: Route = route({
  method: "GET",
  path: "/metrics",
  scope: "read",
  schema: { hide: true },
  handler: async (_request, reply, { scrape }) =>
    reply.header("content-type", scrape.contentType).send(await scrape.render()),
});

export const getOpenApi: Route = route({
  method: "GET",
  path: "/openapi.json",
  schema: { hide: true },
  handler: async (_request, reply) => reply.server.swagger(),
});
