import { type FlowControl, workflow } from "@oxbow/sdk/runtime";
import { describe, expect, it } from "vitest";
import { eventually } from "../helpers/eventually.ts";
import { setupWorkflows } from "../helpers/workflows.ts";

// Misspelt on purpose: concurency, riority

/** Counts what is between `enter` and `leave`. */
class Gauge {
  now = 0;
  most = 0;

  enter(): void {
    this.now += 1;
    this.most = Math.max(this.most, this.now);
  }

  leave(): void {
    this.now -= 1;
  }
}

describe("a workflow with flow control", () => {
  it("has so many runs in flight, asleep ones too, however many workers there are", async () => {
    const { client, serve, violations } = await setupWorkflows();
    const gauge = new Gauge();
    const bounded = workflow({
      name: "bounded",
      flowControl: { concurrency: 3 },
      run: async (ctx) => {
        await ctx.step.run("enter", () => gauge.enter());
        await ctx.step.sleep("nap", "30ms");
        await ctx.step.run("leave", () => gauge.leave());
      },
    });
    await client.setFlowControl(bounded);
    const workers = [serve([bounded]), serve([bounded])];
    const runs = await client.startBatch(
      bounded,
      Array.from({ length: 20 }, () => ({ input: undefined })),
    );
    await Promise.all(runs.map((run) => run.result({ timeout: "60s" })));
    expect(gauge.most).toBe(3);
    expect(await client.flowControl(bounded)).toMatchObject({
      settings: { concurrency: 3 },
      queued: 0,
    });
    expect(await violations()).toEqual([]);
    expect(workers).toHaveLength(2);
  });

  it("runs those of a key one after the other, in the order of their starts, and keys side by side", async () => {
    const { client, serve, violations } = await setupWorkflows();
    const done: string[] = [];
    const inKey = new Map<string, Gauge>();
    const all = new Gauge();
    const serial = workflow({
      name: "serial",
      flowControl: { key: "account.id", concurrencyPerKey: 1 },
      run: async (ctx, { account, n }: { account: { id: string }; n: number }) => {
        const gauge = inKey.get(account.id) ?? new Gauge();
        inKey.set(account.id, gauge);
        await ctx.step.run("enter", () => {
          gauge.enter();
          all.enter();
        });
        await ctx.step.sleep("nap", "5ms");
        await ctx.step.run("leave", () => {
          done.push(`${account.id}${n}`);
          gauge.leave();
          all.leave();
        });
      },
    });
    serve([serial]);
    serve([serial]);
    await eventually(
      () => client.flowControl("serial"),
      (state) => state !== undefined,
    );
    const runs = await client.startBatch(
      serial,
      Array.from({ length: 30 }, (_, n) => ({ input: { account: { id: "abc"[n % 3] ?? "" }, n } })),
    );
    await Promise.all(runs.map((run) => run.result({ timeout: "60s" })));
    expect([...inKey.values()].map(({ most }) => most)).toEqual([1, 1, 1]);
    expect(all.most).toBe(3);
    for (const key of "abc") {
      const order = done.filter((one) => one.startsWith(key)).map((one) => Number(one.slice(1)));
      expect(order).toEqual(order.toSorted((a, b) => a - b));
    }
    expect(await violations()).toEqual([]);
  });

  it("shows a run that waits for its turn", async () => {
    const { client, serve } = await setupWorkflows();
    const gated = workflow({
      name: "gated",
      flowControl: { concurrency: 1 },
      run: (ctx) => ctx.step.waitForEvent("go"),
    });
    await client.setFlowControl(gated);
    serve([gated]);
    const [first, second] = await client.startBatch(gated, [
      { input: undefined },
      { input: undefined },
    ]);
    await eventually(() => client.runs.get("gated", first?.runId ?? ""), { activity: "waiting" });
    expect(await client.runs.get("gated", second?.runId ?? "")).toMatchObject({
      status: "running",
      activity: "queued",
    });
    await first?.signal("go", 1);
    await eventually(() => client.runs.get("gated", second?.runId ?? ""), { activity: "waiting" });
  });

  it("spreads its runs by a rate", async () => {
    const { client, serve } = await setupWorkflows();
    const begun: number[] = [];
    const rated = workflow({
      name: "rated",
      flowControl: { rateLimit: { limit: 20, per: "1s", burst: 1 } },
      run: (ctx) => ctx.step.run("begin", () => begun.push(Date.now())),
    });
    await client.setFlowControl(rated);
    serve([rated]);
    const runs = await client.startBatch(
      rated,
      Array.from({ length: 6 }, () => ({ input: undefined })),
    );
    await Promise.all(runs.map((run) => run.result({ timeout: "60s" })));
    // From the first to the sixth there are five times 50 ms; how late a step begins is not the rate's.
    expect(Math.max(...begun) - Math.min(...begun)).toBeGreaterThan(200);
  });

  it("lets those of a higher priority go first", async () => {
    const { client, serve } = await setupWorkflows();
    const order: number[] = [];
    const urgent = workflow({
      name: "urgent",
      flowControl: { concurrency: 1, priority: true },
      run: (ctx, n: number) => ctx.step.run("note", () => order.push(n)),
    });
    await client.setFlowControl(urgent);
    const runs = await client.startBatch(urgent, [
      { input: 1 },
      { input: 2, priority: 5 },
      { input: 3, priority: 10 },
    ]);
    serve([urgent]);
    await Promise.all(runs.map((run) => run.result({ timeout: "60s" })));
    expect(order).toEqual([3, 2, 1]);
  });

  it("debounces: one run, of what came last", async () => {
    const { client, serve } = await setupWorkflows();
    const index = workflow({
      name: "index",
      // Longer than four starts take on a busy machine.
      flowControl: { key: "doc", debounce: { wait: "4s", maxWait: "1m" } },
      run: (_ctx, input: { doc: number; text: string }) => input.text,
    });
    await client.setFlowControl(index);
    serve([index]);
    const first = await client.start(index, { doc: 1, text: "a" });
    const second = await client.start(index, { doc: 1, text: "ab" });
    const other = await client.start(index, { doc: 2, text: "x" });
    const forced = await client.start(index, { doc: 1, text: "abc" });
    expect([first, second, other, forced].map(({ created }) => created)).toEqual([
      true,
      false,
      true,
      false,
    ]);
    expect(second.runId).toBe(first.runId);
    expect(await first.result({ timeout: "60s" })).toBe("abc");
    expect(await other.result({ timeout: "60s" })).toBe("x");
  });

  it("is lifted by a version without it, and waiting runs begin", async () => {
    const { client, serve, violations } = await setupWorkflows();
    const body = (): number => 1;
    const limited = workflow({
      name: "lifted",
      flowControl: { concurrency: 1 },
      run: (ctx) => ctx.step.waitForEvent("never"),
    });
    const free = workflow({ name: "lifted", version: 2, flowControl: null, run: body });
    await client.setFlowControl(limited);
    const runs = await client.startBatch(limited, [{ input: undefined }, { input: undefined }]);
    const worker = serve([limited]);
    await eventually(() => client.flowControl("lifted"), { admitted: 1 });
    await worker.stop();
    serve([limited, free]);
    await eventually(() => client.runs.get("lifted", runs[1]?.runId ?? ""), {
      activity: "waiting",
    });
    expect(await client.setFlowControl(limited)).toBe("kept");
    expect(await (await client.start(free, undefined)).result({ timeout: "60s" })).toBe(1);
    expect(await violations()).toEqual([]);
  });

  it("counts children and runs that are started by name", async () => {
    const { client, serve } = await setupWorkflows();
    const gauge = new Gauge();
    const child = workflow({
      name: "child",
      flowControl: { concurrency: 2 },
      run: async (ctx) => {
        await ctx.step.run("enter", () => gauge.enter());
        await ctx.step.sleep("nap", "10ms");
        await ctx.step.run("leave", () => gauge.leave());
      },
    });
    const parent = workflow({
      name: "parent",
      run: async (ctx) => {
        await Promise.all([1, 2, 3, 4, 5].map((n) => ctx.step.invoke(`c${n}`, child, undefined)));
      },
    });
    await client.setFlowControl(child);
    serve([parent, child]);
    const run = await client.start(parent, undefined);
    await run.result({ timeout: "60s" });
    expect(gauge.most).toBe(2);
  });
});

describe("flow control that makes no sense", () => {
  it.each<[FlowControl, string]>([
    [{ concurrency: 0 }, "Invalid concurrency 0 of the flow control of"],
    [{ concurrencyPerKey: 1 }, "require a key"],
    [{ key: "a..b", concurrencyPerKey: 1 }, 'Invalid key "a..b"'],
    [{ rateLimit: { limit: 10, per: 0 } }, "Invalid rateLimit.per 0"],
    [{ key: "k", debounce: { wait: "5s", maxWait: "1s" } }, "it is shorter than the wait"],
    [{ concurency: 3 } as FlowControl, 'Unknown setting "concurency"'],
  ])("is refused where it is defined: %j", (flowControl, message) => {
    expect(() => workflow({ name: "w", flowControl, run: () => 1 })).toThrow(message);
  });

  it("counts charges towards its rate, by which the next runs wait", async () => {
    const { client, serve } = await setupWorkflows();
    const charged = workflow({
      name: "charged",
      flowControl: { key: "tenant", rateLimitPerKey: { limit: 1_000, per: "1h", burst: 10 } },
      run: (_ctx, { tenant }: { tenant: string }) => tenant,
    });
    await client.setFlowControl(charged);
    expect(await client.chargeFlow(charged, 5, { flowKey: "a" })).toBeNull();
    const opensAt = await client.chargeFlow("charged", 1_000, { flowKey: "a" });
    expect(opensAt?.getTime()).toBeGreaterThan(Date.now() + 1_800_000);
    serve([charged]);
    const late = await client.start(charged, { tenant: "a" });
    const other = await client.start(charged, { tenant: "b" });
    expect(await other.result({ timeout: "60s" })).toBe("b");
    expect((await late.status()).activity).toBe("queued");

    const refused = { code: "INVALID_ARGUMENT" };
    await expect(client.chargeFlow(charged, 1)).rejects.toMatchObject(refused);
    await expect(client.chargeFlow(charged, 0, { flowKey: "a" })).rejects.toMatchObject(refused);
    await expect(client.chargeFlow("uncharged", 1)).rejects.toMatchObject(refused);
    const misspelt = { flowkey: "a" } as object;
    await expect(client.chargeFlow(charged, 1, misspelt)).rejects.toThrow(/Did you mean flowKey/);
  });

  it("is refused where a start asks for what the workflow doesn't know", async () => {
    const { client } = await setupWorkflows();
    const plain = workflow({ name: "plain", run: () => 1 });
    await expect(client.start(plain, undefined, { priority: 3 })).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringContaining('riority 3 of a run of workflow "plain"'),
    });
    await expect(client.start(plain, undefined, { priority: 1.5 })).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
    });
    await expect(client.setFlowControl(plain)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    expect(await client.flowControl(plain)).toBeUndefined();
    expect(await client.runs.count({ workflow: "plain" })).toBe(0);
  });
});
