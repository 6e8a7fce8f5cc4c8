/** Queues: one consumer process; the client in the process that measures. */
import { setTimeout as sleep } from "node:timers/promises";
import { median } from "../measure/stats.ts";
import { timed } from "../measure/timed.ts";
import { message, type QueueBench, scaled, type Scenario } from "./scenario.ts";

const MESSAGES = 50_000;
const GROUPS = 1_000;
const FILL_BATCH = 500;
const SAMPLES = 200;

export const queueScenarios: readonly Scenario[] = [
  {
    id: "queue-drain",
    kind: "queues",
    rows: [
      {
        id: "queue-drain",
        name: "queue: receive + ack of 50,000 messages, in batches",
        unit: "/s",
      },
    ],
    measure: async (bench) => [await drainRate(bench, false)],
  },
  {
    id: "queue-fifo",
    kind: "queues",
    rows: [
      { id: "queue-fifo", name: "FIFO queue, 1,000 groups: receive + ack of 50,000", unit: "/s" },
    ],
    measure: async (bench) => [await drainRate(bench, true)],
  },
  {
    id: "queue-latency",
    kind: "queues",
    rows: [
      {
        id: "queue-latency",
        name: "queue: send() to received by an idle consumer, p50",
        unit: "ms",
      },
    ],
    measure: async ({ connect, startConsumer, scale }) => {
      const client = await connect({ fifo: false });
      const consumer = await startConsumer();
      await sleep(500);
      const times: number[] = [];
      for (let n = 0; n < scaled(SAMPLES, scale, 10) + 5; n += 1) {
        const arrival = consumer.arrival();
        times.push(await timed(() => Promise.all([client.send(message(n)), arrival])));
        // The consumer is idle again, and no polling interval coincides with ours.
        await sleep(20 + Math.random() * 20);
      }
      return [median(times.slice(5))];
    },
  },
];

async function drainRate(
  { connect, startDrainer, database, scale }: QueueBench,
  fifo: boolean,
): Promise<number> {
  const messages = scaled(MESSAGES / FILL_BATCH, scale) * FILL_BATCH;
  const client = await connect({ fifo });
  for (let sent = 0; sent < messages; sent += FILL_BATCH) {
    const batch = Array.from({ length: FILL_BATCH }, (_, n) => message(sent + n));
    const groups = batch.map(({ order }) => `group ${order % GROUPS}`);
    await client.sendBatch(batch, fifo ? groups : undefined);
  }
  // As autovacuum would soon, so that no system is measured with the statistics of an empty table.
  await database.query("vacuum analyze");
  await database.query("checkpoint");
  const drainer = await startDrainer({ messages, fifo });
  return (messages / (await drainer.drain())) * 1_000;
}
