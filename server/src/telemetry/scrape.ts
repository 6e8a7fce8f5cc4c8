/** A scrape of the metrics: reads gauges and counters from the database, and renders all. */
import type { Transport } from "@oxbow/sdk/internal";
import type { Metrics } from "./metrics.ts";
import { RunCounters } from "./run-counters.ts";

export class Scrape {
  readonly contentType: string;
  readonly #metrics: Metrics;
  readonly #transport: Transport;
  readonly #runs: RunCounters;

  constructor(metrics: Metrics, transport: Transport) {
    this.#metrics = metrics;
    this.#transport = transport;
    this.#runs = new RunCounters(metrics, transport);
    this.contentType = metrics.registry.contentType;
  }

  async render(): Promise<string> {
    await this.#read().then(
      () => this.#metrics.databaseUp.set(1),
      () => this.#metrics.databaseUp.set(0),
    );
    return this.#metrics.registry.metrics();
  }

  async #read(): Promise<void> {
    const [workflows, queues, lags, readAge] = await Promise.all([
      this.#transport.workflows.tally(),
      this.#transport.queues.list(),
      this.#transport.statistics?.lag(),
      this.#transport.statistics?.readAge(),
      this.#runs.update(),
    ]);
    this.#metrics.readAge.set(readAge ?? 0);
    const { runsInFlight, runsKept, oldestReadyRun, messages, oldestMessage } = this.#metrics;
    for (const gauge of [runsInFlight, runsKept, oldestReadyRun, messages, oldestMessage]) {
      gauge.reset();
    }
    for (const { name: workflow, running, completed, failed, cancelled } of workflows) {
      oldestReadyRun.set({ workflow }, 0);
      runsInFlight.set({ workflow }, running);
      runsKept.set({ workflow, status: "completed" }, completed);
      runsKept.set({ workflow, status: "failed" }, failed);
      runsKept.set({ workflow, status: "cancelled" }, cancelled);
    }
    for (const { name: workflow, lagSeconds } of lags ?? []) {
      oldestReadyRun.set({ workflow }, lagSeconds);
    }
    for (const { name: queue } of queues) {
      const stats = await this.#transport.queues.stats(queue);
      messages.set({ queue, state: "visible" }, stats.visible);
      messages.set({ queue, state: "in_flight" }, stats.inFlight);
      messages.set({ queue, state: "delayed" }, stats.delayed);
      oldestMessage.set({ queue }, (stats.oldestMessageAgeMs ?? 0) / 1_000);
    }
  }
}
