/** /v1/worker: what a worker says to the database, for those who hold no connection to it. */
import type { RunCommit } from "@oxbow/sdk/internal";
import { Type } from "typebox";
import type { App, RouteContext } from "../http/app.ts";
import { MANY_VALUES_BYTES } from "../http/body-limits.ts";
import { isThere, LONGEST_WAIT_MS, whileClientWaits } from "../http/long-poll.ts";
import { closed, Id, Json, Nullable, ProblemBody, WorkflowName } from "../http/schemas.ts";
import { Trace } from "./start.ts";
import { WorkWait } from "../ops/work-wait.ts";

const Versions = Type.Record(
  Type.String({ pattern: "^[a-z0-9][a-z0-9_-]{0,42}$" }),
  Type.Array(Type.Integer({ minimum: 1, maximum: 2_147_483_647 }), { minItems: 1, maxItems: 100 }),
  {
    description: "Workflows, and the versions of each that are served.",
    minProperties: 1,
    additionalProperties: false,
  },
);

const LeaseMs = Type.Integer({ minimum: 1_000, maximum: 43_200_000, default: 30_000 });
const JsonText = Type.String({ description: "A JSON text." });
const ErrorRecord = Type.Object(
  { name: Type.String(), message: Type.String() },
  { additionalProperties: true },
);
const Continuation = Type.Object(
  {
    waits: Type.Array(Type.Object({}, { additionalProperties: true })),
    retries: Type.Array(Type.Object({}, { additionalProperties: true })),
  },
  { additionalProperties: true },
);

const Transition = Type.Union([
  Type.Object({ kind: Type.Literal("keep"), continuation: Type.Optional(Continuation) }, closed),
  Type.Object(
    {
      kind: Type.Literal("suspend"),
      continuation: Continuation,
      resumeAt: Type.Optional(Type.Number({ minimum: 0, maximum: 8.64e15 })),
    },
    closed,
  ),
  Type.Object({ kind: Type.Literal("complete"), output: Type.Optional(JsonText) }, closed),
  Type.Object({ kind: Type.Literal("fail"), error: ErrorRecord }, closed),
  Type.Object(
    {
      kind: Type.Literal("retry"),
      error: ErrorRecord,
      resumeAt: Type.Number({ minimum: 0, maximum: 8.64e15 }),
    },
    closed,
  ),
  Type.Object({ kind: Type.Literal("cancel"), error: ErrorRecord }, closed),
  Type.Object({ kind: Type.Literal("release") }, closed),
]);

/** A name of 256 characters, after "rollback:". */
const StepName = Type.String({ minLength: 1, maxLength: 265 });
const Count = Type.Integer({ minimum: 0, maximum: 2_147_483_647 });

const Effect = Type.Object(
  {
    kind: Type.Union(
      (["invoke", "detach", "signal", "subscribe", "publish"] as const).map((kind) =>
        Type.Literal(kind),
      ),
    ),
    step: StepName,
    workflow: Type.Optional(WorkflowName),
    version: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647 })),
    retentionDays: Type.Optional(Count),
    input: Type.Optional(JsonText),
    runId: Type.Optional(Id),
    event: Type.Optional(Type.String({ maxLength: 512 })),
    payload: Type.Optional(JsonText),
    topic: Type.Optional(Type.String({ maxLength: 512 })),
    message: Type.Optional(JsonText),
    match: Type.Optional(JsonText),
    trace: Type.Optional(Trace),
  },
  closed,
);

const Known = Type.Object(
  {
    step: Type.Optional(StepName),
    revision: Type.Optional(Count),
    chunk: Type.Optional(
      Type.Object({ step: Type.String({ maxLength: 265 }), attempt: Count, number: Count }, closed),
    ),
  },
  {
    ...closed,
    description:
      "One thing that the last commit of the delivery that was answered ok has written; empty while there was none. " +
      "If it is missing, the run is lost to this worker, and replayed from what is there.",
  },
);

const Commit = Type.Object(
  {
    workflow: WorkflowName,
    runId: Id,
    receipt: Id,
    journaled: Count,
    steps: Type.Array(
      Type.Object(
        {
          name: StepName,
          kind: Type.String({ maxLength: 40 }),
          output: Type.Optional(JsonText),
          error: Type.Optional(ErrorRecord),
          attempts: Count,
          durationMs: Type.Number({ minimum: 0, maximum: 1e13 }),
          effect: Type.Optional(Effect),
        },
        closed,
      ),
    ),
    transition: Transition,
    known: Type.Optional(Known),
    revision: Type.Optional(Count),
    state: Type.Optional(
      Type.Array(Type.Object({ key: Type.String(), value: Type.Optional(JsonText) }, closed)),
    ),
    stream: Type.Optional(
      Type.Array(
        Type.Object(
          {
            step: Type.String({ maxLength: 265 }),
            attempt: Count,
            number: Count,
            value: Type.Optional(JsonText),
          },
          closed,
        ),
      ),
    ),
    effects: Type.Optional(Type.Array(Effect)),
    restartsCount: Type.Boolean({ default: false }),
  },
  closed,
);

const Delivery = Type.Object({
  runId: Id,
  receipt: Id,
  name: Type.String(),
  version: Type.Integer(),
  attempt: Type.Integer(),
  input: Type.Optional(Json),
  journal: Type.Array(Type.Object({}, { additionalProperties: true })),
  continuation: Type.Object({}, { additionalProperties: true }),
  startedAt: Type.Number({ description: "Milliseconds since 1970." }),
  receivedAt: Type.Number({ description: "Milliseconds since 1970, by the database's clock." }),
  schedule: Type.Optional(
    Type.Object(
      { name: Type.String(), scheduledAt: Type.Number() },
      { description: "What started it." },
    ),
  ),
  trace: Type.Optional(Trace),
  failureOf: Type.Optional(Id),
  retried: Type.Optional(Type.Integer()),
  deadline: Type.Optional(
    Type.Number({ description: "When the run fails: milliseconds since 1970, by the same clock." }),
  ),
  bytes: Type.Optional(Type.Number({ description: "About how large input and journal are." })),
  journalFollows: Type.Optional(
    Type.Literal(true, {
      description:
        "The journal is left out, since it is too large: read it by /v1/worker/journal-page.",
    }),
  ),
});

export function addWorkerRoutes(app: App, { transport }: RouteContext): void {
  /** For older workers, which don't know `busy`. */
  const insist = (
    items: readonly RunCommit[],
    results: Awaited<ReturnType<typeof transport.commit>>,
  ): Promise<typeof results> =>
    Promise.all(
      results.map(async (result, index) => {
        const item = items[index];
        if (result.outcome !== "busy" || item === undefined) return result;
        const [again = result] = await transport.commit([item]);
        return again;
      }),
    );

  const workWait = new WorkWait(transport);

  app.post(
    "/v1/worker/receive",
    {
      config: { scope: "work" },
      schema: {
        summary:
          "Lease ready runs, each with its journal; with waitSeconds, as soon as there is one",
        body: Type.Object(
          {
            versions: Versions,
            maxRuns: Type.Integer({ minimum: 1, maximum: 10_000, default: 1 }),
            leaseMs: LeaseMs,
            suspects: Type.Optional(
              Type.Integer({
                minimum: 0,
                maximum: 1,
                description:
                  "How many runs that may have ended their workers to return; absent: the worker doesn't keep track.",
              }),
            ),
            maxBytes: Type.Optional(
              Type.Integer({
                minimum: 0,
                description:
                  "How large inputs and journals may be together; one run is returned in any case. Absent: 64 MiB, and the worker doesn't read pages of journals.",
              }),
            ),
            waitSeconds: Type.Number({ minimum: 0, maximum: LONGEST_WAIT_MS / 1_000, default: 0 }),
          },
          closed,
        ),
        response: { 200: Type.Object({ deliveries: Type.Array(Delivery) }), default: ProblemBody },
      },
    },
    async ({ body }, reply) => {
      const versions = new Map(Object.entries(body.versions));
      const { maxRuns, leaseMs, suspects, maxBytes, waitSeconds } = body;
      const deliveries = await workWait.receive(
        { versions, maxRuns, leaseMs, suspects, maxBytes },
        waitSeconds * 1_000,
        whileClientWaits(reply),
      );
      if (!isThere(reply)) await transport.commit(deliveries.map(toRelease));
      return { deliveries: deliveries as never };
    },
  );

  app.post(
    "/v1/worker/journal-page",
    {
      config: { scope: "work" },
      schema: {
        summary: "Read some of the journal of a run that was delivered without it",
        body: Type.Object({ runId: Id, after: Count }, closed),
        response: {
          200: Type.Object({
            journal: Type.Array(Type.Object({}, { additionalProperties: true }), {
              description: "The rows after the first `after`, in order; none at the end.",
            }),
          }),
          default: ProblemBody,
        },
      },
    },
    async ({ body }) => ({
      journal: (await transport.getJournalPage(body.runId, body.after)) as never,
    }),
  );

  app.post(
    "/v1/worker/next-visible",
    {
      config: { scope: "work" },
      schema: {
        summary: "How long until the next run is visible",
        body: Type.Object({ versions: Versions }, closed),
        response: {
          200: Type.Object({
            inMs: Nullable(
              Type.Number({ description: "0: one is; null: none will within two seconds." }),
            ),
          }),
          default: ProblemBody,
        },
      },
    },
    async ({ body }) => {
      const inMs = await transport.nextVisibleIn(new Map(Object.entries(body.versions)));
      return { inMs: inMs === null || !Number.isFinite(inMs) ? null : inMs };
    },
  );

  app.post(
    "/v1/worker/commit",
    {
      config: { scope: "work" },
      // Outputs of many runs travel together.
      bodyLimit: MANY_VALUES_BYTES,
      schema: {
        summary: "Journal steps, and give each run its next state",
        body: Type.Object(
          {
            items: Type.Array(Commit, { minItems: 1, maxItems: 1_000 }),
            skipLocked: Type.Boolean({
              default: false,
              description:
                "Of several items, answer busy for runs that another transaction has locked.",
            }),
          },
          closed,
        ),
        response: {
          200: Type.Object({
            results: Type.Array(
              Type.Object({
                runId: Id,
                receipt: Id,
                outcome: Type.String(),
                resolved: Type.Array(Type.Object({}, { additionalProperties: true })),
              }),
            ),
          }),
          default: ProblemBody,
        },
      },
    },
    async ({ body }) => {
      const items = body.items as readonly RunCommit[];
      const results = await transport.commit(items);
      return { results: (body.skipLocked ? results : await insist(items, results)) as never };
    },
  );

  app.post(
    "/v1/worker/heartbeat",
    {
      config: { scope: "work" },
      schema: {
        summary: "Extend leases, and learn which runs need attention",
        body: Type.Object(
          {
            receipts: Type.Array(Id, { minItems: 1, maxItems: 10_000 }),
            known: Type.Optional(Type.Array(Known, { description: "One element a receipt." })),
            leaseMs: Type.Optional(Nullable(LeaseMs)),
          },
          closed,
        ),
        response: {
          200: Type.Object({
            notices: Type.Array(Type.Object({ receipt: Id, runId: Id, outcome: Type.String() })),
          }),
          default: ProblemBody,
        },
      },
    },
    async ({ body: { receipts, known, leaseMs = 30_000 } }) => {
      const leases = receipts.map((receipt, index) => ({ receipt, known: known?.[index] ?? {} }));
      const notices = await transport.heartbeat(leases, leaseMs);
      // An older worker takes what it doesn't know for a loss.
      return {
        notices:
          known === undefined ? notices.filter(({ outcome }) => outcome !== "busy") : notices,
      };
    },
  );

  app.put(
    "/v1/worker/versions",
    {
      config: { scope: "work" },
      schema: {
        summary:
          "Register the versions of workflows that a worker serves, with the defaults of their runs",
        body: Type.Object(
          {
            versions: Type.Array(
              Type.Object(
                {
                  name: WorkflowName,
                  version: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }),
                  retentionDays: Type.Optional(Type.Integer({ minimum: 0, maximum: 36_500 })),
                  deadlineMs: Type.Optional(Type.Number({ minimum: 1 })),
                  onFailure: Type.Optional(WorkflowName),
                },
                closed,
              ),
              { minItems: 1, maxItems: 1_000 },
            ),
          },
          closed,
        ),
        response: {
          200: Type.Object({
            changed: Type.Integer({ description: "How many are new or have changed." }),
          }),
          default: ProblemBody,
        },
      },
    },
    async ({ body }) => ({
      changed: await transport.register(
        body.versions.map(({ name, version, retentionDays, deadlineMs, onFailure }) => ({
          name,
          version,
          retentionDays,
          deadlineMs,
          onFailure,
        })),
      ),
    }),
  );

  app.post(
    "/v1/worker/progress",
    {
      config: { scope: "work" },
      schema: {
        summary: "Show which steps are being called",
        body: Type.Object(
          {
            worker: Type.String({ maxLength: 200 }),
            reports: Type.Array(
              Type.Object(
                {
                  receipt: Id,
                  steps: Type.Array(
                    Type.Object(
                      { step: StepName, attempt: Count, forMs: Type.Number({ minimum: 0 }) },
                      closed,
                    ),
                  ),
                },
                closed,
              ),
              { minItems: 1, maxItems: 10_000 },
            ),
          },
          closed,
        ),
        response: { 204: Type.Null(), default: ProblemBody },
      },
    },
    async ({ body }, reply) => {
      await transport.reportProgress(body.worker, body.reports);
      return reply.code(204).send(null);
    },
  );
}

/** For runs whose worker has gone before it got them. */
const toRelease = (delivery: {
  name: string;
  runId: string;
  receipt: string;
  journal: readonly unknown[];
}): RunCommit => ({
  workflow: delivery.name,
  runId: delivery.runId,
  receipt: delivery.receipt,
  journaled: delivery.journal.length,
  steps: [],
  transition: { kind: "release" },
  restartsCount: false,
});
