import { workflow } from "@oxbow/sdk/runtime";
import { expect, it } from "vitest";
import { setupWorkflows } from "../helpers/workflows.ts";

const bench = await setupWorkflows();

it("step.signal sends an event to another run, journaled", async () => {
  const listener = workflow({ name: "listener", run: (ctx) => ctx.step.waitForEvent("news") });
  const sender = workflow({
    name: "sender",
    run: (ctx, to: string) => ctx.step.signal("tell", to, "news", { n: 1 }),
  });
  bench.serve([listener, sender]);
  const heard = await bench.client.start(listener, undefined);
  const sent = await bench.client.start(sender, heard.runId);
  await sent.result({ timeout: "60s" });
  expect(await heard.result({ timeout: "60s" })).toEqual({ n: 1 });
  expect(await bench.client.runs.steps(sent.runId)).toMatchObject([
    { name: "tell", kind: "signal" },
  ]);
  expect(await bench.violations()).toEqual([]);
});

it("step.signal to a run that has ended, or never was, sends nothing", async () => {
  const sender = workflow({
    name: "sender-late",
    run: (ctx, to: string) => ctx.step.signal("tell", to, "news"),
  });
  bench.serve([sender]);
  const first = await bench.client.start(sender, "8000000000000");
  await first.result({ timeout: "60s" });
  const second = await bench.client.start(sender, first.runId);
  await second.result({ timeout: "60s" });
});

it("step.publish sends a message to each subscriber, once", async () => {
  await bench.database.query("select queue.create_queue('orders')");
  await bench.client.topics.subscribe("order.*", { queue: "orders" });
  const publisher = workflow({
    name: "publisher",
    run: async (ctx) => {
      await ctx.step.publish("announce", "order.paid", { id: 7 });
      await ctx.step.sleep("nap", 5);
      return "done";
    },
  });
  bench.serve([publisher]);
  const run = await bench.client.start(publisher, undefined);
  await run.result({ timeout: "60s" });
  const messages = await bench.database.query("select message from queue.receive('orders', 10)");
  expect(messages).toEqual([{ message: { id: 7 } }]);
});

it("refuses targets that make no sense, by name", async () => {
  const bad = workflow({
    name: "bad-sender",
    run: async (ctx) => [
      await ctx.step.signal("one", "x", "news").catch(String),
      await ctx.step.publish("two", "a..b", 1).catch(String),
      await ctx.step.publish("three", "a.b", undefined).catch(String),
    ],
  });
  bench.serve([bad]);
  const run = await bench.client.start(bad, undefined);
  expect(await run.result({ timeout: "60s" })).toEqual([
    expect.stringContaining('Invalid run id "x" in step "one"'),
    expect.stringContaining('Invalid topic "a..b" in step "two"'),
    expect.stringContaining('Step "three" publishes nothing'),
  ]);
});
