/** Schedules, straight to the database: each method one call of one SQL function. */
import type { StartedRun } from "../../../protocol/runs.ts";
import type {
  CreateScheduleRequest,
  ScheduleOutcome,
  ScheduleRecord,
  ScheduleTransport,
} from "../../../protocol/schedules.ts";
import type { TransactionClient } from "../../../protocol/transaction.ts";
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

export class PostgresScheduleTransport implements ScheduleTransport {
  readonly #queries: Queries;

  constructor(queries: Queries) {
    this.#queries = queries;
  }

  create(request: CreateScheduleRequest, tx?: TransactionClient): Promise<ScheduleOutcome> {
    return this.#queries.value(
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
    );
  }

  delete(name: string, tx?: TransactionClient): Promise<boolean> {
    return this.#queries.value(scheduleDelete, [name], { tx });
  }

  pause(name: string, reason: string | undefined, tx?: TransactionClient): Promise<boolean> {
    return this.#queries.value(schedulePause, [name, reason ?? null], { tx });
  }

  resume(name: string, tx?: TransactionClient): Promise<boolean> {
    return this.#queries.value(scheduleResume, [name], { tx });
  }

  trigger(name: string, tx?: TransactionClient): Promise<StartedRun> {
    return this.#queries.queryOne(scheduleTrigger, [name], { tx });
  }

  list(name: string | undefined): Promise<ScheduleRecord[]> {
    return this.#queries.query(scheduleList, [name ?? null]);
  }
}
