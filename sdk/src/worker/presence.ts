/**
 * Reports that the worker is there, and what it serves, for the list of workers.
 *
 * Promises:
 *   V1  One small statement every 20 seconds, but no statement per run. A worker that stops within a second reports
 *       nothing.
 *   V2  Nothing depends on a report. A failed one is repeated after 5 seconds, and a server or database that doesn't know
 *       reports does not disturb the worker.
 *   V3  A worker that stops leaves the list, if the database answers within a second. One that is killed is shown as such
 *       after a minute.
 */
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { within } from "../async/within.ts";
import type { WorkflowTransport } from "../protocol/workflows.ts";
import { ownVersion } from "./own-version.ts";

const FIRST_AFTER_MS = 1_000;
const REPORT_EVERY_MS = 20_000;
const REPEAT_AFTER_MS = 5_000;
/** A worker that stops doesn't wait longer for a database that may be away. */
const LEAVE_WITHIN_MS = 1_000;

export interface PresenceOptions {
  readonly transport: Pick<WorkflowTransport, "removeWorker" | "reportWorker">;
  readonly versions: ReadonlyMap<string, readonly number[]>;
  readonly slots: number;
  readonly busySlots: () => number;
}

export class Presence {
  readonly #options: PresenceOptions;
  readonly #workerId = randomUUID();
  #timer: NodeJS.Timeout | undefined;
  #report: Promise<void> | undefined;
  #isStopped = false;

  constructor(options: PresenceOptions) {
    this.#options = options;
  }

  start(): void {
    if (!this.#isStopped) this.#timer = setTimeout(() => this.#look(), FIRST_AFTER_MS);
  }

  /** Removes the worker from the list. May be called before `start()`. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    if (this.#report !== undefined) await within(LEAVE_WITHIN_MS, this.#leave(this.#report));
  }

  async #leave(report: Promise<void>): Promise<void> {
    await report;
    await this.#options.transport.removeWorker(this.#workerId).catch(() => {});
  }

  #look(): void {
    this.#report = this.#reportOnce().then((delayMs) => {
      if (!this.#isStopped) this.#timer = setTimeout(() => this.#look(), delayMs);
    });
  }

  /** Returns the delay of the next report. */
  async #reportOnce(): Promise<number> {
    const { transport, versions, slots, busySlots } = this.#options;
    try {
      await transport.reportWorker({
        workerId: this.#workerId,
        host: hostname(),
        processId: process.pid,
        sdkVersion: ownVersion(),
        serves: Object.fromEntries(versions),
        slots,
        busySlots: busySlots(),
      });
      return REPORT_EVERY_MS;
    } catch {
      return REPEAT_AFTER_MS;
    }
  }
}
