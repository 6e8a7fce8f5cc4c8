/** Workers that report themselves, for the list of workers. */
import { Type } from "typebox";
import { route, type Route } from "../../http/route.ts";
import { Closed } from "../../http/schemas.ts";
import { Versions } from "./versions.ts";

const OneWorker = Type.Object({
  worker_id: Type.String({
    pattern: "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$",
    description: "A UUID that the worker draws when it starts.",
  }),
});

export const reportWorker: Route = route({
  method: "PUT",
  path: "/v1/worker/presence/:worker_id",
  scope: "work",
  summary: "Report a worker",
  description:
    "Reports that a worker is there and what it serves, for the list of workers. Workers do this every 20 seconds.",
  params: OneWorker,
  body: Closed({
    host: Type.String({ maxLength: 200 }),
    processId: Type.Integer({ minimum: 0, maximum: 2_147_483_647 }),
    sdkVersion: Type.String({ maxLength: 40 }),
    serves: Versions,
    slots: Type.Integer({ minimum: 1, maximum: 10_000 }),
    busySlots: Type.Integer({ minimum: 0, maximum: 2_147_483_647 }),
  }),
  response: { 204: Type.Null() },
  handler: async ({ params: { worker_id: workerId }, body }, { transport }, reply) => {
    await transport.workflows.reportWorker({ workerId, ...body });
    return reply.code(204).send(null);
  },
});

export const removeWorker: Route = route({
  method: "DELETE",
  path: "/v1/worker/presence/:worker_id",
  scope: "work",
  summary: "Remove a worker from the list of workers",
  description: "A worker does this when it stops.",
  params: OneWorker,
  response: { 204: Type.Null() },
  handler: async ({ params: { worker_id: workerId } }, { transport }, reply) => {
    await transport.workflows.removeWorker(workerId);
    return reply.code(204).send(null);
  },
});
