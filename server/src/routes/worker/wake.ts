/** Hints to a worker, by server-sent events. */
import { once } from "node:events";
import { Type } from "typebox";
import { EVENTS, EventStream } from "../../http/event-stream.ts";
import { route, type Route } from "../../http/route.ts";

export const followWorkerHints: Route = route({
  method: "GET",
  path: "/v1/worker/wake",
  scope: "work",
  isStream: true,
  summary: "Follow hints for a worker",
  description:
    "Server-sent events: ready (runs of these workflows may be ready), and attention (a leased run was cancelled, paused or signalled). Hints may be lost; workers that only poll are correct.",
  querystring: Type.Object({
    workflows: Type.String({
      pattern: "^@?[a-z0-9][a-z0-9_-]{0,42}(,@?[a-z0-9][a-z0-9_-]{0,42})*$",
      maxLength: 8_000,
      description: "Names of workflows, and of pools after @, separated by commas.",
    }),
  }),
  response: EVENTS,
  handler: async ({ query }, { transport }, reply) => {
    const subscription = transport.worker.subscribe(query.workflows.split(","), {
      onReady: () => stream.hint("ready", {}),
      onAttention: (runId) => stream.hint("attention", { runId }),
    });
    // Not before: a refusal would come too late to be the answer.
    const stream = new EventStream(reply);
    await subscription.arm();
    stream.hint("ready", {});
    if (!stream.signal.aborted) await once(stream.signal, "abort");
    subscription.close();
    stream.end();
  },
});
