/**
 * Deletes ended runs, entries of the audit, events of triggers and logged deliveries past their retention, in batches, so
 * that it blocks no other transaction for long. Any number of servers may sweep at the same time: each skips rows that
 * another has locked.
 *
 * It first registers the ceiling of retention in the database, at its start and again before each sweep, so that the
 * ceiling applies to runs that are started without this server too. Another server may have set another one. Starts are
 * then cut to the one that was set last, and ended runs are deleted by the lower one, since each server sweeps by its own.
 * The lower one can't win at starts as well: no server could raise it. So each server reports that it found another one.
 */
import type { TriggerRetentionTransport } from "@oxbow/declared/internal";
import type { Emitter, Transport } from "@oxbow/sdk/internal/server";
import type { ServerEvents } from "../events.ts";
import type { Task } from "./service.ts";

const RUNS_A_BATCH = 1_000;
const ENTRIES_A_BATCH = 10_000;
const EVENTS_A_BATCH = 1_000;
const DELIVERIES_A_BATCH = 10_000;
const HOUR_MS = 3_600_000;

export interface SweeperOptions {
  readonly transport: Pick<Transport["runs"], "sweep">;
  /** Undefined if the ceiling is not registered. */
  readonly retention: Transport["retention"];
  readonly audit: Transport["auditRetention"];
  readonly triggers: TriggerRetentionTransport | undefined;
  /** Undefined without a log of deliveries. */
  readonly deliveryLog: Pick<NonNullable<Transport["deliveries"]>, "sweep"> | undefined;
  readonly events: Pick<Emitter<ServerEvents>, "emit">;
  readonly intervalMs: number;
  /** Ceiling of the retention of each run, in days. */
  readonly maxRetentionDays: number;
  /** How long entries of the audit are kept. */
  readonly auditRetentionDays: number;
  /** How long the log keeps deliveries that have ended. */
  readonly deliveryLogHours: number;
}

export class Sweeper implements Task {
  readonly doing = "sweeping runs";
  readonly #options: SweeperOptions;
  /** A server deletes nothing as soon as it starts: an operator may still see a ceiling that is wrong. */
  #isFirst = true;
  #sweepDeliveriesAt = 0;

  constructor(options: SweeperOptions) {
    this.#options = options;
  }

  async tick(signal: AbortSignal): Promise<number> {
    const { transport, retention, events, intervalMs, maxRetentionDays } = this.#options;
    const wasAnother = await retention?.limitRetention(maxRetentionDays);
    if (wasAnother === true && !this.#isFirst) {
      events.emit("trouble", {
        doing: "limiting the retention of runs",
        error: new Error(
          `The ceiling of retention in the database was no longer the ${maxRetentionDays} days of this server, which has ` +
            "set it again. Give all servers the same WORKFLOWS_MAX_RETENTION_DAYS.",
        ),
      });
    }
    if (this.#isFirst) {
      this.#isFirst = false;
      return intervalMs;
    }
    for (let runs = RUNS_A_BATCH; runs === RUNS_A_BATCH && !signal.aborted;) {
      runs = await transport.sweep(RUNS_A_BATCH, maxRetentionDays);
      events.emit("swept", { runs });
    }
    await this.#sweepAudit(signal);
    await this.#sweepTriggers(signal);
    await this.#sweepDeliveries(signal);
    return intervalMs;
  }

  async #sweepAudit(signal: AbortSignal): Promise<void> {
    const { audit, auditRetentionDays } = this.#options;
    if (audit === undefined) return;
    for (let swept = ENTRIES_A_BATCH; swept === ENTRIES_A_BATCH && !signal.aborted;) {
      swept = await audit.sweep(auditRetentionDays, ENTRIES_A_BATCH);
    }
  }

  async #sweepTriggers(signal: AbortSignal): Promise<void> {
    const { triggers } = this.#options;
    if (triggers === undefined) return;
    for (let swept = 1; swept > 0 && !signal.aborted;) {
      swept = await triggers.sweep(EVENTS_A_BATCH);
    }
  }

  /** Deliveries that wait may be many, and each sweep reads them, so that it is made once an hour. */
  async #sweepDeliveries(signal: AbortSignal): Promise<void> {
    const { deliveryLog, deliveryLogHours } = this.#options;
    if (deliveryLog === undefined || performance.now() < this.#sweepDeliveriesAt) return;
    let after: string | undefined;
    do {
      after = await deliveryLog.sweep(deliveryLogHours, DELIVERIES_A_BATCH, after);
    } while (after !== undefined && !signal.aborted);
    this.#sweepDeliveriesAt = performance.now() + HOUR_MS;
  }
}
