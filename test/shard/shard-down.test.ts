/** One shard of two is killed, and starts again: the other continues in between. */
import { ConnectionFailed, createWorkflowClient, type WorkflowClient } from "@oxbow/sdk";
import { initFleet, readOutbox } from "@oxbow/fleet/internal";
import { createWorker, workflow } from "@oxbow/sdk/runtime";
import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createInstalled, startCluster } from "../helpers/clusters.ts";
import { eventually } from "../helpers/eventually.ts";
import { startTestServer } from "../helpers/server.ts";

const BLOCK = 2n ** 36n;
const wait = workflow({ name: "wait", run: async (ctx) => ctx.step.waitForEvent("go") });
const echo = workflow({
  name: "echo",
  run: (ctx, input: { n: number }) => ctx.step.run("echo", () => input.n),
});

const clusters = await Promise.all([
  startCluster({ durable: true }),
  startCluster({ durable: true }),
]);
const [, sick] = clusters;
const [a = "", b = ""] = await Promise.all(
  clusters.map((cluster) => createInstalled(cluster, "shop")),
);
const shards = { a, b };
const client = createWorkflowClient({ shards });
const quiet = { debug() {}, info() {}, warn() {}, error() {} };

beforeAll(async () => {
  await initFleet([
    { name: "a", url: a },
    { name: "b", url: b },
  ]);
});
afterAll(() => Promise.all(clusters.map((cluster) => cluster.stop({ mode: "immediate" }))));

async function routeOf(shard: string): Promise<string> {
  for (let n = 0; ; n++) if ((await client.home(`tenant-${n}`)) === shard) return `tenant-${n}`;
}

it("a shard that stops takes nothing of the other with it, and resumes where it stopped", async () => {
  const [here, there] = [await routeOf("a"), await routeOf("b")];
  const worker = createWorker({ shards, workflows: [wait, echo], logger: quiet });
  try {
    const asleep = await client.start(wait, undefined, { route: there });
    const kept = await client.start(wait, undefined, { route: here });
    await client.queues.create("mail");

    await sick.kill();
    // Clients that knew the fleet before, and clients that never saw the other shard.
    await using late = createWorkflowClient({ shards });
    const isServed = async (one: WorkflowClient): Promise<void> => {
      // First, until the end of each connection is noticed: a start that was sent over one may have arrived, and fails.
      await expect(one.start(echo, { n: 1 }, { route: there })).rejects.toThrow(ConnectionFailed);
      const runs = await Promise.all(Array.from({ length: 6 }, (_, n) => one.start(echo, { n })));
      expect(runs.map(({ runId }) => BigInt(runId) / BLOCK)).toEqual(runs.map(() => 0n));
      expect(await Promise.all(runs.map((run) => run.result()))).toEqual(runs.map((_, n) => n));
      await Promise.all([
        expect(one.runs.count()).rejects.toThrow(ConnectionFailed),
        expect(one.runs.find(asleep.runId)).rejects.toThrow(ConnectionFailed),
      ]);
      const receiving = one.queues.receive("mail", { wait: "60s" });
      await one.queues.send("mail", "hello");
      const [message] = await receiving;
      expect(message?.body).toBe("hello");
      if (message !== undefined) await one.queues.delete("mail", message.receipt);
    };
    await Promise.all([client, late].map(isServed));
    await client.signal(kept.runId, "go", 1);
    expect(await kept.result()).toBe(1);
    await serveWithout("b");

    // What is for it waits.
    await signalIn(a, asleep.runId, 2);
    expect(await readOutbox({ name: "a", url: a })).toMatchObject({
      lags: [{ shard: "b", items: 1, rejected: 0 }],
    });
    await sick.start();
    expect(await asleep.result()).toBe(2);
    await eventually(
      () => readOutbox({ name: "a", url: a }),
      ({ lags }) => lags[0]?.items === 0,
    );
    const again = await client.start(echo, { n: 3 }, { route: there });
    expect(await again.result()).toBe(3);
    expect(BigInt(again.runId) / BLOCK).toBe(1n);
  } finally {
    await worker.stop();
    await client.close();
  }
});

async function signalIn(url: string, runId: string, payload: number): Promise<void> {
  const tx = new pg.Client({ connectionString: url });
  await tx.connect();
  try {
    expect(await client.signal(runId, "go", payload, { tx })).toBe("sent");
  } finally {
    await tx.end();
  }
}

/** A server over the shards remains ready, and reports which of them does not answer. */
async function serveWithout(shard: string): Promise<void> {
  const server = await startTestServer({ url: "" }, { url: undefined, shards });
  expect(await server.get("/readyz")).toMatchObject({
    status: 200,
    body: { status: "ready", shards: { a: { status: "ready" }, [shard]: { status: "not ready" } } },
  });
  const { body } = await server.get("/metrics");
  expect(body).toContain('oxbow_database_up{shard="a"} 1');
  expect(body).toContain(`oxbow_database_up{shard="${shard}"} 0`);
  const started = await server.post("/v1/workflows/echo/runs?wait=60", { input: { n: 7 } });
  expect(started).toMatchObject({ status: 201, body: { output: 7 } });
  expect((await server.get("/v1/workflows/echo/runs")).status).toBe(503);
}
