/** Schedules. */
import { queryOptions } from "@tanstack/react-query";
import type { AnswerOf, BodyOf } from "./bodies.ts";
import { answer, api } from "./client.ts";

export type Schedule = AnswerOf<"/v1/schedules">["schedules"][number];
export type ScheduleBody = BodyOf<"/v1/schedules/{name}", "put">;

const named = (name: string) => ({ params: { path: { name } } });

export const schedulesQuery = queryOptions({
  queryKey: ["schedules"],
  queryFn: ({ signal }) => answer(api.GET("/v1/schedules", { signal })),
});

/** The next ticks, by the rule of the schedule. */
export const ticksQuery = (
  { cron, everySeconds, timeZone }: Pick<Schedule, "cron" | "everySeconds" | "timeZone">,
  count: number,
) =>
  queryOptions({
    queryKey: ["schedules", "ticks", cron, everySeconds, timeZone, count],
    queryFn: ({ signal }) =>
      answer(
        api.GET("/v1/ticks", {
          params: {
            query: {
              count,
              ...(cron === null ? { everySeconds: everySeconds ?? 1 } : { cron, timeZone }),
            },
          },
          signal,
        }),
      ),
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
