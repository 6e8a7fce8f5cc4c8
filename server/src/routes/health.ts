/** /healthz, /readyz, /metrics, /openapi.json. */
import { within } from "@oxbow/sdk/internal";
import { type Static, Type } from "typebox";
import type { App, RouteContext } from "../http/app.ts";
import { Nullable, ProblemBody } from "../http/schemas.ts";
import type { Metrics } from "../telemetry/metrics.ts";

const READY_WITHIN_MS = 2_000;

export function addHealthRoutes(app: App, { transport }: RouteContext, metrics: Metrics): void {
  app.get(
    "/healthz",
    {
      schema: {
        summary: "The process is alive",
        response: { 200: Type.Object({ status: Type.String() }) },
      },
    },
    async () => ({ status: "alive" }),
  );

  const Readiness = Type.Object({
    status: Type.String(),
    reason: Type.Optional(Type.String()),
    schema: Type.Optional(Type.String({ description: "Version of the tables and functions." })),
    incarnation: Type.Optional(
      Type.String({ description: "live, or what a copy is: sandbox, or held until its release." }),
    ),
    oldestReadyRun: Type.Optional(
      Nullable(
        Type.Object(
          { workflow: Type.String(), ageSeconds: Type.Number() },
          { description: "The run that has waited longest for a worker; null: none waits." },
        ),
      ),
    ),
  });
  app.get(
    "/readyz",
    {
      schema: {
        summary: "The database answers, and has the tables of this version",
        description:
          "Details are shown to tokens with the scope read; others see the status alone.",
        response: { 200: Readiness, 503: Readiness },
      },
    },
    async (request, reply) => {
      if (app.stopping.aborted) return reply.code(503).send({ status: "stopping" });
      const state = await look();
      const isReady = typeof state !== "string";
      const status = isReady ? "ready" : "not ready";
      // Names and reasons are for those who may read them elsewhere too.
      const more = !request.may("read") ? {} : isReady ? state : { reason: state };
      return reply.code(isReady ? 200 : 503).send({ status, ...more });
    },
  );

  app.get(
    "/v1/check",
    {
      config: { scope: "any" },
      schema: {
        summary: "The token is good, and the database can be used",
        response: { 200: Type.Object({ status: Type.String() }), default: ProblemBody },
      },
    },
    async () => {
      await transport.check();
      return { status: "ready" };
    },
  );

  app.get(
    "/metrics",
    { config: { scope: "read" }, schema: { hide: true } },
    async (_request, reply) =>
      reply.header("content-type", metrics.contentType).send(await metrics.render()),
  );

  app.get("/openapi.json", { schema: { hide: true } }, async () => app.swagger());

  /** What the database says, or why it doesn't. */
  async function look(): Promise<Omit<Static<typeof Readiness>, "status"> | string> {
    const asked = ask().catch((error: unknown) =>
      error instanceof Error ? error.message : String(error),
    );
    return (await within(READY_WITHIN_MS, asked)) ? asked : "The database doesn't answer in time.";
  }

  async function ask() {
    // Queries, since the check of versions is made once.
    const [schema, incarnation, lags] = await Promise.all([
      transport.statistics?.version(),
      transport.statistics?.incarnation(),
      transport.statistics?.lag(),
    ]);
    const oldest = lags?.[0];
    return {
      ...(schema === undefined ? {} : { schema }),
      ...(incarnation === undefined ? {} : { incarnation: incarnation.state }),
      oldestReadyRun:
        oldest === undefined ? null : { workflow: oldest.name, ageSeconds: oldest.lagSeconds },
    };
  }
}
