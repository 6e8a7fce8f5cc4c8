/** The clock of the testing kit: what it skips, in which order, and what it leaves alone. */
import { workflow } from "@oxbow/sdk/runtime";
import { failTimes } from "@oxbow/sdk/testing";
import pg from "pg";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { eventually } from "../helpers/eventually.ts";
import { inDays, setupEnvironment } from "../helpers/test-environment.ts";

const DAY_MS = 86_400_000;

describe("a run in a test", () => {
  it("sleeps, waits and backs off in no time, and reports that it took weeks", async () => {
    let calls = 0;
    const patient = workflow({
      name: "patient",
      run: async (ctx) => {
        await ctx.step.sleep("a-week", "7d");
        await ctx.step.run(
          "stubborn",
          () => {
            calls += 1;
            if (calls < 3) throw new Error("not yet");
          },
          { retry: { attempts: 3, backoff: { kind: "fixed", base: "1d", jitter: 0 } } },
        );
        return (await ctx.step.waitForEvent("never-comes", { timeout: "30d" })) === null;
      },
    });
    const env = await setupEnvironment([patient]);
    const beganAt = performance.now();
    const run = await env.client.start(patient, undefined);
    expect(await env.result(run)).toBe(true);
    expect(performance.now() - beganAt).toBeLessThan(60_000);

    const { startedAt, completedAt } = await run.status();
    expect(inDays(startedAt, completedAt)).toBeCloseTo(7 + 1 + 1 + 30, 1);
    const steps = await env.client.runs.steps(run.runId);
    expect(
      steps.map((step) => [step.name, Math.round(inDays(step.startedAt, step.completedAt))]),
    ).toEqual([
      ["a-week", 7],
      ["stubborn", 0],
      ["never-comes", 30],
    ]);
  });

  it("keeps dates that it has worked out itself", async () => {
    const trial = workflow({
      name: "trial",
      run: async (ctx) => {
        const day = (n: number): Date => new Date(ctx.startedAt.getTime() + n * DAY_MS);
        await ctx.step.sleepUntil("half", day(7));
        await ctx.step.sleepUntil("end", day(14));
      },
    });
    const env = await setupEnvironment([trial]);
    const run = await env.client.start(trial, undefined);
    await env.result(run);
    const { startedAt, completedAt } = await run.status();
    expect(inDays(startedAt, completedAt)).toBeCloseTo(14, 2);
  });

  it("starts after its delay, and fails at its deadline", async () => {
    const waiting = workflow({ name: "waiting", run: (ctx) => ctx.step.waitForEvent("x") });
    const env = await setupEnvironment([waiting]);
    const now = (await env.now()).getTime();
    const options = { delay: "2d", deadline: new Date(now + 5 * DAY_MS) };
    await expect(env.run(waiting, undefined, options)).rejects.toMatchObject({
      error: { code: "DEADLINE_EXCEEDED" },
    });
    expect(((await env.now()).getTime() - now) / DAY_MS).toBeCloseTo(5, 2);
  });

  it("waits for the runs that it invokes", async () => {
    const child = workflow({
      name: "child",
      run: async (ctx) => {
        await ctx.step.sleep("long", "90d");
        return 42;
      },
    });
    const parent = workflow({
      name: "parent",
      run: (ctx) => ctx.step.invoke("child", child, undefined),
    });
    const env = await setupEnvironment([parent, child]);
    expect(await env.run(parent, undefined)).toBe(42);
  });

  it("finishes what it executes before the time is skipped", async () => {
    const race = workflow({
      name: "race",
      run: (ctx) =>
        Promise.race([
          ctx.step.run("work", () => pause(150, "work")),
          ctx.step.sleep("limit", "1h").then(() => "limit"),
        ]),
    });
    const env = await setupEnvironment([race]);
    expect(await env.run(race, undefined)).toBe("work");
  });
});

it("a timeout in a test waits for the consumer that is about to send the event", async () => {
  const pay = workflow({
    name: "pay",
    run: async (ctx) => {
      await ctx.step.publish("ask", "payment.wanted", { runId: ctx.runId });
      return ctx.step.waitForEvent("paid", { timeout: "1h" });
    },
  });
  const env = await setupEnvironment([pay]);
  const { queues, topics } = env.client;
  await queues.create("payments");
  await topics.subscribe("payment.*", { queue: "payments" });
  queues.consume<{ runId: string }>("payments", async ({ body }) => {
    await pause(100);
    await env.client.signal(body.runId, "paid", { by: "card" });
  });
  expect(await env.run(pay, undefined)).toEqual({ by: "card" });
  expect(await env.run(pay, undefined)).toEqual({ by: "card" });
});

describe("a run that waits for a signal that never comes", () => {
  it("is refused with what it waits for", async () => {
    const approval = workflow({
      name: "approval",
      run: (ctx) => ctx.step.waitForEvent("wait", { event: "approved", match: { id: 7 } }),
    });
    const env = await setupEnvironment([approval]);
    const error = await env.run(approval, undefined).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: "RunBlocked", code: "RUN_BLOCKED" });
    expect(String(error)).toMatch(
      /waits for the event "approved" that matches \{"id":7\} \(step "wait"\).*env\.idle\(\)/,
    );
  });

  it("is refused with what the run waits for that it has invoked", async () => {
    const child = workflow({ name: "child", run: (ctx) => ctx.step.waitForEvent("go") });
    const parent = workflow({
      name: "parent",
      run: (ctx) => ctx.step.invoke("call", child, undefined),
    });
    const env = await setupEnvironment([parent, child]);
    await expect(env.run(parent, undefined)).rejects.toThrow(
      /waits for the run that step "call" has invoked.*of "child" waits for the event "go"/,
    );
  });

  it("is refused with the workflow that is not served", async () => {
    const child = workflow({ name: "elsewhere", run: () => 1 });
    const parent = workflow({
      name: "parent",
      run: (ctx) => ctx.step.invoke("call", child, undefined),
    });
    const env = await setupEnvironment([parent]);
    await expect(env.run(parent, undefined)).rejects.toThrow(
      /of "elsewhere" is in version 1, which this environment doesn't serve/,
    );
  });

  it("is refused when it is paused", async () => {
    const sleeper = workflow({ name: "sleeper", run: (ctx) => ctx.step.sleep("night", "8h") });
    const env = await setupEnvironment([sleeper]);
    const run = await env.client.start(sleeper, undefined);
    await run.pause("audit");
    await expect(env.result(run)).rejects.toThrow(/is paused \(audit\)/);
  });

  it("resumes when it is sent", async () => {
    const approval = workflow({
      name: "approval",
      run: (ctx) => ctx.step.waitForEvent("approved"),
    });
    const env = await setupEnvironment([approval]);
    const run = await env.client.start(approval, undefined);
    await env.idle();
    expect(await run.signal("approved", { by: "Ada" })).toBe("delivered");
    expect(await env.result(run)).toEqual({ by: "Ada" });
  });
});

describe("skipping by hand", () => {
  it("lets everything on the way happen at its time", async () => {
    const hourly = workflow({
      name: "hourly",
      run: async (ctx) => {
        for (let n = 1; ; n += 1) {
          await ctx.step.sleep(`sleep-${n}`, "1h");
          await ctx.step.run(`tick-${n}`, () => n);
        }
      },
    });
    const env = await setupEnvironment([hourly]);
    const run = await env.client.start(hourly, undefined);
    await env.skip("5.5h");
    const steps = await env.client.runs.steps(run.runId);
    const ticks = steps.filter(({ name }) => name.startsWith("tick"));
    const { startedAt } = await run.status();
    expect(ticks.map(({ completedAt }) => Math.round(inDays(startedAt, completedAt) * 24))).toEqual(
      [1, 2, 3, 4, 5],
    );
  });

  it("goes to a date, and never back", async () => {
    const env = await setupEnvironment([workflow({ name: "none", run: () => 1 })]);
    const soon = new Date((await env.now()).getTime() + DAY_MS);
    await env.skipTo(soon);
    expect((await env.now()).getTime()).toBeGreaterThanOrEqual(soon.getTime());
    await expect(env.skipTo(new Date(soon.getTime() - 1))).rejects.toThrow(/time does not go back/);
    await expect(env.skipTo(new Date(Number.NaN))).rejects.toThrow(/give a valid Date/);
    await expect(env.skip("7 moons")).rejects.toThrow(/Invalid duration "7 moons"/);
    await expect(env.skip(-1)).rejects.toThrow(/Invalid duration -1/);
  });

  it("reaches a sleep in memory, next to a callback that still runs, and keeps its lease", async () => {
    let finish = (): void => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const race = workflow({
      name: "race",
      run: async (ctx) => {
        const slow = ctx.step.run("slow", () => finished);
        await ctx.step.sleep("limit", "7d");
        await ctx.step.run("late", () => finish());
        await slow;
      },
    });
    const env = await setupEnvironment([race]);
    const run = await env.client.start(race, undefined);
    const received: unknown[] = [];
    env.worker.events.on("runReceived", (event) => void received.push(event));
    await new Promise<void>((resolve) => {
      env.worker.events.on("stepStarted", () => resolve());
    });
    await env.skip("8d", { whileExecuting: true });
    await env.result(run);
    expect(env.calls("slow")).toHaveLength(1);
    expect(received.length).toBeLessThanOrEqual(1);
  });

  it("makes messages of queues visible again", async () => {
    const env = await setupEnvironment([workflow({ name: "none", run: () => 1 })]);
    await env.client.queues.create("jobs", { visibilityTimeout: "30s" });
    await env.client.queues.send("jobs", { n: 1 });
    expect(await env.client.queues.receive("jobs")).toHaveLength(1);
    expect(await env.client.queues.receive("jobs")).toHaveLength(0);
    await env.skip("31s", { whileExecuting: true });
    expect(await env.client.queues.receive("jobs")).toHaveLength(1);
  });

  it("reports which callback keeps it", async () => {
    let finish = (): void => {};
    const stuck = workflow({
      name: "stuck",
      run: (ctx) =>
        ctx.step.run(
          "forever",
          () =>
            new Promise<void>((resolve) => {
              finish = resolve;
            }),
        ),
    });
    const env = await setupEnvironment([stuck], { patience: "3s" });
    const run = await env.client.start(stuck, undefined);
    await eventually(() => env.calls("forever"), { length: 1 });
    await expect(env.result(run)).rejects.toMatchObject({
      code: "DEADLINE_EXCEEDED",
      message: expect.stringMatching(/step "forever" of run \d+ of "stuck" \(attempt 1\)/),
    });
    await expect(env.idle()).rejects.toThrow(/being called: step "forever"/);
    finish();
    await env.idle();
  });
});

it("many runs of all kinds of steps resume at their times, and leave the database in order", async () => {
  const child = workflow({ name: "child", run: (ctx) => ctx.step.sleep("nap", "3h") });
  const mixed = workflow({
    name: "mixed",
    run: async (ctx, n: number) => {
      await ctx.step.sleep("sleep", `${n}h`);
      await Promise.all([
        ctx.step.invoke("child", child, undefined),
        ctx.step.waitForEvent("event", { timeout: `${n % 5}h` }),
        ctx.step.run("flaky", () => n),
      ]);
      await ctx.step.sleep("last", `${n % 7}h`);
      return n;
    },
  });
  const env = await setupEnvironment([mixed, child]);
  env.replace(mixed, { flaky: failTimes(2) });
  const numbers = Array.from({ length: 12 }, (_, n) => n + 1);
  const runs = await Promise.all(numbers.map((n) => env.client.start(mixed, n)));
  expect(await Promise.all(runs.map((run) => env.result(run)))).toEqual(numbers);
  for (const { runId } of runs) {
    for (const { kind, output, completedAt } of await env.client.runs.steps(runId)) {
      if (kind !== "sleep") continue;
      const { until } = output as { until: string };
      const lateMs = completedAt.getTime() - Date.parse(until);
      expect(lateMs).toBeGreaterThanOrEqual(0);
      expect(lateMs).toBeLessThan(60_000);
    }
  }
  expect(await env.violations()).toEqual([]);
});

it("an open transaction that has started a run keeps the time from being skipped, and is blamed", async () => {
  const nap = workflow({ name: "nap", run: (ctx) => ctx.step.sleep("nap", "1h") });
  const env = await setupEnvironment([nap], { patience: "1s" });
  await env.client.start(nap, undefined);
  await env.idle();
  const tx = new pg.Client({ connectionString: env.url });
  await tx.connect();
  await tx.query("begin");
  await env.client.start(nap, undefined, { tx });
  await expect(env.skip("1h")).rejects.toMatchObject({
    code: "DEADLINE_EXCEEDED",
    message: expect.stringMatching(/Commit it first/),
  });
  await tx.query("rollback");
  await tx.end();
  await env.skip("1h");
});

describe("the time of a test", () => {
  it("is that of the SQL that a step runs", async () => {
    const sql = workflow({
      name: "sql",
      run: async (ctx) => {
        const read = async (name: string): Promise<string> =>
          ctx.step.tx(name, async (tx) => {
            const { rows } = await tx.query("select now() as a, clock_timestamp() as b");
            return JSON.stringify(rows[0]);
          });
        const before = JSON.parse(await read("before")) as { a: string; b: string };
        await ctx.step.sleep("year", "365d");
        const after = JSON.parse(await read("after")) as { a: string; b: string };
        return [
          Math.round(inDays(new Date(before.a), new Date(after.a))),
          Math.round(inDays(new Date(before.b), new Date(after.b))),
        ];
      },
    });
    const env = await setupEnvironment([sql]);
    expect(await env.run(sql, undefined)).toEqual([365, 365]);
  });

  it("is the machine's where nothing was skipped", async () => {
    const env = await setupEnvironment([workflow({ name: "none", run: () => 1 })]);
    expect(Math.abs((await env.now()).getTime() - Date.now())).toBeLessThan(60_000);
  });

  it("leaves a sleep alone where autoSkip is off", async () => {
    const nap = workflow({ name: "nap", run: (ctx) => ctx.step.sleep("nap", "300ms") });
    const env = await setupEnvironment([nap]);
    const beganAt = performance.now();
    await env.run(nap, undefined, { autoSkip: false });
    expect(performance.now() - beganAt).toBeGreaterThanOrEqual(290);
  });

  it("passes for many runs at once", async () => {
    const nap = workflow({
      name: "nap",
      run: async (ctx, hours: number) => {
        await ctx.step.sleep("nap", hours * 3_600_000);
        return hours;
      },
    });
    const env = await setupEnvironment([nap]);
    const hours = Array.from({ length: 20 }, (_, n) => n + 1);
    expect(await Promise.all(hours.map((n) => env.run(nap, n)))).toEqual(hours);
    expect(await env.violations()).toEqual([]);
  });
});
