/** What tickers ask. A tick is a delayed message, so waiting for one is waiting for messages of a queue. */
import type { CatchUpMode } from "../../core/due-ticks.ts";
import type { MessageDelivery } from "../../protocol/queue-transport.ts";
import type {
  DueSchedule,
  TickOutcome,
  TickReport,
  TickSubscription,
  TickTransport,
} from "../../protocol/schedule-transport.ts";
import type { Listening } from "./listener.ts";
import type { Pool } from "./pool.ts";
import type { PostgresQueueTransport } from "./queue-transport.ts";
import { scheduleNextIn, scheduleTick } from "./schedule-calls.ts";

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

export class PostgresTickTransport implements TickTransport {
  readonly #pool: Pool;
  readonly #queues: PostgresQueueTransport;
  readonly #listener: Listening | undefined;

  constructor(pool: Pool, queues: PostgresQueueTransport, listener: Listening | undefined) {
    this.#pool = pool;
    this.#queues = queues;
    this.#listener = listener;
  }

  async nextIn(): Promise<number | null> {
    const row = await this.#pool.queryOne<{ delay: number | null }>(scheduleNextIn, []);
    return row.delay;
  }

  async receive({
    max,
    leaseMs,
    waitMs,
    signal,
  }: Parameters<TickTransport["receive"]>[0]): Promise<DueSchedule[]> {
    const deliveries = await this.#queues.receive({
      queue: QUEUE,
      max,
      visibilityTimeoutMs: leaseMs,
      matching: undefined,
      waitMs,
      signal,
    });
    const due: DueSchedule[] = [];
    for (const delivery of deliveries) {
      // The database told when the lease ends; so it was this late there when it gave it.
      const one = toDueSchedule(delivery, delivery.visibleAt.getTime() - leaseMs);
      // What somebody else has sent there is taken away.
      if (one === undefined) await this.#queues.delete(QUEUE, delivery.receipt);
      else due.push(one);
    }
    return due;
  }

  async report({ receipt, ticks, next, problem }: TickReport): Promise<TickOutcome> {
    const row = await this.#pool.queryOne<{ outcome: "ok" | "lost"; run_ids: TickOutcome }>(
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
    return row.outcome === "lost" ? undefined : (row.run_ids ?? []);
  }

  listen(onHint: () => void): TickSubscription {
    const listener = this.#listener;
    if (listener === undefined) return { listening: false, close: () => {} };
    const unlisten = listener.listen(CHANNEL, { onNotification: onHint, onConnected: onHint });
    void listener.awaitChannel(CHANNEL);
    return {
      get listening() {
        return listener.connected;
      },
      close: () => {
        listener.forgetChannel(CHANNEL);
        unlisten();
      },
    };
  }
}

function toDueSchedule({ body, receipt }: MessageDelivery, atMs: number): DueSchedule | undefined {
  if (typeof body !== "object" || body === null || !("done_until" in body)) return undefined;
  const message = body as TickMessage;
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
