/**
 * Receives runs for a worker at the other end of an HTTP request, and waits for the first one without holding a
 * database connection: for a notification of a sender, for the time at which the next run is due, and for a slow poll.
 */
import {
  type Pace,
  type ReceiveRequest,
  type Transport,
  Watch,
  type WorkflowDelivery,
} from "@oxbow/sdk/internal/server";

/** The first poll is early: a sender may have looked for waiters just before this one, and commit a moment later. */
const PACE: Pace = {
  firstMs: 10,
  growth: 4,
  longestMs: 250,
  notified: { growth: 4, longestMs: 1_000 },
};

export class WorkWait {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Resolves with the first runs, or with an empty list after the time or once the signal aborts. */
  async receive(
    request: ReceiveRequest,
    waitMs: number,
    signal: AbortSignal,
  ): Promise<WorkflowDelivery[]> {
    const first = await this.#transport.worker.receive(request);
    if (first.length > 0 || waitMs === 0 || signal.aborted) return first;
    const endsAt = performance.now() + waitMs;
    const watch = new Watch({ pace: PACE, signal, isNotified: () => subscription.listening });
    const subscription = this.#transport.worker.subscribe([...request.versions.keys()], {
      onReady: watch.wake,
      onAttention: () => {},
    });
    try {
      await subscription.arm();
      while (!signal.aborted) {
        // Runs that became visible before senders could see this wait were not notified.
        const deliveries = await this.#transport.worker.receive(request);
        const leftMs = endsAt - performance.now();
        if (deliveries.length > 0 || leftMs <= 0) return deliveries;
        const nextMs = (await this.#transport.worker.nextVisibleIn(request.versions)) ?? Infinity;
        await watch.rest(Math.min(nextMs, leftMs));
      }
      return [];
    } finally {
      subscription.close();
    }
  }
}
