/**
 * One shard of two dies under load, again and again: runs of the other take no longer. Each shard has a server of its
 * own, and a steady rate of runs, far below what the machine can do: otherwise the death of one would leave more of the
 * machine to the other. Windows with and without the second shard alternate, so that what else the machine does falls on
 * both. `make test-load` runs it.
 */
import { setTimeout as delay } from "node:timers/promises";
import { createWorkflowClient } from "@oxbow/sdk";
import { initFleet } from "@oxbow/fleet/internal";
import { migrate } from "@oxbow/sdk/internal/server";
import { createWorker, workflow } from "@oxbow/sdk/runtime";
import { startPostgres } from "@oxbow/sdk/testing";
import { expect, it } from "vitest";
import { eventually } from "../helpers/eventually.ts";
import { FaultyNetwork } from "../helpers/faulty-network.ts";
import { silent } from "../helpers/silent-logger.ts";

const ROUNDS = 4;
const WINDOW_MS = 6_000;
const RUNS_A_SECOND = 30;
const MOST = 1.2;

const work = workflow({
  name: "work",
  run: async (ctx, n: number) => {
    const one = await ctx.step.run("one", () => n + 1);
    return ctx.step.run("two", () => one + 1);
  },
});

const percentile = (values: readonly number[], part: number): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length * part)] ?? Number.NaN;

it.each(["dies", "hangs"])("the p95 of a shard stays while another one %s", async (fault) => {
  const clusters = await Promise.all([startPostgres(), startPostgres()]);
  const [, sick] = clusters;
  const [a = "", direct = ""] = await Promise.all(
    clusters.map((cluster) => cluster.createDatabase("shop")),
  );
  await Promise.all([migrate(a), migrate(direct)]);
  await initFleet([
    { name: "a", url: a },
    { name: "b", url: direct },
  ]);
  const network = await FaultyNetwork.before(direct);
  const shards = { a, b: network.url };
  const client = createWorkflowClient({ shards });
  const worker = createWorker({ shards, workflows: [work], localStarts: false, logger: silent });
  try {
    const routeOf = async (shard: string): Promise<string> => {
      for (let n = 0; ; n++) if ((await client.home(`t-${n}`)) === shard) return `t-${n}`;
    };
    const [here, there] = [await routeOf("a"), await routeOf("b")];
    let samples: number[] = [];
    const runOnce = async (route: string): Promise<number> => {
      const from = performance.now();
      const run = await client.start(work, 1, { route });
      await run.result({ timeout: "60s" });
      return performance.now() - from;
    };
    const failures: unknown[] = [];
    const over = new AbortController();
    const load = async (): Promise<void> => {
      const underway: Promise<void>[] = [];
      while (!over.signal.aborted) {
        const into = samples;
        const note = (ms: number): void => void into.push(ms);
        underway.push(runOnce(here).then(note, (error: unknown) => void failures.push(error)));
        // Fails, or waits, while its shard is away.
        void runOnce(there).catch(() => {});
        await delay(1_000 / RUNS_A_SECOND);
      }
      await Promise.all(underway);
    };
    const window = async (): Promise<number> => {
      samples = [];
      const own = samples;
      await delay(WINDOW_MS);
      expect(own.length).toBeGreaterThan((WINDOW_MS / 1_000) * RUNS_A_SECOND * 0.5);
      return percentile(own, 0.95);
    };
    const take = (): Promise<void> => {
      if (fault === "dies") return sick.kill();
      network.change({ isParted: true });
      return Promise.resolve();
    };
    const giveBack = async (): Promise<void> => {
      if (fault === "dies") await sick.start();
      network.clear();
      network.cut();
      await eventually(
        () => runOnce(there),
        () => true,
      );
    };

    await Promise.all([runOnce(here), runOnce(there)]);
    const loading = load();
    await window();
    const [up, down]: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      up.push(await window());
      await take();
      down.push(await window());
      await giveBack();
    }
    over.abort();
    await loading;
    const [before, without] = [percentile(up, 0.5), percentile(down, 0.5)];
    process.stdout.write(
      `p95 with both: ${up.map(Math.round).join(", ")} ms; while one ${fault}: ${down.map(Math.round).join(", ")} ms; ratio ${(without / before).toFixed(2)}\n`,
    );
    expect(failures).toEqual([]);
    expect(without / before).toBeLessThan(MOST);
  } finally {
    await worker.stop();
    await client.close();
    await Promise.all(clusters.map((cluster) => cluster.stop({ mode: "immediate" })));
  }
});
