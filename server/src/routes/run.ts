/** One run, and what is done to it. */
import type { RunRecord } from "@oxbow/sdk/internal";
import { Type } from "typebox";
import type { App, RouteContext } from "../http/app.ts";
import { ONE_VALUE_BYTES } from "../http/body-limits.ts";
import { IdempotencyHeader, idempotencyKeyOf } from "../http/idempotency.ts";
import { waitMsOf, whileClientWaits } from "../http/long-poll.ts";
import { HttpProblem } from "../http/problems.ts";
import { closed, Cursor, Id, Json, Nullable, ProblemBody, WorkflowName } from "../http/schemas.ts";
import { toRequiredText, toText } from "../http/values.ts";
import { endOf } from "../ops/run-end.ts";
import { signalTraced } from "../telemetry/request-trace.ts";
import { Child, Run, shown, shownChild, shownStep, Step } from "./run-shapes.ts";

/** With the name of its workflow a run is one of that, or not found; its id alone will do. */
export function addOneRunRoutes(app: App, context: RouteContext): void {
  const named: OneRunParams = Type.Object({ name: Type.Optional(WorkflowName), run_id: Id });
  // The same to TypeScript; but a document may not describe what a path doesn't have.
  const bare = Type.Object({ run_id: Id }) as unknown as OneRunParams;
  addRoutesAt("/v1/workflows/:name/runs/:run_id", named, app, context);
  addRoutesAt("/v1/runs/:run_id", bare, app, context);
}

type OneRunParams = Type.TObject<{ name: Type.TOptional<typeof WorkflowName>; run_id: typeof Id }>;

function addRoutesAt(
  path: string,
  OneRun: OneRunParams,
  app: App,
  { transport, onSignal }: RouteContext,
): void {
  app.get(
    path,
    {
      config: { scope: "read" },
      schema: {
        summary: "A run; with wait, as soon as it has ended",
        params: OneRun,
        querystring: Type.Object({ wait: Type.Optional(Type.String({ maxLength: 40 })) }, closed),
        response: { 200: Run, default: ProblemBody },
      },
    },
    async ({ params, query }, reply) => {
      const waitMs = waitMsOf(query.wait);
      const run = await findRun(params.name, params.run_id);
      if (run.status !== "running" || waitMs === 0) return shown(run);
      const ended = await endOf(transport, params.run_id, waitMs, whileClientWaits(reply));
      return shown(ended ?? run);
    },
  );

  app.delete(
    path,
    {
      config: { scope: "produce" },
      schema: {
        summary: "Cancel a run",
        params: OneRun,
        querystring: Type.Object(
          {
            reason: Type.Optional(Type.String({ maxLength: 1_000 })),
            rollback: Type.Boolean({ default: false }),
          },
          closed,
        ),
        response: {
          200: Type.Object({
            cancelled: Type.Boolean({ description: "False: it had ended before." }),
          }),
          default: ProblemBody,
        },
      },
    },
    async ({ params, query }) => {
      await findRun(params.name, params.run_id);
      const { reason, rollback } = query;
      return { cancelled: await transport.cancel(params.run_id, { reason, rollback }) };
    },
  );

  app.post(
    `${path}/signals/:event`,
    {
      config: { scope: "produce", takesAnyBody: true },
      bodyLimit: ONE_VALUE_BYTES,
      schema: {
        summary: "Send a signal; the body is its payload",
        headers: IdempotencyHeader,
        params: Type.Object({ ...OneRun.properties, event: Type.String({ maxLength: 512 }) }),
        querystring: Type.Object(
          { deduplicationId: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })) },
          closed,
        ),
        body: Type.Optional(Json),
        response: {
          200: Type.Object({
            outcome: Type.Union([
              Type.Literal("delivered"),
              Type.Literal("buffered"),
              Type.Literal("ignored"),
            ]),
          }),
          default: ProblemBody,
        },
      },
    },
    async ({ params, query, body, headers }) => {
      const { run_id: runId, event } = params;
      const { name } = await findRun(params.name, runId);
      const signal = {
        event,
        payload: body === undefined ? undefined : toText(body, "the payload"),
        deduplicationId: idempotencyKeyOf(headers, query.deduplicationId, "deduplicationId"),
      };
      const facts = { "workflow.name": name, run_id: runId, event };
      const outcome = await signalTraced(headers, facts, () => transport.signal(runId, signal));
      onSignal(name, event);
      return { outcome };
    },
  );

  app.post(
    `${path}/rerun`,
    {
      config: { scope: "admin" },
      bodyLimit: ONE_VALUE_BYTES,
      schema: {
        summary: "Start a new run with the journal of this one up to a step",
        params: OneRun,
        body: Type.Optional(
          Type.Object(
            {
              fromStep: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
              input: Type.Optional(Json),
              version: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647 })),
            },
            closed,
          ),
        ),
        response: { 201: Type.Object({ runId: Id }), default: ProblemBody },
      },
    },
    async ({ params, body }, reply) => {
      await findRun(params.name, params.run_id);
      const runId = await transport.rerun(params.run_id, {
        fromStep: body?.fromStep,
        input: body?.input === undefined ? undefined : toRequiredText(body.input, "input"),
        version: body?.version,
      });
      return reply.code(201).send({ runId });
    },
  );

  for (const change of ["pause", "resume", "retry"] as const) {
    app.post(
      `${path}/${change}`,
      {
        config: { scope: "admin" },
        schema: {
          summary: `${change.charAt(0).toUpperCase()}${change.slice(1)} a run`,
          params: OneRun,
          querystring: Type.Object(
            { reason: Type.Optional(Type.String({ maxLength: 1_000 })) },
            closed,
          ),
          response: {
            200: Type.Object({
              changed: Type.Boolean({ description: "False: there was nothing to change." }),
            }),
            default: ProblemBody,
          },
        },
      },
      async ({ params, query }) => {
        await findRun(params.name, params.run_id);
        const changed =
          change === "pause"
            ? await transport.pause(params.run_id, query.reason)
            : await transport[change](params.run_id);
        return { changed };
      },
    );
  }

  app.get(
    `${path}/steps`,
    {
      config: { scope: "read" },
      schema: {
        summary: "The journal, with timings and attempts",
        params: OneRun,
        querystring: Type.Object(
          {
            after: Type.Integer({ minimum: 0, default: 0, description: "A position." }),
            limit: Type.Integer({ minimum: 1, maximum: 10_000, default: 1_000 }),
          },
          closed,
        ),
        response: {
          200: Type.Object({
            steps: Type.Array(Step),
            after: Nullable(
              Type.Integer({ description: "For the next page; null: the last one." }),
            ),
          }),
          default: ProblemBody,
        },
      },
    },
    async ({ params, query }) => {
      await findRun(params.name, params.run_id);
      const steps = await transport.getJournal(params.run_id, query.after, query.limit);
      const last = steps.length === query.limit ? steps.at(-1) : undefined;
      return { steps: steps.map(shownStep), after: last?.position ?? null };
    },
  );

  app.get(
    `${path}/children`,
    {
      config: { scope: "read" },
      schema: {
        summary: "The runs that its steps have started, oldest first",
        params: OneRun,
        querystring: Type.Object(
          {
            after: Type.Optional(Cursor),
            limit: Type.Integer({ minimum: 1, maximum: 10_000, default: 1_000 }),
          },
          closed,
        ),
        response: {
          200: Type.Object({
            children: Type.Array(Child),
            after: Nullable(Cursor),
          }),
          default: ProblemBody,
        },
      },
    },
    async ({ params, query }) => {
      await findRun(params.name, params.run_id);
      const children = await transport.listChildren(params.run_id, query.after, query.limit);
      const last = children.length === query.limit ? children.at(-1) : undefined;
      return { children: children.map(shownChild), after: last?.cursor ?? null };
    },
  );

  app.get(
    `${path}/state`,
    {
      config: { scope: "read" },
      schema: {
        summary: "What the run shows to others",
        params: OneRun,
        response: { 200: Type.Object({ state: Json }), default: ProblemBody },
      },
    },
    async ({ params }) => {
      await findRun(params.name, params.run_id);
      return { state: (await transport.getState(params.run_id)) ?? {} };
    },
  );

  /** The run, if it is one of this workflow. */
  async function findRun(name: string | undefined, runId: string): Promise<RunRecord> {
    const run = await transport.getRun(runId);
    if (run !== undefined && (name === undefined || run.name === name)) return run;
    throw new HttpProblem(
      404,
      "RUN_NOT_FOUND",
      name === undefined ? `There is no run ${runId}.` : `Workflow "${name}" has no run ${runId}.`,
    );
  }
}
