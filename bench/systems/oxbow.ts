import { createWorkflowClient, type RunHandle } from "@oxbow/sdk";
import { migrate } from "@oxbow/sdk/internal/server";
import { createWorker } from "@oxbow/sdk/runtime";
import { connectTo } from "../measure/connect.ts";
import { inParallel, inSequence, oneStep, sleeper, waiter, workflows } from "../workflows.ts";
import { addBystanders } from "./bystanders.ts";
import type { Body, BodyInput, QueueClient, System, WorkflowClient } from "./system.ts";
import { waitUntilNone } from "./wait-until.ts";

const CONCURRENCY = 200;
const QUEUE = "bench";
const BATCH = 500;
const LOOPS = 4;
/** A receive brings one message of a group: two of 500 are all that a thousand groups have. */
const FIFO_LOOPS = 2;

/** @param databaseUrl Where the end of all runs is looked for. */
export async function connect(url: string, databaseUrl = url): Promise<WorkflowClient> {
  const client = createWorkflowClient({ url });
  const database = await connectTo(databaseUrl);
  const starts: Record<Body, (input: BodyInput) => Promise<RunHandle>> = {
    "one-step": () => client.start(oneStep, undefined),
    "in-sequence": ({ steps = 0 }) => client.start(inSequence, { steps }),
    "in-parallel": ({ steps = 0 }) => client.start(inParallel, { steps }),
    sleeper: ({ ms = 0 }) => client.start(sleeper, { ms }),
    waiter: () => client.start(waiter, undefined),
  };
  return {
    start: async (body, input) => {
      const run = await starts[body](input);
      return {
        result: () => run.result(),
        signal: async () => void (await client.signal(run.runId, "go", {})),
      };
    },
    allEnded: () => waitUntilNone(database, 'select from queue."q___wf_in-sequence" limit 1'),
    close: async () => {
      await client.close();
      await database.end();
    },
  };
}

export function serve(url: string): Promise<() => Promise<void>> {
  const worker = createWorker({ url, workflows, concurrency: CONCURRENCY, logger: console });
  return Promise.resolve(() => worker.stop());
}

async function connectQueue(url: string, { fifo }: { fifo: boolean }): Promise<QueueClient> {
  const client = createWorkflowClient({ url });
  const database = await connectTo(url);
  await client.queues.create(QUEUE, { fifo });
  return {
    send: async (message) => void (await client.queues.send(QUEUE, message)),
    sendBatch: async (messages, groups) => {
      if (groups === undefined) {
        await client.queues.sendBatch(QUEUE, messages);
        return;
      }
      // As redrive() does it: there is no public call that sends to many groups at once.
      await database.query("select from queue._send_fifo($1, $2::jsonb[], $3::text[], '0', null)", [
        QUEUE,
        messages.map((message) => JSON.stringify(message)),
        groups,
      ]);
    },
    close: async () => {
      await client.close();
      await database.end();
    },
  };
}

export const system: System = {
  install: async (url) => {
    await migrate(url);
    await addBystanders(url);
    return url;
  },
  workflows: {
    connect: (url) => connect(url),
    serve,
  },
  queues: {
    connect: connectQueue,
    prepareDrain: async (url, { messages, fifo }) => {
      const loops = fifo ? FIFO_LOOPS : LOOPS;
      const { queues } = createWorkflowClient({ url });
      // Connections are opened before, as those of who opens them by hand.
      await Promise.all(Array.from({ length: loops }, () => queues.list()));
      return async () => {
        let acknowledged = 0;
        const receiveAndAck = async (): Promise<void> => {
          while (acknowledged < messages) {
            const received = await queues.receive(QUEUE, { max: BATCH });
            const alive = await queues.deleteBatch(QUEUE, received);
            acknowledged += alive.length;
          }
        };
        await Promise.all(Array.from({ length: loops }, receiveAndAck));
      };
    },
    listen: (url, onMessage) => {
      const client = createWorkflowClient({ url });
      const consumer = client.queues.consume(QUEUE, onMessage, { concurrency: 1 });
      return Promise.resolve(async () => {
        await consumer.stop();
        await client.close();
      });
    },
  },
};
