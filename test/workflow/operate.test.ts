import { setTimeout as pause } from "node:timers/promises";
import { createWorkflowClient, RunFailed, RunNotFound } from "@oxbow/sdk";
import { NonRetriableError, workflow } from "@oxbow/sdk/runtime";
import { describe, expect, it } from "vitest";
import { eventually, isNotEmpty } from "../helpers/eventually.ts";
import { setupWorkflows } from "../helpers/workflows.ts";

const bench = await setupWorkflows();

it("pausing lets the running callback finish and be journaled, and calls nothing more until the resume", async () => {
  const calls: string[] = [];
  let finish = (): void => {};
  const slow = workflow({
    name: "slow",
    run: async (ctx) => {
      const first = await ctx.step.run(
        "first",
        (signal) =>
          new Promise<string>((resolve) => {
            calls.push("first");
            finish = () => resolve(signal.aborted ? "cut" : "a");
          }),
      );
      const second = await ctx.step.run("second", () => {
        calls.push("second");
        return "b";
      });
      return [first, second];
    },
  });
  bench.serve([slow]);
  const run = await bench.client.start(slow, undefined);
  await eventually(() => calls, { length: 1 });
  expect(await run.pause("look at it")).toBe(true);
  expect(await run.status()).toMatchObject({ activity: "pausing", pauseReason: "look at it" });
  // The worker asks once a second, and nothing shows that it has been answered: the rest is for a busy machine.
  await pause(3_000);
  finish();
  await eventually(() => run.status(), { activity: "paused" });
  expect(await bench.client.runs.steps(run.runId)).toMatchObject([{ name: "first", output: "a" }]);
  expect(calls).toEqual(["first"]);
  expect(await bench.client.runs.count({ workflow: slow, paused: true })).toBe(1);
  expect(await run.resume()).toBe(true);
  expect(await run.result({ timeout: "60s" })).toEqual(["a", "b"]);
  expect(calls).toEqual(["first", "second"]);
});

it("a run that commits all the time learns of its pause even where no notification comes", async () => {
  const restless = workflow({
    name: "restless",
    run: async (ctx) => {
      for (let n = 0; n < 100_000; n += 1) await ctx.step.run(`step-${n}`, () => n);
    },
  });
  bench.serve([restless], { listen: false });
  const run = await bench.client.start(restless, undefined);
  await eventually(() => bench.client.runs.steps(run.runId, { limit: 1 }), isNotEmpty);
  await run.pause();
  await eventually(() => run.status(), { activity: "paused" });
  await run.cancel();
});

it("retrying a failed run calls only the step that failed, and completes", async () => {
  const calls: string[] = [];
  let isBroken = true;
  const billing = workflow({
    name: "billing",
    run: async (ctx, input: { id: number }) => {
      await ctx.step.run("reserve", () => void calls.push("reserve"));
      return ctx.step.run("charge", () => {
        calls.push("charge");
        if (isBroken) throw new NonRetriableError(`no bank for ${input.id}`);
        return input.id;
      });
    },
  });
  bench.serve([billing]);
  const run = await bench.client.start(billing, { id: 7 });
  await expect(run.result({ timeout: "60s" })).rejects.toBeInstanceOf(RunFailed);
  expect(await run.retry()).toBe(true);
  await expect(run.result({ timeout: "60s" })).rejects.toThrow("no bank for 7");
  isBroken = false;
  expect(await bench.client.runs.retryAll({ workflow: billing })).toBe(1);
  expect(await run.result({ timeout: "60s" })).toBe(7);
  expect(calls).toEqual(["reserve", "charge", "charge", "charge"]);
  expect(await run.retry()).toBe(false);
});

it("an ended run is deleted by its id or by a filter, and takes other tags and another retention", async () => {
  const filed = workflow({ name: "filed", run: (_ctx, input: { id: number }) => input.id });
  bench.serve([filed]);
  const { runs } = bench.client;
  const [first, second, third] = await Promise.all(
    ["acme", "acme", "globex"].map((tenant, id) =>
      bench.client.start(filed, { id }, { tags: { tenant } }),
    ),
  );
  for (const run of [first, second, third]) await run?.result({ timeout: "60s" });
  const idOf = (run: typeof first): string => run?.runId ?? "";

  expect(await runs.delete(idOf(first))).toBe(true);
  await expect(runs.delete(idOf(first))).rejects.toMatchObject({ code: "RUN_NOT_FOUND" });
  expect(await runs.deleteAll({ workflow: filed, tags: { tenant: "acme" } })).toBe(1);
  await expect(runs.find(idOf(second))).rejects.toMatchObject({ code: "RUN_NOT_FOUND" });

  expect(await runs.update(idOf(third), { tags: { tenant: "umbrella" }, retentionDays: 1 })).toBe(
    true,
  );
  expect(await runs.find(idOf(third))).toMatchObject({ tags: { tenant: "umbrella" } });
});

it("a handle reports the events, the state and the stream of its run", async () => {
  const told = workflow({
    name: "told",
    run: async (ctx) => {
      ctx.set("phase", "first");
      await ctx.step.run("one", () => 1);
      ctx.stream.write("half");
      await ctx.step.waitForEvent("go");
      await ctx.step.run("two", () => 2);
      return "done";
    },
  });
  bench.serve([told]);
  const run = await bench.client.start(told, undefined);
  const events: string[] = [];
  for await (const event of run.subscribe()) {
    events.push(event.type === "step" ? event.step.name : `${event.type} ${event.run.status}`);
    if (event.type === "status" && event.run.activity === "waiting") await run.signal("go", 1);
  }
  expect(events.filter((one) => !one.startsWith("status"))).toEqual([
    "one",
    "go",
    "two",
    "end completed",
  ]);
  expect(events).toContain("status running");
  expect(await run.state()).toEqual({ phase: "first" });
  const chunks: unknown[] = [];
  for await (const { value } of run.stream()) chunks.push(value);
  expect(chunks).toEqual(["half"]);
  const late: string[] = [];
  for await (const event of run.subscribe({ after: 2 })) late.push(event.type);
  expect(late).toEqual(["step", "status", "end"]);
  await expect(
    run.subscribe({ signal: AbortSignal.abort(new Error("enough")) }).next(),
  ).rejects.toThrow("enough");
});

describe("a rerun", () => {
  it("of all that fit a filter continues from a step that they have", async () => {
    const calls: string[] = [];
    const flaky = workflow({
      name: "flaky",
      retry: { attempts: 1 },
      run: async (ctx, input: { n: number }) => {
        if (input.n === 3) throw new Error("before any step");
        await ctx.step.run("load", () => calls.push(`load ${input.n}`));
        return ctx.step.run("send", () => {
          calls.push(`send ${input.n}`);
          if (calls.length < 5) throw new Error("down");
          return input.n;
        });
      },
    });
    bench.serve([flaky]);
    for (const n of [1, 2, 3]) {
      const run = await bench.client.start(flaky, { n });
      await expect(run.result({ timeout: "60s" })).rejects.toMatchObject({ code: "RUN_FAILED" });
    }
    const filter = { workflow: flaky };
    expect(await bench.client.runs.rerunAll(filter, { fromStep: "load", batchSize: 2 })).toBe(2);
    await eventually(() => bench.client.runs.count({ ...filter, status: "completed" }), 2, {
      withinMs: 10_000,
    });
    expect(calls.filter((call) => call.startsWith("load"))).toHaveLength(4);
    expect(await bench.client.runs.rerunAll({ ...filter, status: "completed" })).toBe(2);
    expect(await bench.violations()).toEqual([]);
  });

  it("repeats a run from a step, with another input, and is linked to it", async () => {
    const calls: string[] = [];
    const report = workflow({
      name: "report",
      run: async (ctx, input: { title: string }) => {
        const data = await ctx.step.run("load", () => {
          calls.push("load");
          return calls.length;
        });
        return ctx.step.run("print", () => `${input.title} ${data}`);
      },
    });
    bench.serve([report]);
    const run = await bench.client.start(report, { title: "old" });
    expect(await run.result({ timeout: "60s" })).toBe("old 1");
    const again = await run.rerun({ fromStep: "print", input: { title: "new" } });
    expect(await again.result({ timeout: "60s" })).toBe("new 1");
    expect(await again.status()).toMatchObject({ rerunOf: run.runId });
    const whole = await bench.client.runs.rerun(run.runId);
    expect(await whole.result({ timeout: "60s" })).toBe("old 2");
    // @ts-expect-error -- not the input of the workflow
    void (() => run.rerun({ input: { name: "other" } }));
    await expect(run.rerun({ fromStep: "nope" })).rejects.toThrow('"nope"');
  });
});

describe("what a run shows to others", () => {
  it("is summed over runs, by a tag", async () => {
    const counting = workflow({
      name: "counting",
      run: (ctx, cost: number) => ctx.set("usage", { calls: 1, cost, model: "x" }),
    });
    bench.serve([counting]);
    const started = await Promise.all(
      [1.5, 2, 4].map((cost, n) =>
        bench.client.start(counting, cost, { tags: { tenant: n === 1 ? "b" : "a" } }),
      ),
    );
    await Promise.all(started.map((run) => run.result({ timeout: "60s" })));
    const { runs } = bench.client;
    expect(await runs.sum("usage", { workflow: counting }, { byTag: "tenant" })).toEqual([
      { tag: "a", runs: 2, sums: { calls: 2, cost: 5.5 } },
      { tag: "b", runs: 1, sums: { calls: 1, cost: 2 } },
    ]);
    expect(await runs.sum("usage", { workflow: counting })).toEqual([
      { tag: null, runs: 3, sums: { calls: 3, cost: 7.5 } },
    ]);
    expect(await runs.sum("nothing", { workflow: counting })).toEqual([]);
    await expect(runs.sum("")).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  });

  it("is the last value of each key, as of its last commit, and a replay writes nothing again", async () => {
    const progress = workflow({
      name: "progress",
      run: async (ctx) => {
        ctx.set("phase", "begun");
        await ctx.step.run("a", () => ctx.set("done", 50));
        await ctx.step.waitForEvent("go");
        ctx.set("phase", "ended");
        await ctx.step.run("b", () => "b");
        ctx.set("done", 100);
      },
    });
    bench.serve([progress]);
    const run = await bench.client.start(progress, undefined);
    await eventually(() => run.status(), { activity: "waiting" });
    const { runs } = bench.client;
    expect(await runs.state(run.runId)).toEqual({ phase: "begun", done: 50 });
    const writes = () =>
      bench.database.query(
        "select key, xmin::text from queue.workflow_run_state where run_id = $1 and key = 'done'",
        [run.runId],
      );
    const before = await writes();
    await run.pause();
    await run.resume();
    expect(await writes()).toEqual(before);
    await run.signal("go");
    await run.result({ timeout: "60s" });
    expect(await runs.state(run.runId)).toEqual({ phase: "ended", done: 100 });
    await expect(runs.state("999999999")).rejects.toBeInstanceOf(RunNotFound);
  });

  it("has keys that are names", async () => {
    const wrong = workflow({ name: "wrong", run: (ctx) => ctx.set("no space at the end ", 1) });
    bench.serve([wrong]);
    const run = await bench.client.start(wrong, undefined);
    await expect(run.result({ timeout: "60s" })).rejects.toThrow('"no space at the end "');
  });
});

describe("finding runs", () => {
  const tagged = workflow({ name: "tagged", run: (_ctx, input: { n: number }) => input.n });

  it("lists them in pages, newest first, and exports them with their values", async () => {
    bench.serve([tagged]);
    const items = Array.from({ length: 25 }, (_, n) => ({
      input: { n },
      tags: { even: n % 2 === 0 },
    }));
    const started = await bench.client.startBatch(tagged, items);
    await Promise.all(started.map((run) => run.result({ timeout: "60s" })));
    const sizes: number[] = [];
    const ids: string[] = [];
    for await (const { runs } of bench.client.runs.list({ workflow: tagged }, { pageSize: 10 })) {
      sizes.push(runs.length);
      ids.push(...runs.map(({ runId }) => runId));
    }
    expect(sizes).toEqual([10, 10, 5]);
    expect(ids).toEqual(started.map(({ runId }) => runId).toReversed());

    expect(await bench.client.runs.count({ workflow: tagged, tags: { even: true } })).toBe(13);
    const outputs: unknown[] = [];
    for await (const { input, output } of bench.client.runs.export({
      workflow: tagged,
      input: { n: 24 },
    }))
      outputs.push([input, output]);
    expect(outputs).toEqual([[{ n: 24 }, 24]]);
    for await (const run of bench.client.runs.export({ workflow: tagged })) {
      expect(run.output).toBe(24);
      break;
    }
  });

  it("lists them in the order of their starts, whichever client started them", async () => {
    const turns = workflow({ name: "by-turns", run: (_ctx, input: { n: number }) => input.n });
    const clients = Array.from({ length: 2 }, () =>
      createWorkflowClient({ url: bench.database.url }),
    );
    const started: string[] = [];
    for (let n = 0; n < 6; n += 1) {
      const run = await clients[n % 2]?.start(turns, { n });
      started.push(run?.runId ?? "");
    }
    const listed: string[] = [];
    for await (const { runs } of bench.client.runs.list({ workflow: turns }, { pageSize: 4 })) {
      listed.push(...runs.map(({ runId }) => runId));
      // Start a run in the session with the lower ids, which a cursor of only ids would show.
      if (listed.length === 4) await clients[0]?.start(turns, { n: 6 });
    }
    expect(listed).toEqual(started.toReversed());
    expect(await bench.client.runs.cancelAll({ workflow: turns }, { batchSize: 2 })).toBe(7);
    await Promise.all(clients.map((client) => client.close()));
  });

  it("continues from a cursor", async () => {
    const options = { pageSize: 20 };
    const first = await bench.client.runs.list({ workflow: tagged }, options).next();
    const cursor = first.value?.cursor ?? undefined;
    const rest = bench.client.runs.list({ workflow: tagged }, { ...options, cursor });
    const { value: second } = await rest.next();
    expect(second?.runs.length).toBe(5);
    expect(second?.cursor).toBeNull();
  });

  it("refuses an invalid date, and an invalid cursor", async () => {
    const bad = bench.client.runs.list({ startedAfter: new Date("nonsense") });
    await expect(bad.next()).rejects.toThrow("startedAfter");
    const lost = bench.client.runs.list({}, { cursor: "abc" });
    await expect(lost.next()).rejects.toThrow("abc");
  });
});

it("operating many runs pauses, resumes and cancels matching runs", async () => {
  const many = workflow({ name: "many", run: (ctx) => ctx.step.waitForEvent("never") });
  await bench.client.startBatch(
    many,
    Array.from({ length: 7 }, () => ({ input: undefined })),
  );
  const { runs } = bench.client;
  expect(await runs.pauseAll({ workflow: many }, { reason: "incident", batchSize: 3 })).toBe(7);
  expect(await runs.pauseAll({ workflow: many })).toBe(0);
  expect(await runs.resumeAll({ workflow: many }, { batchSize: 3 })).toBe(7);
  bench.serve([many]);
  expect(await runs.cancelAll({ workflow: many }, { reason: "done", batchSize: 3 })).toBe(7);
  expect(await runs.count({ workflow: many, status: "cancelled" })).toBe(7);
});

it("a handle of an older run has the type of its workflow, and does what the first could", async () => {
  const greet = workflow({ name: "greet", run: (ctx) => ctx.step.waitForEvent("name") });
  bench.serve([greet]);
  const { runId } = await bench.client.start(greet, undefined);
  const handle = await bench.client.runs.handle(greet, runId);
  await handle.signal("name", "Ada", { deduplicationId: "1" });
  expect(await handle.result({ timeout: "60s" })).toBe("Ada");
  expect(await handle.cancel()).toBe(false);
  await expect(bench.client.runs.handle("other", runId)).rejects.toBeInstanceOf(RunNotFound);
});

it("no invariant is broken by any of this", async () => {
  expect(await bench.violations()).toEqual([]);
});
