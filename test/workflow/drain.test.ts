/** A drain executes what is ready, and returns: promises N1 to N6 of sdk/src/worker/drain.ts. */
import { setTimeout as delay } from "node:timers/promises";
import { ConnectionFailed, InvalidArgument, RunFailed } from "@oxbow/sdk";
import { drain, workflow } from "@oxbow/sdk/runtime";
import { describe, expect, it } from "vitest";
import { countStatements } from "../helpers/counted-statements.ts";
import { createDatabase, type TestDatabase } from "../helpers/database.ts";
import { eventually } from "../helpers/eventually.ts";
import { FaultyNetwork } from "../helpers/faulty-network.ts";
import { atFileEnd } from "../helpers/file-end.ts";
import { only } from "../helpers/queues.ts";
import { startTestServer } from "../helpers/server.ts";
import { startWorkerProcess } from "../helpers/worker-process.ts";
import { createWorkflowClient, type WorkflowClient } from "@oxbow/sdk";

const NOTHING = { executed: 0, ended: 0, nextAt: undefined };

const greet = workflow({
  name: "greet",
  run: (ctx, name: string) => ctx.step.run("compose", () => `Hello, ${name}!`),
});

async function setup(): Promise<{
  url: string;
  client: WorkflowClient;
  query: TestDatabase["query"];
  connect: TestDatabase["connect"];
}> {
  const database = await createDatabase();
  const client = createWorkflowClient({ url: database.url });
  atFileEnd(() => client.close());
  return {
    url: database.url,
    client,
    query: (...given) => database.query(...given),
    connect: () => database.connect(),
  };
}

/** Rejects as the signal aborts. */
const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });

describe.each(["the database", "a server"])("through %s", (way) => {
  async function setupWay() {
    const { url, client, query } = await setup();
    if (way === "the database") return { url, client, query };
    const server = await startTestServer({ url });
    return { url: server.url, client, query };
  }

  it.concurrent("executes all runs that are ready, including child runs, and returns", async () => {
    const { url, client } = await setupWay();
    const parent = workflow({
      name: "parent",
      run: async (ctx) => {
        const child = await ctx.step.invoke("child", greet, "child");
        return `${child} And hello, parent!`;
      },
    });
    const runs = await client.startBatch(
      greet,
      Array.from({ length: 30 }, (_, n) => ({ input: `${n}` })),
    );
    const one = await client.start(parent, undefined);
    const drained = await drain({ url, workflows: [greet, parent], for: "1m", concurrency: 4 });
    expect(drained).toEqual({ executed: 32, ended: 32, nextAt: undefined });
    expect(await one.result()).toBe("Hello, child! And hello, parent!");
    expect(await only(runs.slice(-1)).result()).toBe("Hello, 29!");
    expect(await greet.drain({ url, for: "10s" })).toEqual(NOTHING);
  });

  it.concurrent("continues a parent whose child ended while it was receiving", async () => {
    const { url, client, query } = await setupWay();
    const child = workflow({ name: "child", run: (ctx) => ctx.step.run("work", () => delay(100)) });
    const parent = workflow({
      name: "parent",
      run: async (ctx) => {
        await ctx.step.invoke("child", child, undefined);
        return "continued";
      },
    });
    // A receive that has found nothing answers late.
    await query("alter function queue.workflow_receive rename to workflow_receive_itself");
    await query(`
      create function queue.workflow_receive(
        names text[], versions jsonb, max_runs integer, lease_seconds numeric, suspects integer, max_bytes bigint
      ) returns setof queue.workflow_delivery language plpgsql security definer as $$
        begin
          return query select * from queue.workflow_receive_itself(
            names, versions, max_runs, lease_seconds, suspects, max_bytes
          );
          if not found then perform pg_sleep(0.3); end if;
        end
      $$`);
    const run = await client.start(parent, undefined);
    const drained = await drain({ url, workflows: [parent, child], for: "1m", concurrency: 4 });
    expect(drained).toEqual({ executed: 2, ended: 2, nextAt: undefined });
    expect(await run.result({ timeout: "60s" })).toBe("continued");
  });

  it.concurrent("returns when a sleeping run is due, and executes it then", async () => {
    const { url, client } = await setupWay();
    const sleepy = workflow({
      name: "sleepy",
      run: async (ctx, ms: number) => {
        await ctx.step.sleep("nap", ms);
        return "awake";
      },
    });
    const run = await client.start(sleepy, 3_000);
    const { nextAt, ...rest } = await sleepy.drain({ url, for: "1m" });
    expect(rest).toEqual({ executed: 1, ended: 0 });
    const { resumesAt } = (await client.runs.get("sleepy", run.runId)) ?? {};
    expect(nextAt).toEqual(resumesAt);
    await delay(Math.max(0, Number(nextAt) - Date.now()) + 100);
    expect(await sleepy.drain({ url, for: "1m" })).toEqual({ ...NOTHING, executed: 1, ended: 1 });
    expect(await run.result()).toBe("awake");
  });

  it.concurrent("fails a waiting run whose deadline has passed", async () => {
    const { url, client } = await setupWay();
    const waits = workflow({
      name: "waits",
      deadline: "1s",
      run: (ctx) => ctx.step.waitForEvent("never"),
    });
    const run = await client.start(waits, undefined);
    const { nextAt } = await waits.drain({ url, for: "1m" });
    await delay(Math.max(0, Number(nextAt) - Date.now()) + 100);
    await waits.drain({ url, for: "1m" });
    await expect(run.result()).rejects.toThrow(RunFailed);
  });

  it.concurrent("gives a run back that takes longer, and the next drain continues it, with no attempt counted", async () => {
    const { url, client, query } = await setupWay();
    const calls: string[] = [];
    const reasons: unknown[] = [];
    let isPatient = true;
    const long = workflow({
      name: "long",
      retry: { attempts: 1 },
      run: async (ctx) => {
        await ctx.step.run("short", () => void calls.push("short"));
        await Promise.all([
          ctx.step.run("late", (signal) =>
            untilAborted(signal).catch(() => void calls.push("late")),
          ),
          ctx.step.run("endless", async (signal) => {
            calls.push("endless");
            if (!isPatient) return;
            await untilAborted(signal).catch((error: unknown) => {
              reasons.push(error);
              throw error;
            });
          }),
        ]);
        return calls.length;
      },
    });
    const run = await client.start(long, undefined);
    const begunAt = performance.now();
    const { nextAt, ...rest } = await long.drain({ url, for: "4s" });
    expect(performance.now() - begunAt).toBeGreaterThan(2_900);
    expect(rest).toEqual({ executed: 1, ended: 0 });
    expect(Number(nextAt)).toBeLessThanOrEqual(Date.now() + 1_000);
    expect(reasons).toMatchObject([{ message: expect.stringMatching(/drain is nearly over/) }]);
    // The value that the first returned after the signal is journaled; the other has not failed.
    expect(await client.runs.steps(run.runId)).toMatchObject([{ name: "short" }, { name: "late" }]);
    expect(
      only(
        await query("select read_ct, deaths from queue.workflow_continuation where msg_id = $1", [
          run.runId,
        ]),
      ),
    ).toEqual({ read_ct: 0, deaths: null });
    isPatient = false;
    expect(await long.drain({ url, for: "1m" })).toEqual({
      executed: 1,
      ended: 1,
      nextAt: undefined,
    });
    expect(calls).toEqual(["short", "endless", "late", "endless"]);
    expect(await run.result()).toBe(4);
  });

  it.concurrent("publishes in the next drain what follows values that came at the end of its time", async () => {
    const { url, client } = await setupWay();
    const counting = workflow({
      name: "counting",
      run: async (ctx) => {
        let done = 0;
        const late = async (name: string): Promise<void> => {
          await ctx.step.run(name, async (signal) => {
            await untilAborted(signal).catch(() => {});
          });
          done += 1;
          ctx.set("done", done);
          ctx.stream.write(name);
        };
        await Promise.all([late("a"), late("b"), late("c")]);
      },
    });
    const run = await client.start(counting, undefined);
    expect(await counting.drain({ url, for: "2s" })).toMatchObject({ executed: 1, ended: 0 });
    expect(await client.runs.steps(run.runId)).toHaveLength(3);
    expect(await client.runs.state(run.runId)).toEqual({});
    expect(await counting.drain({ url, for: "1m" })).toMatchObject({ executed: 1, ended: 1 });
    expect(await client.runs.state(run.runId)).toEqual({ done: 3 });
    const chunks: unknown[] = [];
    for await (const chunk of client.runs.stream(run.runId)) chunks.push(chunk.value);
    expect(chunks).toHaveLength(3);
    expect(new Set(chunks)).toEqual(new Set(["a", "b", "c"]));
  });

  it.concurrent("shares the work among concurrent drains", async () => {
    const { url, client } = await setupWay();
    const called = new Map<string, number>();
    const counted = workflow({
      name: "counted",
      run: (ctx, name: string) =>
        ctx.step.run("count", async () => {
          called.set(name, (called.get(name) ?? 0) + 1);
          await delay(5);
        }),
    });
    const inputs = Array.from({ length: 100 }, (_, n) => `${n}`);
    await client.startBatch(
      counted,
      inputs.map((input) => ({ input })),
    );
    const drained = await Promise.all(
      [1, 2].map(() => counted.drain({ url, for: "1m", concurrency: 3 })),
    );
    expect(drained.reduce((sum, { ended }) => sum + ended, 0)).toBe(100);
    expect([...called.values()]).toEqual(inputs.map(() => 1));
  });
});

it.concurrent("does not begin a step whose timeout is longer than what is left", async () => {
  const { url, client } = await setup();
  const calls: string[] = [];
  const timed = workflow({
    name: "timed",
    run: async (ctx) => {
      await ctx.step.run("quick", () => void calls.push("quick"), { timeout: "10s" });
      await ctx.step.run("slow", () => void calls.push("slow"), { timeout: "10m" });
    },
  });
  const run = await client.start(timed, undefined);
  const begunAt = performance.now();
  const { nextAt, ...rest } = await timed.drain({ url, for: "2m" });
  // It doesn't wait for the time to pass.
  expect(performance.now() - begunAt).toBeLessThan(60_000);
  expect(rest).toEqual({ executed: 1, ended: 0 });
  expect(Number(nextAt)).toBeLessThanOrEqual(Date.now() + 1_000);
  expect(calls).toEqual(["quick"]);
  expect(await timed.drain({ url, for: "20m" })).toMatchObject({ executed: 1, ended: 1 });
  expect(calls).toEqual(["quick", "slow"]);
  await run.result();
});

it.concurrent("never fails a run whose body sees the signal, and journals its steps", async () => {
  const { url, client } = await setup();
  const calls: string[] = [];
  let isPatient = true;
  const impatient = workflow({
    name: "impatient",
    run: async (ctx) => {
      await ctx.step.run("before", () => void calls.push("before"));
      await Promise.all([
        isPatient ? untilAborted(ctx.signal) : undefined,
        ctx.step.run("work", async (signal) => {
          calls.push("work");
          if (isPatient) await untilAborted(signal).catch(() => {});
        }),
      ]);
      return "done";
    },
  });
  const run = await client.start(impatient, undefined);
  expect(await impatient.drain({ url, for: "2s" })).toMatchObject({ executed: 1, ended: 0 });
  isPatient = false;
  expect(await impatient.drain({ url, for: "1m" })).toMatchObject({ executed: 1, ended: 1 });
  expect(await run.result()).toBe("done");
  expect(calls.filter((call) => call === "before")).toHaveLength(1);
});

it.concurrent("loses no signal and no value of a body that throws by its signal", async () => {
  const { url, client } = await setup();
  const listener = workflow({ name: "listener", run: (ctx) => ctx.step.waitForEvent("done") });
  const sender = workflow({
    name: "sender",
    run: async (ctx, to: string) => {
      await ctx.step.run("work", async (signal) => {
        await untilAborted(signal).catch(() => {});
      });
      ctx.set("phase", "sent");
      await ctx.step.signal("send", to, "done", { ok: true });
      ctx.signal.throwIfAborted();
      await ctx.step.run("last", () => {});
    },
  });
  const heard = await client.start(listener, undefined);
  const run = await client.start(sender, heard.runId);
  expect(await sender.drain({ url, for: "2s" })).toMatchObject({ executed: 1, ended: 0 });
  expect(await client.runs.steps(run.runId)).toMatchObject([{ name: "work" }]);
  expect(await sender.drain({ url, for: "1m" })).toMatchObject({ executed: 1, ended: 1 });
  expect(await listener.drain({ url, for: "1m" })).toMatchObject({ ended: 1 });
  expect(await heard.result()).toEqual({ ok: true });
  expect(await client.runs.state(run.runId)).toEqual({ phase: "sent" });
});

it.concurrent("rolls nothing back by a rejection that nothing awaits, as the signal aborts", async () => {
  const { url, client } = await setup();
  const calls: string[] = [];
  const order = workflow({
    name: "order",
    run: async (ctx) => {
      await ctx.step.run("reserve", () => {}, { rollback: () => void calls.push("undo") });
      await ctx.step.run("charge", async (signal) => {
        calls.push("charge");
        if (calls.length > 1) return;
        // As two requests that are sent together.
        const [a, b] = [untilAborted(signal), untilAborted(signal)];
        await a;
        await b;
      });
    },
  });
  const run = await client.start(order, undefined);
  const lines: string[] = [];
  const log = (line: string): void => void lines.push(line);
  const logger = { debug: log, info: log, warn: log, error: log };
  expect(await order.drain({ url, for: "2s", logger })).toMatchObject({ executed: 1, ended: 0 });
  expect(lines.join("\n")).toContain("a promise was rejected that the run doesn't await");
  expect(await order.drain({ url, for: "1m" })).toMatchObject({ executed: 1, ended: 1 });
  await run.result();
  expect(calls).toEqual(["charge", "charge"]);
});

it.concurrent("moves no deadline of a run that can be rolled back", async () => {
  const { url, client } = await setup();
  const rolling = workflow({
    name: "rolling",
    run: async (ctx) => {
      await ctx.step.run("reserve", () => {}, { rollback: () => {} });
      const long = ctx.step.sleep("long", "1h");
      const work = ctx.step.run("work", (signal) => untilAborted(signal));
      await Promise.race([work, long, untilAborted(ctx.signal)]);
    },
  });
  const run = await client.start(rolling, undefined);
  const waits = async (): Promise<unknown> => (await client.runs.get("rolling", run.runId)).waits;
  await rolling.drain({ url, for: "2s", logger: false });
  const before = await waits();
  expect(before).toMatchObject([{ step: "long", until: expect.anything() as unknown }]);
  await rolling.drain({ url, for: "2s", logger: false });
  expect(await waits()).toEqual(before);
});

it.concurrent("continues after a drain whose process was killed, and calls no journaled step again", async () => {
  const { url, client } = await setup();
  const script = new URL("../helpers/programs/draining-worker.ts", import.meta.url);
  const run = await client.start("order", undefined, { version: 1 });
  await using first = startWorkerProcess(script, {
    env: { QUEUE_URL: url, SECOND_MS: "600000" },
  });
  await first.line(/^called second/);
  await first.kill();
  await delay(1_500);
  await using second = startWorkerProcess(script, { env: { QUEUE_URL: url, SECOND_MS: "0" } });
  expect(await second.line(/^drained/)).toBe('drained {"executed":1,"ended":1}');
  expect(second.output.filter((line) => line.startsWith("called"))).toEqual(["called second"]);
  expect(await run.result()).toBe("done");
});

it.concurrent("executes a run whose workers have died, in a process that has just begun", async () => {
  const { url, client } = await setup();
  const script = new URL("../helpers/programs/draining-worker.ts", import.meta.url);
  const run = await client.start("order", undefined, { version: 1 });
  for (const _ of [1, 2, 3]) {
    await using worker = startWorkerProcess(script, {
      env: { QUEUE_URL: url, SECOND_MS: "600000" },
    });
    await worker.line(/^called second|^drained/);
    await worker.kill();
    await delay(1_500);
  }
  const env = { QUEUE_URL: url, SECOND_MS: "0" };
  await eventually(
    async () => {
      await using worker = startWorkerProcess(script, { env });
      return await worker.line(/^drained/);
    },
    (line) => line === 'drained {"executed":1,"ended":1}',
  );
  expect(await run.result()).toBe("done");
});

it.concurrent("waits a moment for a run that is due, and locked by another transaction", async () => {
  const { url, client, connect } = await setup();
  const run = await client.start(greet, "locked");
  const other = await connect();
  await other.query("begin");
  await other.query("select from queue.workflow_continuation for update");
  const drained = greet.drain({ url, for: "1m" });
  await delay(100);
  await other.query("commit");
  expect(await drained).toMatchObject({ executed: 1, ended: 1 });
  await other.query("begin");
  const again = await client.start(greet, "locked");
  await other.query("select from queue.workflow_continuation for update");
  const { executed, nextAt } = await greet.drain({ url, for: "1m" });
  await other.query("rollback");
  expect(executed).toBe(0);
  expect(Number(nextAt)).toBeLessThanOrEqual(Date.now() + 1_000);
  await greet.drain({ url, for: "1m" });
  expect(await Promise.all([run.result(), again.result()])).toEqual([
    "Hello, locked!",
    "Hello, locked!",
  ]);
});

describe("with nothing ready", () => {
  it.concurrent("asks once, besides the first statement of a connection and the registration", async () => {
    const { url } = await setup();
    const counted = await countStatements(url);
    expect(await greet.drain({ url: counted.url, for: "10s" })).toEqual(NOTHING);
    // The version of the installation, the registration, and what is ready.
    expect(counted.take()).toEqual({ statements: 3, connections: 1 });
    expect(await greet.drain({ url: counted.url, for: "10s" })).toEqual(NOTHING);
    expect(counted.take()).toEqual({ statements: 2, connections: 1 });
  });
});

describe("a database that can't be reached", () => {
  it.concurrent("rejects the drain when nothing listens", async () => {
    const url = "postgres://nobody@127.0.0.1:1/none";
    const begunAt = performance.now();
    await expect(greet.drain({ url, for: "20s" })).rejects.toThrow(ConnectionFailed);
    expect(performance.now() - begunAt).toBeLessThan(20_000);
  });

  it.concurrent("rejects it soon after its end when nothing answers", async () => {
    const { url } = await setup();
    const network = await FaultyNetwork.before(url);
    network.change({ isParted: true });
    const begunAt = performance.now();
    await expect(greet.drain({ url: network.url, for: "2s" })).rejects.toThrow(ConnectionFailed);
    expect(performance.now() - begunAt).toBeLessThan(2_000 + 30_000);
  });

  it.concurrent("rejects it soon after its end when the network is parted in the middle, and the run survives", async () => {
    const { url, client } = await setup();
    const network = await FaultyNetwork.before(url);
    let isCalled = false;
    const cut = workflow({
      name: "cut",
      run: (ctx) =>
        ctx.step.run("work", async (signal) => {
          if (isCalled) return "done";
          isCalled = true;
          network.change({ isParted: true });
          return untilAborted(signal);
        }),
    });
    const run = await client.start(cut, undefined);
    const begunAt = performance.now();
    const drained = cut.drain({ url: network.url, for: "3s", lease: "2s", logger: false });
    await expect(drained).rejects.toThrow(ConnectionFailed);
    expect(performance.now() - begunAt).toBeLessThan(3_000 + 30_000);
    await eventually(
      () => cut.drain({ url, for: "30s" }),
      ({ ended }) => ended === 1,
    );
    expect(await run.result()).toBe("done");
  });
});

describe("bad input", () => {
  it.concurrent.each([
    [undefined, "undefined"],
    [0, "0"],
    ["0s", '"0s"'],
    [-1, "-1"],
    ["25h", '"25h"'],
    ["soon", '"soon"'],
    ["50", '"50"'],
    [Number.NaN, "NaN"],
    [null, "null"],
  ])("rejects `for: %s`", async (given, shown) => {
    const options = { url: "postgres://nobody@127.0.0.1:1/none", for: given as never };
    const drained = greet.drain(options);
    await expect(drained).rejects.toThrow(InvalidArgument);
    await expect(drained).rejects.toThrow(`\`for: ${shown}\``);
    await expect(drained).rejects.toThrow("up to 24 hours");
  });

  it.concurrent("rejects options of workers, and no workflows", async () => {
    const url = "postgres://nobody@127.0.0.1:1/none";
    const given = { url, for: "1s", schedules: true };
    await expect(greet.drain(given)).rejects.toThrow('"schedules" of a drain');
    await expect(drain({ url, for: "1s", workflows: [] })).rejects.toThrow("at least one workflow");
  });
});
