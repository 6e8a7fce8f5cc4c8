/**
 * Counters of runs and steps. `queue.workflow_metrics()` counts them, because workers don't report to servers: each update adds what
 * happened since the one before. Counters start at zero with the server, and every server counts all runs.
 */
import type { Transport, WorkflowMetrics } from "@oxbow/sdk/internal/server";
import { DURATION_BOUNDS, type Metrics } from "./metrics.ts";
import { sharedLook } from "./shared-look.ts";

/** Limits the series of computed step names. */
const MOST_STEPS_A_WORKFLOW = 100;
const OTHER_STEPS = "other";

export class RunCounters {
  readonly #metrics: Metrics;
  readonly #transport: Pick<Transport, "statistics">;
  readonly #labels: { readonly shard?: string };
  readonly #steps = new Map<string, Set<string>>();
  /** Concurrent callers share one update, which adds what happened once. */
  readonly update: () => Promise<void> = sharedLook(() => this.#read());
  #since: string | undefined;

  /** @param labels The name of the shard, if it is one. */
  constructor(
    metrics: Metrics,
    transport: Pick<Transport, "statistics">,
    labels: { readonly shard?: string } = {},
  ) {
    this.#metrics = metrics;
    this.#transport = transport;
    this.#labels = labels;
  }

  async #read(): Promise<void> {
    const metrics = await this.#transport.statistics?.metrics(this.#since, DURATION_BOUNDS);
    if (metrics === undefined) return;
    this.#since = metrics.until;
    this.#add(metrics);
  }

  #add({ started, ended, steps }: WorkflowMetrics): void {
    const { runsStarted, runsCompleted, runDurations, stepDurations, stepRetries } = this.#metrics;
    const labels = this.#labels;
    for (const { workflow, count } of started) runsStarted.inc({ workflow, ...labels }, count);
    for (const { workflow, status, ...durations } of ended) {
      runsCompleted.inc({ workflow, status, ...labels }, durations.count);
      runDurations.add({ workflow, ...labels }, durations);
    }
    for (const { workflow, step: name, retries, ...durations } of steps) {
      const step = this.#stepLabel(workflow, name);
      stepDurations.add({ workflow, step, ...labels }, durations);
      stepRetries.inc({ workflow, step, ...labels }, retries);
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
