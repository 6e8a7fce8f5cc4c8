/**
 * A worker: serves workflows with a number of slots, from `serve()` until `stop()`.
 *
 * Owns the receiver, which fills the slots, an executor for each run, the committer, the lease-keeper and a ticker. Promises,
 * in addition to theirs:
 *   W1  `stop()` drains: the worker receives and calls nothing further, journals the callbacks in progress, and gives every
 *       run back. It may be called twice. It ends even if the database doesn't respond: leases expire.
 *   W2  The worker waits for a database that can't be reached. A database that can't be used (without Oxbow, of another
 *       version, or with another password) ends the worker: `finished` rejects with the reason.
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
import { troubleReporter } from "../telemetry/troubles.ts";
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
  /** Maximum number of concurrent runs, from 1 to 10000, not counting sleeping and waiting ones. Default 100. */
  readonly concurrency?: number;
  /**
   * How long a run stays with this worker without a heartbeat, and so the delay after a crash. If the process stalls for
   * longer (garbage collection, a busy event loop), another worker executes its runs again. From 1s to 12h. Default "30s".
   */
  readonly lease?: Duration;
  /**
   * How long `stop()` waits for callbacks, and for their journaling, before it gives their runs back. Default "30s".
   */
  readonly stopTimeout?: Duration;
  /**
   * Receives the entries of `ctx.logger`, with their run, step and trace, and failures of steps, runs and the worker.
   * Default: each failed step and run is a line on standard error, at most 20 in 10 seconds, and failures of the worker are
   * warnings of the process. False: no output.
   */
  readonly logger?: Logger | false;
  /** Encodes journaled values; must match the client's codec. Default: plain JSON. */
  readonly codec?: Codec;
  /**
   * Whether this worker carries out schedules, of all workflows; workers share them. Without schedules, the cost is
   * negligible. Default true; for a worker that connects through a server, the server does so.
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
  /** The workflows to serve, with any number of versions of one name. */
  readonly workflows: readonly Workflow[];
}

/** Options of the testing kit. */
interface WorkerSeams {
  /** Gives each run back when a step is journaled, so that it replays from its beginning. */
  readonly replaysEveryStep?: boolean;
  /** Prints failures; a test that provokes them does not need that. Default true. */
  readonly printsFailures?: boolean;
}

const UNREACHABLE_PAUSE_MS = 1_000;

/**
 * Starts a worker for one or more workflows.
 *
 * @throws InvalidArgument. Errors of the database reject `finished`.
 * @example
 * const worker = createWorker({ url, workflows: [greet, remind], concurrency: 20 });
 * process.once("SIGTERM", () => void worker.stop());
 * await worker.finished;
 */
export function createWorker(options: WorkerOptions): Worker {
  return new Worker(options);
}

export class Worker {
  /** Emits its events to logs, metrics and tests. */
  readonly events = new Emitter<WorkerEvents>();
  /** Resolves when the worker has stopped; rejects if it can't work at all. */
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
  /** Aborts when the worker sends no further requests. */
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
      onDelivery: (delivery, times, leasedAt) => this.#execute(delivery, times, leasedAt),
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
      const tell = troubleReporter(logger);
      this.events.on("trouble", ({ doing, error }) => tell(doing, error));
    }
    this.finished = this.#work();
  }

  /**
   * Drains the worker: receives no further runs, lets callbacks in progress finish, journals them, and gives the runs back
   * for other workers. Resolves soon after `stopTimeout` at the latest. If the database doesn't respond, other workers
   * take the runs when their leases expire.
   */
  stop(): Promise<void> {
    this.#stopped ??= this.#drain();
    return this.#stopped;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  /** @internal The testing kit has moved the database's clock: sleeping runs check their deadlines. */
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

  /** Registers the served versions and their defaults, for starts by name. */
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

  /** Registers the flow control of the newest served version of each workflow; the database ignores that of older ones. */
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

  #execute(delivery: WorkflowDelivery, times: RequestTimes, leasedAt: number): void {
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
    this.#leases.add(run, leasedAt);
    // A receive that was in flight at the stop has returned it.
    if (this.#stopping.signal.aborted) run.drain();
    const done = run.execute().then(() => {
      this.#leases.remove(run);
      this.#runs.delete(run);
      acquit();
      this.#receiver.nudge();
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
    // Pending calls reject.
    this.#closing.abort();
    await this.#transport.close();
    await Promise.all([receiving, leases, progress]);
    this.#endLog?.();
  }

  /** Resolves when no run is in progress. */
  async #untilIdle(receiving: Promise<unknown>): Promise<void> {
    await within(LAST_ANSWER_MS, receiving);
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

/** Adds the failure handlers of the workflows, each once. */
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
