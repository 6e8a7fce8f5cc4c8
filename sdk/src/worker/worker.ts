/**
 * A worker: serves workflows with a number of slots, from `serve()` until `stop()`.
 *
 * Owns the receiver (fills slots), an executor a run, the committer (makes durable), the lease-keeper and a
 * ticker. Its promises are theirs, and:
 *   W1  `stop()` drains: nothing new is received or called, what is running is journaled, and every run is given
 *       back. It may be called twice. It ends, whether the database answers or not: leases do the rest.
 *   W2  A database that can't be reached is waited for; one that can't be used (no Oxbow, another version, wrong
 *       password) ends the worker: `finished` rejects with the reason.
 */
import { sleep } from "../async/sleep.ts";
import { LAST_ANSWER_MS, within } from "../async/within.ts";
import type { Codec } from "../core/codec.ts";
import { type Duration, parseDuration } from "../core/duration.ts";
import { InvalidArgument } from "../core/errors.ts";
import { Emitter } from "../core/events.ts";
import { type OptionNames, checkOptions } from "../core/options.ts";
import type { Logger } from "../definition/context.ts";
import type { Workflow } from "../definition/workflow.ts";
import { blameFor } from "../protocol/blame.ts";
import { isRefused } from "../protocol/sqlstate.ts";
import type { Transport } from "../protocol/transport.ts";
import type { WorkflowDelivery } from "../protocol/worker.ts";
import { troubleTeller } from "../telemetry/troubles.ts";
import { CONNECT_OPTIONS, type ConnectOptions, connect } from "../transport/connect.ts";
import { type Committer, makeCommitter } from "./committer.ts";
import { DatabaseClock } from "./database-clock.ts";
import type { WorkerEvents } from "./events.ts";
import { Expirer } from "./expirer.ts";
import { printFailures } from "./failure-log.ts";
import { LeaseKeeper } from "./lease-keeper.ts";
import { ProgressReporter } from "./progress-reporter.ts";
import { Receiver, type RequestTimes } from "./receiver.ts";
import { RunExecutor } from "./run-executor.ts";
import { logRuns } from "./run-log.ts";
import { freeSuspect, isSuspect, openSlots } from "../protocol/suspects.ts";
import { Ticker } from "./ticker.ts";

export interface ServeOptions extends ConnectOptions {
  /** Most runs that are executed at once; sleeping and waiting ones don't count. Default 100. */
  readonly concurrency?: number;
  /**
   * How long a run stays with this worker without a heartbeat: how long a crash delays it. Shorter than a pause of
   * the process (garbage collection, a busy event loop) and runs are executed twice. 1s to 12h, default "30s".
   */
  readonly lease?: Duration;
  /**
   * How long `stop()` waits for callbacks, and for the database to journal them, before it gives their runs back
   * regardless. Default "30s".
   */
  readonly stopTimeout?: Duration;
  /**
   * Gets what `ctx.logger` is told, with the run, the step and the trace it was told in, and what goes wrong: steps
   * and runs that fail, and the worker's own troubles. Default: each step and run that fails is a line on standard
   * error, of which there are at most 20 in 10 seconds, and troubles are warnings of the process. False: nothing is
   * written.
   */
  readonly logger?: Logger | false;
  /** How journaled values are encoded; the same as the client's. */
  readonly codec?: Codec;
  /**
   * Whether to carry out schedules, of any workflow; all workers that do share them. Costs nothing worth mentioning
   * while there is no schedule. Default true; through a server, the server does it.
   */
  readonly schedules?: boolean;
}

const SERVE_OPTIONS: OptionNames<ServeOptions> = {
  ...CONNECT_OPTIONS,
  concurrency: true,
  lease: true,
  stopTimeout: true,
  logger: true,
  codec: true,
  schedules: true,
};

export interface WorkerOptions extends ServeOptions {
  /** The workflows to serve; several versions of one name may be there. */
  readonly workflows: readonly Workflow[];
}

/** What the testing kit wants of its worker. */
interface WorkerSeams {
  /** Give each run back when a step is journaled, so that it is replayed from its beginning. */
  readonly replaysEveryStep?: boolean;
  /** A test that makes steps fail knows that they do. Default true. */
  readonly printsFailures?: boolean;
}

const UNREACHABLE_PAUSE_MS = 1_000;

/** Starts a worker at once. */
export function createWorker(options: WorkerOptions): Worker {
  return new Worker(options);
}

export class Worker {
  /** What happens, for logs, metrics and tests. */
  readonly events = new Emitter<WorkerEvents>();
  /** Resolves when the worker has stopped; rejects when it can't work at all. */
  readonly finished: Promise<void>;

  readonly #options: WorkerOptions;
  readonly #seams: WorkerSeams;
  readonly #transport: Transport;
  readonly #definitions: ReadonlyMap<string, Workflow>;
  readonly #concurrency: number;
  readonly #leaseMs: number;
  readonly #stopTimeoutMs: number;
  readonly #clock = new DatabaseClock();
  readonly #committer: Committer;
  readonly #leases: LeaseKeeper;
  readonly #receiver: Receiver;
  readonly #progress: ProgressReporter;
  readonly #ticker: Ticker | undefined;
  readonly #expirer: Expirer | undefined;
  readonly #runs = new Map<RunExecutor, Promise<void>>();
  readonly #stopping = new AbortController();
  /** Aborts when the database is no longer asked. */
  readonly #closing = new AbortController();
  readonly #endLog: (() => void) | undefined;
  #stopped: Promise<void> | undefined;

  /** @internal Use {@link createWorker}. */
  constructor(options: WorkerOptions, seams: WorkerSeams = {}) {
    checkOptions(options, { ...SERVE_OPTIONS, workflows: true }, "a worker");
    const { concurrency = 100, lease = "30s", stopTimeout = "30s" } = options;
    if (!Number.isInteger(concurrency) || concurrency < 1 || concurrency > 10_000) {
      throw new InvalidArgument(
        `Invalid concurrency ${concurrency}: give a whole number from 1 to 10000.`,
      );
    }
    const leaseMs = parseDuration(lease, "the lease of a worker");
    if (leaseMs < 1_000 || leaseMs > 43_200_000) {
      throw new InvalidArgument(
        `Invalid lease ${JSON.stringify(lease)}: a lease is 1 second to 12 hours.`,
      );
    }
    const workflows = withHandlers(options.workflows);
    this.#options = options;
    this.#seams = seams;
    this.#concurrency = concurrency;
    this.#leaseMs = leaseMs;
    this.#stopTimeoutMs = parseDuration(stopTimeout, "the stop timeout of a worker");
    this.#definitions = byVersion(workflows);
    this.#transport = connect(options);
    this.#committer = makeCommitter(this.#transport.worker);
    this.#leases = new LeaseKeeper({
      transport: this.#transport.worker,
      leaseMs,
      events: this.events,
    });
    this.#receiver = new Receiver({
      transport: this.#transport.worker,
      versions: versionsOf(workflows),
      leaseMs,
      freeSlots: () => this.#concurrency - this.#runs.size,
      heldBytes: () => sumOf(this.#runs.keys(), (run) => run.bytes),
      onDelivery: (delivery, times) => this.#execute(delivery, times),
      onAttention: (runId) => this.#leases.look(runId),
      events: this.events,
    });
    this.#progress = new ProgressReporter({
      transport: this.#transport.worker,
      runs: () => this.#runs.keys(),
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
    const { logger } = options;
    if (logger === undefined && seams.printsFailures !== false) {
      this.#endLog = printFailures(this.events);
    } else if (logger !== undefined && logger !== false) logRuns(this.events, logger);
    if (logger !== false) {
      const tell = troubleTeller(logger);
      this.events.on("trouble", ({ doing, error }) => tell(doing, error));
    }
    this.finished = this.#work();
  }

  /**
   * Drains: receives nothing more, lets running callbacks finish, journals them and gives the runs back for
   * another worker. Resolves when nothing of this worker is left, soon after `stopTimeout` at the latest: what a
   * database that is away could not be told goes on elsewhere when its lease ends.
   */
  stop(): Promise<void> {
    this.#stopped ??= this.#drain();
    return this.#stopped;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  /** @internal The clock of the database was moved, which only the testing kit does: what sleeps looks again. */
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
      await this.#reachDatabase();
      await this.#register();
      await this.#sayFlowControl();
    } catch (error) {
      await this.#transport.close();
      throw error;
    }
    if (!this.#stopping.signal.aborted) {
      this.#receiver.start();
      this.#progress.start();
      this.#ticker?.start();
      this.#expirer?.start();
    }
    await new Promise<void>((resolve) => {
      if (this.#stopping.signal.aborted) resolve();
      else this.#stopping.signal.addEventListener("abort", () => resolve(), { once: true });
    });
    await this.#stopped;
  }

  #reachDatabase(): Promise<void> {
    return this.#untilReached(() => this.#transport.check());
  }

  /** Starts by name find what is served, and its defaults. */
  async #register(): Promise<void> {
    const registrations = [...this.#definitions.values()].map(
      ({ name, version, retentionDays, deadlineMs, onFailure }) => ({
        name,
        version,
        retentionDays,
        deadlineMs,
        onFailure: onFailure?.name,
      }),
    );
    await this.#untilReached(async () => {
      await this.#transport.workflows.register(registrations);
    });
  }

  /** Of each workflow, what the newest version that is served says; an older one would be told that it is older. */
  async #sayFlowControl(): Promise<void> {
    const newest = new Map<string, Workflow>();
    for (const workflow of this.#options.workflows) {
      const other = newest.get(workflow.name);
      if (workflow.flowControl === undefined || (other?.version ?? 0) > workflow.version) continue;
      newest.set(workflow.name, workflow);
    }
    for (const { name, version, flowControl = null } of newest.values()) {
      await this.#untilReached(async () => {
        await this.#transport.flowControl.set(name, flowControl, version);
      });
    }
  }

  async #untilReached(work: () => Promise<void>): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      try {
        await work();
        return;
      } catch (error) {
        if (isRefused(error) || blameFor(error) !== "database") throw error;
        this.events.emit("trouble", { doing: "connecting", error });
        await sleep(UNREACHABLE_PAUSE_MS, this.#stopping.signal);
      }
    }
  }

  #execute(delivery: WorkflowDelivery, times: RequestTimes): void {
    const definition = this.#definitions.get(keyOf(delivery));
    const acquit = isSuspect(delivery) ? once(() => this.#freeSuspect()) : () => {};
    if (definition === undefined) return acquit();
    this.#clock.sample({ ...times, databaseMs: delivery.receivedAt });
    const { logger, codec } = this.#options;
    const run = new RunExecutor({
      definition,
      delivery,
      clock: this.#clock,
      leaseMs: this.#leaseMs,
      confirmLease: () => this.#leases.confirm(),
      closing: this.#closing.signal,
      committer: this.#committer,
      transport: this.#transport,
      events: this.events,
      logger: logger === false ? undefined : logger,
      codec,
      onProgress: acquit,
      replaysEveryStep: this.#seams.replaysEveryStep === true,
    });
    this.#leases.add(run, times.sentAt);
    // A receive that was under way at the stop has brought it.
    if (this.#stopping.signal.aborted) run.drain();
    const done = run.execute().then(() => {
      this.#leases.remove(run);
      this.#runs.delete(run);
      acquit();
      this.#receiver.nudge();
    });
    this.#runs.set(run, done);
  }

  /** Another suspect may come. */
  #freeSuspect(): void {
    freeSuspect();
    this.#receiver.nudge();
  }

  async #drain(): Promise<void> {
    this.#stopping.abort();
    for (const run of this.#runs.keys()) run.drain();
    const receiving = Promise.all([
      this.#receiver.stop(),
      this.#ticker?.stop(),
      this.#expirer?.stop(),
    ]);
    await within(this.#stopTimeoutMs, this.#untilIdle(receiving));
    await this.#giveBack();
    const leases = this.#leases.stop();
    const progress = this.#progress.stop();
    // Calls that still wait for an answer reject.
    this.#closing.abort();
    await this.#transport.close();
    await Promise.all([receiving, leases, progress]);
    this.#endLog?.();
  }

  /** Resolves when no run is executed. */
  async #untilIdle(receiving: Promise<unknown>): Promise<void> {
    await within(LAST_ANSWER_MS, receiving);
    await Promise.all(this.#runs.values());
  }

  async #giveBack(): Promise<void> {
    const runs = [...this.#runs.keys()];
    if (await within(LAST_ANSWER_MS, Promise.all(runs.map((run) => run.release())))) return;
    const error = new Error(
      `The database doesn't answer. Runs that others go on with when their leases end: ${runs.length}.`,
    );
    this.events.emit("trouble", { doing: "giving runs back", error });
  }
}

/** With the workflows that handle failures of these. One that is served by several is there once. */
const withHandlers = (workflows: readonly Workflow[]): readonly Workflow[] => [
  ...new Set(
    workflows.flatMap((one) => [one, ...(one.onFailure ? [one.onFailure as Workflow] : [])]),
  ),
];

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

const keyOf = ({ name, version }: { name: string; version: number }): string =>
  `${name}@${version}`;

function byVersion(workflows: readonly Workflow[]): ReadonlyMap<string, Workflow> {
  if (workflows.length === 0)
    throw new InvalidArgument("A worker needs at least one workflow to serve.");
  const definitions = new Map<string, Workflow>();
  for (const workflow of workflows) {
    if (definitions.has(keyOf(workflow))) {
      throw new InvalidArgument(
        `Workflow "${workflow.name}" is given twice in version ${workflow.version}: give one of them another version.`,
      );
    }
    definitions.set(keyOf(workflow), workflow);
  }
  return definitions;
}

function versionsOf(workflows: readonly Workflow[]): ReadonlyMap<string, readonly number[]> {
  const versions = new Map<string, number[]>();
  for (const { name, version } of workflows)
    versions.set(name, [...(versions.get(name) ?? []), version]);
  return versions;
}
