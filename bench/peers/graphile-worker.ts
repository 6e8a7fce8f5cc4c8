import { makeWorkerUtils, run, type TaskList } from "graphile-worker";
import { connectTo } from "../measure/connect.ts";
import type { System } from "../systems/system.ts";
import { waitUntilNone } from "../systems/wait-until.ts";

const TASK = "bench";
const POOL = 25;
const CONCURRENCY = 24;

const start = (url: string, taskList: TaskList, throughput: boolean) =>
  run({
    connectionString: url,
    taskList,
    noHandleSignals: true,
    preset: {
      worker: {
        maxPoolSize: POOL,
        concurrentJobs: CONCURRENCY,
        ...(throughput && {
          localQueue: { size: 500 },
          completeJobBatchDelay: 0,
          failJobBatchDelay: 0,
        }),
      },
    },
  });

export const system: System = {
  install: async (url) => {
    const utils = await makeWorkerUtils({ connectionString: url });
    await utils.migrate();
    await utils.release();
    return url;
  },
  queues: {
    connect: async (url) => {
      const utils = await makeWorkerUtils({ connectionString: url, maxPoolSize: POOL });
      return {
        send: async (message) => void (await utils.addJob(TASK, message)),
        sendBatch: async (messages, groups) => {
          const jobs = messages.map((payload, index) => {
            const queueName = groups?.[index];
            return queueName === undefined
              ? { identifier: TASK, payload }
              : { identifier: TASK, payload, queueName };
          });
          await utils.addJobs(jobs);
        },
        close: async () => utils.release(),
      };
    },
    prepareDrain: async (url, { messages }) => {
      const database = await connectTo(url);
      return async () => {
        let received = 0;
        await new Promise<void>((resolve, reject) => {
          const task = (): void => {
            received += 1;
            if (received === messages) resolve();
          };
          start(url, { [TASK]: task }, true).catch(reject);
        });
        // The last jobs have been handled; now they are being completed, which deletes them.
        await waitUntilNone(database, "select from graphile_worker.jobs limit 1");
      };
    },
    listen: async (url, onMessage) => {
      const runner = await start(url, { [TASK]: onMessage }, false);
      return () => runner.stop();
    },
  },
};
