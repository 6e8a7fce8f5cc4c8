/**
 * The work of a worker with one database: serves its runs with a number of slots, until `drain()`.
 *
 * Owns the receiver, which fills the slots, the runs in progress, and a ticker. Promises, in addition to theirs:
 *   W1  `drain()`: the worker receives and calls nothing further, journals the callbacks in progress, and gives every run
 *       back. It may be called twice. It ends even if the database doesn't respond: leases expire.
 *   W2  The worker waits for a database that can't be reached, or can't answer in time. A database that can't be used
 *       (without Oxbow, of another version, or with another password) ends the worker: `finished` rejects with the reason.
 *   W3  A run that a client of this process starts is leased to the worker by the start if a slot is free, and executed like
 *       one that was received: see places.ts.
 */
import { once } from "node:events";
import { hostname } from "node:os";
import { LAST_ANSWER_MS, within } from "../async/within.ts";
import type { Emitter } from "../core/events.ts";
import { type RunEnd, offerPlaces } from "../protocol/local-workers.ts";
import { openSlots } from "../protocol/suspects.ts";
import type { Transport } from "../protocol/transport.ts";
import type { RequestTimes, WorkflowDelivery } from "../protocol/worker.ts";
import { announce } from "./announcement.ts";
import type { WorkerEvents } from "./events.ts";
import { Expirer } from "./expirer.ts";
import { Places } from "./places.ts";
import { Presence } from "./presence.ts";
import { ProgressReporter } from "./progress-reporter.ts";
import { Receiver } from "./receiver.ts";
import { RunsInProgress } from "./runs-in-progress.ts";
import type { readLimits, WorkerOptions } from "./serve-options.ts";
import type { ServedWorkflows } from "./served-workflows.ts";
import { Ticker } from "./ticker.ts";
import { tracedRuns } from "./traced-runs.ts";

/** Options of the testing kit. */
export interface WorkerSeams {
  /** Gives each run back when a step is journaled, so that it replays from its beginning. */
  readonly replaysEveryStep?: boolean;
  /** Prints failures; a test that provokes them does not need that. Default true. */
  readonly printsFailures?: boolean;
}

export interface LaneOptions {
  readonly options: WorkerOptions;
  readonly seams: WorkerSeams;
  readonly transport: Transport;
  readonly served: ServedWorkflows;
  readonly limits: ReturnType<typeof readLimits>;
  readonly events: Emitter<WorkerEvents>;
}

export class Lane {
  /** Resolves when the lane has drained; rejects if it can't work at all. */
  readonly finished: Promise<void>;

  readonly #lane: LaneOptions;
  readonly #receiver: Receiver;
  readonly #places: Places;
  readonly #progress: ProgressReporter;
  readonly #presence: Presence;
  readonly #ticker: Ticker | undefined;
  readonly #expirer: Expirer | undefined;
  readonly #runs: RunsInProgress;
  readonly #stopping = new AbortController();
  #stopOffering = (): void => {};
  #accompanied: Promise<unknown> = Promise.resolve();
  #drained: Promise<void> | undefined;
  /** Ends when the connections are closed, at the latest. */
  #ending: Promise<unknown> = Promise.resolve();

  constructor(lane: LaneOptions) {
    const { options, seams, transport, served, limits, events } = lane;
    const { concurrency, leaseMs } = limits;
    const { versions } = served;
    this.#lane = lane;
    this.#runs = new RunsInProgress({
      logger: options.logger,
      codec: options.codec,
      replaysEveryStep: seams.replaysEveryStep,
      transport,
      served,
      connection: { transport },
      leaseMs,
      events,
      filler: () => this.#receiver,
      tracksSuspects: true,
    });
    this.#receiver = new Receiver({
      transport: transport.worker,
      versions,
      leaseMs,
      freeSlots: () => Math.max(0, concurrency - this.#runs.busySlots - this.#places.size),
      leavesRoom: () => this.#places.isUsed,
      heldBytes: () => this.#runs.bytes,
      onDelivery: (delivery, times, leasedAt) =>
        this.#runs.received(delivery, times, { leasedAt, leaseMs }),
      onAttention: (runId) => this.#runs.look(runId),
      onTrouble: (error) => this.#trouble("receiving runs", error),
    });
    this.#places = new Places({
      leaseMs,
      turns: this.#runs.turns,
      versions: (name) => versions.get(name) ?? [],
      freeSlots: () => this.#receiver.spareSlots,
      onReturned: () => this.#receiver.slotFreed(),
      execute: (delivery, times, lease, onEnd) => this.#executeHere(delivery, times, lease, onEnd),
      onTrouble: (error) => this.#trouble("executing a run that was started here", error),
    });
    this.#progress = new ProgressReporter({
      transport: transport.worker,
      worker: `${hostname()}:${process.pid}`,
      runs: () => this.#runs.all(),
    });
    this.#presence = new Presence({
      transport: transport.workflows,
      versions,
      slots: concurrency,
      busySlots: () => this.#runs.size,
    });
    const { ticks, expiry } = transport;
    if (expiry !== undefined) {
      this.#expirer = new Expirer({
        transport: expiry,
        onTrouble: (error) => this.#trouble("ending runs at their deadlines", error),
      });
    }
    if (ticks !== undefined && options.schedules !== false) {
      this.#ticker = new Ticker({ transport: ticks, events });
    }
    this.finished = this.#work();
  }

  /** Drains the lane, as `stop()` of its worker describes. Its connections remain. */
  drain(): Promise<void> {
    this.#drained ??= this.#drain();
    return this.#drained;
  }

  /** Closes the connections of a lane that has drained. */
  async close(): Promise<void> {
    await this.#lane.transport.close();
    await this.#ending;
  }

  /** The testing kit has moved the database's clock: sleeping runs check their deadlines. */
  clockMoved(databaseMs: number): void {
    this.#runs.clockMoved(databaseMs);
    this.#receiver.nudge();
  }

  async #work(): Promise<void> {
    const { options, transport, served, limits } = this.#lane;
    const { signal } = this.#stopping;
    const closeSlots = openSlots(limits.concurrency);
    try {
      try {
        const onTrouble = this.#trouble.bind(this);
        await announce({ transport, served, signal, onTrouble });
        await tracedRuns.load();
      } catch (error) {
        await transport.close();
        throw error;
      }
      if (!signal.aborted) {
        this.#receiver.start();
        this.#progress.start();
        this.#presence.start();
        this.#ticker?.start();
        this.#expirer?.start();
        this.#accompany();
        const { database } = transport;
        if (database !== undefined && options.localStarts !== false) {
          this.#stopOffering = offerPlaces(database, this.#places);
        }
      }
      if (!signal.aborted) await once(signal, "abort");
      await this.#drained;
    } finally {
      closeSlots();
    }
  }

  /** Starts the work of sources besides runs. */
  #accompany(): void {
    const { options, transport } = this.#lane;
    const { signal } = this.#stopping;
    const onTrouble = this.#trouble.bind(this);
    const work = (options.sources ?? []).map(async (source) => {
      try {
        await source.accompany?.({ transport, signal, onTrouble });
      } catch (error) {
        onTrouble("serving a source of workflows", error);
      }
    });
    this.#accompanied = Promise.all(work);
  }

  #executeHere(
    delivery: WorkflowDelivery,
    times: RequestTimes,
    leaseMs: number,
    onEnd: (end: RunEnd | undefined) => void,
  ): void {
    const definition = this.#lane.served.definition(delivery);
    // Another worker receives it when the lease expires.
    if (this.#runs.isClosed || definition === undefined) {
      onEnd(undefined);
      return;
    }
    const lease = { leasedAt: times.sentAt, leaseMs };
    this.#runs.execute(definition, delivery, times, lease, { onEnd });
  }

  async #drain(): Promise<void> {
    this.#stopping.abort();
    this.#stopOffering();
    const placed = this.#places.close();
    this.#runs.drain();
    const receiving = Promise.all([
      this.#receiver.stop(),
      this.#ticker?.stop(),
      this.#expirer?.stop(),
      this.#accompanied,
    ]);
    await within(this.#lane.limits.stopTimeoutMs, this.#untilIdle(receiving, placed));
    await Promise.all([this.#runs.giveBack(LAST_ANSWER_MS), this.#presence.stop()]);
    this.#ending = Promise.all([receiving, this.#runs.close(), this.#progress.stop()]);
    this.#ending.catch(() => {});
  }

  /** Resolves when no run is in progress. */
  async #untilIdle(receiving: Promise<unknown>, placed: Promise<void>): Promise<void> {
    await within(LAST_ANSWER_MS, Promise.all([receiving, placed]));
    await this.#runs.untilIdle();
  }

  #trouble(doing: string, error: unknown): void {
    this.#lane.events.emit("trouble", { doing, error });
  }
}
