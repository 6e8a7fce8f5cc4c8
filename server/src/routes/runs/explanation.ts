/** Why a run does not advance. */
import type { RunExplanation } from "@oxbow/sdk/internal/server";
import { type Static, Type } from "typebox";
import type { Route } from "../../http/route.ts";
import { Id, Instant, Json, Nullable } from "../../http/schemas.ts";
import { checkWorkflow, routeOfRun, runNotFound } from "./one-run.ts";

const Explanation = Type.Object({
  runId: Id,
  cause: Type.Union([
    Type.Literal("ended"),
    Type.Literal("held"),
    Type.Literal("paused"),
    Type.Literal("pausing"),
    Type.Literal("executing"),
    Type.Literal("suspect"),
    Type.Literal("no_worker"),
    Type.Literal("ready"),
    Type.Literal("delayed"),
    Type.Literal("key_limit"),
    Type.Literal("key_rate"),
    Type.Literal("concurrency_limit"),
    Type.Literal("rate_limit"),
    Type.Literal("step_retry"),
    Type.Literal("run_retry"),
    Type.Literal("approval"),
    Type.Literal("event"),
    Type.Literal("child"),
    Type.Literal("sleep"),
  ]),
  summary: Type.String({ description: "A sentence for people." }),
  remedy: Type.String({ description: "The action to take, for people." }),
  since: Nullable(Instant),
  until: Nullable(
    Type.String({
      format: "date-time",
      description:
        "When the run advances without intervention; of executing, the end of the lease.",
    }),
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
  handler: async ({ params: of }, _reply, { transport }) => {
    await checkWorkflow(transport, of);
    const explanation = await transport.runs.explain(of.run_id);
    if (explanation === undefined) throw runNotFound(of);
    return shown(explanation);
  },
});

const shown = ({ since, until, ...found }: RunExplanation): Static<typeof Explanation> => ({
  ...found,
  since: since?.toISOString() ?? null,
  until: until?.toISOString() ?? null,
});
