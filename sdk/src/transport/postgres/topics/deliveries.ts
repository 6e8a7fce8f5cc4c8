/** Deliveries to urls: each method one call of one SQL function. Successes that come together are written together. */
import { Batcher } from "../../../async/batcher.ts";
import { ConnectionFailed } from "../../../core/errors.ts";
import type {
  DeliveryTransport,
  ReceiveDeliveriesRequest,
  UrlDelivery,
} from "../../../protocol/deliveries.ts";
import type { Pool } from "../connection/pool.ts";
import type { PostgresQueueTransport } from "../queues/transport.ts";
import {
  deliveriesGiveBack,
  deliveriesReceive,
  deliveriesSucceeded,
  deliveryAbandon,
  deliveryFailed,
  deliveryRetry,
} from "./calls.ts";

const QUEUE = "__http";
const MAX_ITEMS = 1_000;

interface Success {
  readonly subscriptionId: string;
  readonly receipt: string;
}

interface DeliveryRow {
  readonly msg_id: string;
  readonly receipt: string;
  readonly read_ct: number;
  readonly enqueued_at: Date;
  readonly subscription_id: string;
  readonly url: string;
  readonly topic: string;
  readonly webhook_id: string;
  readonly format: UrlDelivery["format"];
  readonly concurrency: number | null;
  readonly message: unknown;
  readonly headers: UrlDelivery["headers"];
}

export class PostgresDeliveryTransport implements DeliveryTransport {
  readonly #pool: Pool;
  readonly #queues: PostgresQueueTransport;
  readonly #successes: Batcher<Success, boolean>;

  constructor(pool: Pool, queues: PostgresQueueTransport) {
    this.#pool = pool;
    this.#queues = queues;
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
        this.#queues.noteChange(QUEUE);
        const alive = new Set(rows.map(({ receipt }) => receipt));
        return items.map(({ receipt }) => alive.has(receipt));
      },
    });
  }

  receive({ max, leaseMs, waitMs, signal }: ReceiveDeliveriesRequest): Promise<UrlDelivery[]> {
    return this.#queues.await({ queue: QUEUE, max, waitMs, signal }, async () => {
      const rows = await this.#pool.query<DeliveryRow>(
        deliveriesReceive,
        [max, Math.ceil(leaseMs / 1_000)],
        { isPrompt: true },
      );
      return rows.map(toDelivery);
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

  async retry(receipt: string, delayMs: number): Promise<boolean> {
    const { is_alive: isAlive } = await this.#pool.queryOne<{ is_alive: boolean }>(
      deliveryRetry,
      [receipt, delayMs / 1_000],
      { repeatable: true },
    );
    return isAlive;
  }

  async abandon(receipt: string, reason: string): Promise<boolean> {
    const { is_alive: isAlive } = await this.#pool.queryOne<{ is_alive: boolean }>(
      deliveryAbandon,
      [receipt, reason],
      // The receipt is dead the second time.
      { repeatable: true },
    );
    this.#queues.noteChange(QUEUE);
    return isAlive;
  }

  async giveBack(receipts: readonly string[], delayMs: number): Promise<void> {
    await this.#pool.query(deliveriesGiveBack, [receipts, delayMs / 1_000]);
    if (delayMs === 0) this.#queues.noteChange(QUEUE);
  }
}

const toDelivery = (row: DeliveryRow): UrlDelivery => ({
  messageId: row.msg_id,
  receipt: row.receipt,
  subscriptionId: row.subscription_id,
  url: row.url,
  topic: row.topic,
  webhookId: row.webhook_id,
  format: row.format,
  concurrency: row.concurrency ?? undefined,
  message: row.message,
  headers: row.headers,
  publishedAt: row.enqueued_at,
  attempt: row.read_ct,
});
