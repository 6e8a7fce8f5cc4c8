/** /v1/runs and batches: what is said of many runs at once, as the SDK says it. */
import { Readable } from "node:stream";
import type { StartRequest, Transport } from "@oxbow/sdk/internal";
import { Type } from "typebox";
import type { App, RouteContext } from "../http/app.ts";
import { MANY_VALUES_BYTES, ONE_VALUE_BYTES } from "../http/body-limits.ts";
import {
  closed,
  Cursor,
  Independent,
  Json,
  Nullable,
  ProblemBody,
  RunStatus,
  WorkflowName,
} from "../http/schemas.ts";
import { toText } from "../http/values.ts";
import { incomingTrace, startTraced } from "../telemetry/request-trace.ts";
import { listed, Listed } from "./run-shapes.ts";
import { StartBody, Started, toStartRequest } from "./start.ts";

const Named = Type.Object({ name: WorkflowName });

const Conditions = Type.Object(
  {
    name: Type.Optional(WorkflowName),
    version: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647 })),
    status: Type.Optional(Type.Array(RunStatus, { minItems: 1, maxItems: 4 })),
    paused: Type.Optional(Type.Boolean()),
    startedAfter: Type.Optional(Type.String({ format: "date-time" })),
    startedBefore: Type.Optional(Type.String({ format: "date-time" })),
    completedAfter: Type.Optional(Type.String({ format: "date-time" })),
    completedBefore: Type.Optional(Type.String({ format: "date-time" })),
    tags: Type.Optional(Json),
    input: Type.Optional(Json),
    errorCode: Type.Optional(Type.String({ maxLength: 200 })),
    idempotencyKey: Type.Optional(Type.String({ maxLength: 512 })),
  },
  { ...closed, description: "All are to be true." },
);

const Page = {
  before: Type.Optional(Cursor),
  maxRuns: Type.Integer({ minimum: 1, maximum: 10_000, default: 100 }),
};

const ListedWithValues = Type.Object({
  ...Listed.properties,
  input: Type.Optional(Json),
  output: Type.Optional(Json),
});

const MOST_STARTS = 10_000;

export function addManyRunRoutes(
  app: App,
  { transport, maxRetentionDays, onSignal }: RouteContext,
): void {
  app.post(
    "/v1/workflows/:name/runs/batch",
    {
      config: { scope: "produce" },
      bodyLimit: MANY_VALUES_BYTES,
      schema: {
        summary: "Start many runs of a workflow in one statement",
        params: Named,
        querystring: Independent,
        body: Type.Object(
          { runs: Type.Array(StartBody, { minItems: 1, maxItems: MOST_STARTS }) },
          closed,
        ),
        response: { 200: Type.Object({ runs: Type.Array(Started) }), default: ProblemBody },
      },
    },
    async ({ params, body, headers, query: { independent = false } }) => {
      const startAll = async (
        requests: readonly StartRequest[],
      ): ReturnType<Transport["startBatch"]> => {
        const [first, ...others] = requests;
        return independent && first !== undefined && others.length === 0
          ? [await transport.start(first)]
          : transport.startBatch(params.name, requests, undefined, { isPatient: !independent });
      };
      const starts = body.runs.map((run) => toStartRequest(params.name, run, maxRetentionDays));
      if (starts.every(({ trace }) => trace !== undefined)) {
        return { runs: await startAll(starts) };
      }
      const facts = { "workflow.name": params.name, "batch.size": starts.length };
      const runs = await startTraced(headers, facts, (trace) =>
        startAll(starts.map((start) => ({ ...start, trace: start.trace ?? trace }))),
      );
      return { runs };
    },
  );

  app.post(
    "/v1/workflows/:name/runs/signal-with-start",
    {
      config: { scope: "produce" },
      bodyLimit: 2 * ONE_VALUE_BYTES,
      schema: {
        summary: "Start a run, or find it by its key, and signal it, in one transaction",
        params: Named,
        body: Type.Object(
          {
            run: StartBody,
            event: Type.String({ maxLength: 512 }),
            payload: Type.Optional(Json),
            deduplicationId: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
          },
          closed,
        ),
        response: {
          200: Type.Object({ ...Started.properties, outcome: Type.String() }),
          default: ProblemBody,
        },
      },
    },
    async ({ params, headers, body: { run, event, payload, deduplicationId } }) => {
      const start = toStartRequest(params.name, run, maxRetentionDays);
      const found = await transport.signalWithStart(
        { ...start, trace: start.trace ?? incomingTrace(headers) },
        { event, payload: toText(payload, "the payload"), deduplicationId },
      );
      onSignal(params.name, event);
      return found;
    },
  );

  app.post(
    "/v1/runs/search",
    {
      config: { scope: "read" },
      schema: {
        summary: "Runs that fit a filter, newest first",
        body: Type.Object(
          { conditions: Conditions, ...Page, withValues: Type.Boolean({ default: false }) },
          closed,
        ),
        response: {
          200: Type.Object({ runs: Type.Array(ListedWithValues) }),
          default: ProblemBody,
        },
      },
    },
    async ({ body: { conditions, before, maxRuns, withValues } }) => {
      const runs = await transport.listRuns(conditions, { before, maxRuns, withValues });
      return {
        runs: runs.map((run) => ({
          ...listed(run),
          ...(withValues ? { input: run.input, output: run.output } : {}),
        })),
      };
    },
  );

  app.post(
    "/v1/runs/count",
    {
      config: { scope: "read" },
      schema: {
        summary: "How many runs fit",
        body: Type.Object(
          {
            conditions: Conditions,
            atMost: Type.Integer({ minimum: 1, maximum: 2_147_483_647, default: 10_000 }),
          },
          closed,
        ),
        response: { 200: Type.Object({ count: Type.Integer() }), default: ProblemBody },
      },
    },
    async ({ body }) => ({ count: await transport.countRuns(body.conditions, body.atMost) }),
  );

  app.post(
    "/v1/runs/export",
    {
      config: { scope: "read" },
      schema: {
        summary: "All runs that fit, with their values, a JSON object a line",
        body: Type.Object({ conditions: Conditions }, closed),
        response: { 200: Type.String({ description: "application/x-ndjson" }) },
      },
    },
    async ({ body }, reply) => {
      const lines = async function* () {
        for await (const runs of transport.exportRuns(body.conditions)) {
          yield runs
            .map(
              (run) =>
                `${JSON.stringify({ ...listed(run), input: run.input, output: run.output })}\n`,
            )
            .join("");
        }
      };
      return reply
        .header("content-type", "application/x-ndjson")
        .send(Readable.from(lines()) as never);
    },
  );

  app.post(
    "/v1/runs/change",
    {
      config: { scope: "admin" },
      schema: {
        summary: "Cancel, pause, resume, retry or rerun a batch of runs that fit",
        body: Type.Object(
          {
            change: Type.Union(
              (["cancel", "pause", "resume", "retry", "rerun"] as const).map((change) =>
                Type.Literal(change),
              ),
            ),
            conditions: Conditions,
            detail: Type.Optional(
              Type.String({
                maxLength: 1_000,
                description: "Reason of a cancellation or a pause; step that a rerun goes on from.",
              }),
            ),
            ...Page,
          },
          closed,
        ),
        response: {
          200: Type.Object({ changed: Type.Integer(), before: Nullable(Cursor) }),
          default: ProblemBody,
        },
      },
    },
    async ({ body: { change, conditions, detail, before, maxRuns } }) =>
      transport.changeRuns(change, conditions, { detail, before, maxRuns }),
  );

  app.post(
    "/v1/runs/sweep",
    {
      config: { scope: "admin" },
      schema: {
        summary: "Delete a batch of ended runs past their retention",
        body: Type.Object(
          {
            maxRuns: Type.Integer({ minimum: 1, maximum: 100_000, default: 1_000 }),
            maxRetentionDays: Type.Optional(Type.Integer({ minimum: 0, maximum: 36_500 })),
          },
          closed,
        ),
        response: { 200: Type.Object({ swept: Type.Integer() }), default: ProblemBody },
      },
    },
    async ({ body }) => ({ swept: await transport.sweep(body.maxRuns, body.maxRetentionDays) }),
  );

  app.get(
    "/v1/invariants",
    {
      config: { scope: "read" },
      schema: {
        summary: "What is not as it has to be: nothing, always",
        response: {
          200: Type.Object({
            violations: Type.Array(
              Type.Object({
                invariant: Type.String(),
                subject: Type.String(),
                detail: Type.String(),
              }),
            ),
          }),
          default: ProblemBody,
        },
      },
    },
    async () => ({ violations: await transport.checkInvariants() }),
  );
}
