/** The leases of runs whose requests are open: extended together, once half of one has passed. */
import { isExtended, type WorkerTransport } from "@oxbow/sdk/internal/server";

export interface HeldLease {
  /** Until when the run is certainly leased, by `performance.now()`. */
  endsAt(): number;
  end(): void;
}

const LOOK_EVERY_MS = 3_000;

export class HeldLeases {
  readonly #transport: Pick<WorkerTransport, "heartbeat">;
  readonly #leaseMs: number;
  readonly #onTrouble: (error: unknown) => void;
  readonly #leases = new Map<string, { endsAt: number }>();
  #timer: NodeJS.Timeout | undefined;
  #isAsking = false;

  constructor(
    transport: Pick<WorkerTransport, "heartbeat">,
    leaseMs: number,
    onTrouble: (error: unknown) => void,
  ) {
    this.#transport = transport;
    this.#leaseMs = leaseMs;
    this.#onTrouble = onTrouble;
  }

  /** @param endsAt When the lease ends, by `performance.now()`. */
  hold(receipt: string, endsAt: number): HeldLease {
    const lease = { endsAt };
    this.#leases.set(receipt, lease);
    this.#timer ??= setInterval(() => void this.#extend(), LOOK_EVERY_MS);
    return {
      endsAt: () => lease.endsAt,
      end: () => {
        this.#leases.delete(receipt);
        if (this.#leases.size > 0) return;
        clearInterval(this.#timer);
        this.#timer = undefined;
      },
    };
  }

  async #extend(): Promise<void> {
    const now = performance.now();
    const due = [...this.#leases].filter(([, { endsAt }]) => endsAt < now + this.#leaseMs / 2);
    if (due.length === 0 || this.#isAsking) return;
    this.#isAsking = true;
    try {
      const notices = await this.#transport.heartbeat(
        due.map(([receipt]) => ({ receipt })),
        this.#leaseMs,
      );
      const outcomes = new Map(notices.map(({ receipt, outcome }) => [receipt, outcome]));
      for (const [receipt, lease] of due) {
        const outcome = outcomes.get(receipt);
        if (isExtended(outcome)) lease.endsAt = now + this.#leaseMs;
        // The function has ended it, and its answer is on its way, or another worker has the run.
        else if (outcome !== "busy") this.#leases.delete(receipt);
      }
    } catch (error) {
      this.#onTrouble(error);
    } finally {
      this.#isAsking = false;
    }
  }
}
