import { PgBoss } from "pg-boss";
import { connectTo } from "../measure/connect.ts";
import type { DrainOptions, System } from "../systems/system.ts";
import { waitUntilNone } from "../systems/wait-until.ts";

const QUEUE = "bench";
const POOL = 20;
const BATCH = 500;
const WORKERS = 4;

async function start(url: string, { notify }: { notify: boolean }): Promise<PgBoss> {
  const boss = new PgBoss({ connectionString: url, max: POOL, useListenNotify: notify });
  boss.on("error", (error) => console.error(error));
  await boss.start();
  return boss;
}

async function prepareDrain(url: string, { messages }: DrainOptions): Promise<() => Promise<void>> {
  const boss = await start(url, { notify: false });
  const database = await connectTo(url);
  return async () => {
    let received = 0;
    const options = { batchSize: BATCH, localConcurrency: WORKERS, burstWhenBatchFull: true };
    await new Promise<void>((resolve, reject) => {
      const handler = (jobs: readonly unknown[]): Promise<void> => {
        received += jobs.length;
        if (received >= messages) resolve();
        return Promise.resolve();
      };
      boss.work(QUEUE, { ...options, pollingIntervalSeconds: 0.5 }, handler).catch(reject);
    });
    // The last batches have been handled; now they are being completed.
    await waitUntilNone(
      database,
      "select from pgboss.job where name = $1 and state < 'completed' limit 1",
      [QUEUE],
    );
  };
}

export const system: System = {
  install: async (url) => {
    const boss = await start(url, { notify: false });
    await boss.stop({ graceful: false });
    return url;
  },
  queues: {
    connect: async (url, { fifo }) => {
      const boss = await start(url, { notify: false });
      const policy = fifo ? "key_strict_fifo" : "standard";
      await boss.createQueue(QUEUE, { policy, notify: true });
      return {
        send: async (message) => void (await boss.send(QUEUE, message)),
        sendBatch: async (messages, groups) => {
          const jobs = messages.map((data, index) => {
            const singletonKey = groups?.[index];
            return singletonKey === undefined ? { data } : { data, singletonKey };
          });
          await boss.insert(QUEUE, jobs);
        },
        close: () => boss.stop({ graceful: false }),
      };
    },
    prepareDrain,
    listen: async (url, onMessage) => {
      const boss = await start(url, { notify: true });
      await boss.work(QUEUE, { pollingIntervalSeconds: 0.5 }, () => {
        onMessage();
        return Promise.resolve();
      });
      return () => boss.stop({ graceful: false });
    },
  },
};
