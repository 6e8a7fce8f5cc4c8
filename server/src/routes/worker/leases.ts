/** Runs that a worker holds: extending their leases, and reporting which steps execute. */
import { Type } from "typebox";
import { receiptsIn } from "../../http/lease-access.ts";
import { route, type Route } from "../../http/route.ts";
import { Closed, Id, Nullable } from "../../http/schemas.ts";
import { Count, Known, StepName } from "./commit-shapes.ts";

const DEFAULT_LEASE_MS = 30_000;
export const LeaseMs = Type.Integer({
  minimum: 1_000,
  maximum: 43_200_000,
  default: DEFAULT_LEASE_MS,
});

export const extendLeases: Route = route({
  method: "POST",
  path: "/v1/worker/heartbeat",
  scope: "work",
  leaseAccess: (body) => {
    const { receipts } = body as { readonly receipts?: unknown };
    return { receipts: Array.isArray(receipts) ? receipts : [receipts] };
  },
  summary: "Extend leases",
  description: "Returns the runs that need attention: lost, cancelled, paused or signalled.",
  body: Closed({
    receipts: Type.Array(Id, { minItems: 1, maxItems: 10_000 }),
    known: Type.Optional(Type.Array(Known, { description: "One element per receipt." })),
    leaseMs: Type.Optional(Nullable(LeaseMs)),
  }),
  response: {
    200: Type.Object({
      notices: Type.Array(Type.Object({ receipt: Id, runId: Id, outcome: Type.String() })),
    }),
  },
  handler: async ({ body: { receipts, known, leaseMs = DEFAULT_LEASE_MS } }, { transport }) => {
    const leases = receipts.map((receipt, index) => ({ receipt, known: known?.[index] ?? {} }));
    const notices = await transport.worker.heartbeat(leases, leaseMs);
    // An older worker treats an unknown outcome as a loss.
    return {
      notices: known === undefined ? notices.filter(({ outcome }) => outcome !== "busy") : notices,
    };
  },
});

export const reportProgress: Route = route({
  method: "POST",
  path: "/v1/worker/progress",
  scope: "work",
  leaseAccess: receiptsIn("reports"),
  summary: "Report the steps that are executing",
  description: "Shown as inProgress of their runs.",
  body: Closed({
    worker: Type.String({ maxLength: 200 }),
    reports: Type.Array(
      Closed({
        receipt: Id,
        steps: Type.Array(
          Closed({ step: StepName, attempt: Count, forMs: Type.Number({ minimum: 0 }) }),
        ),
      }),
      { minItems: 1, maxItems: 10_000 },
    ),
  }),
  response: { 204: Type.Null() },
  handler: async ({ body: { worker, reports } }, { transport }, reply) => {
    await transport.worker.reportProgress(worker, reports);
    return reply.code(204).send(null);
  },
});
