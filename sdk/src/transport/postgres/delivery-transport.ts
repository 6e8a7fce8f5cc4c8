/** Outcomes of deliveries to urls. Those that come together are written together. */
import { Batcher } from "../../core/batcher.ts";
import { ConnectionFailed } from "../../core/errors.ts";
import type { DeliveryTransport } from "../../protocol/delivery-transport.ts";
import type { Pool } from "./pool.ts";
import { deliveriesSucceeded, deliveryFailed } from "./topic-calls.ts";

const QUEUE = "__http";
const MAX_ITEMS = 1_000;

interface Success {
  readonly subscriptionId: string;
  readonly receipt: string;
}

export class PostgresDeliveryTransport implements DeliveryTransport {
  readonly #pool: Pool;
  readonly #successes: Batcher<Success, boolean>;

  /** @param onChange Told when others of a queue may have become receivable. */
  constructor(pool: Pool, onChange: (queue: string) => void) {
    this.#pool = pool;
    this.#successes = new Batcher<Success, boolean>({
      maxItems: MAX_ITEMS,
      maxInFlight: 2,
      isShared: (error) => error instanceof ConnectionFailed,
      send: async (items) => {
        const rows = await this.#pool.query<{ receipt: string }>(
          deliveriesSucceeded,
          [items.map(({ subscriptionId }) => subscriptionId), items.map(({ receipt }) => receipt)],
          { repeatable: true },
        );
        onChange(QUEUE);
        const alive = new Set(rows.map(({ receipt }) => receipt));
        return items.map(({ receipt }) => alive.has(receipt));
      },
    });
  }

  succeeded(subscriptionId: string, receipt: string): Promise<boolean> {
    return this.#successes.submit({ subscriptionId, receipt });
  }

  async failed(
    subscriptionId: string,
    reason: string,
    disableAfterMs: number | undefined,
  ): Promise<boolean> {
    const { is_disabled: isDisabled } = await this.#pool.queryOne<{ is_disabled: boolean }>(
      deliveryFailed,
      [subscriptionId, reason, disableAfterMs === undefined ? null : disableAfterMs / 1_000],
      { repeatable: true },
    );
    return isDisabled;
  }
}
