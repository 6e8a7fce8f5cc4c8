/** Deliveries to urls: each method one call of one SQL function. Successes that come together are written together. */
import { Batcher } from "../../../async/batcher.ts";
import { ConnectionFailed } from "../../../core/errors.ts";
import type { DeliveryReport, DeliveryTransport } from "../../../protocol/deliveries.ts";
import { toSeconds } from "../connection/arguments.ts";
import type { Queries } from "../connection/queries.ts";
import type { DatabaseQueues } from "../queues/transport.ts";
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

export function deliveriesOverPostgres(
  queries: Queries,
  queues: DatabaseQueues,
): DeliveryTransport {
  const successes = new Batcher<Success, boolean>({
    maxItems: MAX_ITEMS,
    maxInFlight: 2,
    isShared: (error) => error instanceof ConnectionFailed,
    send: async (items) => {
      const rows = await queries.query(
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
      queues.noteChange(QUEUE);
      const alive = new Set(rows.map(({ value }) => value));
      return items.map(({ receipt }) => alive.has(receipt));
    },
  });
  return {
    receive: ({ max, leaseMs, waitMs, signal }) =>
      queues.await({ queue: QUEUE, max, waitMs, signal }, async () => {
        const values = [max, Math.ceil(leaseMs / 1_000)] as const;
        const rows = await queries.query(deliveriesReceive, values, { isPrompt: true });
        return rows.map((row) => ({ ...row, concurrency: row.concurrency ?? undefined }));
      }),

    succeeded: (subscriptionId, receipt, report) =>
      successes.submit({ subscriptionId, receipt, report }),

    failed: (subscriptionId, reason, disableAfterMs) => {
      const values = [subscriptionId, reason, toSeconds(disableAfterMs)] as const;
      return queries.value(deliveryFailed, values, { repeatable: true });
    },

    retry: (receipt, delayMs, reason, report) => {
      const values = [receipt, delayMs / 1_000, reason, reportText(report)] as const;
      return queries.value(deliveryRetry, values, { repeatable: true });
    },

    abandon: async (receipt, reason, report) => {
      const values = [receipt, reason, reportText(report)] as const;
      // The receipt is dead the second time.
      const isAlive = await queries.value(deliveryAbandon, values, { repeatable: true });
      queues.noteChange(QUEUE);
      return isAlive;
    },

    giveBack: async (receipts, delayMs) => {
      await queries.query(deliveriesGiveBack, [receipts, delayMs / 1_000]);
      if (delayMs === 0) queues.noteChange(QUEUE);
    },

    sweep: async (retentionHours, max, after) => {
      const values = [retentionHours, max, after ?? null] as const;
      const { until } = await queries.queryOne(deliveriesSweep, values);
      return until ?? undefined;
    },
  };
}

const reportText = (report: DeliveryReport | undefined): string | null =>
  report === undefined
    ? null
    : JSON.stringify({
        status_code: report.statusCode,
        duration_ms: report.durationMs,
        response: report.response,
      });
