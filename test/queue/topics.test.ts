import { createWorker, workflow } from "@oxbow/sdk/runtime";
import { InvalidArgument } from "@oxbow/sdk";
import { describe, expect, it } from "vitest";
import { setupQueues } from "../helpers/client-queues.ts";
import { eventually } from "../helpers/eventually.ts";
import { only, uniqueQueueName } from "../helpers/queues.ts";
import { isThroughServer } from "../helpers/transport.ts";

const { client, database, queues } = await setupQueues();
const { topics } = client;

async function newQueue(): Promise<string> {
  const name = uniqueQueueName();
  await queues.create(name);
  return name;
}

describe("topics", () => {
  it("send a message to every queue whose pattern and filter match", async () => {
    const [all, paid, euros] = await Promise.all([newQueue(), newQueue(), newQueue()]);
    await topics.subscribe("order.#", { queue: all });
    await topics.subscribe("order.*.paid", { queue: paid });
    await topics.subscribe("order.*.paid", { queue: euros, filter: { currency: "EUR" } });
    expect(await topics.publish("order.7.paid", { currency: "EUR" })).toBe(3);
    expect(await topics.publish("order.8.paid", { currency: "SEK" })).toBe(2);
    expect(await topics.publish("order.8.sent", {})).toBe(1);
    expect(await topics.publish("invoice.8", {})).toBe(0);
    expect(await queues.receive(all, { max: 10 })).toHaveLength(3);
    expect(await queues.receive(paid, { max: 10 })).toHaveLength(2);
    expect(only(await queues.receive(euros, { max: 10 })).body).toEqual({ currency: "EUR" });
  });

  it.skipIf(isThroughServer)("publish in the caller's transaction", async () => {
    const queue = await newQueue();
    await topics.subscribe("tx.done", { queue });
    const tx = await database.connect();
    await tx.query("begin");
    expect(await topics.publish("tx.done", 1, { tx, headers: { trace: "t" } })).toBe(1);
    expect(await queues.receive(queue)).toEqual([]);
    await tx.query("commit");
    expect(only(await queues.receive(queue)).headers).toMatchObject({ trace: "t" });
  });

  it("start a run for each message", async () => {
    const seen: unknown[] = [];
    const onPaid = workflow({
      name: "on-paid",
      run: async (ctx, input: unknown) => {
        await ctx.step.run("see", () => void seen.push(input));
      },
    });
    await using worker = createWorker({ url: database.url, workflows: [onPaid] });
    await topics.subscribe("paid.*", { workflow: "on-paid" });
    expect(await topics.publish("paid.7", { order: 7 })).toBe(1);
    await eventually(() => seen.length, 1);
    await worker.stop();
  });

  it("list their subscriptions, which end", async () => {
    const queue = await newQueue();
    const id = await topics.subscribe("list.me", { queue, filter: { a: 1 } });
    expect(await topics.list("list.me")).toMatchObject([
      { id, pattern: "list.me", targetType: "queue", target: queue, filter: { a: 1 } },
    ]);
    expect(await topics.list("list.me")).toMatchObject([{ failingSince: null, disabledAt: null }]);
    expect(await topics.enable(id)).toBe(true);
    expect((await topics.list()).map((subscription) => subscription.id)).toContain(id);
    expect(await topics.unsubscribe(id)).toBe(true);
    expect(await topics.unsubscribe(id)).toBe(false);
    expect(await topics.enable(id)).toBe(false);
    expect(await topics.list("list.me")).toEqual([]);
    expect(await topics.publish("list.me", { a: 1 })).toBe(0);
  });

  it("refuse a target that isn't one", async () => {
    await expect(topics.subscribe("a", {} as never)).rejects.toThrow(InvalidArgument);
    const both: object = { queue: "q", workflow: "w" };
    await expect(topics.subscribe("a", both as never)).rejects.toThrow(
      "give one of queue, workflow and http",
    );
    await expect(topics.unsubscribe("first")).rejects.toThrow(InvalidArgument);
    await expect(topics.publish("a", undefined)).rejects.toThrow('undefined to topic "a"');
  });
});
