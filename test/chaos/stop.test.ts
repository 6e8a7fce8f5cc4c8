/** Stops while the database is away: the process ends, and its runs are left to their leases. */
import { createWorkflowClient } from "@oxbow/sdk";
import { createWorker, workflow, type Worker } from "@oxbow/sdk/runtime";
import { expect, it } from "vitest";
import { createInstalled, startCluster } from "../helpers/clusters.ts";
import { createDatabase } from "../helpers/database.ts";
import { eventually } from "../helpers/eventually.ts";
import { FaultyNetwork } from "../helpers/faulty-network.ts";
import { Latch } from "../helpers/latch.ts";
import { silent } from "../helpers/silent-logger.ts";

/** A workflow whose one step is finished when the test opens a gate. */
function makeGated() {
  const gate = new Latch();
  let calls = 0;
  const gated = workflow({
    name: "gated",
    run: (ctx) =>
      ctx.step.run("call", async () => {
        calls += 1;
        await gate.opened;
        return calls;
      }),
  });
  return { gated, open: gate.open, calls: () => calls };
}

const troublesOf = (worker: Worker): string[] => {
  const troubles: string[] = [];
  worker.events.on("trouble", ({ doing }) => void troubles.push(doing));
  return troubles;
};

it("a worker stops though its database is dead; its run is executed elsewhere when the database is back", async () => {
  await using cluster = await startCluster();
  const url = await createInstalled(cluster, "stopping");
  await using client = createWorkflowClient({ url });
  const { gated, open, calls } = makeGated();
  const options = { url, workflows: [gated], lease: "1s", logger: silent } as const;
  const worker = createWorker({ ...options, stopTimeout: "100ms" });
  const idle = createWorker({ ...options, workflows: [workflow({ name: "idle", run: () => {} })] });
  const troubles = troublesOf(worker);
  const run = await client.start(gated, undefined);
  await eventually(calls, 1);
  await cluster.kill();
  open();
  await Promise.all([worker.stop(), idle.stop()]);
  await Promise.all([worker.finished, idle.finished]);
  expect(troubles.filter((doing) => /committing|failing|extending/.test(doing))).toEqual([]);
  expect(troubles).toContain("giving runs back");

  await cluster.start();
  await using other = createWorker(options);
  expect(await run.result({ timeout: "60s" })).toBe(2);
  await other.stop();
});

it("a worker and a client end though nothing comes from their database any more, and leave no connection", async () => {
  const database = await createDatabase();
  const network = await FaultyNetwork.before(database.url);
  const { url } = network;
  const client = createWorkflowClient({ url });
  const { gated, calls } = makeGated();
  const worker = createWorker({ url, workflows: [gated], stopTimeout: "100ms", logger: silent });
  await client.start(gated, undefined);
  await client.queues.create("mail");
  await client.queues.send("mail", "letter");
  const begun: unknown[] = [];
  const consumer = client.queues.consume(
    "mail",
    async ({ body }, { signal }) => {
      begun.push(body);
      await new Promise((resolve) => {
        signal.addEventListener("abort", resolve);
      });
    },
    { stopTimeout: "100ms", logger: silent },
  );
  await eventually(calls, 1);
  await eventually(() => begun, { length: 1 });
  network.change({ isParted: true });
  const asked = client.runs.count().catch((error: unknown) => error);
  await Promise.all([worker.stop(), client.close()]);
  await Promise.all([worker.finished, consumer.finished]);
  expect(await asked).toMatchObject({ code: "CONNECTION_FAILED" });
  await expect(client.runs.count()).rejects.toThrow(/could not reach .*: the client was closed/);
  await eventually(() => network.open, 0);
});
