/**
 * Keeps the leases of a worker's runs, all in one statement.
 *
 * Promises:
 *   K1  A lease is extended once half of it has passed, not before: a run that is done by then costs nothing.
 *   K2  A run that was cancelled, paused, lost or signalled learns it within a second, even where no commit is due and no
 *       notification comes. Runs that have just committed have just been told, and aren't asked about; but a commit doesn't tell of
 *       a pause, so a run that commits all the time is asked about once a second.
 *   K3  A run knows until when its lease certainly lasts, by this worker's monotonic clock, and calls nothing new after
 *       that time until the lease is confirmed. A process that was busy or suspended asks before it calls.
 *   K4  A lease whose time is over, and that no answer confirms within two looks, may be another worker's: the run is
 *       cut off.
 *   K5  A worker whose lease expired while the database was away, or while its event loop was blocked, presents the
 *       receipt once more: the run was not what ended it, since it is alive.
 *   K6  A run that another transaction has locked keeps no other lease waiting: it is asked for again at the next tick.
 */
import type { LeaseNotice, WorkerTransport } from "../protocol/worker.ts";
import type { Emitter } from "../core/events.ts";
import type { WorkerEvents } from "./events.ts";
import type { RunExecutor } from "./run-executor.ts";

const LONGEST_INTERVAL_MS = 800;
const LONGEST_SILENCE_MS = 1_000;

interface Lease {
  readonly run: RunExecutor;
  /** It lasts at least until then. */
  endsAt: number;
  askedAt: number;
  /** When its time was first seen to be over. */
  doubtedAt: number | undefined;
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
  #isStopped = false;

  constructor(options: LeaseKeeperOptions) {
    this.#options = options;
    this.#intervalMs = Math.min(LONGEST_INTERVAL_MS, options.leaseMs / 5);
  }

  /** The lease began no earlier than `sentAt`, by `performance.now()`. */
  add(run: RunExecutor, sentAt: number): void {
    const endsAt = sentAt + this.#options.leaseMs;
    this.#leases.set(run.receipt, { run, endsAt, askedAt: sentAt, doubtedAt: undefined });
    run.leasedUntil(endsAt);
    this.#timer ??= setInterval(() => this.#look(), this.#intervalMs);
  }

  remove(run: RunExecutor): void {
    const lease = this.#leases.get(run.receipt);
    this.#leases.delete(run.receipt);
    // Another worker may have received the run, and this one counts as dead until it says otherwise.
    if (lease !== undefined && lease.endsAt < performance.now() && !this.#isStopped) {
      void this.#ask([lease], null);
    }
    if (this.#leases.size === 0) this.#stopTimer();
  }

  /** A run has something to call, and its lease may be over: ask at once. */
  confirm(): void {
    this.#startTick();
  }

  /** A hint that this run was cancelled, paused or signalled. */
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
    this.#timer = undefined;
  }

  /** Answers that came while the process was busy are read first. */
  #look(): void {
    setImmediate(() => {
      if (this.#isStopped) return;
      this.#cutOff();
      this.#startTick();
    });
  }

  #cutOff(): void {
    const now = performance.now();
    for (const lease of this.#leases.values()) {
      if (now < lease.endsAt) lease.doubtedAt = undefined;
      else if (lease.doubtedAt === undefined) lease.doubtedAt = now;
      // Timers are late now and then, so that two looks may be closer.
      else if (now - lease.doubtedAt >= this.#intervalMs / 2) lease.run.cutOff();
    }
  }

  #startTick(): void {
    this.#tick ??= this.#keep().finally(() => {
      this.#tick = undefined;
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
        lease.run.leasedUntil(endsAt);
      }
    }
    if (quiet.length > 0) await this.#ask(quiet, null);
  }

  /** Returns the leases that were extended, if any were to be. */
  async #ask(leases: readonly Lease[], leaseMs: number | null): Promise<readonly Lease[]> {
    try {
      const claims = leases.map(({ run: { receipt, known } }) => ({ receipt, known }));
      const notices = await this.#options.transport.heartbeat(claims, leaseMs);
      for (const notice of notices) this.#tell(notice);
      const busy = new Set(
        notices.filter(({ outcome }) => outcome === "busy").map(({ receipt }) => receipt),
      );
      return leases.filter(({ run }) => !busy.has(run.receipt));
    } catch (error) {
      if (!this.#isStopped) {
        this.#options.events.emit("trouble", { doing: "extending leases", error });
      }
      return [];
    }
  }

  #tell({ receipt, outcome }: LeaseNotice): void {
    const run = this.#leases.get(receipt)?.run;
    if (outcome === "busy") return;
    if (outcome === "signalled") run?.signalled();
    else if (outcome === "paused") run?.drain();
    else if (outcome === "cancelling") run?.cancelling();
    else run?.lost(outcome);
  }
}
