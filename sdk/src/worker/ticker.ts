/**
 * Carries out the ticks of schedules: computes which are due; the database starts their runs.
 *
 * Owns only the leases it holds at present. Any number of tickers share the work. Promises:
 *   T1  A tick starts one run, however many tickers receive it and wherever they die: the database starts the run and
 *       plans the next tick in one transaction, for one delivery, under one idempotency key.
 *   T2  Only the database's clock counts, never this machine's.
 *   T3  Without schedules it sends one small query a minute, or six without notifications. The first schedule notifies
 *       it.
 *   T4  A schedule that fails delays no other one. An invalid one is paused, with the reason.
 */
import { type DueTicks, dueTicks } from "../schedule/due-ticks.ts";
import { InvalidArgument, OxbowError } from "../core/errors.ts";
import type { Emitter } from "../core/events.ts";
import { tickTimes } from "../schedule/tick-times.ts";
import type { Pace } from "../async/pace.ts";
import { unlessAborted } from "../async/unless-aborted.ts";
import { Watch } from "../async/watch.ts";
import { sqlstateOf } from "../protocol/blame.ts";
import { askPersistently } from "../protocol/persistence.ts";
import type { HintSubscription } from "../protocol/hints.ts";
import type { DueSchedule, TickTransport } from "../protocol/schedules.ts";
import type { WorkerEvents } from "./events.ts";

/** The longest delay of a tick by a crash. */
const LEASE_MS = 30_000;
const WAIT_MS = 20_000;
/** Each tick is a short transaction, so that ticks don't wait for each other's runs. */
const MAX_AT_ONCE = 20;
/** The first look is early: the first schedule's transaction may have looked for tickers just before this one. */
const PACE: Pace = {
  firstMs: 1_000,
  growth: 4,
  longestMs: 10_000,
  notified: { growth: 4, longestMs: 60_000 },
};
const PASSING_PAUSE_MS = 1_000;
/** After an error that lasts, such as a missing privilege. */
const LASTING_PAUSE_MS = 60_000;

export type TickerEvents = Pick<WorkerEvents, "scheduleTicked" | "trouble">;

export interface TickerOptions {
  readonly transport: TickTransport;
  readonly events: Pick<Emitter<TickerEvents>, "emit">;
}

export class Ticker {
  readonly #transport: TickTransport;
  readonly #events: Pick<Emitter<TickerEvents>, "emit">;
  readonly #stopping = new AbortController();
  #subscription: HintSubscription | undefined;
  readonly #watch = new Watch({
    pace: PACE,
    signal: this.#stopping.signal,
    isNotified: () => this.#subscription?.listening === true,
  });
  #running: Promise<void> | undefined;

  constructor({ transport, events }: TickerOptions) {
    this.#transport = transport;
    this.#events = events;
  }

  start(): void {
    this.#running ??= this.#tickForEver();
  }

  /** Completes the ticks in progress. May be called twice, and before `start()`. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error("The ticker stops."));
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
        await this.#watch.pause(isLasting(error) ? LASTING_PAUSE_MS : PASSING_PAUSE_MS);
      }
    }
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** Resolves once a schedule exists. */
  async #awaitSchedules(): Promise<void> {
    const { signal } = this.#stopping;
    this.#watch.restart();
    try {
      while (!signal.aborted && (await unlessAborted(this.#transport.nextIn(), signal)) === null) {
        this.#subscription ??= this.#transport.listen(this.#watch.wake);
        await this.#watch.rest();
      }
    } finally {
      this.#subscription?.close();
      this.#subscription = undefined;
    }
  }

  /** Resolves when no tick was due for a while. */
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

/** A privilege, a function or a table is missing. */
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
