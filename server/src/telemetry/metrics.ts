/** All metrics by name. `scrape.ts` fills those of the database, events those of this server. */
import type { Emitter } from "@oxbow/sdk/internal/server";
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import type { ServerEvents } from "../events.ts";
import { BulkHistogram } from "./histogram.ts";

/** Upper bounds of durations of runs and steps, in seconds. */
export const DURATION_BOUNDS: readonly number[] = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 3_600, 21_600,
  86_400, 604_800,
];

/** Only over the shards of a fleet. */
const SHARD = ["shard"] as const;

/** prom-client registers these gauges with names of counters, which promtool rejects. */
const MISNAMED = [
  "nodejs_active_handles_total",
  "nodejs_active_requests_total",
  "nodejs_active_resources_total",
];

/** Limits the series of computed event names. */
const MOST_EVENTS = 500;

export class Metrics {
  readonly registry: Registry = new Registry();
  readonly #registers = [this.registry];

  readonly signals = new Counter({
    name: "workflow_signals_total",
    help: "Signals sent through this server.",
    labelNames: ["workflow", "event"],
    registers: this.#registers,
  });
  readonly sweptRuns = new Counter({
    name: "workflow_retention_swept_total",
    help: "Ended runs that the sweeper of this server has deleted.",
    registers: this.#registers,
  });
  readonly requests = new Histogram({
    name: "oxbow_http_request_duration_seconds",
    help: "Duration of HTTP requests, including the waits of long polls.",
    labelNames: ["method", "route", "status"],
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30, 60],
    registers: this.#registers,
  });
  readonly deliveryAttempts = new Counter({
    name: "oxbow_delivery_attempts_total",
    help: "Requests to urls of subscriptions, by outcome: delivered, retried or dead_lettered.",
    labelNames: ["outcome"],
    registers: this.#registers,
  });
  readonly pushes = new Counter({
    name: "oxbow_pushes_total",
    help: "Requests that pushed runs to endpoints, by outcome: ended, suspended, released, lost, refused, away or unknown.",
    labelNames: ["outcome"],
    registers: this.#registers,
  });
  readonly deliveryDurations = new Histogram({
    name: "oxbow_delivery_attempt_duration_seconds",
    help: "Duration of requests to urls of subscriptions.",
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    registers: this.#registers,
  });

  readonly databaseUp = new Gauge({
    name: "oxbow_database_up",
    help: "1 if the database answered this scrape, otherwise 0.",
    labelNames: SHARD,
    registers: this.#registers,
  });
  readonly readAge = new Gauge({
    name: "oxbow_read_age_seconds",
    help: "How old lists, counts and metrics are: more than 0 if they come from a standby that lags.",
    labelNames: SHARD,
    registers: this.#registers,
  });
  readonly runsInFlight = new Gauge({
    name: "workflow_runs_in_flight",
    help: "Runs that have not ended.",
    labelNames: ["workflow", ...SHARD],
    registers: this.#registers,
  });
  readonly runsKept = new Gauge({
    name: "workflow_runs_kept",
    help: "Ended runs that have not been deleted.",
    labelNames: ["workflow", "status", ...SHARD],
    registers: this.#registers,
  });
  readonly oldestReadyRun = new Gauge({
    name: "workflow_oldest_ready_run_age_seconds",
    help: "How long the oldest ready run has been waiting for a worker; 0 if no run is waiting.",
    labelNames: ["workflow", ...SHARD],
    registers: this.#registers,
  });
  readonly messages = new Gauge({
    name: "queue_messages",
    help: "Messages of a queue by state: visible, in_flight or delayed.",
    labelNames: ["queue", "state", ...SHARD],
    registers: this.#registers,
  });
  readonly oldestMessage = new Gauge({
    name: "queue_oldest_message_age_seconds",
    help: "Age of the oldest message of a queue.",
    labelNames: ["queue", ...SHARD],
    registers: this.#registers,
  });

  readonly outboxItems = new Gauge({
    name: "oxbow_outbox_items",
    help: "Items that wait in a shard for another one, counted up to 10000.",
    labelNames: ["to", ...SHARD],
    registers: this.#registers,
  });
  readonly outboxOldest = new Gauge({
    name: "oxbow_outbox_oldest_seconds",
    help: "Age of the oldest item that waits in a shard for another one.",
    labelNames: ["to", ...SHARD],
    registers: this.#registers,
  });
  readonly rejectedItems = new Gauge({
    name: "oxbow_rejected_items",
    help: "Items that another shard has rejected, counted up to 10000: see `oxbow shards outbox`.",
    labelNames: ["to", ...SHARD],
    registers: this.#registers,
  });

  readonly runsStarted = new Counter({
    name: "workflow_runs_started_total",
    help: "Runs that were started.",
    labelNames: ["workflow", ...SHARD],
    registers: this.#registers,
  });
  readonly runsCompleted = new Counter({
    name: "workflow_runs_completed_total",
    help: "Runs that have ended, by status: completed, failed or cancelled.",
    labelNames: ["workflow", "status", ...SHARD],
    registers: this.#registers,
  });
  readonly stepRetries = new Counter({
    name: "workflow_step_retries_total",
    help: "Attempts of steps after the first, in runs that have ended.",
    labelNames: ["workflow", "step", ...SHARD],
    registers: this.#registers,
  });
  readonly runDurations = new BulkHistogram({
    name: "workflow_run_duration_seconds",
    help: "Duration of runs that have ended, including sleeps and waits.",
    bounds: DURATION_BOUNDS,
    registry: this.registry,
  });
  readonly stepDurations = new BulkHistogram({
    name: "workflow_step_duration_seconds",
    help: "Duration of the last attempts of steps, in runs that have ended.",
    bounds: DURATION_BOUNDS,
    registry: this.registry,
  });

  readonly #events = new Set<string>();

  constructor() {
    collectDefaultMetrics({ register: this.registry });
    for (const name of MISNAMED) this.registry.removeSingleMetric(name);
  }

  subscribe(events: Emitter<ServerEvents>): void {
    events.on("swept", ({ runs }) => this.sweptRuns.inc(runs));
    events.on("requestAnswered", ({ method, route, status, durationMs }) => {
      this.requests.observe({ method, route, status: String(status) }, durationMs / 1_000);
    });
    events.on("runPushed", ({ outcome }) => this.pushes.inc({ outcome }));
    events.on("deliveryAttempted", ({ outcome, durationMs }) => {
      this.deliveryAttempts.inc({ outcome });
      this.deliveryDurations.observe(durationMs / 1_000);
    });
    events.on("signalSent", ({ workflow, event }) => {
      this.signals.inc({ workflow, event: this.#eventLabel(workflow, event) });
    });
  }

  #eventLabel(workflow: string, event: string): string {
    const key = `${workflow} ${event}`;
    if (!this.#events.has(key) && this.#events.size >= MOST_EVENTS) return "other";
    this.#events.add(key);
    return event;
  }
}
