/** The progress of runs of definitions: states of nodes and edges, as one answer and as events. */
import type { DefinitionProgressEvent } from "@oxbow/declared/client";
import { followProgress, progressNow } from "@oxbow/declared/internal";
import { Type } from "typebox";
import { EVENTS, type EventStream, sendEvents } from "../../http/event-stream.ts";
import { whileClientWaits } from "../../http/long-poll.ts";
import { route, type Route } from "../../http/route.ts";
import { Id, Nullable, RunStatus } from "../../http/schemas.ts";
import { findWorkflow } from "../runs/one-run.ts";
import { tools } from "./checker.ts";

const States = Type.Object({
  position: Type.String({
    description:
      "Position of the last row of the journal: events continue after it with Last-Event-ID.",
  }),
  version: Type.Integer({ description: "Version of the definition." }),
  status: RunStatus,
  activity: Nullable(Type.String()),
  nodes: Type.Record(Type.String(), Type.String(), {
    description:
      "All of them, by path, such as tell or pack.17.reserve: idle, ready, running, executing, waiting, retrying, succeeded, failed, skipped or abandoned. Iterations that have not begun are absent.",
  }),
  edges: Type.Array(
    Type.Object({
      prefix: Type.String({
        description: "Prefix of the path in a loop, such as pack.17.; empty outside of loops.",
      }),
      index: Type.Integer({ description: "In the document." }),
      status: Type.String({ description: "open, taken, skipped or failed." }),
    }),
  ),
});

export const getRunProgress: Route = route({
  method: "GET",
  path: "/v1/runs/:run_id/progress",
  scope: "read",
  runAccess: "read",
  summary: "Get the states of all nodes and edges of a run",
  description:
    "Returns how far a run of a definition is, computed from its document and its journal.",
  params: Type.Object({ run_id: Id }),
  response: { 200: States },
  handler: async ({ params }, { transport, declared }, reply) => {
    await findWorkflow(transport, params);
    const signal = whileClientWaits(reply);
    return progressNow({ calls: declared, tools }, params.run_id, signal);
  },
});

export const followRunProgress: Route = route({
  method: "GET",
  path: "/v1/runs/:run_id/progress/events",
  scope: "read",
  runAccess: "read",
  isStream: true,
  summary: "Follow the nodes and edges of a run",
  description:
    "Server-sent events of a run of a definition: changes (which nodes and edges a row of the journal changed, the first one with the states at the beginning; its id is the position: continue after it with Last-Event-ID), state (the run, and the nodes that wait, are retried or execute), reset (the run was migrated to another version or retried: its states begin again), and end, after which the stream closes.",
  params: Type.Object({ run_id: Id }),
  headers: Type.Object({
    "last-event-id": Type.Optional(
      Type.String({ pattern: "^[0-9]{1,10}-[0-9]{1,9}(-[0-9a-f]{8})?$" }),
    ),
  }),
  response: EVENTS,
  handler: async ({ params, headers }, { transport, declared }, reply) => {
    const { run_id: runId } = params;
    await findWorkflow(transport, params);
    // A run without a document is refused before the stream begins.
    const control = new AbortController();
    const waits = whileClientWaits(reply);
    const leave = (): void => control.abort(waits.reason);
    waits.addEventListener("abort", leave);
    const after = headers["last-event-id"];
    const events = followProgress(declared, tools, runId, after, control.signal);
    let next = await events.next();
    await sendEvents(reply, `run ${runId}`, async (stream) => {
      const abort = (): void => control.abort(stream.signal.reason);
      stream.signal.addEventListener("abort", abort);
      try {
        while (next.done !== true) {
          await send(stream, next.value);
          next = await events.next();
        }
      } finally {
        stream.signal.removeEventListener("abort", abort);
        waits.removeEventListener("abort", leave);
      }
    });
  },
});

function send(stream: EventStream, { type, ...event }: DefinitionProgressEvent): Promise<void> {
  return stream.send(type, event, "position" in event ? event.position : undefined);
}
