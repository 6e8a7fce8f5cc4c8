/** Runs of definitions that continue with another version, and reruns from a node. */
import { migrateRun, rerunFromNode } from "@oxbow/declared/internal";
import { recordRun } from "@oxbow/sdk/internal/server";
import { Type } from "typebox";
import { whileClientWaits } from "../../http/long-poll.ts";
import { route, type Route } from "../../http/route.ts";
import { Closed, Id, nonEmpty, Version, WorkflowName } from "../../http/schemas.ts";
import { tools } from "./checker.ts";

/** As the client waits by default. */
const WAIT_SECONDS = 10;

export const migrateDefinitionRun: Route = route({
  method: "POST",
  path: "/v1/definitions/:name/runs/:run_id/migrate",
  scope: "publish",
  isAudited: true,
  summary: "Move a run to another version",
  description:
    "Replays the journal of a run in progress by another version of its definition, and moves the run if that repeats all that was done. Otherwise the answer is 409 with the node that differs. While a worker executes the run, the request waits.",
  params: Type.Object({ name: WorkflowName, run_id: Id }),
  body: Closed({
    version: Type.Optional(Version),
    waitSeconds: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 60,
        default: WAIT_SECONDS,
        description: "How long to wait while a worker executes the run.",
      }),
    ),
  }),
  response: {
    200: Type.Object({
      runId: Id,
      migrated: Type.Boolean({ description: "False if the run had the version." }),
      from: Type.Integer(),
      to: Type.Integer(),
    }),
  },
  handler: async ({ params, body }, { transport, declared }, reply) => {
    const { name, run_id: runId } = params;
    const { version, waitSeconds = WAIT_SECONDS } = body;
    const migrating = { name, runId, version, waitMs: waitSeconds * 1_000 };
    return migrateRun(
      declared,
      tools,
      migrating,
      (id) => recordRun(transport, id),
      whileClientWaits(reply),
    );
  },
});

export const rerunDefinitionRun: Route = route({
  method: "POST",
  path: "/v1/definitions/:name/runs/:run_id/rerun",
  scope: "admin",
  isAudited: true,
  summary: "Repeat a run from a node",
  description:
    "Starts a run with the journal up to where the node began. Another version must repeat that journal; otherwise the answer is 409 with the node that differs.",
  params: Type.Object({ name: WorkflowName, run_id: Id }),
  body: Closed({
    node: nonEmpty(128, "Its path: page, or pack.17.reserve in a loop."),
    version: Type.Optional(Version),
  }),
  response: {
    201: Type.Object({ runId: Id, fromStep: Type.String(), version: Type.Integer() }),
  },
  handler: async ({ params, body }, { transport, declared }, reply) => {
    const { name, run_id: runId } = params;
    const { node, version } = body;
    const again = await rerunFromNode(declared, tools, { name, runId, node, version }, (id) =>
      recordRun(transport, id),
    );
    return reply.code(201).send(again);
  },
});
