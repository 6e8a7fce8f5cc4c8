/**
 * A scrape of the metrics: reads gauges and counters from the database, and renders all. Over shards it reads from each,
 * and a shard that doesn't answer in time is reported as down and keeps its last figures, so that the others don't wait
 * for it. Scrapes share the answers that they wait for, so that a database that hangs doesn't collect them.
 */
import { QueueNotFound } from "@oxbow/sdk";
import {
  type QueueStatistics,
  type Transport,
  within,
  type WorkflowLag,
  type WorkflowTally,
} from "@oxbow/sdk/internal/server";
import type { ShardLag } from "@oxbow/fleet/internal";
import type { Metrics } from "./metrics.ts";
import { RunCounters } from "./run-counters.ts";
import { sharedLook } from "./shared-look.ts";

/** Shorter than scrapes usually take at most. */
const SHARD_WITHIN_MS = 2_000;

interface Figures {
  readonly workflows: readonly WorkflowTally[];
  readonly lags: readonly WorkflowLag[];
  readonly queues: readonly (QueueStatistics & { readonly name: string })[];
  readonly readAge: number;
  readonly outboxes: readonly ShardLag[];
}

/** The database, or one of the shards. */
interface Part {
  /** Its name, if it is a shard. */
  readonly labels: { readonly shard?: string };
  readonly transport: Transport;
  readonly runs: RunCounters;
  /** Reads the figures; a scrape that begins in the meantime waits for the same answers. */
  readonly read: () => Promise<void>;
  figures: Figures | undefined;
}

export class Scrape {
  readonly contentType: string;
  readonly #metrics: Metrics;
  readonly #transport: Transport;
  #known: readonly Part[] | undefined;

  constructor(metrics: Metrics, transport: Transport) {
    this.#metrics = metrics;
    this.#transport = transport;
    this.contentType = metrics.registry.contentType;
  }

  get #parts(): readonly Part[] {
    this.#known ??= partsOf(this.#metrics, this.#transport);
    return this.#known;
  }

  async render(): Promise<string> {
    const looks = await Promise.all(
      this.#parts.map(async (part) => ({ part, isUp: await hasAnswered(part) })),
    );
    const { runsInFlight, runsKept, oldestReadyRun, messages, oldestMessage } = this.#metrics;
    const { outboxItems, outboxOldest, rejectedItems } = this.#metrics;
    const figures = [runsInFlight, runsKept, oldestReadyRun, messages, oldestMessage];
    for (const gauge of [...figures, outboxItems, outboxOldest, rejectedItems]) gauge.reset();
    for (const { part, isUp } of looks) this.#show(part, isUp);
    return this.#metrics.registry.metrics();
  }

  #show({ labels, figures }: Part, isUp: boolean): void {
    this.#metrics.databaseUp.set(labels, isUp ? 1 : 0);
    if (figures === undefined) return;
    const { runsInFlight, runsKept, oldestReadyRun, messages, oldestMessage, readAge } =
      this.#metrics;
    readAge.set(labels, figures.readAge);
    for (const { name: workflow, running, completed, failed, cancelled } of figures.workflows) {
      oldestReadyRun.set({ workflow, ...labels }, 0);
      runsInFlight.set({ workflow, ...labels }, running);
      runsKept.set({ workflow, status: "completed", ...labels }, completed);
      runsKept.set({ workflow, status: "failed", ...labels }, failed);
      runsKept.set({ workflow, status: "cancelled", ...labels }, cancelled);
    }
    for (const { name: workflow, lagSeconds } of figures.lags) {
      oldestReadyRun.set({ workflow, ...labels }, lagSeconds);
    }
    for (const { name: queue, ...stats } of figures.queues) {
      messages.set({ queue, state: "visible", ...labels }, stats.visible);
      messages.set({ queue, state: "in_flight", ...labels }, stats.inFlight);
      messages.set({ queue, state: "delayed", ...labels }, stats.delayed);
      oldestMessage.set({ queue, ...labels }, (stats.oldestMessageAgeMs ?? 0) / 1_000);
    }
    this.#showOutboxes(labels, figures.outboxes);
  }

  #showOutboxes(labels: Part["labels"], outboxes: readonly ShardLag[]): void {
    const { outboxItems, outboxOldest, rejectedItems } = this.#metrics;
    for (const { shard: to, items, oldestSeconds, rejected } of outboxes) {
      outboxItems.set({ to, ...labels }, items);
      outboxOldest.set({ to, ...labels }, oldestSeconds);
      rejectedItems.set({ to, ...labels }, rejected);
    }
  }
}

/** Whether the part's figures have been read just now. */
async function hasAnswered(part: Part): Promise<boolean> {
  const reading = part.read().then(
    () => true,
    () => false,
  );
  const isInTime = part.labels.shard === undefined || (await within(SHARD_WITHIN_MS, reading));
  return isInTime && (await reading);
}

function partsOf(metrics: Metrics, transport: Transport): Part[] {
  const lanes = transport.fleet?.lanes.map((lane) => ({
    labels: { shard: lane.name },
    transport: lane.transport,
  }));
  return (lanes ?? [{ labels: {}, transport }]).map((one) => {
    const part: Part = {
      ...one,
      runs: new RunCounters(metrics, one.transport, one.labels),
      read: sharedLook(() => read(part)),
      figures: undefined,
    };
    return part;
  });
}

async function read(part: Part): Promise<void> {
  const { transport, runs } = part;
  const [workflows, names, lags, readAge, outboxes] = await Promise.all([
    transport.workflows.tally(),
    transport.queues.list(),
    transport.statistics?.lag(),
    transport.statistics?.readAge(),
    transport.shards?.lag(),
    runs.update(),
  ]);
  const queues = [];
  for (const { name } of names) {
    try {
      queues.push({ name, ...(await transport.queues.stats(name)) });
    } catch (error) {
      // It was dropped since it was listed.
      if (!(error instanceof QueueNotFound)) throw error;
    }
  }
  part.figures = {
    workflows,
    lags: lags ?? [],
    queues,
    readAge: readAge ?? 0,
    outboxes: outboxes ?? [],
  };
}
