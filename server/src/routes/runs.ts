/** /v1/workflows: runs and what is done to them. */
import { isDeepStrictEqual } from "node:util";
import type { RunRecord } from "@oxbow/sdk/internal";
import { Type } from "typebox";
import type { App, RouteContext } from "../http/app.ts";
import { ONE_VALUE_BYTES } from "../http/body-limits.ts";
import { IdempotencyHeader, idempotencyKeyOf } from "../http/idempotency.ts";
import { waitMsOf, whileClientWaits } from "../http/long-poll.ts";
import { HttpProblem } from "../http/problems.ts";
import { closed, Instant, Nullable, ProblemBody, WorkflowName } from "../http/schemas.ts";
import { fromCursor, toContainment, toCursor, toInstant } from "../http/values.ts";
import { endOf } from "../ops/run-end.ts";
import { startTraced } from "../telemetry/request-trace.ts";
import { listed, Listed } from "./run-shapes.ts";
import { StartBody, StartedOrEnded, toStartRequest } from "./start.ts";

/** What a run has come to, for the client that started it: this request did, or one with the same key and input. */
function outcomeOf(
  run: RunRecord,
  { created }: { readonly created: boolean },
  input: unknown,
): { status: RunRecord["status"]; output?: unknown; error?: unknown } {
  const { status } = run;
  const isOwn = created || isDeepStrictEqual(run.input ?? null, input ?? null);
  if (status === "running" || !isOwn) return { status };
  return { status, output: run.output ?? null, error: run.error };
}

const Named = Type.Object({ name: WorkflowName });

export function addRunRoutes(app: App, { transport, maxRetentionDays }: RouteContext): void {
  app.get(
    "/v1/workflows",
    {
      config: { scope: "read" },
      schema: {
        summary: "Workflows, and how many runs of each have which status",
        response: {
          200: Type.Object({
            workflows: Type.Array(
              Type.Object({
                name: Type.String(),
                running: Type.Integer(),
                completed: Type.Integer(),
                failed: Type.Integer(),
                cancelled: Type.Integer(),
              }),
            ),
          }),
          default: ProblemBody,
        },
      },
    },
    async () => ({ workflows: await transport.tallyWorkflows() }),
  );

  app.get(
    "/v1/workflows/:name/versions",
    {
      config: { scope: "read" },
      schema: {
        summary: "The versions that workers have registered, the latest first",
        params: Named,
        response: {
          200: Type.Object({
            versions: Type.Array(
              Type.Object({
                workflow: Type.String(),
                version: Type.Integer(),
                retentionDays: Nullable(Type.Integer()),
                deadlineMs: Nullable(Type.Number()),
                onFailure: Nullable(Type.String()),
                registeredAt: Instant,
              }),
            ),
          }),
          default: ProblemBody,
        },
      },
    },
    async ({ params }) => {
      const versions = await transport.registeredVersions(params.name);
      return {
        versions: versions.map((one) => ({
          ...one,
          registeredAt: one.registeredAt.toISOString(),
        })),
      };
    },
  );

  app.delete(
    "/v1/workflows/:name/versions/:version",
    {
      config: { scope: "admin" },
      schema: {
        summary: "Forget a registered version, so that starts by name take an earlier one",
        params: Type.Object({
          name: WorkflowName,
          version: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }),
        }),
        response: { 200: Type.Object({ unregistered: Type.Boolean() }), default: ProblemBody },
      },
    },
    async ({ params }) => ({
      unregistered: await transport.unregister(params.name, params.version),
    }),
  );

  app.post(
    "/v1/workflows/:name/runs",
    {
      config: { scope: "produce" },
      bodyLimit: ONE_VALUE_BYTES,
      schema: {
        summary: "Start a run; with wait, and answer as soon as it has ended",
        description:
          "With wait, the answer has output and error of a run that has ended: of one that this request started, and of one that has the same idempotency key and input, so the same request again goes on waiting.",
        headers: IdempotencyHeader,
        params: Named,
        querystring: Type.Object({ wait: Type.Optional(Type.String({ maxLength: 40 })) }, closed),
        body: StartBody,
        response: { 200: StartedOrEnded, 201: StartedOrEnded, default: ProblemBody },
      },
    },
    async (request, reply) => {
      const { body, params, query, headers } = request;
      const waitMs = waitMsOf(query.wait);
      const start = {
        ...toStartRequest(params.name, body, maxRetentionDays),
        idempotencyKey: idempotencyKeyOf(headers, body.idempotencyKey, "idempotencyKey"),
      };
      const started =
        start.trace === undefined
          ? await startTraced(request.headers, { "workflow.name": params.name }, (trace) =>
              transport.start({ ...start, trace }),
            )
          : await transport.start(start);
      const ended =
        waitMs === 0
          ? undefined
          : await endOf(transport, started.runId, waitMs, whileClientWaits(reply));
      return reply.code(started.created ? 201 : 200).send({
        ...started,
        ...(ended === undefined ? {} : outcomeOf(ended, started, body.input)),
      });
    },
  );

  app.get(
    "/v1/workflows/:name/runs",
    {
      config: { scope: "read" },
      schema: {
        summary: "Runs, newest first",
        description:
          "input.<path>=<value> and tags.<path>=<value> find runs whose input or tags contain the value: JSON where it is some, else text.",
        params: Named,
        querystring: Type.Object(
          {
            status: Type.Optional(
              Type.String({ description: "One or several, separated by commas." }),
            ),
            since: Type.Optional(Type.String({ description: "Started at or after this." })),
            until: Type.Optional(Type.String({ description: "Started before this." })),
            version: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647 })),
            idempotencyKey: Type.Optional(Type.String({ maxLength: 512 })),
            cursor: Type.Optional(Type.String({ maxLength: 100 })),
            limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 50 }),
          },
          { additionalProperties: true },
        ),
        response: {
          200: Type.Object({
            runs: Type.Array(Listed),
            cursor: Nullable(Type.String({ description: "Of the next page; null: the last one." })),
          }),
          default: ProblemBody,
        },
      },
    },
    async ({ params, query }) => {
      refuseUnknown(query);
      const { since, until, cursor, limit } = query;
      const runs = await transport.listRuns(
        {
          name: params.name,
          version: query.version,
          status: statusesOf(query.status),
          startedAfter: since === undefined ? undefined : toInstant(since, "since"),
          startedBefore: until === undefined ? undefined : toInstant(until, "until"),
          idempotencyKey: query.idempotencyKey,
          input: toContainment(query, "input"),
          tags: toContainment(query, "tags"),
        },
        {
          before: cursor === undefined ? undefined : fromCursor(cursor),
          maxRuns: limit,
          withValues: false,
        },
      );
      const last = runs.length === limit ? runs.at(-1) : undefined;
      return { runs: runs.map(listed), cursor: last === undefined ? null : toCursor(last.cursor) };
    },
  );
}

const QUERY_OF_LIST = new Set([
  "status",
  "since",
  "until",
  "version",
  "idempotencyKey",
  "cursor",
  "limit",
]);

function refuseUnknown(query: Readonly<Record<string, unknown>>): void {
  const unknown = Object.keys(query).find(
    (key) => !QUERY_OF_LIST.has(key) && !/^(input|tags)\../.test(key),
  );
  if (unknown === undefined) return;
  throw new HttpProblem(
    400,
    "INVALID_REQUEST",
    `There is no filter "${unknown.slice(0, 80)}": ${[...QUERY_OF_LIST].join(", ")}, input.<path> and tags.<path> are.`,
  );
}

const STATUSES = ["running", "completed", "failed", "cancelled"] as const;

function statusesOf(text: string | undefined): (typeof STATUSES)[number][] | undefined {
  return text?.split(",").map((given) => {
    const status = STATUSES.find((known) => known === given.trim());
    if (status !== undefined) return status;
    throw new HttpProblem(
      400,
      "INVALID_REQUEST",
      `There is no status "${given.slice(0, 40)}": ${STATUSES.join(", ")} are.`,
    );
  });
}
