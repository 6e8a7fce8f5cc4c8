/**
 * Receives runs for a worker at the other end of an HTTP request, and waits for the first one without holding a
 * database connection: by the hints that senders give, by the time at which the next run is due, and by a slow poll.
 */
import type { ReceiveRequest, Transport, WorkflowDelivery } from "@oxbow/sdk/internal";

/** With notifications, the poll is only the safety net. */
const LISTENING_POLL_MS = 1_000;
const POLL_MS = 250;
/** What becomes visible a moment after senders can see us wait may have been sent before they could. */
const FIRST_POLL_MS = 10;

export class WorkWait {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Runs as soon as there are some; none after the time, or when the signal aborts. */
  async receive(
    request: ReceiveRequest,
    waitMs: number,
    signal: AbortSignal,
  ): Promise<WorkflowDelivery[]> {
    const first = await this.#transport.receive(request);
    if (first.length > 0 || waitMs === 0 || signal.aborted) return first;
    const endsAt = performance.now() + waitMs;
    const bell = new Bell(signal);
    const subscription = this.#transport.subscribe([...request.versions.keys()], {
      onReady: () => bell.ring(),
      onAttention: () => {},
    });
    try {
      await subscription.arm();
      for (let pollMs = FIRST_POLL_MS; !signal.aborted; pollMs *= 4) {
        // What came before senders could see us wait was not notified.
        const deliveries = await this.#transport.receive(request);
        const leftMs = endsAt - performance.now();
        if (deliveries.length > 0 || leftMs <= 0) return deliveries;
        const nextMs = (await this.#transport.nextVisibleIn(request.versions)) ?? Infinity;
        const ceiling = subscription.listening ? LISTENING_POLL_MS : POLL_MS;
        await bell.within(Math.max(1, Math.min(Math.ceil(nextMs), pollMs, ceiling, leftMs)));
      }
      return [];
    } finally {
      subscription.close();
    }
  }
}

/** A sleep that a ring, also one that came before it, or the signal, cuts short. */
class Bell {
  #isRung = false;
  #wake: (() => void) | undefined;

  constructor(signal: AbortSignal) {
    signal.addEventListener("abort", () => this.ring(), { once: true });
  }

  ring(): void {
    this.#isRung = true;
    this.#wake?.();
  }

  async within(ms: number): Promise<void> {
    if (!this.#isRung) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.#wake = undefined;
    }
    this.#isRung = false;
  }
}
