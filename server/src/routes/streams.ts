/** What runs stream, and what workers are told without asking: as server-sent events. */
import { Type } from "typebox";
import type { App, RouteContext } from "../http/app.ts";
import { EventStream } from "../http/event-stream.ts";
import { HttpProblem } from "../http/problems.ts";
import { Id } from "../http/schemas.ts";

const EVENTS = {
  200: {
    description: "A stream of events.",
    content: { "text/event-stream": { schema: Type.String() } },
  },
} as const;

export function addStreamRoutes(app: App, { transport }: RouteContext): void {
  app.get(
    "/v1/runs/:run_id/stream",
    {
      exposeHeadRoute: false,
      config: { scope: "read" },
      schema: {
        summary: "What the run streams, live (text/event-stream)",
        description:
          "Events: chunk (its id is the position, from which Last-Event-ID or ?after= continues); reset (a call that was interrupted is repeated: discard the chunks of its step from position since on); and end, once the run has ended and all chunks were sent.",
        params: Type.Object({ run_id: Id }),
        querystring: Type.Object({ after: Type.Optional(Id) }),
        headers: Type.Object({ "last-event-id": Type.Optional(Id) }),
        response: EVENTS,
      },
    },
    async (request, reply) => {
      const runId = request.params.run_id;
      if ((await transport.getRun(runId)) === undefined) {
        throw new HttpProblem(404, "RUN_NOT_FOUND", `There is no run ${runId}.`);
      }
      const after = request.headers["last-event-id"] ?? request.query.after ?? "0";
      const stream = new EventStream(reply);
      try {
        for await (const chunks of transport.readStream(runId, after, stream.signal)) {
          for (const chunk of chunks) {
            stream.send(chunk.reset === true ? "reset" : "chunk", chunk, chunk.position);
          }
        }
        stream.send("end", {});
      } catch (error) {
        if (!stream.signal.aborted) {
          request.log.warn({ err: error }, `the stream of run ${runId} broke off`);
        }
      }
      stream.end();
    },
  );

  app.get(
    "/v1/worker/wake",
    {
      exposeHeadRoute: false,
      config: { scope: "work" },
      schema: {
        summary: "Hints for a worker (text/event-stream)",
        description:
          "Events: ready (runs of these workflows may be), and attention (a run that was leased is cancelled or signalled). Hints only: polling alone is correct.",
        querystring: Type.Object({
          workflows: Type.String({
            pattern: "^[a-z0-9][a-z0-9_-]{0,42}(,[a-z0-9][a-z0-9_-]{0,42})*$",
            maxLength: 8_000,
            description: "Names, separated by commas.",
          }),
        }),
        response: EVENTS,
      },
    },
    async ({ query }, reply) => {
      const stream = new EventStream(reply);
      const subscription = transport.subscribe(query.workflows.split(","), {
        onReady: () => stream.send("ready", {}),
        onAttention: (runId) => stream.send("attention", { runId }),
      });
      await subscription.arm();
      stream.send("ready", {});
      await new Promise<void>((resolve) => {
        if (stream.signal.aborted) resolve();
        else stream.signal.addEventListener("abort", () => resolve(), { once: true });
      });
      subscription.close();
      stream.end();
    },
  );
}
