/**
 * Counters of runs, told by the database: workers don't pass the server, so nothing else knows of all of them. Each
 * look adds what has happened since the one before. They begin at zero with the server, and every server has them all.
 */
import type { Transport, WorkflowMetrics } from "@oxbow/sdk/internal";
import { Counter, type Registry } from "prom-client";
import { BulkHistogram } from "./histogram.ts";

const BOUNDS_S = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 3_600, 21_600,
  86_400, 604_800,
];
/** Names of steps that are computed would make as many series. */
const MOST_STEPS_A_WORKFLOW = 100;
const OTHER_STEPS = "other";

export class RunMetrics {
  readonly #transport: Pick<Transport, "statistics">;
  readonly #started: Counter<"workflow">;
  readonly #completed: Counter<"workflow" | "status">;
  readonly #retries: Counter<"workflow" | "step">;
  readonly #runDurations: BulkHistogram;
  readonly #stepDurations: BulkHistogram;
  readonly #steps = new Map<string, Set<string>>();
  #since: string | undefined;
  #look: Promise<void> | undefined;

  constructor(transport: Pick<Transport, "statistics">, registry: Registry) {
    const registers = [registry];
    this.#transport = transport;
    this.#started = new Counter({
      name: "workflow_runs_started_total",
      help: "Runs that were started.",
      labelNames: ["workflow"],
      registers,
    });
    this.#completed = new Counter({
      name: "workflow_runs_completed_total",
      help: "Runs that have ended: completed, failed or cancelled.",
      labelNames: ["workflow", "status"],
      registers,
    });
    this.#retries = new Counter({
      name: "workflow_step_retries_total",
      help: "Calls of steps after the first, of runs that have ended.",
      labelNames: ["workflow", "step"],
      registers,
    });
    this.#runDurations = new BulkHistogram({
      name: "workflow_run_duration_seconds",
      help: "How long runs took that have ended, sleeps and waits included.",
      bounds: BOUNDS_S,
      registry,
    });
    this.#stepDurations = new BulkHistogram({
      name: "workflow_step_duration_seconds",
      help: "How long the last calls of steps took, of runs that have ended.",
      bounds: BOUNDS_S,
      registry,
    });
  }

  /** Those who look at the same time look once. */
  look(): Promise<void> {
    this.#look ??= this.#ask().finally(() => {
      this.#look = undefined;
    });
    return this.#look;
  }

  async #ask(): Promise<void> {
    const metrics = await this.#transport.statistics?.metrics(this.#since, BOUNDS_S);
    if (metrics === undefined) return;
    this.#since = metrics.until;
    this.#add(metrics);
  }

  #add({ started, ended, steps }: WorkflowMetrics): void {
    for (const { workflow, count } of started) this.#started.inc({ workflow }, count);
    for (const { workflow, status, ...durations } of ended) {
      this.#completed.inc({ workflow, status }, durations.count);
      this.#runDurations.add({ workflow }, durations);
    }
    for (const { workflow, step: name, retries, ...durations } of steps) {
      const step = this.#labelOf(workflow, name);
      this.#stepDurations.add({ workflow, step }, durations);
      this.#retries.inc({ workflow, step }, retries);
    }
  }

  #labelOf(workflow: string, step: string): string {
    const known = this.#steps.get(workflow) ?? new Set();
    this.#steps.set(workflow, known);
    if (!known.has(step) && known.size >= MOST_STEPS_A_WORKFLOW) return OTHER_STEPS;
    known.add(step);
    return step;
  }
}
