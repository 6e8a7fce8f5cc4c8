/** Why a run does not advance. */
import { Type } from "typebox";
import type { Route } from "../../http/route.ts";
import { about, Id, Instant, Json, Nullable, oneOf } from "../../http/schemas.ts";
import { checkWorkflow, routeOfRun, runNotFound } from "./one-run.ts";

const Explanation = Type.Object({
  runId: Id,
  cause: oneOf([
    "ended",
    "held",
    "paused",
    "pausing",
    "executing",
    "suspect",
    "no_worker",
    "ready",
    "delayed",
    "key_limit",
    "key_rate",
    "concurrency_limit",
    "rate_limit",
    "step_retry",
    "run_retry",
    "approval",
    "event",
    "child",
    "sleep",
  ]),
  summary: Type.String({ description: "A sentence for people." }),
  remedy: Type.String({ description: "The action to take, for people." }),
  since: Nullable(Instant),
  until: Nullable(
    about(
      Instant,
      "When the run advances without intervention; of executing, the end of the lease.",
    ),
  ),
  details: Json,
});

export const explainRun: Route = routeOfRun({
  method: "GET",
  path: "/explain",
  scope: "read",
  summary: "Explain why a run does not advance",
  description: "Returns one cause, and the action to take.",
  response: { 200: Explanation },
  handler: async ({ params: of }, { transport }) => {
    await checkWorkflow(transport, of);
    const explanation = await transport.runs.explain(of.run_id);
    if (explanation === undefined) throw runNotFound(of);
    return explanation;
  },
});
