/** Schedules, straight to the database: each method one call of one SQL function. */
import type { ScheduleTransport } from "../../../protocol/schedules.ts";
import { toSeconds } from "../connection/arguments.ts";
import type { Queries } from "../connection/queries.ts";
import {
  scheduleCreate,
  scheduleDelete,
  scheduleList,
  schedulePause,
  scheduleResume,
  scheduleTrigger,
} from "./functions.ts";

export const schedulesOverPostgres = (queries: Queries): ScheduleTransport => ({
  create: (request, tx) =>
    queries.value(
      scheduleCreate,
      [
        request.name,
        request.workflow,
        request.cron ?? null,
        request.everySeconds ?? null,
        request.timeZone ?? null,
        request.input ?? null,
        request.version ?? null,
        request.tags ?? null,
        request.retentionDays ?? null,
        toSeconds(request.jitterMs),
        request.catchUp ?? null,
        request.catchUpLimit ?? null,
        toSeconds(request.graceMs),
        request.overlap ?? null,
      ],
      { tx },
    ),

  delete: (name, tx) => queries.value(scheduleDelete, [name], { tx }),

  pause: (name, reason, tx) => queries.value(schedulePause, [name, reason ?? null], { tx }),

  resume: (name, tx) => queries.value(scheduleResume, [name], { tx }),

  trigger: (name, tx) => queries.queryOne(scheduleTrigger, [name], { tx }),

  list: (name) => queries.query(scheduleList, [name ?? null]),
});
