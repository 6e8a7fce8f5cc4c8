/** /healthz, /readyz, /metrics, /openapi.json. */
import { Type } from "typebox";
import type { App, RouteContext } from "../http/app.ts";
import { ProblemBody } from "../http/schemas.ts";
import type { Metrics } from "../metrics.ts";

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

  const Readiness = Type.Object({ status: Type.String(), reason: Type.Optional(Type.String()) });
  app.get(
    "/readyz",
    {
      schema: {
        summary: "The database answers, and has the tables of this version",
        response: { 200: Readiness, 503: Readiness },
      },
    },
    async (_request, reply) => {
      if (app.stopping.aborted) return reply.code(503).send({ status: "stopping" });
      const reason = await whyNotReady();
      return reason === undefined
        ? { status: "ready" }
        : reply.code(503).send({ status: "not ready", reason });
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

  async function whyNotReady(): Promise<string | void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<string>((resolve) => {
      timer = setTimeout(resolve, READY_WITHIN_MS, "The database doesn't answer in time.");
    });
    // A query, since the check of versions is made once.
    const asked: Promise<string | void> = transport.queues.list().then(
      () => {},
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
    return Promise.race([asked, late]).finally(() => clearTimeout(timer));
  }
}
