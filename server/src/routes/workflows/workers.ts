/** The list of workers. */
import { Type } from "typebox";
import { route, type Route } from "../../http/route.ts";
import { Instant } from "../../http/schemas.ts";

const Worker = Type.Object({
  workerId: Type.String({ description: "Drawn when the worker started." }),
  host: Type.String(),
  processId: Type.Integer(),
  sdkVersion: Type.String(),
  serves: Type.Record(Type.String(), Type.Array(Type.Integer()), {
    description: "The versions that it serves, by workflow.",
  }),
  slots: Type.Integer({ description: "Maximum number of runs that it executes concurrently." }),
  busySlots: Type.Integer({ description: "How many runs it executed at its last report." }),
  startedAt: Instant,
  lastSeenAt: Instant,
  isLive: Type.Boolean({ description: "Whether it has reported itself within the last minute." }),
});

export const listWorkers: Route = route({
  method: "GET",
  path: "/v1/workers",
  scope: "read",
  summary: "List workers",
  description:
    "Returns the workers that have reported themselves within the last hour, by host and process.",
  response: { 200: Type.Object({ workers: Type.Array(Worker) }) },
  handler: async (_request, { transport: { workflows } }) => ({
    workers: await workflows.workers(),
  }),
});
