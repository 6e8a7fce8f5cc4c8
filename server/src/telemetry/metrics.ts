/** What /metrics tells: how full the queues are, what runs are in flight, and how requests went. */
import type { Transport } from "@oxbow/sdk/internal";
import type { DeliveryFacts } from "../background/deliveries.ts";
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import { RunMetrics } from "./run-metrics.ts";

/** Names of events that are computed would make as many series. */
const MOST_EVENTS = 500;

export class Metrics {
  readonly contentType: string;
  readonly sweptRuns: Counter;
  readonly requests: Histogram<"method" | "route" | "status">;
  readonly #attempts: Counter<"outcome">;
  readonly #attemptDurations: Histogram;
  readonly #registry = new Registry();
  readonly #transport: Transport;

  readonly #inFlight: Gauge<"workflow">;
  readonly #ended: Gauge<"workflow" | "status">;
  readonly #messages: Gauge<"queue" | "state">;
  readonly #oldest: Gauge<"queue">;
  readonly #lag: Gauge<"workflow">;
  readonly #isUp: Gauge;
  readonly #signals: Counter<"workflow" | "event">;
  readonly #events = new Set<string>();
  readonly #runs: RunMetrics;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.contentType = this.#registry.contentType;
    const registers = [this.#registry];
    collectDefaultMetrics({ register: this.#registry });
    // Gauges that are named like counters, which promtool refuses; each has a twin with a label `type`.
    for (const name of MISNAMED) this.#registry.removeSingleMetric(name);
    this.#runs = new RunMetrics(transport, this.#registry);
    this.#signals = new Counter({
      name: "workflow_signals_total",
      help: "Signals that were sent through this server.",
      labelNames: ["workflow", "event"],
      registers,
    });
    this.sweptRuns = new Counter({
      name: "workflow_retention_swept_total",
      help: "Ended runs that this server's sweeper has deleted.",
      registers,
    });
    this.requests = new Histogram({
      name: "oxbow_http_request_duration_seconds",
      help: "How long requests took; long polls wait on purpose.",
      labelNames: ["method", "route", "status"],
      buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30, 60],
      registers,
    });
    this.#attempts = new Counter({
      name: "oxbow_delivery_attempts_total",
      help: "Requests to urls of subscriptions: delivered, retried or dead_lettered.",
      labelNames: ["outcome"],
      registers,
    });
    this.#attemptDurations = new Histogram({
      name: "oxbow_delivery_attempt_duration_seconds",
      help: "How long requests to urls of subscriptions took.",
      buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
      registers,
    });
    this.#inFlight = new Gauge({
      name: "workflow_runs_in_flight",
      help: "Runs that have not ended.",
      labelNames: ["workflow"],
      registers,
    });
    this.#ended = new Gauge({
      name: "workflow_runs_kept",
      help: "Ended runs that are still kept.",
      labelNames: ["workflow", "status"],
      registers,
    });
    this.#messages = new Gauge({
      name: "queue_messages",
      help: "Messages of a queue: visible, in_flight or delayed.",
      labelNames: ["queue", "state"],
      registers,
    });
    this.#oldest = new Gauge({
      name: "queue_oldest_message_age_seconds",
      help: "Age of the oldest message of a queue.",
      labelNames: ["queue"],
      registers,
    });
    this.#lag = new Gauge({
      name: "workflow_oldest_ready_run_age_seconds",
      help: "How long the oldest run has been ready that no worker has taken; 0: none waits.",
      labelNames: ["workflow"],
      registers,
    });
    this.#isUp = new Gauge({
      name: "oxbow_database_up",
      help: "1: the database answered this scrape.",
      registers,
    });
  }

  observeDelivery({ outcome, durationMs }: DeliveryFacts): void {
    this.#attempts.inc({ outcome });
    this.#attemptDurations.observe(durationMs / 1_000);
  }

  readonly countSignal = (workflow: string, event: string): void => {
    const key = `${workflow} ${event}`;
    const isKnown = this.#events.has(key) || this.#events.size < MOST_EVENTS;
    if (isKnown) this.#events.add(key);
    this.#signals.inc({ workflow, event: isKnown ? event : "other" });
  };

  async render(): Promise<string> {
    await this.#look().then(
      () => this.#isUp.set(1),
      () => this.#isUp.set(0),
    );
    return this.#registry.metrics();
  }

  async #look(): Promise<void> {
    const [workflows, queues, lags] = await Promise.all([
      this.#transport.workflows.tally(),
      this.#transport.queues.list(),
      this.#transport.statistics?.lag(),
      this.#runs.look(),
    ]);
    for (const gauge of [this.#inFlight, this.#ended, this.#messages, this.#oldest, this.#lag])
      gauge.reset();
    for (const { name: workflow, running, completed, failed, cancelled } of workflows) {
      this.#lag.set({ workflow }, 0);
      this.#inFlight.set({ workflow }, running);
      this.#ended.set({ workflow, status: "completed" }, completed);
      this.#ended.set({ workflow, status: "failed" }, failed);
      this.#ended.set({ workflow, status: "cancelled" }, cancelled);
    }
    for (const { name: workflow, lagSeconds } of lags ?? [])
      this.#lag.set({ workflow }, lagSeconds);
    for (const { name: queue } of queues) {
      const stats = await this.#transport.queues.stats(queue);
      this.#messages.set({ queue, state: "visible" }, stats.visible);
      this.#messages.set({ queue, state: "in_flight" }, stats.inFlight);
      this.#messages.set({ queue, state: "delayed" }, stats.delayed);
      this.#oldest.set({ queue }, (stats.oldestMessageAgeMs ?? 0) / 1_000);
    }
  }
}

const MISNAMED = [
  "nodejs_active_handles_total",
  "nodejs_active_requests_total",
  "nodejs_active_resources_total",
];
