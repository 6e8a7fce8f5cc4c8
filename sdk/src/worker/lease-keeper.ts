/**
 * Keeps the leases of a worker's runs, all in one statement.
 *
 * Promises:
 *   K1  A lease is extended once half of it has passed, not before, so a run that ends by then costs nothing.
 *   K2  A run learns within a second that it was cancelled, paused, lost or signalled, even without a commit or a
 *       notification. The answer to a commit reports all of these but a pause, so a run that has just committed is not
 *       checked, and one that commits continuously is checked once a second.
 *   K3  A run knows how long its lease certainly lasts, by this worker's monotonic clock. After that time it calls no
 *       callback until the lease is confirmed, also after the process was busy or suspended (X6 in run-executor.ts).
 *   K4  A lease that has expired, and that no answer confirms within two looks, may belong to another worker: the run is cut
 *       off.
 *   K5  A worker whose lease expired while the database was away, or while its event loop was blocked, presents the receipt
 *       again: the worker is alive, so the run did not kill it.
 *   K6  A run that another transaction has locked delays no other lease: it is checked again after a moment, since the
 *       lock often belongs to the run's commit, and then at the next tick. If it is locked again, as that of a run that
 *       commits without a pause is, its next commit waits until the lease is extended.
 */
import type { LeaseNotice, WorkerTransport } from "../protocol/worker.ts";
import type { Emitter } from "../core/events.ts";
import type { WorkerEvents } from "./events.ts";
import type { RunExecutor } from "./run-executor.ts";

const LONGEST_INTERVAL_MS = 800;
const LONGEST_SILENCE_MS = 1_000;
/** A commit is over by then, unless it waits for a lock itself. */
const LOCKED_PAUSE_MS = 100;

interface Lease {
  readonly run: RunExecutor;
  /** The lease lasts at least until then. */
  endsAt: number;
  askedAt: number;
  /** When the lease was first found to have expired. */
  doubtedAt: number | undefined;
  /** Whether the last request to extend it found the run locked. */
  wasBusy: boolean;
}

export interface LeaseKeeperOptions {
  readonly transport: Pick<WorkerTransport, "heartbeat">;
  readonly leaseMs: number;
  readonly events: Emitter<WorkerEvents>;
}

export class LeaseKeeper {
  readonly #options: LeaseKeeperOptions;
  readonly #leases = new Map<string, Lease>();
  readonly #intervalMs: number;
  #timer: NodeJS.Timeout | undefined;
  #tick: Promise<void> | undefined;
  /** Asks once more between two looks. */
  #secondTimer: NodeJS.Timeout | undefined;
  #isStopped = false;
  /** A tick is wanted when the one in progress is over. */
  #isConfirming = false;

  constructor(options: LeaseKeeperOptions) {
    this.#options = options;
    this.#intervalMs = Math.min(LONGEST_INTERVAL_MS, options.leaseMs / 5);
  }

  /**
   * The lease began no earlier than `sentAt`, by `performance.now()`.
   *
   * @param leaseMs How long it lasts. If that is under half of the worker's leases, it is extended at the first look.
   */
  add(run: RunExecutor, sentAt: number, leaseMs: number): void {
    const endsAt = sentAt + leaseMs;
    const lease = { run, endsAt, askedAt: sentAt, doubtedAt: undefined, wasBusy: false };
    this.#leases.set(run.receipt, lease);
    run.leasedUntil(endsAt);
    this.#timer ??= setInterval(() => this.#look(), this.#intervalMs);
  }

  remove(run: RunExecutor): void {
    const lease = this.#leases.get(run.receipt);
    this.#leases.delete(run.receipt);
    // Another worker may have received the run; this one counts as dead until it reports.
    if (lease !== undefined && lease.endsAt < performance.now() && !this.#isStopped) {
      void this.#ask([lease], null);
    }
    if (this.#leases.size === 0) this.#stopTimer();
  }

  /** A run waits for its lease, to call a callback or to commit: checks it immediately. */
  confirm(): void {
    if (this.#tick === undefined) this.#startTick();
    else this.#isConfirming = true;
  }

  /** A notification that this run was cancelled, paused or signalled. */
  look(runId: string): void {
    const leases = [...this.#leases.values()].filter(({ run }) => run.runId === runId);
    if (leases.length > 0) void this.#ask(leases, null);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stopTimer();
    await this.#tick;
  }

  #stopTimer(): void {
    clearInterval(this.#timer);
    clearTimeout(this.#secondTimer);
    this.#timer = undefined;
    this.#secondTimer = undefined;
  }

  /** Reads the answers that arrived while the process was busy first. */
  #look(): void {
    setImmediate(() => {
      if (this.#isStopped) return;
      this.#cutOff();
      this.#secondTimer = undefined;
      this.#startTick();
    });
  }

  #cutOff(): void {
    const now = performance.now();
    for (const lease of this.#leases.values()) {
      if (now < lease.endsAt) lease.doubtedAt = undefined;
      else if (lease.doubtedAt === undefined) lease.doubtedAt = now;
      // Timers may be late, so that two looks may be closer.
      else if (now - lease.doubtedAt >= this.#intervalMs / 2) lease.run.cutOff();
    }
  }

  #startTick(): void {
    this.#tick ??= this.#keep().finally(() => {
      this.#tick = undefined;
      if (this.#isConfirming && !this.#isStopped) {
        this.#isConfirming = false;
        this.#startTick();
      }
    });
  }

  async #keep(): Promise<void> {
    const now = performance.now();
    const halfWay = now + this.#options.leaseMs / 2;
    const quietSince = now - this.#intervalMs;
    const leases = [...this.#leases.values()];
    const due = leases.filter(({ endsAt }) => endsAt < halfWay);
    const quiet = leases.filter(
      ({ endsAt, askedAt, run }) =>
        endsAt >= halfWay &&
        (run.lastCommitAt < quietSince || askedAt + LONGEST_SILENCE_MS <= now + this.#intervalMs),
    );
    for (const lease of [...due, ...quiet]) lease.askedAt = now;
    if (due.length > 0) {
      const endsAt = now + this.#options.leaseMs;
      for (const lease of await this.#ask(due, this.#options.leaseMs)) {
        lease.endsAt = endsAt;
        lease.wasBusy = false;
        lease.run.leasedUntil(endsAt);
      }
    }
    if (quiet.length > 0) await this.#ask(quiet, null);
  }

  /** Does nothing if this tick is the second of its look already. */
  #askSoon(): void {
    if (this.#secondTimer !== undefined || this.#isStopped) return;
    this.#secondTimer = setTimeout(() => this.#startTick(), LOCKED_PAUSE_MS);
  }

  /** Returns the extended leases. */
  async #ask(leases: readonly Lease[], leaseMs: number | null): Promise<readonly Lease[]> {
    try {
      const claims = leases.map(({ run: { receipt, known } }) => ({ receipt, known }));
      const notices = await this.#options.transport.heartbeat(claims, leaseMs);
      for (const notice of notices) this.#tell(notice);
      const outcomes = new Map(notices.map(({ receipt, outcome }) => [receipt, outcome]));
      return leases.filter(({ run }) => isExtended(outcomes.get(run.receipt)));
    } catch (error) {
      if (!this.#isStopped) {
        this.#options.events.emit("trouble", { doing: "extending leases", error });
      }
      return [];
    }
  }

  #foundBusy(lease: Lease): void {
    if (lease.wasBusy) lease.run.holdCommits();
    lease.wasBusy = true;
    this.#askSoon();
  }

  #tell({ receipt, outcome }: LeaseNotice): void {
    const lease = this.#leases.get(receipt);
    if (lease === undefined) return;
    const { run } = lease;
    if (outcome === "busy") this.#foundBusy(lease);
    else if (outcome === "signalled") run.signalled();
    else if (outcome === "paused") run.drain();
    else if (outcome === "cancelling") run.cancelling();
    else run.lost(outcome);
  }
}

/** `lost` doesn't end a run whose commit ends the lease: it keeps the time that it had. */
export const isExtended = (outcome: LeaseNotice["outcome"] | undefined): boolean =>
  outcome === undefined || !["busy", "lost", "cancelled"].includes(outcome);
