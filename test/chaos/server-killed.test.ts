/** Clients and workers that go through servers, while these and their database are killed. */
import { findFreePort } from "@oxbow/sdk/internal/testing";
import { expect, it } from "vitest";
import { askOnce } from "../helpers/ask-once.ts";
import { createInstalled, startCluster } from "../helpers/clusters.ts";
import { atLeast, eventually } from "../helpers/eventually.ts";
import { Ledger } from "../helpers/ledger.ts";
import { startWorkerProcess, type WorkerProcess } from "../helpers/worker-process.ts";

const RUNS = 80;
const STEPS = 6;

it("a server and its database, killed under load: all runs end, once, and nothing is lost", async () => {
  await using cluster = await startCluster({ durable: true });
  const url = await createInstalled(cluster, "chaos");
  const query = askOnce(url);
  const port = await findFreePort();
  const serve = async (): Promise<WorkerProcess> => {
    const server = startWorkerProcess(new URL("../../server/src/main.ts", import.meta.url), {
      env: { DATABASE_URL: url, PORT: String(port), HOST: "127.0.0.1", OXBOW_TOKENS: "" },
    });
    await server.line(/^Oxbow serves/);
    return server;
  };
  let server = await serve();
  const ledger = new Ledger(url, query, `http://127.0.0.1:${port}`);
  await ledger.prepare();
  const workers = [ledger.worker(3), ledger.worker(3)];
  const runs = await Promise.all(
    Array.from({ length: RUNS }, () => ledger.start({ steps: STEPS })),
  );
  const isDone = (share: number): Promise<number> =>
    eventually(() => ledger.journaledSteps(), atLeast(RUNS * STEPS * share), { withinMs: 150_000 });
  for (const share of [0.1, 0.3]) {
    await isDone(share);
    await server.kill();
    server = await serve();
  }
  await isDone(0.5);
  await cluster.kill();
  await cluster.start();
  await isDone(0.7);
  await Promise.all([server.kill(), cluster.kill()]);
  await cluster.start();
  server = await serve();

  await ledger.isSound(runs, STEPS);
  // In order, on request.
  await Promise.all(workers.map((worker) => worker.stop()));
  expect(await server.stop()).toMatchObject({ code: 0 });
  await ledger.client.close();
}, 400_000);
