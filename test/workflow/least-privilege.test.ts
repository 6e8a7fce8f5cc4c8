import { randomBytes } from "node:crypto";
import { createWorkflowClient } from "@oxbow/sdk";
import { createWorker, workflow } from "@oxbow/sdk/runtime";
import { afterAll, describe, expect, it } from "vitest";
import { definitionsOf } from "../helpers/checked-clients.ts";
import { createDatabase } from "../helpers/database.ts";
import { eventually } from "../helpers/eventually.ts";

const database = await createDatabase();
const logins: string[] = [];
afterAll(async () => {
  for (const login of logins) await database.query(`drop role ${login}`);
});

/** The url of a new login that is a member of these roles. */
async function urlIn(...roles: readonly string[]): Promise<URL> {
  const login = `app_${randomBytes(6).toString("hex")}`;
  await database.query(`create role ${login} login password 'secret' in role ${roles.join(", ")}`);
  logins.push(login);
  const url = new URL(database.url);
  url.username = login;
  url.password = "secret";
  return url;
}

const url = await urlIn("oxbow_producer", "oxbow_worker");

describe("an application that is producer and worker, and owns nothing", () => {
  it("runs workflows, with sleeps, signals and notifications", async () => {
    const greet = workflow({
      name: "greet",
      run: async (ctx, input: { name: string }) => {
        await ctx.step.sleep("nap", "50ms");
        const go = await ctx.step.waitForEvent("go");
        return ctx.step.run("greet", () => `${input.name} ${JSON.stringify(go)}`);
      },
    });
    await using worker = createWorker({ url: url.href, workflows: [greet] });
    await using client = createWorkflowClient({ url: url.href });
    const run = await client.start(greet, { name: "Ada" });
    await client.signal(run.runId, "go", { n: 1 });
    expect(await run.result({ timeout: "60s" })).toBe('Ada {"n":1}');
    await worker.stop();
  });

  it("sends to and consumes from queues that another role has created", async () => {
    await database.query("select queue.create_queue('orders')");
    await using client = createWorkflowClient({ url: url.href });
    const handled: unknown[] = [];
    const consumer = client.queues.consume("orders", (message) => {
      handled.push(message.body);
    });
    await client.queues.send("orders", { order: 1 });
    await eventually(() => handled.length, 1);
    await consumer.stop();
    await expect(client.queues.create("another")).rejects.toThrow(/permission denied/);
  });
});

describe("an application that is only a producer", () => {
  it("starts, signals, cancels, sends and publishes, and reads no run, of its own or of others", async () => {
    await using producer = createWorkflowClient({ url: (await urlIn("oxbow_producer")).href });
    const order = workflow({
      name: "order",
      run: (_, input: { id: string }) => Promise.resolve(input.id),
    });
    await database.query("select queue.create_queue('sent')");
    const run = await producer.start(order, { id: "1" }, { idempotencyKey: "order-1" });
    const again = await producer.start(order, { id: "1" }, { idempotencyKey: "order-1" });
    expect(again.runId).toBe(run.runId);
    await producer.startBatch(order, [{ input: { id: "2" } }, { input: { id: "3" } }]);
    await producer.signal(run.runId, "go", { n: 1 });
    await producer.queues.send("sent", { order: 1 });
    await producer.topics.publish("order.paid", {});
    for (const read of [
      () => run.result({ timeout: "60s" }),
      () => run.status(),
      () => producer.runs.generations(run.runId),
      () => producer.runs.steps(run.runId),
      () => definitionsOf(producer).list(),
    ]) {
      await expect(read()).rejects.toThrow(/permission denied for function/);
    }
    expect(await producer.runs.cancel(run.runId)).toBe(true);
  });

  it("awaits results as a reader too", async () => {
    await using client = createWorkflowClient({
      url: (await urlIn("oxbow_producer", "oxbow_reader")).href,
    });
    const echo = workflow({ name: "echo", run: (_, input: string) => Promise.resolve(input) });
    await using worker = createWorker({ url: url.href, workflows: [echo] });
    const run = await client.start(echo, "Ada");
    expect(await run.result({ timeout: "60s" })).toBe("Ada");
    await worker.stop();
  });
});
