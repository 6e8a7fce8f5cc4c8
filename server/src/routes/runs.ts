/** /v1/workflows: runs and what is done to them. */
import type { RunListing, RunRecord, TimedJournalEntry } from "@oxbow/sdk/internal";
import { type Static, Type } from "typebox";
import type { App, RouteContext } from "../http/app.ts";
import { waitMsOf, whileClientWaits } from "../http/long-poll.ts";
import { HttpProblem } from "../http/problems.ts";
import {
  closed,
  Id,
  Instant,
  Json,
  Length,
  Nullable,
  ProblemBody,
  RunStatus,
  WorkflowName,
} from "../http/schemas.ts";
import {
  fromCursor,
  toContainment,
  toCursor,
  toInstant,
  toMs,
  toRequiredText,
  toText,
} from "../http/values.ts";

const Named = Type.Object({ name: WorkflowName });
const OneRun = Type.Object({ name: WorkflowName, run_id: Id });

const Started = Type.Object({
  runId: Id,
  created: Type.Boolean({ description: "False: the idempotency key has this run already." }),
  status: RunStatus,
});

const Summary = {
  runId: Id,
  name: Type.String(),
  version: Type.Integer(),
  status: RunStatus,
  error: Json,
  idempotencyKey: Nullable(Type.String()),
  tags: Json,
  startedAt: Instant,
  completedAt: Nullable(Instant),
  deadline: Nullable(Instant),
  pausedAt: Nullable(Instant),
  rerunOf: Nullable(Id),
  supersededBy: Nullable(Id),
};

const Listed = Type.Object(Summary);

const Run = Type.Object({
  ...Summary,
  activity: Nullable(Type.String({ description: "What a running run is doing." })),
  input: Json,
  output: Json,
  attempt: Nullable(Type.Integer()),
  waits: Json,
  retries: Json,
  resumesAt: Nullable(Instant),
  pauseReason: Nullable(Type.String()),
});

const Step = Type.Object({
  position: Type.Integer(),
  name: Type.String(),
  kind: Type.String(),
  attempts: Type.Integer(),
  output: Json,
  error: Json,
  startedAt: Instant,
  completedAt: Instant,
  durationMs: Type.Number(),
});

const WHEN_RUNNING = ["use-existing", "fail", "cancel-existing"] as const;
const WHEN_ENDED = ["use-existing", "start-new", "start-new-if-failed"] as const;

export function addRunRoutes(app: App, { transport }: RouteContext): void {
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

  app.post(
    "/v1/workflows/:name/runs",
    {
      config: { scope: "produce" },
      schema: {
        summary: "Start a run",
        params: Named,
        body: Type.Object(
          {
            input: Type.Optional(Json),
            version: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647 })),
            idempotencyKey: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
            retentionDays: Type.Optional(Type.Integer({ minimum: 0, maximum: 36_525 })),
            delay: Type.Optional(Length),
            deadline: Type.Optional(Type.String({ description: "When a run that goes on fails." })),
            tags: Type.Optional(Type.Object({}, { additionalProperties: true })),
            onRunning: Type.Optional(Type.Union(WHEN_RUNNING.map((rule) => Type.Literal(rule)))),
            onEnded: Type.Optional(Type.Union(WHEN_ENDED.map((rule) => Type.Literal(rule)))),
          },
          closed,
        ),
        response: { 200: Started, 201: Started, default: ProblemBody },
      },
    },
    async (request, reply) => {
      const { body } = request;
      const started = await transport.start({
        workflow: request.params.name,
        version: body.version ?? 1,
        input: toText(body.input, "input"),
        idempotencyKey: body.idempotencyKey,
        retentionDays: body.retentionDays,
        delayMs: body.delay === undefined ? undefined : toMs(body.delay, "delay"),
        deadline:
          body.deadline === undefined ? undefined : new Date(toInstant(body.deadline, "deadline")),
        tags: toText(body.tags, "tags"),
        onRunning: body.onRunning,
        onEnded: body.onEnded,
      });
      return reply.code(started.created ? 201 : 200).send(started);
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
      return { runs: runs.map(listed), cursor: last === undefined ? null : toCursor(last.runId) };
    },
  );

  app.get(
    "/v1/workflows/:name/runs/:run_id",
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
      const signal = AbortSignal.any([whileClientWaits(reply), AbortSignal.timeout(waitMs)]);
      const ended = await transport
        .awaitEnd(params.run_id, signal)
        .catch(async (error: unknown) => {
          if (signal.aborted) return transport.getRun(params.run_id);
          throw error;
        });
      return shown(ended ?? run);
    },
  );

  app.delete(
    "/v1/workflows/:name/runs/:run_id",
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
    "/v1/workflows/:name/runs/:run_id/signals/:event",
    {
      config: { scope: "produce", takesAnyBody: true },
      schema: {
        summary: "Send a signal; the body is its payload",
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
    async ({ params, query, body }) => {
      await findRun(params.name, params.run_id);
      const outcome = await transport.signal(params.run_id, {
        event: params.event,
        payload: body === undefined ? undefined : toText(body, "the payload"),
        deduplicationId: query.deduplicationId,
      });
      return { outcome };
    },
  );

  app.post(
    "/v1/workflows/:name/runs/:run_id/rerun",
    {
      config: { scope: "admin" },
      schema: {
        summary: "Start a new run with the journal of this one up to a step",
        params: OneRun,
        body: Type.Optional(
          Type.Object(
            {
              fromStep: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
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
      `/v1/workflows/:name/runs/:run_id/${change}`,
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
    "/v1/workflows/:name/runs/:run_id/steps",
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
    "/v1/workflows/:name/runs/:run_id/state",
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
  async function findRun(name: string, runId: string): Promise<RunRecord> {
    const run = await transport.getRun(runId);
    if (run?.name === name) return run;
    throw new HttpProblem(404, "RUN_NOT_FOUND", `Workflow "${name}" has no run ${runId}.`);
  }
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

const iso = (date: Date | null): string | null => date?.toISOString() ?? null;

const listed = (run: RunListing) => ({
  runId: run.runId,
  name: run.name,
  version: run.version,
  status: run.status,
  error: run.error ?? null,
  idempotencyKey: run.idempotencyKey,
  tags: run.tags ?? null,
  startedAt: run.startedAt.toISOString(),
  completedAt: iso(run.completedAt),
  deadline: iso(run.deadline),
  pausedAt: iso(run.pausedAt),
  rerunOf: run.rerunOf,
  supersededBy: run.supersededBy,
});

const shown = (run: RunRecord) => ({
  ...listed(run),
  activity: run.activity,
  input: run.input ?? null,
  output: run.output ?? null,
  attempt: run.attempt,
  waits: run.waits ?? null,
  retries: run.retries ?? null,
  // One that only an event wakes has no such time.
  resumesAt: run.resumesAt instanceof Date ? run.resumesAt.toISOString() : null,
  pauseReason: run.pauseReason,
});

export const shownStep = (step: TimedJournalEntry): Static<typeof Step> => ({
  position: step.position,
  name: step.name,
  kind: step.kind,
  attempts: step.attempts,
  output: step.output ?? null,
  error: step.error ?? null,
  startedAt: step.startedAt.toISOString(),
  completedAt: step.completedAt.toISOString(),
  durationMs: step.completedAt.getTime() - step.startedAt.getTime(),
});
