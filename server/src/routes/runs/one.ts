/** Reading one run: the run itself, its journal, its children, and the state it publishes. */
import type { RunRecord } from "@oxbow/sdk/internal/server";
import { Type } from "typebox";
import { waitMsOf, whileClientWaits } from "../../http/long-poll.ts";
import type { Route } from "../../http/route.ts";
import { Closed, Cursor, Json, nonEmpty, Nullable, Wait } from "../../http/schemas.ts";
import { endOf } from "../../http/run-end.ts";
import { findRun, findWorkflow, routeOfRun } from "./one-run.ts";
import { Child, Generation, Run, shownStep, shownToHolder, Step } from "./shapes.ts";

export const getRun: Route = routeOfRun({
  method: "GET",
  path: "",
  scope: "read",
  runAccess: "read",
  summary: "Get a run",
  description:
    "With wait, answers when the run ends, or with its current state after the wait (at most a minute). The holder of a run token gets no input, no journaled values, and nothing that names a worker.",
  querystring: Closed({ wait: Type.Optional(Wait) }),
  response: { 200: Run },
  handler: async ({ params: of, query, identity }, { transport }, reply) => {
    const show = (found: RunRecord) => (identity?.run === undefined ? found : shownToHolder(found));
    const waitMs = waitMsOf(query.wait);
    const run = await findRun(transport, of);
    if (run.status !== "running" || waitMs === 0) return show(run);
    const ended = await endOf(transport.runs, of.run_id, waitMs, whileClientWaits(reply));
    return show(ended ?? run);
  },
});

export const listRunSteps: Route = routeOfRun({
  method: "GET",
  path: "/steps",
  scope: "read",
  summary: "List the steps of a run",
  description: "Returns the journal in order, with the timing and the attempts of each step.",
  querystring: Closed({
    after: Type.Integer({
      minimum: 0,
      default: 0,
      description: "Position of the last step of the page before.",
    }),
    limit: Type.Integer({ minimum: 1, maximum: 10_000, default: 1_000 }),
  }),
  response: {
    200: Type.Object({
      steps: Type.Array(Step),
      after: Nullable(
        Type.Integer({ description: "Pass it to get the next page; null on the last page." }),
      ),
    }),
  },
  handler: async ({ params: of, query: { after, limit } }, { transport }) => {
    await findWorkflow(transport, of);
    const steps = await transport.runs.getJournal(of.run_id, after, limit);
    const last = steps.length === limit ? steps.at(-1) : undefined;
    return { steps: steps.map(shownStep), after: last?.position ?? null };
  },
});

export const listRunChildren: Route = routeOfRun({
  method: "GET",
  path: "/children",
  scope: "read",
  summary: "List the child runs of a run",
  description: "Returns the runs that steps of this run have started, oldest first.",
  querystring: Closed({
    after: Type.Optional(Cursor),
    limit: Type.Integer({ minimum: 1, maximum: 10_000, default: 1_000 }),
    step: Type.Optional(
      nonEmpty(
        256,
        "Only the run that this step has started, such as pack.17 for an item of a loop.",
      ),
    ),
  }),
  response: { 200: Type.Object({ children: Type.Array(Child), after: Nullable(Cursor) }) },
  handler: async ({ params: of, query: { after, limit, step } }, { transport }) => {
    await findWorkflow(transport, of);
    const children = await transport.runs.listChildren(of.run_id, after, limit, step);
    const last = children.length === limit ? children.at(-1) : undefined;
    return { children, after: last?.cursor ?? null };
  },
});

export const listRunGenerations: Route = routeOfRun({
  method: "GET",
  path: "/generations",
  scope: "read",
  summary: "List the generations of a run",
  description:
    "Returns what a run that continues as new has executed, oldest first: the first generation, the latest 99 that have ended, and the current one.",
  response: { 200: Type.Object({ generations: Type.Array(Generation) }) },
  handler: async ({ params: of }, { transport }) => {
    await findWorkflow(transport, of);
    return { generations: await transport.runs.listGenerations(of.run_id) };
  },
});

export const getRunState: Route = routeOfRun({
  method: "GET",
  path: "/state",
  scope: "read",
  runAccess: "read",
  summary: "Get the published state of a run",
  description: "Returns the last value of each key that the run has published.",
  response: { 200: Type.Object({ state: Json }) },
  handler: async ({ params: of }, { transport }) => {
    await findWorkflow(transport, of);
    return { state: (await transport.runs.getState(of.run_id)) ?? {} };
  },
});
