/**
 * The work of a worker with one database: serves its runs with a number of slots, until `drain()`.
 *
 * Owns the receiver, which fills the slots, an executor for each run, the committer, the lease-keeper and a ticker. Promises,
 * in addition to theirs:
 *   W1  `drain()`: the worker receives and calls nothing further, journals the callbacks in progress, and gives every run
 *       back. It may be called twice. It ends even if the database doesn't respond: leases expire.
 *   W2  The worker waits for a database that can't be reached, or can't answer in time. A database that can't be used
 *       (without Oxbow, of another version, or with another password) ends the worker: `finished` rejects with the reason.
 *   W3  A run that a client of this process starts is leased to the worker by the start if a slot is free, and executed like
 *       one that was received: see places.ts.
 */
import { LAST_ANSWER_MS, within } from "../async/within.ts";
import type { Emitter } from "../core/events.ts";
import { type RunEnd, offerPlaces } from "../protocol/local-workers.ts";
import { freeSuspect, isSuspect, openSlots, reserveSuspect } from "../protocol/suspects.ts";
import type { Transport } from "../protocol/transport.ts";
import { Turns } from "../async/turns.ts";
import type { RequestTimes, WorkflowDelivery } from "../protocol/worker.ts";
import type { Workflow } from "../definition/workflow.ts";
import { announce } from "./announcement.ts";
import { type Committer, makeCommitter } from "./committer.ts";
import { DatabaseClock } from "./database-clock.ts";
import type { WorkerEvents } from "./events.ts";
import { Expirer } from "./expirer.ts";
import { LeaseKeeper } from "./lease-keeper.ts";
import { Places } from "./places.ts";
import { Presence } from "./presence.ts";
import { ProgressReporter } from "./progress-reporter.ts";
import { Receiver } from "./receiver.ts";
import { RunExecutor } from "./run-executor.ts";
import type { readLimits, WorkerOptions } from "./serve-options.ts";
import type { ServedWorkflows } from "./served-workflows.ts";
import { Ticker } from "./ticker.ts";
import { UnresolvedRuns } from "./unresolved-runs.ts";

/** From when on, by `performance.now()`, and for how long a worker has a run. */
interface Lease {
  readonly leasedAt: number;
  readonly leaseMs: number;
}

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
  readonly events: Emitter<WorkerEvents>;
  /** Resolves when the lane has drained; rejects if it can't work at all. */
  readonly finished: Promise<void>;

  readonly #options: WorkerOptions;
  readonly #seams: WorkerSeams;
  readonly #transport: Transport;
  readonly #served: ServedWorkflows;
  readonly #concurrency: number;
  readonly #leaseMs: number;
  readonly #stopTimeoutMs: number;
  readonly #clock = new DatabaseClock();
  /** Runs have the async context in which the lane was made. */
  readonly #turns = new Turns();
  readonly #committer: Committer;
  readonly #leases: LeaseKeeper;
  readonly #receiver: Receiver;
  readonly #places: Places;
  readonly #unresolved: UnresolvedRuns;
  readonly #progress: ProgressReporter;
  readonly #presence: Presence;
  readonly #ticker: Ticker | undefined;
  readonly #expirer: Expirer | undefined;
  readonly #runs = new Map<RunExecutor, Promise<void>>();
  readonly #stopping = new AbortController();
  /** Aborts when the worker sends no further requests. */
  readonly #closing = new AbortController();
  #stopOffering = (): void => {};
  #accompanied: Promise<unknown> = Promise.resolve();
  #drained: Promise<void> | undefined;
  /** Ends when the connections are closed, at the latest. */
  #ending: Promise<unknown> = Promise.resolve();

  constructor({ options, seams, transport, served, limits, events }: LaneOptions) {
    const { concurrency, leaseMs, stopTimeoutMs } = limits;
    this.events = events;
    this.#served = served;
    this.#options = options;
    this.#seams = seams;
    this.#concurrency = concurrency;
    this.#leaseMs = leaseMs;
    this.#stopTimeoutMs = stopTimeoutMs;
    this.#transport = transport;
    this.#committer = makeCommitter(this.#transport.worker, this.#turns);
    this.#leases = new LeaseKeeper({
      transport: this.#transport.worker,
      leaseMs,
      events: this.events,
    });
    this.#receiver = new Receiver({
      transport: this.#transport.worker,
      versions: this.#served.versions,
      leaseMs,
      freeSlots: () =>
        Math.max(
          0,
          this.#concurrency - this.#runs.size - this.#places.size - this.#unresolved.size,
        ),
      leavesRoom: () => this.#places.isUsed,
      heldBytes: () => sumOf(this.#runs.keys(), (run) => run.bytes),
      onDelivery: (delivery, times, leasedAt) =>
        this.#received(delivery, times, { leasedAt, leaseMs }),
      onAttention: (runId) => this.#leases.look(runId),
      events: this.events,
    });
    this.#places = new Places({
      leaseMs,
      turns: this.#turns,
      versions: (name) => this.#served.versions.get(name) ?? [],
      freeSlots: () => this.#receiver.spareSlots,
      onReturned: () => this.#receiver.slotFreed(),
      execute: (delivery, times, lease, onEnd) => this.#executeHere(delivery, times, lease, onEnd),
      onTrouble: (error) =>
        this.events.emit("trouble", { doing: "executing a run that was started here", error }),
    });
    const connection = { transport };
    this.#unresolved = new UnresolvedRuns({
      resolve: (delivery) => this.#served.resolve(delivery, connection),
      committer: this.#committer,
      stepAside: (ms) => this.#receiver.stepAside(ms),
      closing: this.#closing.signal,
      onTrouble: (doing, error) => this.events.emit("trouble", { doing, error }),
    });
    this.#progress = new ProgressReporter({
      transport: this.#transport.worker,
      runs: () => this.#runs.keys(),
    });
    this.#presence = new Presence({
      transport: this.#transport.workflows,
      versions: this.#served.versions,
      slots: this.#concurrency,
      busySlots: () => this.#runs.size,
    });
    const { ticks, expiry } = this.#transport;
    if (expiry !== undefined) {
      this.#expirer = new Expirer({
        transport: expiry,
        onTrouble: (error) =>
          this.events.emit("trouble", { doing: "ending runs at their deadlines", error }),
      });
    }
    if (ticks !== undefined && options.schedules !== false) {
      this.#ticker = new Ticker({ transport: ticks, events: this.events });
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
    await this.#transport.close();
    await this.#ending;
  }

  /** The testing kit has moved the database's clock: sleeping runs check their deadlines. */
  clockMoved(databaseMs: number): void {
    const now = performance.now();
    this.#clock.sample({ databaseMs, sentAt: now, answeredAt: now });
    for (const run of this.#runs.keys()) run.look();
    this.#receiver.nudge();
  }

  async #work(): Promise<void> {
    const closeSlots = openSlots(this.#concurrency);
    try {
      await this.#workUntilStopped();
    } finally {
      closeSlots();
    }
  }

  async #workUntilStopped(): Promise<void> {
    try {
      await announce({
        transport: this.#transport,
        served: this.#served,
        signal: this.#stopping.signal,
        onTrouble: (doing, error) => this.events.emit("trouble", { doing, error }),
      });
    } catch (error) {
      await this.#transport.close();
      throw error;
    }
    if (!this.#stopping.signal.aborted) {
      this.#receiver.start();
      this.#progress.start();
      this.#presence.start();
      this.#ticker?.start();
      this.#expirer?.start();
      this.#accompany();
      const { database } = this.#transport;
      if (database !== undefined && this.#options.localStarts !== false) {
        this.#stopOffering = offerPlaces(database, this.#places);
      }
    }
    await new Promise<void>((resolve) => {
      if (this.#stopping.signal.aborted) resolve();
      else this.#stopping.signal.addEventListener("abort", () => resolve(), { once: true });
    });
    await this.#drained;
  }

  /** Starts the work of sources besides runs. */
  #accompany(): void {
    const { signal } = this.#stopping;
    const transport = this.#transport;
    const onTrouble = (doing: string, error: unknown): void => {
      this.events.emit("trouble", { doing, error });
    };
    const work = (this.#options.sources ?? []).map(async (source) => {
      try {
        await source.accompany?.({ transport, signal, onTrouble });
      } catch (error) {
        onTrouble("serving a source of workflows", error);
      }
    });
    this.#accompanied = Promise.all(work);
  }

  /** Executes a run that a start of this process has leased to the worker. */
  #executeHere(
    delivery: WorkflowDelivery,
    times: RequestTimes,
    leaseMs: number,
    onEnd: (end: RunEnd | undefined) => void,
  ): void {
    const definition = this.#served.definition(delivery);
    // Another worker receives it when the lease expires.
    if (this.#closing.signal.aborted || definition === undefined) {
      onEnd(undefined);
      return;
    }
    this.#execute(definition, delivery, times, { leasedAt: times.sentAt, leaseMs }, onEnd);
  }

  /** Executes a run that was received, once its workflow is loaded. */
  #received(delivery: WorkflowDelivery, times: RequestTimes, lease: Lease): void {
    if (isSuspect(delivery) && !reserveSuspect(this.#leaseMs)) {
      this.#unresolved.decline(delivery, () => this.#receiver.slotFreed());
      return;
    }
    const definition = this.#served.definition(delivery);
    if (definition !== undefined) {
      this.#execute(definition, delivery, times, lease);
      return;
    }
    this.#unresolved.add(delivery, (resolved) => {
      if (resolved !== undefined) this.#execute(resolved, delivery, times, lease);
      else if (isSuspect(delivery)) this.#freeSuspect();
      else this.#receiver.slotFreed();
    });
  }

  #execute(
    definition: Workflow,
    delivery: WorkflowDelivery,
    times: RequestTimes,
    { leasedAt, leaseMs }: Lease,
    onEnd?: (end: RunEnd | undefined) => void,
  ): void {
    const acquit = isSuspect(delivery) ? once(() => this.#freeSuspect()) : () => {};
    this.#clock.sample({ ...times, databaseMs: delivery.receivedAt });
    const { logger, codec } = this.#options;
    let hasEnded = false;
    const run = new RunExecutor({
      definition,
      delivery,
      clock: this.#clock,
      leaseMs: this.#leaseMs,
      confirmLease: () => this.#leases.confirm(),
      closing: this.#closing.signal,
      committer: this.#committer,
      turns: this.#turns,
      transport: this.#transport,
      events: this.events,
      logger: logger === false ? undefined : logger,
      codec,
      onProgress: acquit,
      isLocal: onEnd !== undefined,
      onEnd: (end) => {
        hasEnded ||= end !== undefined;
        onEnd?.(end);
      },
      replaysEveryStep: this.#seams.replaysEveryStep === true,
    });
    this.#leases.add(run, leasedAt, leaseMs);
    // A receive that was in flight at the stop has returned it.
    if (this.#stopping.signal.aborted) run.drain();
    const done = run.execute().then(() => {
      this.#leases.remove(run);
      this.#runs.delete(run);
      acquit();
      // A suspended run may be due before all that the receiver knows of.
      if (!hasEnded) this.#receiver.nudge();
      else if (onEnd === undefined) this.#receiver.runEnded();
      // An idle receiver learns nothing by the end of a run that it did not receive.
      else this.#receiver.slotFreed();
    });
    this.#runs.set(run, done);
  }

  /** Frees the place for another suspect. */
  #freeSuspect(): void {
    freeSuspect();
    this.#receiver.nudge();
  }

  async #drain(): Promise<void> {
    this.#stopping.abort();
    this.#stopOffering();
    const placed = this.#places.close();
    for (const run of this.#runs.keys()) run.drain();
    const receiving = Promise.all([
      this.#receiver.stop(),
      this.#ticker?.stop(),
      this.#expirer?.stop(),
      this.#accompanied,
    ]);
    await within(this.#stopTimeoutMs, this.#untilIdle(receiving, placed));
    await Promise.all([this.#giveBack(), this.#presence.stop()]);
    this.#ending = Promise.all([receiving, this.#leases.stop(), this.#progress.stop()]);
    this.#ending.catch(() => {});
    // Pending calls reject.
    this.#closing.abort();
  }

  /** Resolves when no run is in progress. */
  async #untilIdle(receiving: Promise<unknown>, placed: Promise<void>): Promise<void> {
    await within(LAST_ANSWER_MS, Promise.all([receiving, placed]));
    await this.#unresolved.settled();
    await Promise.all(this.#runs.values());
  }

  async #giveBack(): Promise<void> {
    const runs = [...this.#runs.keys()];
    if (await within(LAST_ANSWER_MS, Promise.all(runs.map((run) => run.release())))) return;
    const error = new Error(
      `The database doesn't respond. Runs that could not be released: ${runs.length}. Other workers take them when their leases expire.`,
    );
    this.events.emit("trouble", { doing: "giving runs back", error });
  }
}

function sumOf<Item>(items: Iterable<Item>, sizeOf: (item: Item) => number): number {
  let sum = 0;
  for (const item of items) sum += sizeOf(item);
  return sum;
}

function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    act();
  };
}
