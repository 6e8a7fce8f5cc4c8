/**
 * Keeps the leases of a consumer's messages while their handlers run.
 *
 * Promises:
 *   H1  A lease is extended once half of it has passed, not before, so a message that is done by then costs nothing.
 *       Extensions that are due together share a statement.
 *   H2  A lease that another consumer has is reported as lost. So is one that expires while the database can't be
 *       reached; after a stall of the process, the database is asked first.
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
}

const LONGEST_INTERVAL_MS = 1_000;

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
    this.#timer ??= setInterval(() => this.#tick(), this.#intervalMs);
  }

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
        void this.#extend(receipt, lease);
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
