/** Clients and workers over two shards: where runs and messages are, what is found, and what is refused. */
import { createWorkflowClient, InvalidArgument, type RunHandle, WrongShard } from "@oxbow/sdk";
import { createWorker, workflow } from "@oxbow/sdk/runtime";
import pg from "pg";
import { describe, expect, it } from "vitest";
import { definitionsOf } from "../helpers/checked-clients.ts";
import { eventually } from "../helpers/eventually.ts";
import { atFileEnd } from "../helpers/file-end.ts";
import { createFleet } from "../helpers/fleet.ts";
import { uniqueQueueName } from "../helpers/queues.ts";

const BLOCK = 2n ** 36n;

const greet = workflow({
  name: "greet",
  run: async (ctx, input: { name: string }) => {
    const text = await ctx.step.run("compose", () => `Hello, ${input.name}!`);
    return text;
  },
});
const wait = workflow({
  name: "wait",
  run: async (ctx) => ctx.step.waitForEvent("go"),
});
const parent = workflow({
  name: "parent",
  run: async (ctx) => ctx.step.invoke("child", greet, { name: "child" }),
});
const distant = workflow({
  name: "distant",
  run: async (ctx, input: { route: string }) => {
    const { route } = input;
    const id = await ctx.step.invoke("apart", greet, { name: "apart" }, { route, detach: true });
    const texts = await Promise.all([
      ctx.step.invoke("far", greet, { name: "far" }, { route }),
      ctx.step.invoke("near", greet, { name: "near" }),
      ctx.step.run("here", () => "here"),
    ]);
    return { id, texts };
  },
});
const patient = workflow({
  name: "patient",
  run: async (ctx, input: { route: string }) =>
    ctx.step.invoke("far", wait, undefined, { route: input.route }),
});
const crossing = workflow({
  name: "crossing",
  run: async (ctx, input: { to: string }) => {
    await ctx.step.signal("send", input.to, "go");
  },
});

const fleet = await createFleet();
const client = createWorkflowClient({ shards: fleet.shards });
const worker = createWorker({
  shards: fleet.shards,
  workflows: [greet, wait, parent, crossing, distant, patient],
  logger: { debug() {}, info() {}, warn() {}, error() {} },
});
atFileEnd(async () => {
  await worker.stop();
  await client.close();
});

const shardOf = (id: string): string => (BigInt(id) / BLOCK === 0n ? "a" : "b");

/** A route that is at home in a shard. */
async function routeOf(shard: string, prefix = "tenant"): Promise<string> {
  for (let n = 0; ; n++) {
    if ((await client.home(`${prefix}-${n}`)) === shard) return `${prefix}-${n}`;
  }
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const outboxOf = async (shard: string): Promise<unknown[]> =>
  (await fleet.databases[shard]?.query("select * from queue.outbox_pending()")) ?? [];

async function inTransaction<Result>(
  shard: string,
  use: (tx: pg.Client) => Promise<Result>,
): Promise<Result> {
  const tx = new pg.Client({ connectionString: fleet.shards[shard] });
  await tx.connect();
  try {
    await tx.query("begin");
    const result = await use(tx);
    await tx.query("commit");
    return result;
  } finally {
    await tx.end();
  }
}

describe("starts", () => {
  it("without a home go by turns, and their results come back", async () => {
    const runs = await Promise.all(
      Array.from({ length: 10 }, (_, n) => client.start(greet, { name: `${n}` })),
    );
    expect(new Set(runs.map(({ runId }) => shardOf(runId)))).toEqual(new Set(["a", "b"]));
    const results = await Promise.all(runs.map((run) => run.result()));
    expect(results).toEqual(runs.map((_, n) => `Hello, ${n}!`));
  });

  it("with a route are in its shard, which SQL returns as well", async () => {
    for (const shard of ["a", "b"]) {
      const route = await routeOf(shard);
      const run = await client.start(greet, { name: "x" }, { route });
      expect(shardOf(run.runId)).toBe(shard);
      for (const database of Object.values(fleet.databases)) {
        expect(await database.query("select queue.home_of($1) as home", [route])).toEqual([
          { home: shard },
        ]);
      }
    }
  });

  it("of a definition that names it go where the route of their input is at home", async () => {
    const routed = workflow({
      name: "routed",
      route: "tenant.id",
      run: (_ctx, input: { tenant: { id: string | number } }) => input,
    });
    for (const shard of ["a", "b"]) {
      const id = await routeOf(shard);
      const input = { tenant: { id } };
      const run = await client.start(routed, input, { idempotencyKey: `${id}/routed` });
      expect(shardOf(run.runId)).toBe(shard);
      expect(
        await fleet.databases[shard]?.query(
          "select route from queue.workflow_run where run_id = $1",
          [run.runId],
        ),
      ).toEqual([{ route: id }]);
      const [other] = await client.startBatch(routed, [{ input, route: await routeOf("a") }]);
      expect(shardOf(other?.runId ?? "")).toBe("a");
    }
    const start = client.start(routed, { tenant: { id: 7 } }, { idempotencyKey: "8/1" });
    await expect(start).rejects.toThrow('give "7/8/1"');
    await expect(client.start(routed, { tenant: {} } as never)).rejects.toThrow(
      'The input of a run of "routed" has no text or number at tenant.id, its route',
    );
    expect(() => workflow({ name: "wrong", route: "a..b", run: () => 1 })).toThrow(
      'Invalid route "a..b" of workflow "wrong"',
    );
  });

  it("with a key find their run, whichever client starts it", async () => {
    await using other = createWorkflowClient({ shards: fleet.shards });
    for (let n = 0; n < 10; n++) {
      const idempotencyKey = `key-${n}`;
      const run = await client.start(greet, { name: "x" }, { idempotencyKey });
      const again = await other.start(greet, { name: "x" }, { idempotencyKey });
      expect(again).toMatchObject({ runId: run.runId, created: false });
      expect(shardOf(run.runId)).toBe(await client.home(idempotencyKey));
    }
  });

  it("refuse a key that doesn't begin with its route", async () => {
    const options = { route: "acme", idempotencyKey: "order-7" };
    await expect(client.start(greet, { name: "x" }, options)).rejects.toThrow(
      'give "acme/order-7"',
    );
    await expect(client.start(greet, { name: "x" }, { route: "a/b" })).rejects.toThrow(
      InvalidArgument,
    );
    const right = { ...options, idempotencyKey: "acme/order-7" };
    const run = await client.start(greet, { name: "x" }, right);
    expect(shardOf(run.runId)).toBe(await client.home("acme"));
  });

  it("of a batch are in one shard, or refused", async () => {
    const [here, there] = [await routeOf("a"), await routeOf("b")];
    const item = (route: string): { input: { name: string }; route: string } => ({
      input: { name: "x" },
      route,
    });
    await expect(client.startBatch(greet, [item(here), item(there)])).rejects.toThrow(WrongShard);
    const runs = await client.startBatch(greet, [item(there), item(there)]);
    expect(runs.map(({ runId }) => shardOf(runId))).toEqual(["b", "b"]);
  });

  it("in a transaction are in its database, and refused for a route of another one", async () => {
    const route = await routeOf("b");
    const run = await inTransaction("b", (tx) => client.start(greet, { name: "x" }, { tx, route }));
    expect(shardOf(run.runId)).toBe("b");
    expect(await run.result()).toBe("Hello, x!");
    await inTransaction("a", async (tx) => {
      await expect(client.start(greet, { name: "x" }, { tx, route })).rejects.toMatchObject({
        name: "WrongShard",
        facts: { home: "b", shard: "a" },
      });
    });
  });
});

describe("starts elsewhere", () => {
  const options = async (shard: string, name: string) => {
    const route = await routeOf(shard);
    return { route, idempotencyKey: `${route}/${name}`, elsewhere: true } as const;
  };

  it("of a transaction of another shard start one run there, after its commit", async () => {
    const there = await options("b", "crossing-1");
    const started = await inTransaction("a", async (tx) => {
      expect(await client.start(greet, { name: "x" }, { ...there, tx })).toBeUndefined();
      return client.start("greet", { name: "y" }, { ...(await options("a", "here-1")), tx });
    });
    expect(shardOf(started?.runId ?? "")).toBe("a");
    // The key leads to the run, whether it has started already or starts by this call.
    const run = await client.start(greet, { name: "x" }, there);
    expect(shardOf(run?.runId ?? "")).toBe("b");
    expect(await run?.result()).toBe("Hello, x!");
    await eventually(() => outboxOf("a"), []);
    expect(await client.runs.count({ idempotencyKey: there.idempotencyKey })).toBe(1);
  });

  it("of one database, and without a transaction, are as others", async () => {
    const there = await options("b", "plain-1");
    const run = await client.start(greet, { name: "x" }, there);
    expect(shardOf(run?.runId ?? "")).toBe("b");
    await expect(client.start(greet, { name: "x" }, { elsewhere: true })).rejects.toThrow(
      "neither a route nor an idempotencyKey",
    );
  });
});

describe("runs", () => {
  it("are signalled, read and cancelled where they are", async () => {
    for (const shard of ["a", "b"]) {
      const run = await client.start(wait, undefined, { route: await routeOf(shard) });
      expect(await client.signal(run.runId, "go", { from: shard })).toMatch(/delivered|buffered/);
      expect(await run.result()).toEqual({ from: shard });
      expect(await client.runs.find(run.runId)).toMatchObject({ runId: run.runId });
      const other = await client.start(wait, undefined, { route: await routeOf(shard) });
      expect(await client.runs.cancel(other.runId)).toBe(true);
    }
    await expect(client.runs.find(String(9n * BLOCK))).rejects.toThrow("does not exist");
  });

  it("are signalled by a transaction of another shard, after its commit", async () => {
    const run = await client.start(wait, undefined, { route: await routeOf("b") });
    await inTransaction("a", async (tx) => {
      expect(await client.signal(run.runId, "go", { paid: true }, { tx })).toBe("sent");
    });
    expect(await run.result()).toEqual({ paid: true });
  });

  it("are cancelled by a transaction of another shard, after its commit", async () => {
    const run = await client.start(wait, undefined, { route: await routeOf("b") });
    await inTransaction("a", async (tx) => {
      expect(await client.runs.cancel(run.runId, { reason: "enough", tx })).toBe(true);
      await expect(client.runs.pause(run.runId, undefined, { tx })).rejects.toThrow(WrongShard);
    });
    await expect(run.result()).rejects.toThrow("enough");
  });

  it("have their children in the same shard", async () => {
    const run = await client.start(parent, undefined, { route: await routeOf("b") });
    expect(await run.result()).toBe("Hello, child!");
    const children = await collect(client.runs.children(run.runId));
    expect(children.map(({ runId }) => shardOf(runId))).toEqual(["b"]);
  });

  it("have children in another shard, whose ends and ids come back", async () => {
    const input = { route: await routeOf("b") };
    const run = await client.start(distant, input, { route: await routeOf("a") });
    const { id, texts } = await run.result();
    expect(texts).toEqual(["Hello, far!", "Hello, near!", "here"]);
    expect(shardOf(id)).toBe("b");
    const children = await collect(client.runs.children(run.runId));
    expect(children.map(({ step, runId }) => `${step} ${shardOf(runId)}`).toSorted()).toEqual([
      "apart b",
      "far b",
      "near a",
    ]);
    expect(await client.runs.find(id)).toMatchObject({ parent: run.runId });
  });

  it("are cancelled with their parents of another shard", async () => {
    const input = { route: await routeOf("b") };
    const run = await client.start(patient, input, { route: await routeOf("a") });
    const [child] = await eventually(() => collect(client.runs.children(run.runId)), { length: 1 });
    await client.runs.cancel(run.runId);
    const ended = await eventually(
      () => client.runs.find(child?.runId ?? ""),
      ({ status }) => status !== "running",
    );
    expect(ended.status).toBe("cancelled");
  });

  it("start again in another shard for parents that are retried as soon as they are cancelled", async () => {
    const route = await routeOf("b");
    const runs = await Promise.all(
      Array.from({ length: 12 }, async () =>
        client.start(patient, { route }, { route: await routeOf("a") }),
      ),
    );
    const childOf = async ({ runId }: RunHandle, besides?: string): Promise<string> => {
      const found = await eventually(
        () => collect(client.runs.children(runId)),
        (children) => children.some((child) => child.runId !== besides),
      );
      return found.find((child) => child.runId !== besides)?.runId ?? "";
    };
    await Promise.all(
      runs.map(async (run) => {
        const first = await childOf(run);
        await run.cancel({ rollback: true });
        await eventually(() => run.retry(), true);
        await client.signal(await childOf(run, first), "go", 7);
        expect(await run.result({ timeout: "60s" })).toBe(7);
      }),
    );
  });

  it("signal runs of another shard", async () => {
    const target = await client.start(wait, undefined, { route: await routeOf("a") });
    const run = await client.start(crossing, { to: target.runId }, { route: await routeOf("b") });
    await run.result();
    expect(await target.result()).toBeNull();
  });
});

describe("lists", () => {
  it("merge the pages of all shards, newest first, each run once", async () => {
    const tags = { list: "merged" };
    const started: string[] = [];
    for (let n = 0; n < 9; n++) {
      const run = await client.start(wait, undefined, { tags });
      started.unshift(run.runId);
    }
    const listed: string[] = [];
    let pages = 0;
    for await (const { runs } of client.runs.list({ tags }, { pageSize: 2 })) {
      listed.push(...runs.map(({ runId }) => runId));
      pages += 1;
    }
    expect(listed).toEqual(started);
    expect(pages).toBeGreaterThan(4);
    expect(await client.runs.count({ tags })).toBe(9);
    expect(await client.runs.count({ tags }, 4)).toBe(4);
    const exported = await collect(client.runs.export({ tags }));
    expect(exported.map(({ runId }) => runId).toSorted()).toEqual(started.toSorted());

    expect(await client.runs.cancelAll({ tags }, { batchSize: 2 })).toBe(9);
    expect(await client.runs.count({ tags, status: "cancelled" })).toBe(9);
  });

  it("end a page where the values of one shard are too large for it, and miss no run behind", async () => {
    const tags = { list: "large" };
    const [large, small] = Object.values(fleet.databases);
    await large?.query(
      `select queue.workflow_start('stored', to_jsonb(repeat('x', 12 * 1024 * 1024)), tags => $1)
       from generate_series(1, 5)`,
      [tags],
    );
    await small?.query(
      "select queue.workflow_start('stored', '1', tags => $1) from generate_series(1, 3)",
      [tags],
    );
    const sizes: number[] = [];
    const listed: string[] = [];
    for await (const { runs } of client.runs.list({ tags }, { withValues: true })) {
      sizes.push(runs.length);
      listed.push(...runs.map(({ runId }) => runId));
    }
    expect(sizes).toEqual([6, 2]);
    expect(new Set(listed).size).toBe(8);
  });

  it("count the runs of a workflow in all shards", async () => {
    const tally = (await client.runs.tally()).find(({ name }) => name === "greet");
    const sums = await Promise.all(
      Object.values(fleet.databases).map((database) =>
        database.query<{ n: number }>(
          "select completed::integer as n from queue.workflow_tally() where name = 'greet'",
        ),
      ),
    );
    const counts = sums.flat().map(({ n }) => n);
    expect(counts).toHaveLength(2);
    expect(tally?.completed).toBe(counts.reduce((sum, n) => sum + n, 0));
  });

  it("have a worker once for each shard", async () => {
    const workers = await eventually(() => client.workers(), { length: 2 });
    expect(workers.reduce((sum, { slots }) => sum + slots, 0)).toBe(100);
  });
});

describe("queues", () => {
  it("are listed once if several shards hold dead letters of them", async () => {
    const [letters, name] = [uniqueQueueName(), uniqueQueueName()];
    await client.queues.create(letters);
    await client.queues.create(name, { maxReceives: 1, deadLetterQueue: letters });
    const ids = await Promise.all(
      Array.from({ length: 4 }, (_, n) => client.queues.send(letters, { n })),
    );
    expect(new Set(ids.map(shardOf))).toEqual(new Set(["a", "b"]));
    expect(await client.queues.deadLetterQueues()).toEqual([
      { name: letters, messages: 4, hasMore: false },
    ]);
    await client.queues.drop(name);
    await client.queues.drop(letters);
  });

  it("exist on all shards, and are received from and settled in all", async () => {
    const name = uniqueQueueName();
    await client.queues.create(name);
    const ids = await Promise.all(
      Array.from({ length: 8 }, (_, n) => client.queues.send(name, { n })),
    );
    expect(new Set(ids.map(shardOf))).toEqual(new Set(["a", "b"]));
    expect(await client.queues.stats(name)).toMatchObject({ visible: 8, totalSent: 8 });
    const peeked = await client.queues.peek(name, { max: 10 });
    expect(peeked.map(({ id }) => id)).toEqual(
      ids.toSorted((one, other) => Number(BigInt(one) - BigInt(other))),
    );

    const first = await client.queues.receive(name, { max: 5 });
    expect(first).toHaveLength(5);
    const rest = await client.queues.receive(name, { max: 10 });
    const all = [...first, ...rest];
    expect(new Set(all.map(({ id }) => id))).toEqual(new Set(ids));
    const receipts = all.map(({ receipt }) => receipt);
    expect(await client.queues.deleteBatch(name, receipts)).toEqual(receipts);
    expect(await client.queues.stats(name)).toMatchObject({ visible: 0, inFlight: 0 });
    await client.queues.drop(name);
    await expect(client.queues.stats(name)).rejects.toMatchObject({ name: "QueueNotFound" });
  });

  it("wake a receive that waits, from any shard", async () => {
    const name = uniqueQueueName();
    await client.queues.create(name);
    for (const shard of ["a", "b"]) {
      const receiving = client.queues.receive(name, { max: 1, wait: "20s" });
      await client.shard(shard).queues.send(name, { shard });
      const [message] = await receiving;
      expect(message?.body).toEqual({ shard });
      if (message !== undefined) await client.queues.delete(name, message.receipt);
    }
  });

  it("reject a receive if a shard lacks the queue, unless another one has messages", async () => {
    const name = uniqueQueueName();
    await client.queues.create(name);
    await client.shard("b").queues.drop(name);
    const lacking = { name: "QueueNotFound" };
    await expect(client.queues.receive(name)).rejects.toMatchObject(lacking);
    await expect(client.queues.receive(name, { wait: "1s" })).rejects.toMatchObject(lacking);
    await client.shard("a").queues.send(name, 1);
    expect(await client.queues.receive(name)).toMatchObject([{ body: 1 }]);
    await client.queues.drop(name);
  });

  it("refuse a group or a route that is no text, in the words of the database or of the client", async () => {
    const name = uniqueQueueName();
    await client.queues.create(name, { fifo: true });
    await expect(client.queues.sendFifo(name, 1, {} as never)).rejects.toThrow(InvalidArgument);
    await expect(client.home(7 as never)).rejects.toThrow("Invalid route 7");
  });

  it("keep a group in one shard, in order", async () => {
    const name = uniqueQueueName();
    await client.queues.create(name, { fifo: true });
    const groupId = await routeOf("b", "group");
    const ids = [];
    for (let n = 0; n < 3; n++) {
      ids.push(await client.queues.sendFifo(name, { n }, { groupId }));
    }
    expect(new Set(ids.map(shardOf))).toEqual(new Set(["b"]));
    for (let n = 0; n < 3; n++) {
      const [message] = await client.queues.receive(name);
      expect(message?.body).toEqual({ n });
      if (message !== undefined) await client.queues.delete(name, message.receipt);
    }
  });
});

describe("schedules", () => {
  it("are in the shard of their name, and listed from all", async () => {
    const names = [await routeOf("a", "nightly"), await routeOf("b", "nightly")];
    for (const name of names) {
      await client.schedules.create({ name, workflow: "greet", cron: "0 0 * * *" });
    }
    const listed = await client.schedules.list();
    expect(listed.map(({ name }) => name)).toEqual(names.toSorted());
    for (const [index, database] of Object.values(fleet.databases).entries()) {
      expect(await database.query("select name from queue.schedule_list()")).toEqual([
        { name: names[index] },
      ]);
    }
    const run = await client.schedules.trigger(names[1] ?? "");
    expect(shardOf(run.runId)).toBe("b");
    for (const name of names) expect(await client.schedules.delete(name)).toBe(true);
  });

  it("are where the route of their runs is at home, which their names begin with", async () => {
    const routed = workflow({
      name: "routed",
      route: "tenant.id",
      run: async (ctx) => ctx.step.run("do", () => "done"),
    });
    const tenant = await routeOf("b", "tenant");
    const create = (name: string) =>
      client.schedules.create({
        name,
        workflow: routed,
        every: "1d",
        input: { tenant: { id: tenant } },
      });
    await expect(create("nightly")).rejects.toThrow(
      `name it "${tenant}/nightly", which is where the schedule is at home`,
    );
    const name = `${tenant}/nightly`;
    expect(await create(name)).toBe("created");
    expect(shardOf((await client.schedules.trigger(name)).runId)).toBe("b");
  });

  it("are found after they have moved, and changed in a transaction there", async () => {
    const route = await routeOf("a", "moved");
    const name = `${route}/nightly`;
    const settings = { name, workflow: "greet", cron: "0 0 * * *" };
    // Another client's, so that this one has an older map.
    await using other = createWorkflowClient({ shards: fleet.shards });
    await other.schedules.create(settings);
    expect(await client.schedules.get(name)).toMatchObject({ name });
    // A tick may be under way.
    await eventually(
      async () => fleet.databases.a.query("select queue.pin_route($1, 'b')", [route]),
      (pinned) => pinned !== undefined,
    );
    expect(await client.schedules.create(settings)).toBe("unchanged");
    expect(await client.schedules.get(name)).toMatchObject({ name });
    const tx = new pg.Client({ connectionString: fleet.shards["a"] });
    await tx.connect();
    await tx.query("begin");
    await expect(client.schedules.pause(name, { tx })).rejects.toThrow(WrongShard);
    await tx.query("rollback");
    await tx.end();
    expect(await other.schedules.pause(name)).toBe(true);
    expect(await other.schedules.delete(name)).toBe(true);
  });
});

describe("what crosses shards", () => {
  it.each([
    ["topics", () => client.topics.publish("order.created", {})],
    ["definitions", () => definitionsOf(client).list()],
    ["the audit", () => client.audit.list().next()],
  ])("is refused for %s, and served by a client of one shard", async (_, call) => {
    await expect(call()).rejects.toThrow(/client\.shard\(name\)/);
    expect(await client.shard("b").topics.publish("order.created", {})).toBe(0);
  });

  it("is refused for limits of workflows", () => {
    const limited = workflow({
      name: "limited",
      flowControl: { concurrency: 1 },
      run: async () => {},
    });
    expect(() => createWorker({ shards: fleet.shards, workflows: [limited] })).toThrow(
      'Workflow "limited" has flow control',
    );
  });
});

describe("urls of shards", () => {
  it("that are exchanged are refused", async () => {
    const { a = "", b = "" } = fleet.shards;
    await using wrong = createWorkflowClient({ shards: { a: b, b: a } });
    await expect(wrong.start(greet, { name: "x" })).rejects.toThrow('is shard "b"');
    const lost = createWorker({ shards: { a: b }, workflows: [greet], logger: false });
    await expect(lost.finished).rejects.toThrow('is shard "b"');
  });

  it("of a client are those of the whole fleet", async () => {
    const { a = "" } = fleet.shards;
    await using half = createWorkflowClient({ shards: { a } });
    await expect(half.start(greet, { name: "x" })).rejects.toThrow('lacks: "b"');
  });

  it("leave no room for another url, or for no shards", () => {
    expect(() => createWorkflowClient({ shards: fleet.shards, url: "postgres://x/y" })).toThrow(
      "either `url` or `shards`",
    );
    expect(() => createWorkflowClient({ shards: {} })).toThrow("No shards");
    expect(() => createWorkflowClient({ shards: { a: "https://x" } })).toThrow('Shard "a"');
  });
});

it("breaks no invariant of any shard", async () => {
  for (const database of Object.values(fleet.databases)) {
    expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
  }
});
