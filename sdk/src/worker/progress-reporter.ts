/**
 * Reports the steps in progress, for display.
 *
 * Promises:
 *   G1  Only calls longer than a second are reported, and only when they change, so short steps cost nothing.
 *   G2  Nothing depends on a report. A failed one is repeated at the next look, and affects no run.
 */
import type { ProgressReport, WorkerTransport } from "../protocol/worker.ts";
import type { RunExecutor } from "./run-executor.ts";

const LOOK_EVERY_MS = 1_000;
const LONG_MS = 1_000;

export interface ProgressReporterOptions {
  readonly transport: Pick<WorkerTransport, "reportProgress">;
  /** Names the process to people. */
  readonly worker: string;
  readonly runs: () => Iterable<RunExecutor>;
}

export class ProgressReporter {
  readonly #options: ProgressReporterOptions;
  readonly #reported = new WeakMap<RunExecutor, string>();
  #timer: ReturnType<typeof setInterval> | undefined;
  #report: Promise<void> | undefined;

  constructor(options: ProgressReporterOptions) {
    this.#options = options;
  }

  /** May be started again after a stop. */
  start(): void {
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#report;
  }

  #look(): void {
    this.#report ??= this.#reportChanges().finally(() => {
      this.#report = undefined;
    });
  }

  async #reportChanges(): Promise<void> {
    const { transport, worker } = this.#options;
    const reports: ProgressReport[] = [];
    const changes: (readonly [RunExecutor, string])[] = [];
    for (const run of this.#options.runs()) {
      const steps = run.callsLongerThan(LONG_MS);
      const calls = steps.map(({ step, attempt }) => `${attempt} ${step}`).join("\n");
      if (calls === (this.#reported.get(run) ?? "")) continue;
      reports.push({ receipt: run.receipt, steps });
      changes.push([run, calls]);
    }
    if (reports.length === 0) return;
    try {
      await transport.reportProgress(worker, reports);
      for (const [run, calls] of changes) this.#reported.set(run, calls);
    } catch {
      // G2.
    }
  }
}
