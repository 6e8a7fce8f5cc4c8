import { setImmediate as nextTurn } from "node:timers/promises";
import { DeadlineExceeded, RunCancelled, RunFailed } from "@oxbow/sdk";
import { NonRetriableError, StepFailed, StepTimeout, workflow } from "@oxbow/sdk/runtime";
import { describe, expect, it } from "vitest";
import { eventually } from "../helpers/eventually.ts";
import { Latch } from "../helpers/latch.ts";
import { warningsOf } from "../helpers/warnings.ts";
import { setupWorkflows } from "../helpers/workflows.ts";

const bench = await setupWorkflows();

describe("the result of a run", () => {
  it("is what its body returned, as JSON makes it", async () => {
    const dated = workflow({ name: "dated", run: () => ({ at: new Date(0), none: undefined }) });
    bench.serve([dated]);
    const run = await bench.client.start(dated, undefined);
    expect(await run.result({ timeout: "60s" })).toEqual({ at: "1970-01-01T00:00:00.000Z" });
  });

  it("is null where its body returned null, and undefined where it returned nothing", async () => {
    const nothing = workflow({ name: "nothing", run: (_ctx, input: null) => input });
    const empty = workflow({ name: "empty", run: (): unknown => undefined });
    const parent = workflow({
      name: "asks-for-nothing",
      run: async (ctx) => [
        await ctx.step.invoke("a", nothing, null),
        (await ctx.step.invoke("b", empty, undefined)) === undefined,
      ],
    });
    bench.serve([nothing, empty, parent]);
    const { client } = bench;
    expect(await (await client.start(nothing, null)).result({ timeout: "60s" })).toBeNull();
    expect(await (await client.start(empty, undefined)).result({ timeout: "60s" })).toBeUndefined();
    const run = await client.start(parent, undefined);
    expect(await run.result({ timeout: "60s" })).toEqual([null, true]);
  });

  it("of a failed run is an error that names the step and its error", async () => {
    const failing = workflow({
      name: "failing",
      run: (ctx) =>
        ctx.step.run("charge", () => {
          throw new NonRetriableError("card declined");
        }),
    });
    bench.serve([failing]);
    const run = await bench.client.start(failing, undefined);
    const failure = await run.result({ timeout: "60s" }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(RunFailed);
    expect((failure as RunFailed).message).toContain("card declined");
    expect((failure as RunFailed).error.name).toBe("StepFailed");
  });

  it("is waited for no longer than the timeout, and the run continues", async () => {
    const asleep = workflow({ name: "asleep", run: (ctx) => ctx.step.sleep("long", "1h") });
    bench.serve([asleep]);
    const run = await bench.client.start(asleep, undefined);
    await expect(run.result({ timeout: 50 })).rejects.toBeInstanceOf(DeadlineExceeded);
    expect((await bench.client.runs.get("asleep", run.runId)).status).toBe("running");
  });
});

describe("a step that fails", () => {
  it("is tried again, and shows what it is retrying and why while it does", async () => {
    let calls = 0;
    const flaky = workflow({
      name: "flaky",
      run: (ctx) =>
        ctx.step.run(
          "call",
          () => {
            calls += 1;
            if (calls < 3) throw new Error(`no answer ${calls}`);
            return calls;
          },
          { retry: { attempts: 3, backoff: { kind: "fixed", base: "300ms", jitter: 0 } } },
        ),
    });
    bench.serve([flaky]);
    const run = await bench.client.start(flaky, undefined);
    const retrying = await eventually(
      () => bench.client.runs.get("flaky", run.runId),
      ({ retries }) => retries.length > 0,
    );
    expect(retrying.retries).toMatchObject([{ step: "call", error: { message: "no answer 1" } }]);
    expect(retrying.retries).toMatchObject([{ failures: [{ attempt: 1 }] }]);
    expect(await run.result({ timeout: "60s" })).toBe(3);
    expect(await bench.client.runs.steps(run.runId)).toMatchObject([
      {
        name: "call",
        attempts: 3,
        failures: [1, 2].map((attempt) => ({
          attempt,
          failedAt: expect.any(Date),
          error: { name: "Error", message: `no answer ${attempt}` },
        })),
      },
    ]);
  });

  it("keeps what it failed by through a retry of its run", async () => {
    let isRepaired = false;
    const repaired = workflow({
      name: "repaired",
      run: (ctx) =>
        ctx.step.run(
          "call",
          () => {
            if (!isRepaired) throw new Error("down");
          },
          { retry: { attempts: 1 } },
        ),
    });
    bench.serve([repaired]);
    const run = await bench.client.start(repaired, undefined);
    await expect(run.result({ timeout: "60s" })).rejects.toBeInstanceOf(RunFailed);
    isRepaired = true;
    expect(await run.retry()).toBe(true);
    await run.result({ timeout: "60s" });
    expect(await bench.client.runs.steps(run.runId)).toMatchObject([
      { name: "call", attempts: 1, failures: [{ attempt: 1, error: { message: "down" } }] },
    ]);
  });

  it("that takes long is shown in progress, with its attempt and its worker", async () => {
    const isFinished = new Latch();
    let calls = 0;
    const long = workflow({
      name: "long-step",
      run: (ctx) =>
        ctx.step.run(
          "call",
          () => {
            calls += 1;
            if (calls === 1) throw new Error("once");
            return isFinished.opened;
          },
          { retry: { attempts: 2, backoff: { kind: "fixed", base: 0, jitter: 0 } } },
        ),
    });
    bench.serve([long]);
    const run = await bench.client.start(long, undefined);
    const { inProgress } = await eventually(
      () => bench.client.runs.find(run.runId),
      (state) => state.inProgress.length > 0,
    );
    expect(inProgress).toEqual([
      {
        step: "call",
        attempt: 2,
        since: expect.any(Date),
        worker: expect.stringMatching(new RegExp(`:${process.pid}$`)),
      },
    ]);
    isFinished.open();
    await run.result({ timeout: "60s" });
    expect((await bench.client.runs.find(run.runId)).inProgress).toEqual([]);
  });

  it("for good can be caught by the body, in the first run as on a replay", async () => {
    const catching = workflow({
      name: "catching",
      run: async (ctx) => {
        const seen = await ctx.step
          .run("bad", () => Promise.reject(new Error("broken")), { retry: { attempts: 1 } })
          .catch((error: unknown) => (error instanceof StepFailed ? String(error.cause) : "other"));
        await ctx.step.sleep("nap", 20);
        return seen;
      },
    });
    bench.serve([catching]);
    const run = await bench.client.start(catching, undefined);
    expect(await run.result({ timeout: "60s" })).toBe("Error: broken");
  });

  it("at its timeout has its signal aborted", async () => {
    const slow = workflow({
      name: "slow",
      run: async (ctx) =>
        ctx.step
          .run(
            "hang",
            (signal) =>
              new Promise((_resolve, reject) => {
                signal.addEventListener("abort", () => reject(signal.reason as Error));
              }),
            { timeout: 50, retry: { attempts: 1 } },
          )
          .catch(
            (error: unknown) => (error as Error).cause instanceof StepTimeout || String(error),
          ),
    });
    bench.serve([slow]);
    const run = await bench.client.start(slow, undefined);
    expect(String(await run.result({ timeout: "60s" }))).toMatch(
      /true|did not finish within 50 ms/,
    );
  });
});

it("timeouts are of any length, even longer than a timer of Node can hold", async () => {
  const quick = workflow({
    name: "quick",
    run: (ctx) => ctx.step.run("quick", () => "done", { timeout: "90d", retry: { attempts: 1 } }),
  });
  bench.serve([quick]);
  const run = await bench.client.start(quick, undefined);
  expect(await run.result({ timeout: "90d" })).toBe("done");
});

it("many parallel callbacks may listen to their signals, and Node warns of no leak", async () => {
  const wide = workflow({
    name: "wide",
    run: (ctx) =>
      ctx.step.map(
        "branch",
        Array.from({ length: 40 }, (_, n) => n),
        async (n, { signal }) => {
          const listener = (): void => {};
          for (const each of [signal, ctx.signal]) each.addEventListener("abort", listener);
          await nextTurn();
          for (const each of [signal, ctx.signal]) each.removeEventListener("abort", listener);
          return n;
        },
        { concurrency: 40 },
      ),
  });
  bench.serve([wide]);
  const warnings = await warningsOf(async () => {
    const run = await bench.client.start(wide, undefined);
    expect(await run.result({ timeout: "60s" })).toHaveLength(40);
  });
  expect(warnings).toEqual([]);
});

it("cancelling reaches the signal of a running callback within a second, and nothing more is written", async () => {
  let hasAborted = false;
  const endless = workflow({
    name: "endless",
    run: (ctx) =>
      ctx.step.run(
        "hang",
        (signal) =>
          new Promise((resolve) => {
            signal.addEventListener("abort", () => {
              hasAborted = true;
              resolve("too late");
            });
          }),
      ),
  });
  bench.serve([endless]);
  const run = await bench.client.start(endless, undefined);
  await eventually(() => bench.client.runs.get("endless", run.runId), { activity: "executing" });
  expect(await bench.client.runs.cancel(run.runId, "no longer needed")).toBe(true);
  await eventually(() => hasAborted, true);
  await expect(run.result()).rejects.toThrow("no longer needed");
  await expect(run.result()).rejects.toBeInstanceOf(RunCancelled);
  expect(await bench.client.runs.steps(run.runId)).toEqual([]);
  expect(await bench.client.runs.cancel(run.runId)).toBe(false);
});

describe("signals", () => {
  const patient = workflow({
    name: "patient",
    run: async (ctx, { timeout }: { timeout: number }) => {
      const first = await ctx.step.waitForEvent("go", { match: { to: "first" }, timeout });
      const second = await ctx.step.waitForEvent("again", { event: "go", timeout });
      return [first, second];
    },
  });

  it("that come too early are kept, and given to the wait that they match, in order", async () => {
    const run = await bench.client.start(patient, { timeout: 60_000 });
    expect(await bench.client.signal(run.runId, "go", { to: "second" })).toBe("buffered");
    expect(await bench.client.signal(run.runId, "go", { to: "first", n: 1 })).toBe("buffered");
    bench.serve([patient]);
    expect(await run.result({ timeout: "60s" })).toEqual([{ to: "first", n: 1 }, { to: "second" }]);
    expect(await bench.client.signal(run.runId, "go", {})).toBe("ignored");
  });

  it("that never come are null at the timeout", async () => {
    bench.serve([patient]);
    const run = await bench.client.start(patient, { timeout: 30 });
    expect(await run.result({ timeout: "60s" })).toEqual([null, null]);
  });

  it("reach a run that is executing another branch at once", async () => {
    const racing = workflow({
      name: "racing",
      run: (ctx) =>
        Promise.race([
          ctx.step.run(
            "work",
            (signal) =>
              new Promise((resolve) => {
                signal.addEventListener("abort", () => resolve("cut"));
              }),
          ),
          ctx.step.waitForEvent("stop"),
        ]),
    });
    bench.serve([racing]);
    const run = await bench.client.start(racing, undefined);
    await eventually(
      () => bench.client.runs.get("racing", run.runId),
      ({ waits }) => waits.length === 1,
    );
    await bench.client.signal(run.runId, "stop", "enough");
    expect(await run.result({ timeout: "60s" })).toBe("enough");
  });
});

it("branches of a run continue while others sleep; the run is given up only when all are blocked", async () => {
  const isOver = new Latch();
  const branches = workflow({
    name: "branches",
    run: async (ctx) =>
      Promise.all([
        ctx.step
          .sleep("short", 30)
          .then(() => ctx.step.run("after-short", () => "a"))
          .finally(isOver.open),
        ctx.step.run("work", () => isOver.opened.then(() => "b")),
        ctx.step.waitForEvent("ready", { timeout: "1m" }),
      ]),
  });
  bench.serve([branches]);
  const run = await bench.client.start(branches, undefined);
  await eventually(() => bench.client.runs.get("branches", run.runId), { activity: "waiting" });
  expect((await bench.client.runs.steps(run.runId)).map(({ name }) => name)).toEqual([
    "short",
    "after-short",
    "work",
  ]);
  await bench.client.signal(run.runId, "ready", "c");
  expect(await run.result({ timeout: "60s" })).toEqual(["a", "b", "c"]);
});

it("no invariant is broken by any of this", async () => {
  expect(await bench.violations()).toEqual([]);
});
