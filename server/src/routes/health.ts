/** For what watches the server: /healthz, /readyz, /metrics and /openapi.json. */
import { type FleetAccess, type Transport, within } from "@oxbow/sdk/internal";
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
};

const Readiness = Type.Object({
  ...OfDatabase,
  shards: Type.Optional(
    Type.Record(Type.String(), Type.Object(OfDatabase), {
      description: "The same of each shard, if there are several.",
    }),
  ),
});

type State = Static<typeof Readiness>;

export const getReadiness: Route = route({
  operationId: "getReadiness",
  method: "GET",
  path: "/readyz",
  schema: {
    summary: "Get the readiness of the server",
    description:
      "Answers 200 if the database answers and has the tables of this version; over shards, if one of them does. Only tokens with the scope read see the details.",
    response: { 200: Readiness, 503: Readiness },
  },
  handler: async (request, reply, { transport }) => {
    if (request.server.stopping.aborted) return reply.code(503).send({ status: "stopping" });
    const { fleet } = transport;
    const state = fleet === undefined ? await look(transport) : await lookAtAll(fleet);
    const { status } = state;
    return reply.code(status === READY ? 200 : 503).send(request.may("read") ? state : { status });
  },
});

const READY = "ready";
const NOT_READY = "not ready";

/** While one shard answers, the server has something to serve: without it, all of them would be out of reach. */
async function lookAtAll({ lanes }: FleetAccess): Promise<State> {
  const found = await Promise.all(
    lanes.map(async ({ name, transport }) => [name, await look(transport)] as const),
  );
  const states = found.map(([, state]) => state);
  const known = new Set(states.flatMap(({ incarnation }) => incarnation ?? []));
  const incarnation = ["held", "sandbox", "live"].find((one) => known.has(one));
  return {
    status: states.some(({ status }) => status === READY) ? READY : NOT_READY,
    ...(incarnation === undefined ? {} : { incarnation }),
    shards: Object.fromEntries(found),
  };
}

async function look(transport: Transport): Promise<State> {
  const asked = ask(transport).catch((error: unknown) => ({
    status: NOT_READY,
    reason: error instanceof Error ? error.message : String(error),
  }));
  const isInTime = await within(READY_WITHIN_MS, asked);
  return isInTime ? asked : { status: NOT_READY, reason: "The database does not answer in time." };
}

/** Queries every time, because the check of versions is made only once. */
async function ask({ statistics, fork }: Transport): Promise<State> {
  const [schema, incarnation, lags] = await Promise.all([
    statistics?.version(),
    fork?.incarnation(),
    statistics?.lag(),
  ]);
  const oldest = lags?.[0];
  return {
    status: READY,
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
