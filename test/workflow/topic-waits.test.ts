/** Steps that wait for a message of a topic. */
import { workflow } from "@oxbow/sdk/runtime";
import { describe, expect, it } from "vitest";
import { eventually } from "../helpers/eventually.ts";
import { Latch } from "../helpers/latch.ts";
import { setupWorkflows } from "../helpers/workflows.ts";

const bench = await setupWorkflows();
const { client, database, serve } = bench;

const subscriptions = async (): Promise<number> => {
  const [row] = await database.query<{ n: number }>(
    "select count(*)::int as n from queue.subscription where target_type = 'run'",
  );
  return row?.n ?? -1;
};

const paid = workflow({
  name: "paid",
  run: (ctx, input: { order: number; timeout?: string }) =>
    ctx.step.waitForEvent("payment", {
      topic: "orders.*.paid",
      match: { order: input.order },
      ...(input.timeout === undefined ? {} : { timeout: input.timeout as "1s" }),
    }),
});
serve([paid]);

const isWaiting = async (name: string, runId: string): Promise<void> => {
  await eventually(() => client.runs.get(name, runId), { activity: "waiting" });
};

describe("a wait for a topic", () => {
  it("takes the first message that matches, and is subscribed no longer", async () => {
    const run = await client.start(paid, { order: 1 });
    const other = await client.start(paid, { order: 2 });
    await isWaiting("paid", run.runId);
    await isWaiting("paid", other.runId);
    expect(await client.topics.list()).toEqual([]);
    await client.topics.publish("orders.eu.shipped", { order: 1 });
    await client.topics.publish("orders.eu.paid", { order: 7 });
    await client.topics.publish("orders.eu.paid", { order: 1, by: "card" });
    expect(await run.result({ timeout: "60s" })).toEqual({ order: 1, by: "card" });
    await client.topics.publish("orders.eu.paid", { order: 1, by: "cash" });
    await isWaiting("paid", other.runId);
    await client.signal(other.runId, "payment", { order: 2, by: "hand" });
    expect(await other.result({ timeout: "60s" })).toEqual({ order: 2, by: "hand" });
    expect(await subscriptions()).toBe(0);
    expect(await bench.violations()).toEqual([]);
  });

  it("isn't ended by unsubscribe()", async () => {
    const run = await client.start(paid, { order: 5 });
    await isWaiting("paid", run.runId);
    const ended = await database.query(
      "select queue.unsubscribe(subscription_id) as ended from queue.subscription where target = $1",
      [run.runId],
    );
    expect(ended).toEqual([{ ended: false }]);
    await client.topics.publish("orders.eu.paid", { order: 5 });
    expect(await run.result({ timeout: "60s" })).toEqual({ order: 5 });
  });

  it("times out, and ends with its run", async () => {
    const run = await client.start(paid, { order: 3, timeout: "100ms" });
    expect(await run.result({ timeout: "60s" })).toBeNull();
    expect(await subscriptions()).toBe(0);
    const cancelled = await client.start(paid, { order: 4 });
    await isWaiting("paid", cancelled.runId);
    expect(await subscriptions()).toBe(1);
    await cancelled.cancel();
    expect(await subscriptions()).toBe(0);
  });

  it("sees nothing of a publish that is rolled back, and wakes at the commit of one that isn't", async () => {
    const run = await client.start(paid, { order: 5 });
    await isWaiting("paid", run.runId);
    const connection = await database.connect();
    await connection.query("begin");
    await connection.query(`select queue.send_topic('orders.x.paid', '{"order": 5, "n": 1}')`);
    await connection.query("rollback");
    await connection.query("begin");
    await connection.query(`select queue.send_topic('orders.x.paid', '{"order": 5, "n": 2}')`);
    await isWaiting("paid", run.runId);
    await connection.query("commit");
    expect(await run.result({ timeout: "60s" })).toEqual({ order: 5, n: 2 });
    await connection.end();
  });

  it("is one message for many runs, without any of them in its publisher's way", async () => {
    const runs = await client.startBatch(
      paid,
      Array.from({ length: 50 }, () => ({ input: { order: 6 } })),
    );
    await Promise.all(runs.map(({ runId }) => isWaiting("paid", runId)));
    const locked = await database.connect();
    await locked.query("begin");
    // A transaction that has locked one of them blocks neither the publisher nor the others waiting.
    await locked.query("select queue.workflow_pause($1)", [runs[0]?.runId]);
    await client.topics.publish("orders.all.paid", { order: 6 });
    await Promise.all(runs.slice(1).map((run) => run.result({ timeout: "60s" })));
    await locked.query("rollback");
    await locked.end();
    expect(await runs[0]?.result({ timeout: "60s" })).toEqual({ order: 6 });
    expect(await subscriptions()).toBe(0);
    expect(await database.query("select * from queue.workflow_inbox")).toEqual([]);
  });

  it("hears while another branch of the run executes, and after a crash", async () => {
    const held = new Latch();
    const busy = workflow({
      name: "busy",
      run: async (ctx) =>
        Promise.all([
          ctx.step.waitForEvent("news", { topic: "news.#" }),
          ctx.step.run("work", () => held.opened.then(() => "done")),
        ]),
    });
    const worker = serve([busy]);
    const run = await client.start(busy, undefined);
    await eventually(subscriptions, 1);
    await client.topics.publish("news.today", { headline: 1 });
    held.open();
    expect(await run.result({ timeout: "60s" })).toEqual([{ headline: 1 }, "done"]);
    await worker.stop();
  });

  it("is subscribed before a callback that the body asks for after it is called", async () => {
    const asking = workflow({
      name: "asking",
      run: async (ctx, order: number) => {
        const answer = ctx.step.waitForEvent("answer", {
          topic: "provider.answered",
          match: { order },
          timeout: "30s",
        });
        await ctx.step.run("ask", () => client.topics.publish("provider.answered", { order }));
        return answer;
      },
    });
    const worker = serve([asking]);
    const orders = Array.from({ length: 10 }, (_, order) => order);
    const runs = await client.startBatch(
      asking,
      orders.map((input) => ({ input })),
    );
    const results = await Promise.all(runs.map((run) => run.result({ timeout: "60s" })));
    expect(results).toEqual(orders.map((order) => ({ order })));
    await worker.stop();
  });

  it("ends only with a message of the topic it named, also if another wait has the same event", async () => {
    const both = workflow({
      name: "both",
      run: async (ctx, order: number) => {
        const [first, second] = await Promise.all([
          ctx.step.waitForEvent("first", { event: "order", topic: "one", match: { order } }),
          ctx.step.waitForEvent("second", { event: "order", topic: "two", match: { order } }),
        ]);
        const later = await ctx.step.waitForEvent("later", { event: "order", timeout: "1ms" });
        return { first, second, later };
      },
    });
    serve([both]);
    const run = await client.start(both, 1);
    await isWaiting("both", run.runId);
    await client.topics.publish("two", { order: 1, n: 1 });
    await client.topics.publish("two", { order: 1, n: 2 });
    await eventually(subscriptions, 1);
    await isWaiting("both", run.runId);
    expect(await bench.violations()).toEqual([]);
    await client.topics.publish("one", { order: 1, n: 3 });
    expect(await run.result({ timeout: "60s" })).toEqual({
      first: { order: 1, n: 3 },
      second: { order: 1, n: 1 },
      later: null,
    });
    expect(await subscriptions()).toBe(0);
  });

  it("is not subscribed any longer once it has timed out, though its run continues to wait", async () => {
    const patient = workflow({
      name: "patient",
      run: async (ctx) => {
        for (let n = 1; n <= 3; n += 1) {
          await ctx.step.waitForEvent(`try ${n}`, {
            event: "answer",
            topic: "answers",
            timeout: "1ms",
          });
        }
        return ctx.step.waitForEvent("answer");
      },
    });
    serve([patient]);
    const run = await client.start(patient, undefined);
    await eventually(() => client.runs.steps(run.runId), { length: 3 });
    await isWaiting("patient", run.runId);
    expect(await subscriptions()).toBe(0);
    expect(await client.topics.publish("answers", { late: true })).toBe(0);
    await client.signal(run.runId, "answer", "by hand");
    expect(await run.result({ timeout: "60s" })).toBe("by hand");
  });

  it("is subscribed no longer once a signal has ended it, though its run is paused", async () => {
    const paused = await client.start(paid, { order: 8 });
    await isWaiting("paid", paused.runId);
    await client.runs.pause(paused.runId);
    await client.signal(paused.runId, "payment", { order: 8 });
    expect(await subscriptions()).toBe(0);
    await client.runs.resume(paused.runId);
    expect(await paused.result({ timeout: "60s" })).toEqual({ order: 8 });
  });

  it.each([
    ["empty", ""],
    ["gap", "a..b"],
    ["space", "a b"],
    ["star", "a.b*"],
    ["long", "x".repeat(256)],
  ])("refuses an invalid topic: %s", async (name, topic) => {
    const wrong = workflow({
      name,
      run: (ctx) => ctx.step.waitForEvent("e", { topic }),
    });
    const worker = serve([wrong]);
    const run = await client.start(wrong, undefined);
    await expect(run.result({ timeout: "60s" })).rejects.toMatchObject({
      cause: { code: "INVALID_ARGUMENT" },
    });
    await worker.stop();
  });
});
