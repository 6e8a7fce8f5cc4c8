/**
 * Keeps the leases of a consumer's messages while their handlers run.
 *
 * Promises:
 *   H1  A lease is extended once half of it has passed, not before, so a message that is done by then costs nothing.
 *       Extensions that are due together share a statement.
 *   H2  A lease that another consumer has is reported as lost. So is one that expires while the database can't be
 *       reached; after a stall of the process, answers that have arrived are read and the database is asked first.
 *   H3  No extension follows the end of a lease here.
 */
export interface MessageLeasesOptions {
  readonly leaseMs: number;
  /** Resolves with false if the lease is lost. */
  readonly extend: (receipt: string) => Promise<boolean>;
  readonly onError: (error: unknown) => void;
}

interface Lease {
  readonly onLost: () => void;
  endsAt: number;
  askedAt: number | undefined;
  /** The last extension. */
  asked?: Promise<void>;
}

const LONGEST_INTERVAL_MS = 1_000;

/** Sockets are read before it in Node. Other platforms don't have it. */
const afterSockets = (work: () => void): unknown =>
  "setImmediate" in globalThis ? setImmediate(work) : setTimeout(work);

export class MessageLeases {
  readonly #options: MessageLeasesOptions;
  readonly #leases = new Map<string, Lease>();
  readonly #intervalMs: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: MessageLeasesOptions) {
    this.#options = options;
    this.#intervalMs = Math.min(LONGEST_INTERVAL_MS, options.leaseMs / 5);
  }

  /** The lease has just begun. */
  hold(receipt: string, onLost: () => void): void {
    const endsAt = performance.now() + this.#options.leaseMs;
    this.#leases.set(receipt, { onLost, endsAt, askedAt: undefined });
    // In the next turn, after the answers that came while the process was busy.
    this.#timer ??= setInterval(() => void afterSockets(() => this.#tick()), this.#intervalMs);
  }

  /** Extends a lease no longer. Resolves once the extension in flight, if there is one, is answered. */
  async end(receipt: string): Promise<void> {
    const asked = this.#leases.get(receipt)?.asked;
    this.release(receipt);
    await asked;
  }

  /** As `end`, without waiting. */
  release(receipt: string): void {
    this.#leases.delete(receipt);
    if (this.#leases.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #tick(): void {
    const now = performance.now();
    for (const [receipt, lease] of this.#leases) {
      if (lease.askedAt !== undefined) {
        if (now > Math.max(lease.endsAt, lease.askedAt + this.#intervalMs)) this.#lose(receipt);
      } else if (lease.endsAt < now + this.#options.leaseMs / 2) {
        lease.asked = this.#extend(receipt, lease);
      }
    }
  }

  async #extend(receipt: string, lease: Lease): Promise<void> {
    const now = performance.now();
    lease.askedAt = now;
    try {
      const isAlive = await this.#options.extend(receipt);
      lease.askedAt = undefined;
      if (isAlive) lease.endsAt = now + this.#options.leaseMs;
      else this.#lose(receipt);
    } catch (error) {
      lease.askedAt = undefined;
      this.#options.onError(error);
      if (performance.now() > lease.endsAt) this.#lose(receipt);
    }
  }

  #lose(receipt: string): void {
    const lease = this.#leases.get(receipt);
    this.release(receipt);
    lease?.onLost();
  }
}
