import { createWorkflowClient } from "@oxbow/sdk";
import { startServer } from "@oxbow/server";
import { expect, it } from "vitest";
import { createDatabase } from "../helpers/database.ts";
import { eventually } from "../helpers/eventually.ts";
import { atFileEnd } from "../helpers/file-end.ts";
import { startWorkerProcess } from "../helpers/worker-process.ts";

const NEIGHBOURS = [1, 2, 3, 4, 5, 6, 7, 8, 9];

interface Setup {
  readonly fifo?: boolean;
  readonly consumers?: number;
  readonly http?: boolean;
}

it.concurrent.each<[string, Setup]>([
  ["of a standard queue", {}],
  ["of a standard queue with two consumers", { consumers: 2 }],
  ["of a FIFO queue", { fifo: true }],
  ["of a queue that is consumed over HTTP", { http: true }],
])(
  "a message %s that ends each of its consumers is the only dead letter, and its neighbours are handled once",
  async (_, { fifo = false, consumers = 1, http = false }) => {
    const database = await createDatabase();
    await database.query("create table handled (n integer)");
    const client = createWorkflowClient({ url: database.url });
    const { queues } = client;
    await queues.create("letters", { fifo });
    await queues.create("work", { fifo, maxReceives: 2, deadLetterQueue: "letters" });
    if (fifo) {
      for (const n of [0, ...NEIGHBOURS]) {
        await queues.sendFifo("work", n, { groupId: `group ${n % 3}` });
      }
    } else {
      await queues.sendBatch("work", [0, ...NEIGHBOURS]);
    }
    const server = http
      ? await startServer({ url: database.url, port: 0, sweepIntervalMs: 0 })
      : undefined;
    const url = server?.url ?? database.url;
    const start = () =>
      startWorkerProcess(new URL("../helpers/programs/deadly-consumer.ts", import.meta.url), {
        args: [url, database.url, "work"],
      });
    let deaths = 0;
    let isOver = false;
    const supervise = async (index: number): Promise<void> => {
      for (;;) {
        const process = start();
        running[index] = process;
        await process.end();
        if (isOver) return;
        deaths += 1;
      }
    };
    const running: ReturnType<typeof start>[] = [];
    const supervising = Array.from({ length: consumers }, (__, index) => supervise(index));
    atFileEnd(async () => {
      isOver = true;
      await Promise.all(running.map((process) => process.kill()));
      await Promise.all(supervising);
      await client.close();
      await server?.stop();
    });

    const [work] = await eventually(
      () => database.query("select visible, in_flight, delayed from queue.queue_stats('work')"),
      ([stats]) => Object.values(stats ?? {}).every((count) => count === "0"),
      { withinMs: 120_000 },
    );
    expect(work).toBeDefined();
    expect((await queues.peek("letters")).map(({ body }) => body)).toEqual([0]);
    const handled = await database.query<{ n: number }>("select n from handled");
    expect(handled.map(({ n }) => n).toSorted((a, b) => a - b)).toEqual(NEIGHBOURS);
    // Two in company at least, then two by itself.
    expect(deaths).toBeGreaterThanOrEqual(4);
    expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
  },
  150_000,
);
