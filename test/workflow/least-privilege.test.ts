import { randomBytes } from "node:crypto";
import { createWorkflowClient } from "@oxbow/sdk";
import { createWorker, workflow } from "@oxbow/sdk/runtime";
import { afterAll, describe, expect, it } from "vitest";
import { createDatabase } from "../helpers/database.ts";
import { eventually } from "../helpers/eventually.ts";

const database = await createDatabase();
const role = `app_${randomBytes(6).toString("hex")}`;
await database.query(
  `create role ${role} login password 'secret' in role oxbow_producer, oxbow_worker`,
);
afterAll(async () => {
  await database.query(`drop role ${role}`);
});

const url = new URL(database.url);
url.username = role;
url.password = "secret";

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
    const client = createWorkflowClient({ url: url.href });
    const run = await client.start(greet, { name: "Ada" });
    await client.signal(run.runId, "go", { n: 1 });
    expect(await run.result({ timeout: "60s" })).toBe('Ada {"n":1}');
    await worker.stop();
    await client.close();
  });

  it("sends to and consumes from queues that another role has created", async () => {
    await database.query("select queue.create_queue('orders')");
    const client = createWorkflowClient({ url: url.href });
    const handled: unknown[] = [];
    const consumer = client.queues.consume("orders", (message) => {
      handled.push(message.body);
    });
    await client.queues.send("orders", { order: 1 });
    await eventually(
      () => handled.length,
      (count) => count === 1,
    );
    await consumer.stop();
    await expect(client.queues.create("another")).rejects.toThrow(/permission denied/);
    await client.close();
  });
});
