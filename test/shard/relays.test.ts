/** Relays of a worker beside its callbacks: neither takes the connections of the other, and the relays stop last. */
import { setTimeout as sleep } from "node:timers/promises";
import { createWorkflowClient, type RunHandle, type WorkflowClient } from "@oxbow/sdk";
import { connect, readOutbox } from "@oxbow/sdk/internal";
import { createWorker, type Worker, workflow } from "@oxbow/sdk/runtime";
import { beforeAll, beforeEach, expect, it } from "vitest";
import { atFileEnd } from "../helpers/file-end.ts";
import type { TestDatabase } from "../helpers/database.ts";
import { createFleet, type TestFleet } from "../helpers/fleet.ts";
import { Latch } from "../helpers/latch.ts";

const wait = workflow({ name: "wait", run: async (ctx) => ctx.step.waitForEvent("go") });

/** Of the callback under way. */
let entered: Latch;
let released: Latch;
const send = workflow({
  name: "send",
  run: (ctx, input: { to: string | null }) =>
    ctx.step.tx("send", async (tx) => {
      entered.open();
      await released.opened;
      if (input.to !== null) await client.signal(input.to, "go", 1, { tx });
    }),
});

let fleet: TestFleet;
let client: WorkflowClient;

beforeAll(async () => {
  fleet = await createFleet();
  client = createWorkflowClient({ shards: fleet.shards });
  atFileEnd(async () => {
    await client.close();
    return [];
  });
});
beforeEach(() => {
  entered = new Latch();
  released = new Latch();
});

const databaseOf = (name: string): TestDatabase => fleet.databases[name] as TestDatabase;

const serve = (): Worker =>
  createWorker({
    shards: fleet.shards,
    workflows: [wait, send],
    maxConnections: 1,
    localStarts: false,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
  });

async function routeOf(shard: string): Promise<string> {
  for (let n = 0; ; n++) if ((await client.home(`tenant-${n}`)) === shard) return `tenant-${n}`;
}

const startTarget = async (): Promise<RunHandle> =>
  client.start(wait, undefined, { route: await routeOf("b") });

it("move items while callbacks hold every connection of transactions", async () => {
  await using worker = serve();
  await client.start(send, { to: null }, { route: await routeOf("a") });
  await entered.opened;
  try {
    const target = await startTarget();
    await databaseOf("a").query("select queue.workflow_signal($1, 'go', '2')", [target.runId]);
    expect(await Promise.race([target.result(), tooLate()])).toBe(2);
  } finally {
    released.open();
  }
  await worker.stop();
});

it("move what the last callbacks of a worker have sent before it stops", async () => {
  const worker = serve();
  const target = await startTarget();
  await client.start(send, { to: target.runId }, { route: await routeOf("a") });
  await entered.opened;
  const stopped = worker.stop();
  released.open();
  await stopped;
  const outbox = await readOutbox({ name: "a", url: fleet.shards["a"] ?? "" });
  expect(outbox.lags).toMatchObject([{ shard: "b", items: 0 }]);
  await using next = serve();
  expect(await target.result()).toBe(1);
  await next.stop();
});

it("give up a transaction that waits for a connection", async () => {
  const transport = connect({ url: fleet.shards["a"] ?? "", maxConnections: 1 });
  const held = transport.transaction(() => released.opened);
  const stopping = new AbortController();
  const waiting = transport.transaction(async () => {}, stopping.signal);
  setTimeout(() => stopping.abort(new Error("It stops.")), 50);
  await expect(Promise.race([waiting, tooLate()])).rejects.toThrow("It stops.");
  released.open();
  await held;
  await transport.close();
});

function tooLate(): Promise<string> {
  return sleep(4_000, "too late", { ref: false });
}
