/** Relays of a worker beside its callbacks: neither takes the connections of the other, and the relays stop last. */
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { createWorkflowClient, type RunHandle } from "@oxbow/sdk";
import { connect, readOutbox } from "@oxbow/fleet/internal";
import { createWorker, type Worker, workflow } from "@oxbow/sdk/runtime";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { atFileEnd } from "../helpers/file-end.ts";
import type { TestDatabase } from "../helpers/database.ts";
import { atLeast, eventually } from "../helpers/eventually.ts";
import { createFleet } from "../helpers/fleet.ts";
import { Latch } from "../helpers/latch.ts";

const wait = workflow({ name: "wait", run: async (ctx) => ctx.step.waitForEvent("go") });

/** Latch of the callback under way. */
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

const fleet = await createFleet();
const client = createWorkflowClient({ shards: fleet.shards });
atFileEnd(() => client.close());

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

it("are listed where they were rejected, with as many bodies as fit into memory", async () => {
  await databaseOf("a").query(
    `insert into queue.outbox (created_at, target, kind, problem, body)
     select now(), s.shard, 'signal', 'rejected', to_jsonb(repeat('x', 12 * 1024 * 1024))
     from queue.fleet_shard as s, generate_series(1, 8) where s.name = 'b'`,
  );
  onTestFinished(async () => {
    await databaseOf("a").query("delete from queue.outbox where problem = 'rejected'");
  });
  const outbox = await readOutbox({ name: "a", url: fleet.shards["a"] ?? "" });
  expect(outbox.rejected).toHaveLength(6);
  expect(outbox.lags).toMatchObject([{ shard: "b", rejected: 8 }]);
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

it("leave items to others where the role of a worker may not relay, say so once, and stop no run", async () => {
  const role = `app_${randomBytes(6).toString("hex")}`;
  await databaseOf("a").query(
    `create role ${role} login password 'secret' in role oxbow_producer, oxbow_worker`,
  );
  onTestFinished(async () => {
    await databaseOf("a").query(`drop role ${role}`);
  });
  const shards = Object.fromEntries(
    Object.entries(fleet.shards).map(([name, shard]) => {
      const url = new URL(shard);
      url.username = role;
      url.password = "secret";
      return [name, url.href];
    }),
  );
  const worker = createWorker({ shards, workflows: [wait], logger: false });
  const troubles: string[] = [];
  worker.events.on("trouble", ({ error }) => void troubles.push((error as Error).message));
  const [first, second] = [await startTarget(), await startTarget()];
  await client.signal(first.runId, "go", 1);
  expect(await first.result()).toBe(1);

  await databaseOf("a").query("select queue.workflow_signal($1, 'go', '2')", [second.runId]);
  await eventually(() => troubles.length, atLeast(2));
  expect(troubles.toSorted()).toEqual(
    ["a", "b"].map(
      (name) =>
        expect.stringContaining(
          `its role in shard "${name}" is not a member of oxbow_relay`,
        ) as string,
    ),
  );
  await using relaying = serve();
  expect(await second.result()).toBe(2);
  expect(troubles).toHaveLength(2);
  await relaying.stop();
  await worker.stop();
});

function tooLate(): Promise<string> {
  return sleep(4_000, "too late", { ref: false });
}
