/** Schedules, which start runs by the clock. */
import {
  checkStartableName,
  firstTicks,
  type ScheduleRecord,
  tickTimes,
} from "@oxbow/sdk/internal/server";
import { type Static, Type } from "typebox";
import { ONE_VALUE_BYTES } from "../http/body-limits.ts";
import { HttpProblem, invalidRequest } from "../http/problems.ts";
import { route, type Route } from "../http/route.ts";
import {
  about,
  Closed,
  Id,
  Instant,
  Json,
  Length,
  Nullable,
  oneOf,
  Positive,
  Reason,
  Retention,
  RunStatus,
  Tags,
  WorkflowName,
} from "../http/schemas.ts";
import { toMs, toText } from "../http/values.ts";

const ScheduleName = Type.String({
  minLength: 1,
  // UTF-16 units here; the database counts characters.
  maxLength: 512,
  description: "1 to 256 characters, without control characters, and without spaces at either end.",
});
const Named = Type.Object({ name: ScheduleName });
const Changed = Type.Object({ changed: Type.Boolean() });

const CatchUp = oneOf(["skip", "latest", "backfill"]);
const Overlap = oneOf(["allow", "skip"]);

const Given = Closed({
  workflow: WorkflowName,
  version: Type.Optional(about(Positive, "Default: at each tick, the latest registered version.")),
  cron: Type.Optional(
    Type.String({ maxLength: 256, description: "Five fields; six with seconds." }),
  ),
  everySeconds: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 315_360_000, description: "Alternative to cron." }),
  ),
  timeZone: Type.Optional(Type.String({ maxLength: 100, description: "IANA name." })),
  input: Type.Optional(Json),
  tags: Type.Optional(Tags),
  retentionDays: Type.Optional(Retention),
  jitter: Type.Optional(
    Type.Union(Length.anyOf, {
      description:
        "Longest delay of the runs after their ticks; the name of the schedule decides the delay.",
    }),
  ),
  catchUp: Type.Optional(
    Type.Union(CatchUp.anyOf, {
      description:
        "Ticks that were missed while no ticker ran: skip them, start a run for the latest, or for each.",
    }),
  ),
  catchUpLimit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1_000, description: "Most missed ticks to backfill." }),
  ),
  grace: Type.Optional(
    Type.Union(Length.anyOf, { description: "A tick that is later than this counts as missed." }),
  ),
  overlap: Type.Optional(
    Type.Union(Overlap.anyOf, {
      description: "Whether a tick starts a run while the run of an earlier tick is running.",
    }),
  ),
});

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

const shown = ({ jitterMs, graceMs, ...record }: ScheduleRecord): Static<typeof Shown> => ({
  ...record,
  jitterSeconds: jitterMs / 1_000,
  graceSeconds: graceMs / 1_000,
});

export const listSchedules: Route = route({
  method: "GET",
  path: "/v1/schedules",
  scope: "read",
  summary: "List schedules",
  description: "Returns schedules, ordered by name.",
  querystring: Closed({ name: Type.Optional(ScheduleName) }),
  response: { 200: Type.Object({ schedules: Type.Array(Shown) }) },
  handler: async ({ query: { name } }, { transport: { schedules } }) => ({
    schedules: (await schedules.list(name)).map(shown),
  }),
});

export const listTicks: Route = route({
  method: "GET",
  path: "/v1/ticks",
  scope: "read",
  summary: "List the next ticks of a cron expression or an interval",
  description:
    "Returns when a schedule with this rule ticks next, without jitter, by the server's clock. Give either cron or everySeconds.",
  querystring: Closed({
    cron: Given.properties.cron,
    everySeconds: Given.properties.everySeconds,
    timeZone: Given.properties.timeZone,
    count: Type.Integer({ minimum: 1, maximum: 100, default: 5 }),
  }),
  response: {
    200: Type.Object({
      ticks: Type.Array(Instant, { description: "Fewer if there are no more." }),
    }),
  },
  handler: async ({ query: { cron, everySeconds, timeZone, count } }) => {
    if ((cron === undefined) === (everySeconds === undefined)) {
      throw invalidRequest("Give either cron or everySeconds.");
    }
    const times = tickTimes({ cron, everySeconds, timeZone }, "the schedule");
    return { ticks: firstTicks(times, count, Date.now()) };
  },
});

export const getSchedule: Route = route({
  method: "GET",
  path: "/v1/schedules/:name",
  scope: "read",
  summary: "Get a schedule",
  params: Named,
  response: { 200: Shown },
  handler: async ({ params: { name } }, { transport: { schedules } }) => {
    const [schedule] = await schedules.list(name);
    if (schedule !== undefined) return shown(schedule);
    throw new HttpProblem("SCHEDULE_NOT_FOUND", `Schedule "${name}" doesn't exist.`);
  },
});

export const setSchedule: Route = route({
  method: "PUT",
  path: "/v1/schedules/:name",
  scope: "admin",
  isAudited: true,
  bodyLimit: ONE_VALUE_BYTES,
  summary: "Create or replace a schedule",
  params: Named,
  body: Given,
  response: {
    200: Type.Object({
      outcome: oneOf(["created", "changed", "unchanged"]),
    }),
  },
  handler: async ({ params: { name }, body }, { transport: { schedules } }) => {
    const { cron, everySeconds, timeZone, jitter, grace } = body;
    checkStartableName(body.workflow);
    // SQL can't parse cron: a mistake would only show at the first tick.
    if (cron !== undefined) {
      const times = tickTimes({ cron, timeZone }, `schedule "${name}"`);
      if (firstTicks(times, 1, Date.now()).length === 0) {
        throw invalidRequest(
          `The cron expression "${cron}" of schedule "${name}" never ticks: no date matches it.`,
        );
      }
    }
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
});

export const deleteSchedule: Route = route({
  method: "DELETE",
  path: "/v1/schedules/:name",
  scope: "admin",
  isAudited: true,
  summary: "Delete a schedule",
  description: "Runs that the schedule has started are not affected.",
  params: Named,
  response: { 200: Type.Object({ deleted: Type.Boolean() }) },
  handler: async ({ params: { name } }, { transport: { schedules } }) => ({
    deleted: await schedules.delete(name, undefined),
  }),
});

export const pauseSchedule: Route = route({
  method: "POST",
  path: "/v1/schedules/:name/pause",
  scope: "admin",
  isAudited: true,
  summary: "Pause a schedule",
  params: Named,
  querystring: Type.Object({ reason: Type.Optional(Reason) }),
  response: { 200: Changed },
  handler: async ({ params: { name }, query }, { transport: { schedules } }) => ({
    changed: await schedules.pause(name, query.reason),
  }),
});

export const resumeSchedule: Route = route({
  method: "POST",
  path: "/v1/schedules/:name/resume",
  scope: "admin",
  isAudited: true,
  summary: "Resume a paused schedule",
  params: Named,
  response: { 200: Changed },
  handler: async ({ params: { name } }, { transport: { schedules } }) => ({
    changed: await schedules.resume(name),
  }),
});

export const triggerSchedule: Route = route({
  method: "POST",
  path: "/v1/schedules/:name/trigger",
  scope: "produce",
  isAudited: true,
  summary: "Start a run of a schedule now",
  description: "Works for paused schedules too, and doesn't change the ticks.",
  params: Named,
  response: { 200: Type.Object({ runId: Id, created: Type.Boolean(), status: RunStatus }) },
  handler: async ({ params: { name } }, { transport: { schedules } }) => schedules.trigger(name),
});
