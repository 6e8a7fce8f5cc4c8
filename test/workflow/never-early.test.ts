/** Durations count from the moment at which they are asked for, however long the database's answers take. */
import { setTimeout } from "node:timers/promises";
import { workflow } from "@oxbow/sdk/runtime";
import { expect, it } from "vitest";
import { FaultyNetwork, type Weather } from "../helpers/faulty-network.ts";
import { setupWorkflows } from "../helpers/workflows.ts";

const DURATION_MS = 700;
const RUNS_OF_EACH = 50;

/** How late each was, by the monotonic clock of the process. */
class Stopwatch {
  onStart = (): void => {};
  readonly #startedAt = new Map<string, number>();
  readonly lateMs: number[] = [];

  /** Bodies are replayed, so only the first call counts. */
  start(run: string): void {
    if (!this.#startedAt.has(run)) this.#startedAt.set(run, performance.now());
    this.onStart();
  }

  stop(run: string): void {
    const startedAt = this.#startedAt.get(run) ?? Number.NaN;
    this.lateMs.push(performance.now() - startedAt - DURATION_MS);
  }
}

const asleep = new Stopwatch();
const busy = new Stopwatch();
const waiting = new Stopwatch();
const backingOff = new Stopwatch();

const definitions = [
  workflow({
    name: "asleep",
    run: async (ctx) => {
      asleep.start(ctx.runId);
      await ctx.step.sleep("nap", DURATION_MS);
      asleep.stop(ctx.runId);
    },
  }),
  // A callback that is being called keeps the run in its worker, whose own timer ends the sleep.
  workflow({
    name: "busy",
    run: async (ctx) => {
      busy.start(ctx.runId);
      const nap = ctx.step.sleep("nap", DURATION_MS).then(() => busy.stop(ctx.runId));
      const work = ctx.step.run("work", async () => {
        await setTimeout(3 * DURATION_MS);
      });
      await Promise.all([nap, work]);
    },
  }),
  workflow({
    name: "waiting",
    run: async (ctx) => {
      waiting.start(ctx.runId);
      await ctx.step.waitForEvent("nothing", { timeout: DURATION_MS });
      waiting.stop(ctx.runId);
    },
  }),
  workflow({
    name: "backing-off",
    run: (ctx) =>
      ctx.step.run(
        "flaky",
        () => {
          if (callsOf(ctx.runId) > 1) {
            backingOff.stop(ctx.runId);
            return;
          }
          backingOff.start(ctx.runId);
          throw new Error("once");
        },
        { retry: { backoff: { kind: "fixed", base: DURATION_MS, jitter: 0 } } },
      ),
  }),
];

const calls = new Map<string, number>();
function callsOf(run: string): number {
  const count = (calls.get(run) ?? 0) + 1;
  calls.set(run, count);
  return count;
}

it.each<[string, Weather, Weather]>([
  ["each answer of the database takes 400 ms", { answerDelayMs: 400 }, { answerDelayMs: 400 }],
  ["only the first answers did", { answerDelayMs: 400 }, {}],
  ["the network takes up to 200 ms either way", { jitterMs: 200 }, { jitterMs: 200 }],
  ["the network becomes slow", {}, { jitterMs: 200, answerDelayMs: 100 }],
])(
  "no sleep, wait or back-off is early where %s",
  async (_where, first, later) => {
    const { database, client, serve, violations } = await setupWorkflows();
    const network = await FaultyNetwork.before(database.url);
    network.change(first);
    const watches = [asleep, busy, waiting, backingOff];
    for (const watch of watches) {
      watch.lateMs.length = 0;
      watch.onStart = () => {
        network.change(later);
      };
    }
    const runs = await Promise.all(
      definitions.map(({ name }) =>
        client.startBatch(
          name,
          Array.from({ length: RUNS_OF_EACH }, () => ({ input: undefined })),
        ),
      ),
    );
    const worker = serve(definitions, { url: network.url, concurrency: 4 * RUNS_OF_EACH });
    await Promise.all(runs.flat().map((run) => run.result({ timeout: "60s" })));
    for (const { lateMs } of watches) {
      expect(lateMs.length).toBeGreaterThanOrEqual(RUNS_OF_EACH);
      expect(Math.min(...lateMs)).toBeGreaterThanOrEqual(0);
    }
    // Before the network ends, which its worker goes through.
    await worker.stop();
    expect(await violations()).toEqual([]);
  },
  90_000,
);
