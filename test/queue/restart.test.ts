/** Queues while the database, or a consumer's process, is killed. */
import { createWorkflowClient } from "@oxbow/sdk";
import { expect, it } from "vitest";
import { numbers, setupQueues } from "../helpers/client-queues.ts";
import { createInstalled, startCluster } from "../helpers/clusters.ts";
import { atLeast, eventually } from "../helpers/eventually.ts";
import { silent } from "../helpers/silent-logger.ts";
import { startWorkerProcess } from "../helpers/worker-process.ts";

it("consumers outlive a database that is killed: every message is handled, acknowledgements are repeated", async () => {
  await using cluster = await startCluster({ durable: true });
  const url = await createInstalled(cluster, "queues");
  await using client = createWorkflowClient({ url });
  const { queues } = client;
  await queues.create("mail");
  await queues.create("ledger", { fifo: true });
  await queues.sendBatch("mail", numbers(300));
  for (let n = 0; n < 30; n += 1) await queues.sendFifo("ledger", n, { groupId: "a" });

  const handled = new Map<string, number>();
  const order: number[] = [];
  const handle = (key: string): void => void handled.set(key, (handled.get(key) ?? 0) + 1);
  const options = { concurrency: 4, visibilityTimeout: "1s", logger: silent };
  const consumers = [
    queues.consume<number>("mail", ({ body }) => handle(`mail ${body}`), options),
    queues.consume<number>(
      "ledger",
      ({ body }) => {
        if (!order.includes(body)) order.push(body);
        handle(`ledger ${body}`);
      },
      options,
    ),
  ];
  for (const share of [0.1, 0.4]) {
    await eventually(() => handled.size, atLeast(330 * share));
    await cluster.kill();
    await cluster.start();
  }
  for (const name of ["mail", "ledger"]) {
    await eventually(
      () => queues.stats(name),
      ({ visible, inFlight }) => visible + inFlight === 0,
    );
  }
  expect(handled.size).toBe(330);
  expect(order).toEqual(numbers(30));
  // Messages that were received or acknowledged at the moment of the kill, and hardly more.
  expect([...handled.values()].filter((times) => times > 1).length).toBeLessThan(40);

  // A notification still comes: LISTEN and lock were set up again.
  const before = handled.size;
  await queues.send("mail", "after");
  await eventually(() => handled.size, before + 1);
  await Promise.all(consumers.map((consumer) => consumer.stop()));
});

it("messages of a killed process are delivered to another one when their time is over", async () => {
  const { connection, queues } = await setupQueues();
  await queues.create("work", { visibilityTimeout: "1s" });
  await queues.sendBatch("work", [1, 2]);
  const doomed = startWorkerProcess(new URL("../helpers/programs/consumer.ts", import.meta.url), {
    args: [JSON.stringify(connection), "work"],
  });
  await doomed.line(/^handling 1/);
  await doomed.line(/^handling 2/);
  await doomed.kill();
  const seen: number[][] = [];
  queues.consume<number>("work", ({ body, receiveCount }) => seen.push([body, receiveCount]), {
    visibilityTimeout: "1m",
  });
  await eventually(() => seen.length, 2);
  expect(seen.toSorted(([a = 0], [b = 0]) => a - b)).toEqual([
    [1, 2],
    [2, 2],
  ]);
});
