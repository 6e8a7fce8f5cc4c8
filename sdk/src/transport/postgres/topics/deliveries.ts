/** Deliveries to urls: each method one call of one SQL function. Successes that come together are written together. */
import { Batcher } from "../../../async/batcher.ts";
import { ConnectionFailed } from "../../../core/errors.ts";
import type {
  DeliveryReport,
  DeliveryTransport,
  ReceiveDeliveriesRequest,
  UrlDelivery,
} from "../../../protocol/deliveries.ts";
import { toSeconds } from "../connection/arguments.ts";
import type { Pool } from "../connection/pool.ts";
import type { PostgresQueueTransport } from "../queues/transport.ts";
import {
  deliveriesGiveBack,
  deliveriesReceive,
  deliveriesSucceeded,
  deliveriesSweep,
  deliveryAbandon,
  deliveryFailed,
  deliveryRetry,
} from "./functions.ts";

const QUEUE = "__http";
const MAX_ITEMS = 1_000;

interface Success {
  readonly subscriptionId: string;
  readonly receipt: string;
  readonly report: DeliveryReport | undefined;
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
        const rows = await this.#pool.query(
          deliveriesSucceeded,
          [
            items.map(({ subscriptionId }) => subscriptionId),
            items.map(({ receipt }) => receipt),
            items.some(({ report }) => report !== undefined)
              ? items.map(({ report }) => reportText(report))
              : null,
          ],
          { repeatable: true },
        );
        this.#queues.noteChange(QUEUE);
        const alive = new Set(rows.map(({ value }) => value));
        return items.map(({ receipt }) => alive.has(receipt));
      },
    });
  }

  receive({ max, leaseMs, waitMs, signal }: ReceiveDeliveriesRequest): Promise<UrlDelivery[]> {
    return this.#queues.await({ queue: QUEUE, max, waitMs, signal }, async () => {
      const values = [max, Math.ceil(leaseMs / 1_000)] as const;
      const rows = await this.#pool.query(deliveriesReceive, values, { isPrompt: true });
      return rows.map((row) => ({ ...row, concurrency: row.concurrency ?? undefined }));
    });
  }

  succeeded(
    subscriptionId: string,
    receipt: string,
    report: DeliveryReport | undefined,
  ): Promise<boolean> {
    return this.#successes.submit({ subscriptionId, receipt, report });
  }

  failed(
    subscriptionId: string,
    reason: string,
    disableAfterMs: number | undefined,
  ): Promise<boolean> {
    const values = [subscriptionId, reason, toSeconds(disableAfterMs)] as const;
    return this.#pool.value(deliveryFailed, values, { repeatable: true });
  }

  retry(
    receipt: string,
    delayMs: number,
    reason: string,
    report: DeliveryReport | undefined,
  ): Promise<boolean> {
    const values = [receipt, delayMs / 1_000, reason, reportText(report)] as const;
    return this.#pool.value(deliveryRetry, values, { repeatable: true });
  }

  async abandon(
    receipt: string,
    reason: string,
    report: DeliveryReport | undefined,
  ): Promise<boolean> {
    const isAlive = await this.#pool.value(
      deliveryAbandon,
      [receipt, reason, reportText(report)],
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

  async sweep(
    retentionHours: number,
    max: number,
    after: string | undefined,
  ): Promise<string | undefined> {
    const values = [retentionHours, max, after ?? null] as const;
    const { until } = await this.#pool.queryOne(deliveriesSweep, values);
    return until ?? undefined;
  }
}

const reportText = (report: DeliveryReport | undefined): string | null =>
  report === undefined
    ? null
    : JSON.stringify({
        status_code: report.statusCode,
        duration_ms: report.durationMs,
        response: report.response,
      });
