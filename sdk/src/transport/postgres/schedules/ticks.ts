/** Calls of tickers. A tick is a delayed message, so waiting for one is waiting for messages of a queue. */
import type { CatchUpMode } from "../../../schedule/due-ticks.ts";
import type { MessageWaits } from "../../../protocol/rooms.ts";
import type { DueSchedule, TickTransport } from "../../../protocol/schedules.ts";
import { listenForHints } from "../connection/hints.ts";
import type { Listening } from "../connection/listener.ts";
import type { Queries } from "../connection/queries.ts";
import { scheduleNextIn } from "./calls.ts";
import { type DeliveryRow, scheduleReceive, scheduleTick } from "./functions.ts";

const QUEUE = "__schedules";
const CHANNEL = `queue_${QUEUE}`;

/** The body of a message, as `schedule_tick` describes it. */
interface TickMessage {
  readonly schedule: string;
  readonly cron?: string;
  readonly every_seconds?: number;
  readonly time_zone: string;
  readonly late_by_seconds: number;
  readonly grace_seconds: number;
  readonly catch_up: CatchUpMode;
  readonly catch_up_limit?: number;
  readonly done_until: string;
}

export const ticksOverPostgres = (
  queries: Queries,
  queues: MessageWaits,
  listener: Listening | undefined,
): TickTransport => ({
  nextIn: async () => (await queries.queryOne(scheduleNextIn, [])).delay,

  receive: async ({ max, leaseMs, waitMs, signal }) => {
    const rows = await queues.await({ queue: QUEUE, max, waitMs, signal }, () =>
      queries.query(scheduleReceive, [max, leaseMs / 1_000], { isPrompt: true, giveUp: signal }),
    );
    // The lease began when the database gave it, by its clock.
    return rows.map((row) => toDueSchedule(row, row.visibleAt.getTime() - leaseMs));
  },

  report: async ({ receipt, ticks, next, problem }) => {
    const row = await queries.queryOne(
      scheduleTick,
      [
        receipt,
        ticks.map((tick) => new Date(tick).toISOString()),
        next === undefined ? null : new Date(next).toISOString(),
        problem ?? null,
      ],
      // The second time it is lost, and nothing is done twice.
      { repeatable: true },
    );
    return row.outcome === "lost" ? undefined : (row.runIds ?? []);
  },

  listen: (onHint) => listenForHints(listener, CHANNEL, onHint),
});

function toDueSchedule({ receipt, ...row }: DeliveryRow, atMs: number): DueSchedule {
  const message = row.message as TickMessage;
  return {
    receipt,
    name: message.schedule,
    cron: message.cron,
    everySeconds: message.every_seconds,
    timeZone: message.time_zone,
    doneUntilMs: Date.parse(message.done_until),
    nowMs: Math.floor(atMs - message.late_by_seconds * 1000),
    graceMs: message.grace_seconds * 1000,
    catchUp: message.catch_up,
    catchUpLimit: message.catch_up_limit,
  };
}
