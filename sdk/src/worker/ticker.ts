/**
 * Carries out the ticks of schedules: works out which are due, and lets the database start their runs.
 *
 * Owns nothing but the leases of the moment. Any number of tickers share the work. Promises:
 *   T1  A tick starts one run, whichever tickers see it, and wherever they die: the database starts it and plans the
 *       next tick in one transaction, for one delivery, under one idempotency key.
 *   T2  The clock of this machine is never asked: the database tells what time it is.
 *   T3  While there is no schedule it asks one small question a minute, and six where nothing notifies. It is told
 *       of the first one.
 *   T4  A schedule that can't be carried out holds up no other. One that makes no sense is paused, with the reason.
 */
import { type DueTicks, dueTicks } from "../schedule/due-ticks.ts";
import { InvalidArgument, OxbowError } from "../core/errors.ts";
import type { Emitter } from "../core/events.ts";
import { tickTimes } from "../schedule/tick-times.ts";
import { unlessAborted } from "../async/unless-aborted.ts";
import { WakeUp } from "../async/wake-up.ts";
import { sqlstateOf } from "../protocol/blame.ts";
import { askPersistently } from "../protocol/persistence.ts";
import type {
  DueSchedule,
  TickSubscription,
  TickTransport,
} from "../protocol/schedule-transport.ts";

/** How long a crash delays a tick. */
const LEASE_MS = 30_000;
const WAIT_MS = 20_000;
/** Each is a short transaction of its own, so that none waits for another one's runs. */
const MAX_AT_ONCE = 20;
/** Who created the first schedule may have looked for us a moment before we were to be seen. */
const FIRST_LOOK_MS = 1_000;
const LISTENING_LOOK_MS = 60_000;
const LAST_LOOK_MS = 10_000;
const PASSING_PAUSE_MS = 1_000;
/** A right that is missing is missing for a while. */
const TROUBLE_PAUSE_MS = 60_000;

/** What a ticker tells. */
export interface TickerEvents {
  /** A tick was carried out. `runId` is null where the schedule's last run is still running, and must not overlap. */
  scheduleTicked: {
    readonly schedule: string;
    readonly scheduledAt: Date;
    readonly runId: string | null;
  };
  /** Something went wrong; the ticker goes on. */
  trouble: { readonly doing: string; readonly error: unknown };
}

export interface TickerOptions {
  readonly transport: TickTransport;
  readonly events: Pick<Emitter<TickerEvents>, "emit">;
}

export class Ticker {
  readonly #transport: TickTransport;
  readonly #events: Pick<Emitter<TickerEvents>, "emit">;
  readonly #stopping = new AbortController();
  readonly #wakeUp = new WakeUp();
  #running: Promise<void> | undefined;

  constructor({ transport, events }: TickerOptions) {
    this.#transport = transport;
    this.#events = events;
  }

  start(): void {
    this.#running ??= this.#tickForEver();
  }

  /** Carries out what it has begun with. It may be called twice, and before `start()`. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error("The ticker stops."));
    this.#wakeUp.now();
    await this.#running;
  }

  async #tickForEver(): Promise<void> {
    while (!this.#isStopping) {
      try {
        await this.#awaitSchedules();
        await this.#carryOutTicks();
      } catch (error) {
        if (this.#isStopping) return;
        this.#events.emit("trouble", { doing: "waiting for ticks of schedules", error });
        await this.#wakeUp.wait(isLasting(error) ? TROUBLE_PAUSE_MS : PASSING_PAUSE_MS);
      }
    }
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  #nextIn(): Promise<number | null> {
    return unlessAborted(this.#transport.nextIn(), this.#stopping.signal);
  }

  /** Resolves when there is a schedule. */
  async #awaitSchedules(): Promise<void> {
    let subscription: TickSubscription | undefined;
    let lookMs = FIRST_LOOK_MS;
    try {
      while (!this.#isStopping && (await this.#nextIn()) === null) {
        subscription ??= this.#transport.listen(() => this.#wakeUp.now());
        await this.#wakeUp.wait(lookMs);
        lookMs = Math.min(subscription.listening ? LISTENING_LOOK_MS : LAST_LOOK_MS, lookMs * 4);
      }
    } finally {
      subscription?.close();
    }
  }

  /** Resolves when there has been nothing to do for a while. */
  async #carryOutTicks(): Promise<void> {
    let due: DueSchedule[];
    do {
      if (this.#isStopping) return;
      due = await this.#transport.receive({
        max: MAX_AT_ONCE,
        leaseMs: LEASE_MS,
        waitMs: WAIT_MS,
        signal: this.#stopping.signal,
      });
      await Promise.all(due.map((schedule) => this.#carryOut(schedule)));
    } while (due.length > 0);
  }

  async #carryOut(schedule: DueSchedule): Promise<void> {
    const { receipt, name } = schedule;
    try {
      const found = findTicks(schedule);
      const runIds = await askPersistently(() => this.#transport.report({ receipt, ...found }), {
        forMs: LEASE_MS / 2,
        signal: this.#stopping.signal,
        isFinal: (error) => error instanceof OxbowError || isLasting(error),
      });
      runIds?.forEach((runId, index) => {
        const scheduledAt = new Date(found.ticks[index] ?? Number.NaN);
        this.#events.emit("scheduleTicked", { schedule: name, scheduledAt, runId });
      });
      if (found.problem !== undefined) {
        const error = new InvalidArgument(found.problem);
        this.#events.emit("trouble", { doing: `pausing schedule "${name}"`, error });
      }
    } catch (error) {
      this.#events.emit("trouble", { doing: `carrying out schedule "${name}"`, error });
    }
  }
}

/** A right, a function or a table is missing. */
const isLasting = (error: unknown): boolean => sqlstateOf(error)?.startsWith("42") === true;

function findTicks(schedule: DueSchedule): DueTicks & { readonly problem?: string } {
  try {
    const times = tickTimes(schedule, `schedule "${schedule.name}"`);
    return dueTicks({ ...schedule, times });
  } catch (error) {
    if (error instanceof InvalidArgument) {
      return { ticks: [], next: undefined, problem: error.message };
    }
    throw error;
  }
}
