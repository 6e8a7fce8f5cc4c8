import { createWorkflowClient } from "@oxbow/sdk";
import { expect, it } from "vitest";
import { askOnce } from "../helpers/ask-once.ts";
import { createInstalled, startCluster } from "../helpers/clusters.ts";
import { createDatabase } from "../helpers/database.ts";
import { atLeast, eventually } from "../helpers/eventually.ts";
import { Ledger } from "../helpers/ledger.ts";

const RUNS = 100;
const STEPS = 5;

it("a database killed under load: workers and clients come back, every run ends, nothing is lost", async () => {
  await using cluster = await startCluster({ durable: true });
  const url = await createInstalled(cluster, "chaos");
  const query = askOnce(url);
  const ledger = new Ledger(url, query);
  await ledger.prepare();
  const workers = [ledger.worker(3), ledger.worker(3)];
  const runs = await Promise.all(
    Array.from({ length: RUNS }, () => ledger.start({ steps: STEPS })),
  );
  for (const share of [0.2, 0.5]) {
    await eventually(() => ledger.journaledSteps(), atLeast(RUNS * STEPS * share));
    await cluster.kill();
    await cluster.start();
  }
  await ledger.isSound(runs, STEPS);
  await ledger.client.close();
  await Promise.all(workers.map((worker) => worker.stop()));
});

it("connections cut while commits are under way: their answers are asked for again, and nothing is doubled", async () => {
  const database = await createDatabase();
  const ledger = new Ledger(database.url, (text, values) => database.query(text, values));
  await ledger.prepare();
  const worker = ledger.worker(10);
  const runs = await Promise.all(Array.from({ length: 60 }, () => ledger.start({ steps: STEPS })));
  for (let cut = 1; cut <= 10; cut += 1) {
    await eventually(() => ledger.journaledSteps(), atLeast(cut * 25));
    await database.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = 'oxbow' and query like '%workflow_commit%'`,
    );
  }
  await ledger.isSound(runs, STEPS);
  expect(worker.output.filter((line) => line.includes("failing"))).toEqual([]);
});

it("a connected client continues after a restart of the database, and so does its wait for a result", async () => {
  await using cluster = await startCluster({ durable: true });
  const url = await createInstalled(cluster, "restart");
  await using client = createWorkflowClient({ url });
  const run = await client.start("lonely", {});
  const result = run.result({ timeout: "60s" }).catch((error: unknown) => error);
  await run.status();
  await cluster.kill();
  await cluster.start();
  expect(await run.signal("anything")).toBe("buffered");
  await run.cancel("enough");
  expect(await result).toMatchObject({ code: "RUN_CANCELLED" });
});
