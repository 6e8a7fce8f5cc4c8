import { IdempotencyConflict, InvalidArgument, RunCancelled } from "@oxbow/sdk";
import { workflow } from "@oxbow/sdk/runtime";
import { describe, expect, it } from "vitest";
import { setupWorkflows } from "../helpers/workflows.ts";

const sync = workflow({ name: "sync", run: (_ctx, input: { n: number }) => input.n });

const chat = workflow({
  name: "chat",
  run: async (ctx, input: { room: string }) => {
    const first = await ctx.step.waitForEvent("first", { event: "message" });
    const second = await ctx.step.waitForEvent("second", { event: "message" });
    return [input.room, first, second];
  },
});

const bench = await setupWorkflows();

describe("a start with a key that is taken", () => {
  it("fails, or cancels the run in flight, on request", async () => {
    const key = { idempotencyKey: "taken" };
    const first = await bench.client.start(sync, { n: 1 }, key);
    await expect(
      bench.client.start(sync, { n: 2 }, { ...key, onRunning: "fail" }),
    ).rejects.toBeInstanceOf(IdempotencyConflict);
    const second = await bench.client.start(
      sync,
      { n: 2 },
      { ...key, onRunning: "cancel-existing" },
    );
    expect(second.created).toBe(true);
    await expect(first.result({ timeout: "60s" })).rejects.toBeInstanceOf(RunCancelled);
    expect(await first.status()).toMatchObject({ supersededBy: second.runId });
  });

  it("starts again after the end, on request", async () => {
    bench.serve([sync]);
    const key = { idempotencyKey: "daily" };
    const first = await bench.client.start(sync, { n: 1 }, key);
    expect(await first.result({ timeout: "60s" })).toBe(1);
    const same = await bench.client.start(
      sync,
      { n: 2 },
      { ...key, onEnded: "start-new-if-failed" },
    );
    expect(same.runId).toBe(first.runId);
    const next = await bench.client.start(sync, { n: 3 }, { ...key, onEnded: "start-new" });
    expect(await next.result({ timeout: "60s" })).toBe(3);
  });

  it("by an unknown rule is refused, and the rules are named", async () => {
    const options = { idempotencyKey: "x", onRunning: "explode" } as never;
    await expect(bench.client.start(sync, { n: 1 }, options)).rejects.toThrow(
      /Invalid onRunning "explode".*cancel-existing/,
    );
  });
});

it("a batch starts all of its runs, in order, or nothing", async () => {
  bench.serve([sync]);
  const runs = await bench.client.startBatch(
    sync,
    Array.from({ length: 20 }, (_, n) => ({ input: { n }, idempotencyKey: `batch-${n}` })),
  );
  const results = await Promise.all(runs.map((run) => run.result({ timeout: "60s" })));
  expect(results).toEqual(Array.from({ length: 20 }, (_, n) => n));
  expect(await bench.client.startBatch(sync, [])).toEqual([]);
  const before = await bench.client.runs.count({ workflow: sync });
  await expect(
    bench.client.startBatch(sync, [{ input: { n: 1 } }, { input: { n: 2 }, version: -1 }]),
  ).rejects.toBeInstanceOf(InvalidArgument);
  expect(await bench.client.runs.count({ workflow: sync })).toBe(before);
});

describe("signalWithStart", () => {
  it("starts the run the first time, and each signal reaches it once", async () => {
    const send = (text: string, deduplicationId: string) =>
      bench.client.signalWithStart(
        chat,
        { room: "a" },
        { idempotencyKey: "room-a", event: "message", payload: text, deduplicationId },
      );
    const first = await send("hello", "1");
    expect(first).toMatchObject({ outcome: "buffered", run: { created: true } });
    const again = await send("hello", "1");
    expect(again).toMatchObject({ outcome: "buffered", run: { created: false } });
    await send("world", "2");
    bench.serve([chat]);
    expect(await first.run.result({ timeout: "60s" })).toEqual(["a", "hello", "world"]);
    const next = await send("anew", "3");
    expect(next.run.created).toBe(true);
    expect(next.run.runId).not.toBe(first.run.runId);
  });

  it("takes an event by a name that objects have a member of", async () => {
    const options = { idempotencyKey: "room-b", event: "constructor", payload: "hello" };
    const sent = await bench.client.signalWithStart(chat, { room: "b" }, options);
    expect(sent).toMatchObject({ outcome: "buffered" });
  });

  it("without a key is refused", async () => {
    await expect(
      bench.client.signalWithStart("chat", {}, { event: "message" } as never),
    ).rejects.toThrow("idempotencyKey");
  });
});

describe("the events of a workflow that declares them", () => {
  const isNumber = {
    "~standard": {
      version: 1,
      vendor: "test",
      types: undefined as unknown as { input: number; output: number },
      validate: (value: unknown) =>
        typeof value === "number"
          ? { value }
          : { issues: [{ message: `${typeof value} is no number` }] },
    },
  } as const;
  const counting = workflow({
    name: "counting",
    events: { add: isNumber },
    run: (ctx) => ctx.step.waitForEvent("add"),
  });

  it("are the ones that its handle can signal, with payloads that pass", async () => {
    bench.serve([counting]);
    const run = await bench.client.start(counting, undefined);
    // @ts-expect-error -- a payload of another type
    await expect(run.signal("add", "one")).rejects.toThrow("string is no number");
    // @ts-expect-error -- no such event
    expect(await run.signal("subtract", 1)).toBe("buffered");
    await run.signal("add", 1);
    const result: number | null = await run.result({ timeout: "60s" });
    expect(result).toBe(1);
    const send = bench.client.signalWithStart(counting, undefined, {
      idempotencyKey: "c",
      event: "add",
      payload: "one",
    });
    await expect(send).rejects.toThrow("string is no number");
  });
});

it("no invariant is broken by any of this", async () => {
  expect(await bench.violations()).toEqual([]);
});
