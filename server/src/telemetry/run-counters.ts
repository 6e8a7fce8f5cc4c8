/**
 * Counters of runs and steps. The database counts them, because workers don't report to servers: each update adds what
 * happened since the one before. Counters start at zero with the server, and every server counts all runs.
 */
import type { Transport, WorkflowMetrics } from "@oxbow/sdk/internal";
import { DURATION_BOUNDS, type Metrics } from "./metrics.ts";

/** Limits the series of computed step names. */
const MOST_STEPS_A_WORKFLOW = 100;
const OTHER_STEPS = "other";

export class RunCounters {
  readonly #metrics: Metrics;
  readonly #transport: Pick<Transport, "statistics">;
  readonly #steps = new Map<string, Set<string>>();
  #since: string | undefined;
  #updating: Promise<void> | undefined;

  constructor(metrics: Metrics, transport: Pick<Transport, "statistics">) {
    this.#metrics = metrics;
    this.#transport = transport;
  }

  /** Concurrent callers share one update. */
  update(): Promise<void> {
    this.#updating ??= this.#read().finally(() => {
      this.#updating = undefined;
    });
    return this.#updating;
  }

  async #read(): Promise<void> {
    const metrics = await this.#transport.statistics?.metrics(this.#since, DURATION_BOUNDS);
    if (metrics === undefined) return;
    this.#since = metrics.until;
    this.#add(metrics);
  }

  #add({ started, ended, steps }: WorkflowMetrics): void {
    const { runsStarted, runsCompleted, runDurations, stepDurations, stepRetries } = this.#metrics;
    for (const { workflow, count } of started) runsStarted.inc({ workflow }, count);
    for (const { workflow, status, ...durations } of ended) {
      runsCompleted.inc({ workflow, status }, durations.count);
      runDurations.add({ workflow }, durations);
    }
    for (const { workflow, step: name, retries, ...durations } of steps) {
      const step = this.#stepLabel(workflow, name);
      stepDurations.add({ workflow, step }, durations);
      stepRetries.inc({ workflow, step }, retries);
    }
  }

  #stepLabel(workflow: string, step: string): string {
    const known = this.#steps.get(workflow) ?? new Set();
    this.#steps.set(workflow, known);
    if (!known.has(step) && known.size >= MOST_STEPS_A_WORKFLOW) return OTHER_STEPS;
    known.add(step);
    return step;
  }
}
