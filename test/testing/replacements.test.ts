/** Steps that are replaced in a test. */
import { NonRetriableError, workflow } from "@oxbow/sdk/runtime";
import { failTimes, timesOut } from "@oxbow/sdk/testing";
import { describe, expect, it } from "vitest";
import { setupEnvironment } from "../helpers/test-environment.ts";

const unreachable = (): never => {
  throw new NonRetriableError("the real thing was called");
};

const retry = { attempts: 3, backoff: { kind: "fixed", base: "1h" } } as const;

const order = workflow({
  name: "order",
  run: async (ctx, input: { id: number }) => {
    const price = await ctx.step.run("price", (): number => unreachable(), {
      retry,
      timeout: "5s",
    });
    return { id: input.id, price };
  },
});

describe("a replaced step", () => {
  it("returns a value instead of calling its callback, and is journaled as ever", async () => {
    const env = await setupEnvironment([order]);
    env.replace(order, { price: 42 });
    const run = await env.client.start(order, { id: 7 });
    expect(await env.result(run)).toEqual({ id: 7, price: 42 });
    expect(await env.client.runs.steps(run.runId)).toMatchObject([
      { name: "price", kind: "run", output: 42, attempts: 1 },
    ]);
    expect(env.calls("price")).toEqual([
      {
        workflow: "order",
        runId: run.runId,
        step: "price",
        attempt: 1,
        replaced: true,
        args: [],
        ended: true,
        returned: 42,
      },
    ]);
  });

  it("calls a function with the step's context, and may call the original", async () => {
    const doubled = workflow({
      name: "doubled",
      run: (ctx) => ctx.step.run("number", () => 21),
    });
    const env = await setupEnvironment([doubled]);
    const told: unknown[] = [];
    env.replace("doubled", {
      number: ({ original, ...call }) => {
        told.push(call);
        return 2 * (original() as number);
      },
    });
    expect(await env.run(doubled, undefined)).toBe(42);
    expect(told).toEqual([
      { workflow: "doubled", runId: expect.any(String), step: "number", attempt: 1 },
    ]);
  });

  it("fails so many times, and then does as configured", async () => {
    const env = await setupEnvironment([order]);
    env.replace(order, { price: failTimes(2, new Error("no connection"), 9) });
    expect(await env.run(order, { id: 1 })).toEqual({ id: 1, price: 9 });
    expect(
      env.calls("price", order).map(({ attempt, threw }) => [attempt, threw?.message]),
    ).toEqual([
      [1, "no connection"],
      [2, "no connection"],
      [3, undefined],
    ]);
  });

  it("fails so many times, and then runs its own code", async () => {
    const flaky = workflow({ name: "flaky", run: (ctx) => ctx.step.run("real", () => "real") });
    const env = await setupEnvironment([flaky]);
    env.replace(flaky, { real: failTimes(1, "flaky") });
    expect(await env.run(flaky, undefined)).toBe("real");
    expect(env.calls("real").map(({ threw }) => threw)).toEqual([
      { name: "Error", message: "flaky" },
      undefined,
    ]);
    // Separately in each run.
    expect(await env.run(flaky, undefined)).toBe("real");
    expect(env.calls("real")).toHaveLength(4);
  });

  it("fails for good with an error that is not retried", async () => {
    const env = await setupEnvironment([order]);
    env.replace(order, { price: failTimes(Infinity, new NonRetriableError("sold out")) });
    await expect(env.run(order, { id: 1 })).rejects.toMatchObject({
      error: { name: "StepFailed", cause: { message: "sold out" } },
    });
    expect(env.calls("price")).toHaveLength(1);
  });

  it("times out immediately, in each of its attempts", async () => {
    const env = await setupEnvironment([order]);
    env.replace(order, { price: timesOut() });
    const beganAt = performance.now();
    await expect(env.run(order, { id: 1 })).rejects.toMatchObject({
      error: { cause: { code: "STEP_TIMEOUT", message: expect.stringContaining("5000 ms") } },
    });
    expect(env.calls("price")).toHaveLength(3);
    expect(performance.now() - beganAt).toBeLessThan(12_000);
  });

  it("can be one of a step.map, or all of them", async () => {
    const map = workflow({
      name: "map",
      run: (ctx) => ctx.step.map("part", ["a", "b", "c"], (item) => item),
    });
    const env = await setupEnvironment([map]);
    env.replace(map, {
      part: ({ item }) => String(item).toUpperCase(),
      "part-1": failTimes(1, "once", "one"),
    });
    expect(await env.run(map, undefined)).toEqual(["A", "one", "C"]);
    expect(env.calls("part-2").map(({ args }) => args)).toEqual([["c"]]);
  });

  it("can be a step.tx", async () => {
    const tx = workflow({ name: "tx", run: (ctx) => ctx.step.tx("pay", () => "paid") });
    const env = await setupEnvironment([tx]);
    env.replace(tx, { pay: "replaced" });
    expect(await env.run(tx, undefined)).toBe("replaced");
  });

  it("keeps the rollback that its code gives it", async () => {
    const undone: unknown[] = [];
    const saga = workflow({
      name: "saga",
      run: async (ctx) => {
        await ctx.step.run("book", () => "real", { rollback: (value) => void undone.push(value) });
        await ctx.step.run("charge", () => unreachable());
      },
    });
    const env = await setupEnvironment([saga]);
    env.replace(saga, {
      book: "replaced",
      charge: failTimes(Infinity, new NonRetriableError("no")),
    });
    await expect(env.run(saga, undefined)).rejects.toThrow(/no/);
    expect(undone).toEqual(["replaced"]);
    expect(env.calls("rollback:book")).toMatchObject([{ args: ["replaced"], ended: true }]);
  });

  it("stays replaced until that is taken back", async () => {
    const one = workflow({ name: "one", run: (ctx) => ctx.step.run("step", () => "real") });
    const env = await setupEnvironment([one]);
    const outer = env.replace(one, { step: "outer" });
    const inner = env.replace(one, { step: "inner" });
    expect(await env.run(one, undefined)).toBe("inner");
    inner();
    expect(await env.run(one, undefined)).toBe("outer");
    outer();
    expect(await env.run(one, undefined)).toBe("real");
    env.replace(one, { step: undefined });
    expect(await env.run(one, undefined)).toBeUndefined();
    expect(env.calls("step")).toHaveLength(4);
    env.reset();
    expect(env.calls("step")).toEqual([]);
    expect(await env.run(one, undefined)).toBe("real");
  });
});

describe("a replaced wait", () => {
  const approval = workflow({
    name: "approval",
    run: async (ctx) => {
      await ctx.step.sleep("think", "1d");
      return ctx.step.waitForEvent("answer", {
        event: "answered",
        match: { ok: true },
        timeout: "7d",
      });
    },
  });

  it("gets its event, which is journaled as if it had come", async () => {
    const env = await setupEnvironment([approval]);
    env.replace(approval, { answer: { ok: true, by: "Ada" } });
    const run = await env.client.start(approval, undefined);
    expect(await env.result(run)).toEqual({ ok: true, by: "Ada" });
    expect(await env.client.runs.steps(run.runId)).toMatchObject([
      { name: "think" },
      { name: "answer", kind: "wait", output: { by: "Ada" } },
    ]);
  });

  it("times out immediately", async () => {
    const env = await setupEnvironment([approval]);
    env.replace(approval, { answer: timesOut(), think: true });
    const before = await env.now();
    expect(await env.run(approval, undefined)).toBeNull();
    expect((await env.now()).getTime() - before.getTime()).toBeLessThan(3_600_000);
  });

  it("reports once what can't be sent", async () => {
    const env = await setupEnvironment([approval]);
    env.replace(approval, { answer: { ok: true, amount: 1n } });
    await expect(env.run(approval, undefined)).rejects.toMatchObject({
      code: "SERIALIZATION_FAILED",
      message: expect.stringContaining("$.amount is a BigInt"),
    });
    env.reset();
    env.replace(approval, { answer: { ok: true } });
    expect(await env.run(approval, undefined)).toEqual({ ok: true });
  });

  it("is not given what does not match", async () => {
    const env = await setupEnvironment([approval]);
    env.replace(approval, { answer: { ok: false } });
    expect(await env.run(approval, undefined)).toBeNull();
  });
});

describe("a replaced invocation", () => {
  const child = workflow({ name: "child", run: (_ctx, input: { n: number }) => input.n });
  const parent = workflow({
    name: "parent",
    run: async (ctx) => {
      try {
        return await ctx.step.invoke("call", child, { n: 1 });
      } catch (error) {
        return (error as Error).message;
      }
    },
  });

  it("returns a value without the run, as a step of its kind", async () => {
    const env = await setupEnvironment([parent]);
    env.replace(parent, { call: 42 });
    const run = await env.client.start(parent, undefined);
    expect(await env.result(run)).toBe(42);
    expect(await env.client.runs.steps(run.runId)).toMatchObject([{ kind: "invoke", output: 42 }]);
    expect(env.calls("call")).toMatchObject([{ args: [{ n: 1 }], returned: 42, replaced: true }]);
  });

  it("fails as the run would have", async () => {
    const env = await setupEnvironment([parent]);
    env.replace(parent, { call: failTimes(1, "the child is ill") });
    expect(await env.run(parent, undefined)).toMatch(/the child is ill/);
  });

  it("comes before time is skipped", async () => {
    const race = workflow({
      name: "race",
      run: (ctx) =>
        Promise.race([
          ctx.step.invoke("call", child, { n: 1 }),
          ctx.step.sleep("limit", "1h").then(() => "late"),
        ]),
    });
    const env = await setupEnvironment([race]);
    env.replace(race, { call: 7 });
    const results = await Promise.all(Array.from({ length: 10 }, () => env.run(race, undefined)));
    expect(results).toEqual(Array.from({ length: 10 }, () => 7));
  });

  it("is recorded where it is not replaced", async () => {
    const env = await setupEnvironment([parent, child]);
    expect(await env.run(parent, undefined)).toBe(1);
    expect(env.calls("call")).toMatchObject([{ args: [{ n: 1 }], replaced: false }]);
  });
});

it("what a run publishes is recorded once a run, however often it was replayed", async () => {
  const news = workflow({
    name: "news",
    run: async (ctx) => {
      await ctx.step.publish("announce", "orders.paid", { id: 7 });
      await ctx.step.sleep("then", "1d");
    },
  });
  const env = await setupEnvironment([news]);
  await env.run(news, undefined);
  expect(env.calls("announce").map(({ args }) => args)).toEqual([["orders.paid", { id: 7 }]]);
});

it("a run that continues as new waits and publishes in each generation anew", async () => {
  const rounds = workflow({
    name: "rounds",
    run: async (ctx, input: { round: number }) => {
      const go: unknown = await ctx.step.waitForEvent("go", { timeout: "7d" });
      await ctx.step.publish("announce", "rounds", { round: input.round, go });
      return input.round < 3 ? ctx.continueAsNew({ round: input.round + 1 }) : null;
    },
  });
  const env = await setupEnvironment([rounds]);
  env.replace(rounds, { go: { now: true } });
  await env.run(rounds, { round: 1 });
  expect(env.calls("announce").map(({ args }) => args[1])).toEqual(
    [1, 2, 3].map((round) => ({ round, go: { now: true } })),
  );
});

describe("a replacement that makes no sense", () => {
  const odd = workflow({
    name: "odd",
    run: async (ctx) => {
      await ctx.step.sleep("nap", "1h");
      await ctx.step.run("no-limit", () => 1);
      await ctx.step.waitForEvent("endless");
    },
  });

  it.each([
    ["a sleep that fails", { nap: failTimes(1) }, /"nap" is a step\.sleep, which neither fails/],
    ["a step without timeout", { "no-limit": timesOut() }, /"no-limit" can't time out/],
    ["a wait without timeout", { endless: timesOut() }, /"endless" can't time out/],
    ["a wait that fails", { endless: failTimes(1) }, /does not fail: replace it by the payload/],
  ])("fails the run: %s", async (_what, replacements, message) => {
    const env = await setupEnvironment([odd]);
    env.replace(odd, replacements);
    await expect(env.run(odd, undefined)).rejects.toThrow(message);
  });

  it("is refused where it is made", async () => {
    const env = await setupEnvironment([odd]);
    expect(() => failTimes(0)).toThrow(/Invalid number 0 for failTimes/);
    expect(() => timesOut(1.5)).toThrow(/Invalid number 1.5 for timesOut/);
    expect(() => env.replace("other", { a: 1 })).toThrow(
      /doesn't serve workflow "other": it serves "odd"/,
    );
    expect(() => env.replace(odd, { "bad name ": 1 })).toThrow(/Invalid step name "bad name "/);
  });
});
