/** Schedules. */
import type { AnswerOf, BodyOf } from "./bodies.ts";
import { answer, api } from "./client.ts";
import { readQuery } from "./queries.ts";

export type Schedule = AnswerOf<"/v1/schedules">["schedules"][number];
export type ScheduleBody = BodyOf<"/v1/schedules/{name}", "put">;

const named = (name: string) => ({ params: { path: { name } } });

export const schedulesQuery = readQuery(["schedules"], "/v1/schedules");

/** The next ticks, by the rule of the schedule. */
export const ticksQuery = (
  { cron, everySeconds, timeZone }: Pick<Schedule, "cron" | "everySeconds" | "timeZone">,
  count: number,
) =>
  readQuery(["schedules", "ticks", cron, everySeconds, timeZone, count], "/v1/ticks", {
    query: {
      count,
      ...(cron === null ? { everySeconds: everySeconds ?? 1 } : { cron, timeZone }),
    },
  });

export const setSchedule = (name: string, body: ScheduleBody) =>
  answer(api.PUT("/v1/schedules/{name}", { ...named(name), body }));

export const deleteSchedule = (name: string) =>
  answer(api.DELETE("/v1/schedules/{name}", named(name)));

export const pauseSchedule = (name: string, reason: string | undefined) =>
  answer(
    api.POST("/v1/schedules/{name}/pause", {
      params: { path: { name }, query: { reason } },
    }),
  );

export const resumeSchedule = (name: string) =>
  answer(api.POST("/v1/schedules/{name}/resume", named(name)));

export const triggerSchedule = (name: string) =>
  answer(api.POST("/v1/schedules/{name}/trigger", named(name)));
