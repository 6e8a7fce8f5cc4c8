/**
 * A worker: serves workflows with a number of slots, from `serve()` until `stop()`, with a lane for each database.
 *
 * With one database, the lane has all slots. Over the shards of a fleet, each lane has its part of them, so that a shard
 * that is slow or away takes no slot of the others; and relays between them.
 */
import { InvalidArgument } from "../core/errors.ts";
import { Emitter } from "../core/events.ts";
import type { FleetRelay } from "../protocol/fleet.ts";
import type { Transport } from "../protocol/transport.ts";
import { connectTo } from "../transport/connect.ts";
import { loadFleet } from "../transport/load-fleet.ts";
import { shardsToOpen } from "../transport/shards-to-open.ts";
import { type ShardTarget, targetOf } from "../transport/target.ts";
import type { WorkerEvents } from "./events.ts";
import { Lane, type WorkerSeams } from "./lane.ts";
import { readLimits, type WorkerOptions } from "./serve-options.ts";
import { ServedWorkflows } from "./served-workflows.ts";
import { watchRejections } from "./stray-rejections.ts";
import { logWorker } from "./worker-log.ts";

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

  #lanes: readonly Lane[] = [];
  #relays: readonly FleetRelay[] = [];
  /** Resolves once there are lanes. */
  readonly #opened: Promise<void>;
  readonly #endWatch: () => void;
  readonly #endLog: () => void;
  #stopped: Promise<void> | undefined;

  /** @internal Use {@link createWorker}. */
  constructor(options: WorkerOptions, seams: WorkerSeams = {}) {
    const limits = readLimits(options);
    const served = new ServedWorkflows(options.workflows, options.sources);
    const target = targetOf(options);
    this.#endLog = logWorker(this.events, options.logger, seams.printsFailures);
    const openLane = (transport: Transport, concurrency: number): Lane =>
      new Lane({
        options,
        seams,
        transport,
        served,
        limits: { ...limits, concurrency },
        events: this.events,
      });
    if (target.kind === "fleet") {
      const { shards } = target;
      if (shards.length > 1) requireShardable(options, served);
      const slots = shareOut(limits.concurrency, shards.length);
      this.#opened = this.#open(shards, (transport, index) =>
        openLane(transport, slots[index] ?? 0),
      );
    } else {
      this.#lanes = [openLane(connectTo(target), limits.concurrency)];
      this.#opened = Promise.resolve();
    }
    this.#endWatch = watchRejections();
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
    for (const lane of this.#lanes) lane.clockMoved(databaseMs);
  }

  async #open(
    shards: readonly ShardTarget[],
    openLane: (transport: Transport, index: number) => Lane,
  ): Promise<void> {
    const fleet = await loadFleet();
    // All, before the first lane receives: one that can't be opened leaves nothing running.
    const { lanes, relays } = fleet.openLanes(shardsToOpen(shards), (doing, error) =>
      this.events.emit("trouble", { doing, error }),
    );
    this.#lanes = lanes.map(({ transport }, index) => openLane(transport, index));
    this.#relays = relays;
    for (const relay of relays) relay.start();
  }

  async #work(): Promise<void> {
    try {
      await this.#opened;
      await Promise.all(this.#lanes.map((lane) => lane.finished));
      await this.#stopped;
    } catch (error) {
      // Before Node prints a stack trace, if nothing awaits `finished`.
      this.events.emit("trouble", { doing: "the worker has ended", error });
      if (this.#lanes.length > 1) await this.stop();
      throw error;
    } finally {
      this.#endWatch();
    }
  }

  async #drain(): Promise<void> {
    // Lanes that are open drain before anything else happens. If they can't be opened, `finished` rejects with the reason.
    if (this.#lanes.length === 0) await this.#opened.catch(() => {});
    await Promise.all(this.#lanes.map((lane) => lane.drain()));
    // What the last runs have sent needs the connections of all lanes.
    await Promise.all(this.#relays.map((relay) => relay.finish()));
    await Promise.all(this.#lanes.map((lane) => lane.close()));
    this.#endLog();
  }
}

/** Divides slots among lanes. */
function shareOut(slots: number, lanes: number): number[] {
  if (slots < lanes) {
    throw new InvalidArgument(
      `Invalid concurrency ${slots} of a worker of ${lanes} shards: give at least one for each of them.`,
    );
  }
  return Array.from(
    { length: lanes },
    (_, index) => Math.floor(slots / lanes) + (index < slots % lanes ? 1 : 0),
  );
}

/** @throws InvalidArgument for what several databases can't serve together yet. */
function requireShardable(options: WorkerOptions, served: ServedWorkflows): void {
  const limited = served.all().find(({ flowControl }) => (flowControl ?? null) !== null);
  if (limited !== undefined) {
    throw new InvalidArgument(
      `Workflow "${limited.name}" has flow control, which would count in each shard separately: serve it by a worker of one shard, with \`url\`.`,
    );
  }
  if ((options.sources ?? []).length > 0) {
    throw new InvalidArgument(
      "Definitions are in one database: serve `sources` by a worker of one shard, with `url`.",
    );
  }
}
