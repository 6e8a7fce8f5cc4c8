/**
 * A worker for some seconds: executes what is ready, and returns. For cron routes, functions and tests.
 *
 * Promises:
 *   N1  It ends once nothing is ready, in one statement if nothing was, besides the registration of the workflows: see
 *       drained-registrations.ts. A run that is due, and locked by another transaction, is waited for a moment.
 *   N2  A second before the end, or a quarter of a shorter time, it receives and calls nothing further, and aborts the
 *       signals of callbacks in progress. Values that they return until the end are journaled; then every run is given back.
 *   N3  A run that is given back counts neither a death nor a failed attempt.
 *   N4  A step with a `timeout` that is longer than what is left does not begin. Its run is given back at the end.
 *   N5  It rejects if the database can't be reached at its start. A connection that is lost later is opened again; if it
 *       can't be until the end, the drain rejects some seconds later, and leases expire.
 *   N6  It listens to nothing, reports no presence, and carries out no schedules, triggers or deadlines of other runs. Runs
 *       of its workflows are visible when they are due.
 */
import { nextTurn } from "../async/next-turn.ts";
import { sleep } from "../async/sleep.ts";
import { startTimer } from "../async/timer.ts";
import { Watch } from "../async/watch.ts";
import { within } from "../async/within.ts";
import { InvalidArgument } from "../core/errors.ts";
import { Emitter } from "../core/events.ts";
import { mayPass } from "../protocol/blame.ts";
import { openSlots } from "../protocol/suspects.ts";
import type { Transport } from "../protocol/transport.ts";
import type { WorkflowDelivery } from "../protocol/worker.ts";
import { connectTo } from "../transport/connect.ts";
import { targetOf } from "../transport/target.ts";
import { type DrainOptions, readDrainLimits } from "./drain-options.ts";
import { registerOnce } from "./drained-registrations.ts";
import type { WorkerEvents } from "./events.ts";
import { largeLast, loadJournal } from "./large-journal.ts";
import { ReceiveOrder } from "./receive-order.ts";
import { MAX_HELD_BYTES } from "./receiver.ts";
import { RunsInProgress } from "./runs-in-progress.ts";
import { ServedWorkflows } from "./served-workflows.ts";
import { watchRejections } from "./stray-rejections.ts";
import { tracedRuns } from "./traced-runs.ts";
import { logWorker } from "./worker-log.ts";

/** How long before its end a drain aborts callbacks. */
const LAST_MS = 1_000;
/** How long after its end a database that is slow, or away, may take for the last answers. */
const GRACE_MS = 3_000;
const TROUBLE_PAUSE_MS = 250;
/** How often in a row a drain without runs looks for one that is due, and locked. In all, that takes 0.6 s. */
const MOST_LOOKS = 6;

/** The result of a drain. */
export interface Drained {
  /** How many runs it has executed. */
  readonly executed: number;
  /** How many of these have ended. */
  readonly ended: number;
  /**
   * When the next run becomes visible, by the database's clock: in the past if there is more to do, undefined if all runs
   * wait for signals, or none is left. A run that another worker executes counts with the end of its lease.
   */
  readonly nextAt: Date | undefined;
}

/**
 * Executes the runs that are ready, and returns once there are no more, or when the time is nearly over. Then runs that have
 * not ended are given back, and the next drain, or another worker, continues them after their journaled steps.
 *
 * @throws InvalidArgument, ConnectionFailed, NotInstalled
 * @example
 * const { executed, ended, nextAt } = await drain({ url, workflows: [greet, remind], for: "50s" });
 */
export async function drain(options: DrainOptions): Promise<Drained> {
  const startedAt = performance.now();
  const { concurrency, leaseMs, forMs } = readDrainLimits(options);
  const { url, token, maxConnections, answerTimeout } = options;
  const served = new ServedWorkflows(options.workflows, options.sources);
  const target = targetOf({ url, token, maxConnections, answerTimeout, listen: false });
  if (target.kind === "fleet") {
    throw new InvalidArgument("A drain has one database: call it for each shard, with its `url`.");
  }
  const transport = connectTo(target);
  return new Drain({
    options,
    served,
    transport,
    concurrency,
    leaseMs,
    endsAt: startedAt + forMs,
    cutAt: startedAt + forMs - Math.min(LAST_MS, forMs / 4),
  }).run();
}

interface DrainPlan {
  readonly options: DrainOptions;
  readonly served: ServedWorkflows;
  readonly transport: Transport;
  readonly concurrency: number;
  readonly leaseMs: number;
  /** By `performance.now()`. */
  readonly endsAt: number;
  readonly cutAt: number;
}

class Drain {
  readonly #plan: DrainPlan;
  readonly #events = new Emitter<WorkerEvents>();
  readonly #runs: RunsInProgress;
  readonly #order: ReceiveOrder;
  /** Aborts when nothing further is called. */
  readonly #cutting = new AbortController();
  readonly #watch = new Watch({
    pace: { firstMs: 20, growth: 2, longestMs: 1_000 },
    signal: this.#cutting.signal,
  });
  /** Runs that have not ended. */
  readonly #executed = new Set<string>();
  #ended = 0;
  #hasReceived = false;
  #looks = 0;

  constructor(plan: DrainPlan) {
    const { transport, served, leaseMs, options, cutAt } = plan;
    this.#plan = plan;
    this.#order = new ReceiveOrder(served.versions);
    const { wake } = this.#watch;
    const filler = {
      nudge: wake,
      slotFreed: wake,
      runEnded: wake,
      stepAside: (ms: number) => this.#order.stepAside(ms),
    };
    this.#runs = new RunsInProgress({
      logger: options.logger,
      codec: options.codec,
      transport,
      served,
      connection: { transport },
      leaseMs,
      events: this.#events,
      filler: () => filler,
      // A process that lives for less than a lease would never get its turn.
      tracksSuspects: false,
      mayBegin: (timeoutMs) => timeoutMs === undefined || performance.now() + timeoutMs <= cutAt,
      onHeldUp: wake,
    });
    this.#events.on("runCompleted", ({ runId }) => this.#noteEnd(runId));
    this.#events.on("runFailed", ({ runId }) => this.#noteEnd(runId));
    this.#events.on("runDropped", ({ runId, reason }) => {
      if (reason === "cancelled") this.#noteEnd(runId);
    });
  }

  async run(): Promise<Drained> {
    const { options, concurrency, cutAt, transport } = this.#plan;
    const closeSlots = openSlots(concurrency);
    const endWatch = watchRejections();
    const endLog = logWorker(this.#events, options.logger);
    const stopTimer = startTimer(cutAt - performance.now(), () => this.#cut());
    try {
      const nextAt = await this.#work();
      return {
        executed: this.#ended + this.#executed.size,
        ended: this.#ended,
        nextAt: nextAt === null ? undefined : new Date(nextAt),
      };
    } finally {
      stopTimer();
      this.#cutting.abort();
      const closed = this.#runs.close();
      await transport.close();
      await closed;
      endLog();
      endWatch();
      closeSlots();
    }
  }

  /** Returns when the next run becomes visible. */
  async #work(): Promise<number | null> {
    const { transport, served, options } = this.#plan;
    const onTrouble = (error: unknown): void => {
      this.#events.emit("trouble", { doing: "registering workflows", error });
    };
    const registered = registerOnce({ transport, served, url: options.url, onTrouble });
    const prepared = Promise.all([registered, tracedRuns.load()]);
    const receiving = prepared.then(() => this.#receiveUntilIdle());
    let idle: Idle | undefined;
    try {
      await within(
        this.#leftMs(),
        receiving.then((result) => {
          idle = result;
        }),
      );
    } finally {
      await this.#giveBack();
    }
    const isLeft = idle === undefined || idle.nextAt === undefined;
    return isLeft ? this.#lookLast(receiving) : (idle?.nextAt ?? null);
  }

  async #receiveUntilIdle(): Promise<Idle> {
    while (!this.#isCut) {
      try {
        const idle = await this.#receive();
        if (idle !== undefined) return idle;
      } catch (error) {
        if (this.#isCut) break;
        // N5.
        if (!this.#hasReceived || !mayPass(error)) throw error;
        this.#events.emit("trouble", { doing: "receiving runs", error });
        await sleep(TROUBLE_PAUSE_MS, this.#cutting.signal);
      }
    }
    return {};
  }

  /** Receives once; then waits for a reason to receive again, unless there will be none. */
  async #receive(): Promise<Idle | undefined> {
    // One commit frees several slots a moment apart; one statement then fills all of them.
    await nextTurn();
    const { transport, leaseMs, concurrency } = this.#plan;
    const maxRuns = concurrency - this.#runs.busySlots;
    const maxBytes = MAX_HELD_BYTES - this.#runs.bytes;
    if (maxRuns <= 0 || maxBytes <= 0) {
      if (this.#isHeldUp) return {};
      await this.#watch.pause();
      return undefined;
    }
    const isAlone = this.#runs.busySlots === 0;
    let sentAt = performance.now();
    const request = {
      versions: this.#order.next(),
      maxRuns,
      leaseMs,
      // Its death is evidence against one at most.
      suspects: isAlone ? undefined : 0,
      maxBytes,
      giveUp: this.#cutting.signal,
      onSent: () => {
        sentAt = performance.now();
      },
    };
    const { deliveries, next } = isAlone
      ? await transport.worker.receiveOrLook(request)
      : { deliveries: await transport.worker.receive(request), next: undefined };
    this.#hasReceived = true;
    const answeredAt = performance.now();
    for (const delivery of largeLast(deliveries)) {
      await this.#deliver(delivery, sentAt, answeredAt);
    }
    if (deliveries.length > 0) {
      this.#looks = 0;
      this.#watch.restart();
      return undefined;
    }
    if (next !== undefined) {
      if (this.#looks === 0) this.#watch.restart();
      this.#looks += 1;
      if (!next.isDue || this.#looks === MOST_LOOKS) return { nextAt: next.at };
    } else if (this.#isHeldUp) return {};
    await this.#watch.rest();
    return undefined;
  }

  async #deliver(delivery: WorkflowDelivery, sentAt: number, answeredAt: number): Promise<void> {
    const { transport, leaseMs } = this.#plan;
    const lease = { leasedAt: sentAt, leaseMs };
    const loaded = await loadJournal(transport.worker, delivery, lease, leaseMs);
    if (loaded === undefined) return;
    if (!this.#isCut) this.#executed.add(delivery.runId);
    this.#runs.received(loaded.delivery, { sentAt, answeredAt }, loaded.lease);
  }

  /** There are runs in progress, and all need steps that may not begin (N4). The last one may have ended meanwhile. */
  get #isHeldUp(): boolean {
    return (
      this.#runs.size > 0 &&
      this.#runs.size === this.#runs.busySlots &&
      [...this.#runs.all()].every(({ isHeldUp }) => isHeldUp)
    );
  }

  /** N2. */
  #cut(): void {
    this.#cutting.abort();
    this.#runs.cutShort(
      () => new Error("The time of the drain is nearly over: the step is called again later."),
    );
  }

  async #giveBack(): Promise<void> {
    this.#runs.drain();
    await within(this.#leftMs(), this.#runs.untilIdle());
    this.#cut();
    await this.#runs.giveBack(this.#leftMs(GRACE_MS));
  }

  /** When the next run becomes visible, after runs were given back. Rejects if the database doesn't respond. */
  async #lookLast(receiving: Promise<unknown>): Promise<number | null> {
    const { transport, served } = this.#plan;
    const looking = receiving.then(() => transport.worker.nextVisible(served.versions));
    looking.catch(() => {});
    if (!(await within(this.#leftMs(GRACE_MS), looking))) await transport.close();
    const { at } = await looking;
    return at;
  }

  #noteEnd(runId: string): void {
    if (this.#executed.delete(runId)) this.#ended += 1;
  }

  #leftMs(graceMs = 0): number {
    return Math.max(0, this.#plan.endsAt + graceMs - performance.now());
  }

  get #isCut(): boolean {
    return this.#cutting.signal.aborted;
  }
}

/** The drain may end: with when the next run becomes visible, unless it has runs to give back. */
interface Idle {
  readonly nextAt?: number | null;
}
