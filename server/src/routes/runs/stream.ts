/** Following one run by server-sent events: its steps and status, and the chunks that it streams. */
import { followRun as eventsOf } from "@oxbow/sdk/internal/server";
import { Type } from "typebox";
import { EVENTS, sendEvents } from "../../http/event-stream.ts";
import { route, type Route } from "../../http/route.ts";
import { Id, WorkflowName } from "../../http/schemas.ts";
import { findWorkflow } from "./one-run.ts";
import { shownStep } from "./shapes.ts";

export const streamRun: Route = route({
  method: "GET",
  path: "/v1/runs/:run_id/stream",
  scope: "read",
  runAccess: "stream",
  isStream: true,
  summary: "Stream the output chunks of a run",
  description:
    "Server-sent events: chunk (its id is the position; continue after it with Last-Event-ID or ?after=), reset (a step failed or was interrupted, and is repeated: discard its chunks from position since on), and end, after the run has ended and all chunks were sent.",
  params: Type.Object({ run_id: Id }),
  querystring: Type.Object({ after: Type.Optional(Id) }),
  headers: Type.Object({ "last-event-id": Type.Optional(Id) }),
  response: EVENTS,
  handler: async ({ params, headers, query }, { transport }, reply) => {
    const { run_id: runId } = params;
    await findWorkflow(transport, params);
    const after = headers["last-event-id"] ?? query.after ?? "0";
    await sendEvents(reply, `run ${runId}`, async (stream) => {
      for await (const chunks of await transport.runs.readStream(runId, after, stream.signal)) {
        for (const chunk of chunks) {
          await stream.send(chunk.reset === true ? "reset" : "chunk", chunk, chunk.position);
        }
      }
      await stream.send("end", {});
    });
  },
});

export const followRun: Route = route({
  method: "GET",
  path: "/v1/workflows/:name/runs/:run_id/events",
  scope: "read",
  isStream: true,
  summary: "Follow a run",
  description:
    "Server-sent events: step (continue after it with its id as Last-Event-ID), status (when it changes, and before the steps of the next generation of a run that continues as new), and end, after which the stream closes.",
  params: Type.Object({ name: WorkflowName, run_id: Id }),
  headers: Type.Object({
    "last-event-id": Type.Optional(Type.String({ pattern: "^([0-9]{1,9}-)?[0-9]{1,9}$" })),
  }),
  response: EVENTS,
  handler: async ({ params, headers }, { transport }, reply) => {
    const { run_id: runId } = params;
    await findWorkflow(transport, params);
    const { after, generation } = placeOf(headers["last-event-id"]);
    await sendEvents(reply, `run ${runId}`, async (stream) => {
      for await (const event of eventsOf(transport, runId, after, stream.signal, generation)) {
        if (event.type === "step") {
          await stream.send("step", shownStep(event.step), eventId(event));
          continue;
        }
        const { status, activity, output, error } = event.run;
        if (event.type === "status") {
          await stream.send("status", {
            runId,
            status,
            activity,
            generation: event.run.generation,
          });
        } else {
          const end = { runId, status, output: output ?? null, error: error ?? null };
          await stream.send("end", end);
        }
      }
    });
  },
});

/** The position of a step, with the generation in front from the second one on. */
const eventId = (event: { readonly generation: number; readonly step: { position: number } }) =>
  event.generation === 1
    ? String(event.step.position)
    : `${event.generation}-${event.step.position}`;

/** The step that an event id names. */
function placeOf(id: string | undefined): { readonly after: number; readonly generation?: number } {
  if (id === undefined) return { after: 0 };
  const [position, generation = "1"] = id.split("-").toReversed();
  return { after: Number(position), generation: Number(generation) };
}
