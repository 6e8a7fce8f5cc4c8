/**
 * The runs that a worker has received from one database: their executors, commits, leases and clock, until each leaves.
 *
 * Promises:
 *   I1  Each delivery is executed, or given back if no workflow of the worker is its own.
 *   I2  Draining calls nothing further: callbacks in progress are journaled, and every run is given back, also one that is
 *       received later.
 *   I3  It ends even if the database doesn't respond: leases expire.
 */
import { within } from "../async/within.ts";
import { Turns } from "../async/turns.ts";
import type { Emitter } from "../core/events.ts";
import type { Workflow } from "../definition/workflow.ts";
import type { RunEnd } from "../protocol/local-workers.ts";
import { freeSuspect, isSuspect, reserveSuspect } from "../protocol/suspects.ts";
import type { RequestTimes, WorkflowDelivery } from "../protocol/worker.ts";
import { type Committer, makeCommitter } from "./committer.ts";
import { DatabaseClock } from "./database-clock.ts";
import type { WorkerEvents } from "./events.ts";
import { LeaseKeeper } from "./lease-keeper.ts";
import { type ExecutingTransport, RunExecutor, type RunExecutorOptions } from "./run-executor.ts";
import type { ServeOptions } from "./serve-options.ts";
import type { ServedWorkflows } from "./served-workflows.ts";
import { UnresolvedRuns } from "./unresolved-runs.ts";
import type { SourceConnection } from "./workflow-source.ts";

/** From when on, by `performance.now()`, and for how long a worker has a run. */
export interface Lease {
  readonly leasedAt: number;
  readonly leaseMs: number;
}

/** What fills the slots of the worker. */
interface SlotFiller {
  /** A slot is free, or a deadline has been set. */
  nudge(): void;
  /** A slot is free. */
  slotFreed(): void;
  /** A run that was received has ended. */
  runEnded(): void;
  /** Runs of pools were given back to other workers, for a time in milliseconds. */
  stepAside(ms: number): void;
}

export interface RunsInProgressOptions extends Pick<
  RunExecutorOptions,
  "codec" | "mayBegin" | "onHeldUp" | "replaysEveryStep"
> {
  readonly logger: ServeOptions["logger"];
  readonly transport: ExecutingTransport;
  readonly served: ServedWorkflows;
  /** Given to the sources of the worker, which keep documents for it. */
  readonly connection?: SourceConnection;
  readonly leaseMs: number;
  readonly events: Emitter<WorkerEvents>;
  /** Asked only after the first delivery. */
  readonly filler: () => SlotFiller;
  /** Whether suspects take the place of this process: see suspects.ts. */
  readonly tracksSuspects: boolean;
}

interface OwnOptions extends Partial<
  Pick<RunExecutorOptions, "mayBegin" | "onHeldUp" | "closing">
> {
  readonly onEnd?: (end: RunEnd | undefined) => void;
}

export class RunsInProgress {
  readonly turns: Turns = new Turns();
  readonly #options: RunsInProgressOptions;
  readonly #clock = new DatabaseClock();
  readonly #committer: Committer;
  readonly #leases: LeaseKeeper;
  readonly #unresolved: UnresolvedRuns;
  readonly #runs = new Map<RunExecutor, Promise<void>>();
  /** Aborts when the worker sends no further requests. */
  readonly #closing = new AbortController();
  #isDraining = false;
  #cutShort: (() => Error) | undefined;

  /** Runs have the async context in which this was made. */
  constructor(options: RunsInProgressOptions) {
    const { transport, served, connection, leaseMs, events, filler } = options;
    this.#options = options;
    this.#committer = makeCommitter(transport.worker, this.turns);
    this.#leases = new LeaseKeeper({ transport: transport.worker, leaseMs, events });
    this.#unresolved = new UnresolvedRuns({
      resolve: async (delivery) => connection && served.resolve(delivery, connection),
      committer: this.#committer,
      stepAside: (ms) => filler().stepAside(ms),
      closing: this.#closing.signal,
      onTrouble: (doing, error) => events.emit("trouble", { doing, error }),
    });
  }

  all(): Iterable<RunExecutor> {
    return this.#runs.keys();
  }

  /** How many runs are executed. */
  get size(): number {
    return this.#runs.size;
  }

  /** How many runs take up a slot. */
  get busySlots(): number {
    return this.#runs.size + this.#unresolved.size;
  }

  /** The approximate size of their journals and inputs. */
  get bytes(): number {
    let sum = 0;
    for (const run of this.#runs.keys()) sum += run.bytes;
    return sum;
  }

  get isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  /** A run may have been cancelled, paused or signalled. */
  look(runId: string): void {
    this.#leases.look(runId);
  }

  /** The testing kit has moved the database's clock: sleeping runs check their deadlines. */
  clockMoved(databaseMs: number): void {
    const now = performance.now();
    this.#clock.sample({ databaseMs, sentAt: now, answeredAt: now });
    for (const run of this.#runs.keys()) run.look();
  }

  /** Executes a run that was received, once its workflow is loaded. */
  received(delivery: WorkflowDelivery, times: RequestTimes, lease: Lease): void {
    const { served, leaseMs, filler } = this.#options;
    if (this.#tracks(delivery) && !reserveSuspect(leaseMs)) {
      this.#unresolved.decline(delivery, () => filler().slotFreed());
      return;
    }
    const definition = served.definition(delivery);
    if (definition !== undefined) {
      this.execute(definition, delivery, times, lease);
      return;
    }
    this.#unresolved.add(delivery, (resolved) => {
      if (resolved !== undefined) this.execute(resolved, delivery, times, lease);
      else if (this.#tracks(delivery)) this.#freeSuspect();
      else filler().slotFreed();
    });
  }

  /**
   * Executes a run, and returns it; it is in `all()` until this worker is done with it.
   *
   * @param own For this run: its own limits in place of those for all, and `onEnd` if a client of this process has started it.
   */
  execute(
    definition: Workflow,
    delivery: WorkflowDelivery,
    times: RequestTimes,
    { leasedAt, leaseMs }: Lease,
    own: OwnOptions = {},
  ): RunExecutor {
    const { transport, events, logger, codec, filler, replaysEveryStep } = this.#options;
    const { mayBegin = this.#options.mayBegin, onHeldUp = this.#options.onHeldUp } = own;
    const { closing = this.#closing.signal, onEnd } = own;
    let isTracked = this.#tracks(delivery);
    const acquit = (): void => {
      if (!isTracked) return;
      isTracked = false;
      this.#freeSuspect();
    };
    this.#clock.sample({ ...times, databaseMs: delivery.receivedAt });
    let hasEnded = false;
    const run = new RunExecutor({
      definition,
      delivery,
      clock: this.#clock,
      leaseMs: this.#options.leaseMs,
      confirmLease: () => this.#leases.confirm(),
      closing,
      committer: this.#committer,
      turns: this.turns,
      transport,
      events,
      logger: logger === false ? undefined : logger,
      codec,
      onProgress: acquit,
      mayBegin,
      onHeldUp,
      isLocal: onEnd !== undefined,
      onEnd: (end) => {
        hasEnded ||= end !== undefined;
        onEnd?.(end);
      },
      replaysEveryStep,
    });
    this.#leases.add(run, leasedAt, leaseMs);
    // A receive that was in flight at the stop has returned it.
    if (this.#cutShort !== undefined) run.cutShort(this.#cutShort);
    else if (this.#isDraining) run.drain();
    const done = run.execute().then(() => {
      this.#leases.remove(run);
      this.#runs.delete(run);
      acquit();
      // A suspended run may be due before all that the receiver knows of.
      if (!hasEnded) filler().nudge();
      else if (onEnd === undefined) filler().runEnded();
      // An idle receiver learns nothing by the end of a run that it did not receive.
      else filler().slotFreed();
    });
    this.#runs.set(run, done);
    return run;
  }

  /** Resolves when this worker is done with a run. */
  async untilOver(run: RunExecutor): Promise<void> {
    await this.#runs.get(run);
  }

  /** I2. */
  drain(): void {
    this.#isDraining = true;
    for (const run of this.#runs.keys()) run.drain();
  }

  /** As `drain()`, and aborts callbacks in progress. */
  cutShort(reason: () => Error): void {
    this.#isDraining = true;
    this.#cutShort = reason;
    for (const run of this.#runs.keys()) run.cutShort(reason);
  }

  /** Resolves when no run is in progress. */
  async untilIdle(): Promise<void> {
    await this.#unresolved.settled();
    await Promise.all(this.#runs.values());
  }

  /** Gives all runs back, whatever is in progress. Returns whether the database has answered within this time. */
  async giveBack(withinMs: number): Promise<boolean> {
    const runs = [this.#unresolved, ...this.#runs.keys()];
    const count = this.busySlots;
    if (await within(withinMs, Promise.all(runs.map((each) => each.release())))) return true;
    const error = new Error(
      `The database doesn't respond. Runs that could not be released: ${count}. Other workers take them when their leases expire.`,
    );
    this.#options.events.emit("trouble", { doing: "giving runs back", error });
    return false;
  }

  /** Pending calls reject. Resolves at the latest when the connections are closed. */
  async close(): Promise<void> {
    const stopped = this.#leases.stop();
    this.#closing.abort();
    await stopped;
  }

  #tracks(delivery: WorkflowDelivery): boolean {
    return this.#options.tracksSuspects && isSuspect(delivery);
  }

  /** Frees the place for another suspect. */
  #freeSuspect(): void {
    freeSuspect();
    this.#options.filler().nudge();
  }
}
