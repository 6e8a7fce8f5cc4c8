/** Changing one run: cancel, signal, rerun, pause, resume and retry. */
import { Type } from "typebox";
import { ONE_VALUE_BYTES } from "../../http/body-limits.ts";
import { IdempotencyHeader, idempotencyKeyOf } from "../../http/idempotency.ts";
import { type Route, signallingFor } from "../../http/route.ts";
import { Closed, Id, Json, nonEmpty, oneOf, Reason, Version } from "../../http/schemas.ts";
import { toRequiredText, toText } from "../../http/values.ts";
import { signalTraced } from "../../telemetry/request-trace.ts";
import { checkWorkflow, NamedRun, routeOfRun, signalFound } from "./one-run.ts";

export const cancelRun: Route = routeOfRun({
  method: "DELETE",
  path: "",
  scope: "produce",
  isAudited: true,
  summary: "Cancel a run",
  querystring: Closed({
    reason: Type.Optional(Reason),
    rollback: Type.Boolean({
      default: false,
      description: "Whether to execute the rollbacks of completed steps before the run ends.",
    }),
  }),
  response: {
    200: Type.Object({
      cancelled: Type.Boolean({ description: "False if the run had ended." }),
    }),
  },
  handler: async ({ params: of, query: { reason, rollback } }, { transport }) => {
    await checkWorkflow(transport, of);
    return { cancelled: await transport.runs.cancel(of.run_id, { reason, rollback }) };
  },
});

export const signalRun: Route = routeOfRun({
  method: "POST",
  path: "/signals/:event",
  scope: "produce",
  runAccess: "signal",
  takesAnyBody: true,
  bodyLimit: ONE_VALUE_BYTES,
  summary: "Signal a run",
  description: "Sends an event to the run. The body is the payload of the event.",
  headers: IdempotencyHeader,
  params: Type.Object({
    ...NamedRun.properties,
    event: Type.String({ maxLength: 512, description: "Name of the event." }),
  }),
  querystring: Closed({
    deduplicationId: Type.Optional(nonEmpty(512, "A later signal with the same id has no effect.")),
  }),
  body: Type.Optional(Json),
  response: {
    200: Type.Object({
      outcome: oneOf(["delivered", "buffered", "ignored", "sent"]),
    }),
  },
  handler: async (request, context) => {
    const { params: of, query, body, headers } = request;
    const { transport, events } = signallingFor(context, request);
    const { run_id: runId, event } = of;
    const signal = {
      event,
      payload: body === undefined ? undefined : toText(body, "the payload"),
      deduplicationId: idempotencyKeyOf(headers, query.deduplicationId, "deduplicationId"),
    };
    const { workflow, outcome } = await signalTraced(headers, { run_id: runId, event }, () =>
      signalFound(transport, of, signal),
    );
    events.emit("signalSent", { workflow, event });
    return { outcome };
  },
});

export const rerunRun: Route = routeOfRun({
  method: "POST",
  path: "/rerun",
  scope: "admin",
  isAudited: true,
  bodyLimit: ONE_VALUE_BYTES,
  summary: "Rerun a run",
  description:
    "Starts a new run with the journal of this run up to a step. Without fromStep, the new run starts over.",
  body: Closed({
    fromStep: Type.Optional(
      nonEmpty(512, "First step to repeat. Default: the first step of the run."),
    ),
    input: Type.Optional(Json),
    version: Type.Optional(Version),
  }),
  response: { 201: Type.Object({ runId: Id }) },
  handler: async ({ params: of, body }, { transport }, reply) => {
    await checkWorkflow(transport, of);
    const runId = await transport.runs.rerun(of.run_id, {
      fromStep: body.fromStep,
      input: body.input === undefined ? undefined : toRequiredText(body.input, "input"),
      version: body.version,
    });
    return reply.code(201).send({ runId });
  },
});

export const pauseRun = changeOf("pause", {
  summary: "Pause a run",
  description:
    "Steps that are executing finish; no further step starts until the run is resumed. Deadlines still apply.",
});

export const resumeRun = changeOf("resume", { summary: "Resume a paused run" });

export const retryRun = changeOf("retry", {
  summary: "Retry a failed or cancelled run",
  description:
    "The run continues with its journal. The failed step gets new attempts, and steps that started after the failure are repeated.",
});

export const deleteRun = changeOf("delete", {
  summary: "Delete a run",
  description:
    "Deletes an ended run for good, with the runs that its steps invoked and waited for. Changes nothing if one of them is in progress, or if the parent of the run has yet to take its result. The method DELETE cancels a run.",
});

export const updateRun: Route = routeOfRun({
  method: "PATCH",
  path: "",
  scope: "admin",
  isAudited: true,
  summary: "Change the tags or the retention of a run",
  body: Closed({
    tags: Type.Optional(
      Type.Record(Type.String(), Json, { description: "Instead of all tags of the run." }),
    ),
    retentionDays: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 36_500,
        description: "How many days the run is kept after its end.",
      }),
    ),
  }),
  response: {
    200: Type.Object({
      changed: Type.Boolean({ description: "False if there was nothing to change." }),
    }),
  },
  handler: async ({ params: of, body: { tags, retentionDays } }, { transport }) => {
    await checkWorkflow(transport, of);
    const text = tags === undefined ? undefined : toText(tags, "the tags");
    return { changed: await transport.runs.update(of.run_id, { tags: text, retentionDays }) };
  },
});

function changeOf(
  change: "pause" | "resume" | "retry" | "delete",
  texts: { readonly summary: string; readonly description?: string },
): Route {
  return routeOfRun({
    method: "POST",
    path: `/${change}`,
    scope: "admin",
    isAudited: true,
    ...texts,
    querystring: Closed({ reason: Type.Optional(Reason) }),
    response: {
      200: Type.Object({
        changed: Type.Boolean({ description: "False if there was nothing to change." }),
      }),
    },
    handler: async ({ params: of, query }, { transport }) => {
      await checkWorkflow(transport, of);
      const changed =
        change === "pause"
          ? await transport.runs.pause(of.run_id, query.reason)
          : await transport.runs[change](of.run_id);
      return { changed };
    },
  });
}
