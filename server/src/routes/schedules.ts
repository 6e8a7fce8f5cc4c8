/** /v1/schedules: runs that the clock starts. */
import { type ScheduleRecord, tickTimes } from "@oxbow/sdk/internal";
import { type Static, Type } from "typebox";
import type { App, RouteContext } from "../http/app.ts";
import { ONE_VALUE_BYTES } from "../http/body-limits.ts";
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
import { toMs, toText } from "../http/values.ts";

const ScheduleName = Type.String({
  minLength: 1,
  // Those of UTF-16: the database counts characters.
  maxLength: 512,
  description:
    "1 to 256 characters without control characters that neither begin nor end with a space.",
});
const Named = Type.Object({ name: ScheduleName });
const Changed = Type.Object({ changed: Type.Boolean() });

const CatchUp = Type.Union([
  Type.Literal("skip"),
  Type.Literal("latest"),
  Type.Literal("backfill"),
]);
const Overlap = Type.Union([Type.Literal("allow"), Type.Literal("skip")]);

const Given = Type.Object(
  {
    workflow: WorkflowName,
    version: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 2_147_483_647,
        description: "Default: the latest that is registered at each tick.",
      }),
    ),
    cron: Type.Optional(Type.String({ maxLength: 256, description: "Five fields, or six." })),
    everySeconds: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 315_360_000, description: "Instead of cron." }),
    ),
    timeZone: Type.Optional(Type.String({ maxLength: 100, description: "Its IANA name." })),
    input: Type.Optional(Json),
    tags: Type.Optional(Type.Object({}, { additionalProperties: true })),
    retentionDays: Type.Optional(Type.Integer({ minimum: 0, maximum: 36_500 })),
    jitter: Type.Optional(Length),
    catchUp: Type.Optional(CatchUp),
    catchUpLimit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
    grace: Type.Optional(Length),
    overlap: Type.Optional(Overlap),
  },
  closed,
);

const Shown = Type.Object({
  name: Type.String(),
  workflow: Type.String(),
  version: Nullable(Type.Integer()),
  cron: Nullable(Type.String()),
  everySeconds: Nullable(Type.Integer()),
  timeZone: Type.String(),
  input: Json,
  tags: Json,
  retentionDays: Nullable(Type.Integer()),
  jitterSeconds: Type.Number(),
  catchUp: CatchUp,
  catchUpLimit: Nullable(Type.Integer()),
  graceSeconds: Type.Number(),
  overlap: Overlap,
  createdAt: Instant,
  changedAt: Instant,
  pausedAt: Nullable(Instant),
  pauseReason: Nullable(Type.String()),
  nextTickAt: Nullable(Instant),
  lastTickAt: Nullable(Instant),
  lastRunId: Nullable(Id),
});

export function addScheduleRoutes(app: App, { transport }: RouteContext): void {
  const { schedules } = transport;

  app.get(
    "/v1/schedules",
    {
      config: { scope: "read" },
      schema: {
        summary: "Schedules, by name",
        querystring: Type.Object({ name: Type.Optional(ScheduleName) }, closed),
        response: { 200: Type.Object({ schedules: Type.Array(Shown) }), default: ProblemBody },
      },
    },
    async ({ query }) => ({ schedules: (await schedules.list(query.name)).map(shown) }),
  );

  app.get(
    "/v1/schedules/:name",
    {
      config: { scope: "read" },
      schema: {
        summary: "One schedule",
        params: Named,
        response: { 200: Shown, default: ProblemBody },
      },
    },
    async ({ params: { name } }) => {
      const [schedule] = await schedules.list(name);
      if (schedule !== undefined) return shown(schedule);
      throw new HttpProblem(404, "SCHEDULE_NOT_FOUND", `There is no schedule "${name}".`);
    },
  );

  app.put(
    "/v1/schedules/:name",
    {
      config: { scope: "admin" },
      bodyLimit: ONE_VALUE_BYTES,
      schema: {
        summary: "Make a schedule, or make it what is given",
        params: Named,
        body: Given,
        response: {
          200: Type.Object({
            outcome: Type.Union([
              Type.Literal("created"),
              Type.Literal("changed"),
              Type.Literal("unchanged"),
            ]),
          }),
          default: ProblemBody,
        },
      },
    },
    async ({ params: { name }, body }) => {
      const { cron, everySeconds, timeZone, jitter, grace } = body;
      // What SQL can't read is refused here, and not when it would tick.
      if (cron !== undefined) tickTimes({ cron, timeZone }, `schedule "${name}"`);
      return {
        outcome: await schedules.create({
          name,
          workflow: body.workflow,
          version: body.version,
          cron,
          everySeconds,
          timeZone,
          input: toText(body.input, "input"),
          tags: toText(body.tags, "tags"),
          retentionDays: body.retentionDays,
          jitterMs: jitter === undefined ? undefined : toMs(jitter, "jitter"),
          catchUp: body.catchUp,
          catchUpLimit: body.catchUpLimit,
          graceMs: grace === undefined ? undefined : toMs(grace, "grace"),
          overlap: body.overlap,
        }),
      };
    },
  );

  app.delete(
    "/v1/schedules/:name",
    {
      config: { scope: "admin" },
      schema: {
        summary: "Delete a schedule; its runs stay",
        params: Named,
        response: { 200: Type.Object({ deleted: Type.Boolean() }), default: ProblemBody },
      },
    },
    async ({ params: { name } }) => ({ deleted: await schedules.delete(name, undefined) }),
  );

  app.post(
    "/v1/schedules/:name/pause",
    {
      config: { scope: "admin" },
      schema: {
        summary: "Pause a schedule",
        params: Named,
        querystring: Type.Object({ reason: Type.Optional(Type.String({ maxLength: 1_000 })) }),
        response: { 200: Changed, default: ProblemBody },
      },
    },
    async ({ params: { name }, query }) => ({
      changed: await schedules.pause(name, query.reason),
    }),
  );

  app.post(
    "/v1/schedules/:name/resume",
    {
      config: { scope: "admin" },
      schema: {
        summary: "Let a paused schedule go on with its next tick",
        params: Named,
        response: { 200: Changed, default: ProblemBody },
      },
    },
    async ({ params: { name } }) => ({ changed: await schedules.resume(name) }),
  );

  app.post(
    "/v1/schedules/:name/trigger",
    {
      config: { scope: "produce" },
      schema: {
        summary: "Start a run of a schedule at once",
        params: Named,
        response: {
          200: Type.Object({ runId: Id, created: Type.Boolean(), status: RunStatus }),
          default: ProblemBody,
        },
      },
    },
    async ({ params: { name } }) => schedules.trigger(name),
  );
}

const iso = (date: Date | null): string | null => date?.toISOString() ?? null;

const shown = ({ jitterMs, graceMs, ...record }: ScheduleRecord): Static<typeof Shown> => ({
  ...record,
  input: record.input ?? null,
  tags: record.tags ?? null,
  jitterSeconds: jitterMs / 1_000,
  graceSeconds: graceMs / 1_000,
  createdAt: record.createdAt.toISOString(),
  changedAt: record.changedAt.toISOString(),
  pausedAt: iso(record.pausedAt),
  nextTickAt: iso(record.nextTickAt),
  lastTickAt: iso(record.lastTickAt),
});
