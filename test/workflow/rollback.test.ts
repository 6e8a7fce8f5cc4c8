import { RunCancelled, RunFailed } from "@oxbow/sdk";
import { type Context, workflow } from "@oxbow/sdk/runtime";
import { expect, it } from "vitest";
import { eventually } from "../helpers/eventually.ts";
import { setupWorkflows } from "../helpers/workflows.ts";

const bench = await setupWorkflows();

const QUICK = { attempts: 2, backoff: { kind: "fixed", base: 1 } } as const;

interface Trip {
  readonly name: string;
  readonly undone: unknown[];
  readonly trip: ReturnType<typeof workflow>;
}

/** Books two things, and then does as `last` specifies. */
function makeTrip(name: string, last: (ctx: never) => unknown, onUndo = () => {}): Trip {
  const undone: unknown[] = [];
  const trip = workflow({
    name,
    retry: QUICK,
    run: async (ctx) => {
      for (const what of ["flight", "hotel"])
        await ctx.step.run(`book-${what}`, () => ({ what }), {
          rollback: (value) => {
            onUndo();
            undone.push(value);
          },
        });
      return last(ctx as never);
    },
  });
  return { name, undone, trip };
}

/** An order that, once it is charged, is announced, and shipped by a run of another workflow. */
const makeOrder = (name: string, charge: (ctx: Context) => Promise<void>) => {
  const ship = workflow({ name: `${name}-ship`, run: () => "shipped" });
  const order = workflow({
    name,
    run: async (ctx) => {
      await charge(ctx);
      await Promise.all([
        ctx.step.publish("announce", "orders.shipped", {}),
        ctx.step.invoke("ship", ship, undefined),
      ]);
    },
  });
  return { order, workflows: [order, ship] };
};

const childrenOf = async (runId: string): Promise<unknown[]> => {
  const children = [];
  for await (const child of bench.client.runs.children(runId)) children.push(child);
  return children;
};

const kinds = async (runId: string) =>
  (await bench.client.runs.steps(runId)).map(({ name, kind }) => [name, kind]);

it("a run that fails undoes its steps, the last first, and can't be retried", async () => {
  const { trip, undone } = makeTrip("trip-fails", () => {
    throw new Error("no money");
  });
  bench.serve([trip]);
  const run = await bench.client.start(trip, undefined);
  await expect(run.result({ timeout: "60s" })).rejects.toThrow(/no money/);
  expect(undone).toEqual([{ what: "hotel" }, { what: "flight" }]);
  expect((await kinds(run.runId)).slice(2)).toEqual([
    ["rollback:book-hotel", "rollback"],
    ["rollback:book-flight", "rollback"],
  ]);
  await expect(run.retry()).rejects.toThrow(/rolled/);
  expect(await bench.violations()).toEqual([]);
});

it("a rollback that fails for good is reported with the run's failure", async () => {
  const { trip } = makeTrip(
    "trip-stuck",
    () => {
      throw new Error("no money");
    },
    () => {
      throw new Error("hotline busy");
    },
  );
  bench.serve([trip]);
  const run = await bench.client.start(trip, undefined);
  const error = await run.result({ timeout: "60s" }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(RunFailed);
  expect((error as RunFailed).error).toMatchObject({
    code: "ROLLBACK_FAILED",
    message: expect.stringMatching(/no money.*"book-hotel", "book-flight".*hotline busy/),
    cause: { message: "no money" },
  });
});

it("a run that waits is cancelled with rollback, and then ended cancelled", async () => {
  const { trip, undone } = makeTrip(
    "trip-waits",
    (ctx: { step: { waitForEvent: (e: string) => unknown } }) => ctx.step.waitForEvent("pay"),
  );
  bench.serve([trip]);
  const run = await bench.client.start(trip, undefined);
  await eventually(() => bench.client.runs.get("trip-waits", run.runId), { activity: "waiting" });
  expect(await run.cancel({ reason: "changed my mind", rollback: true })).toBe(true);
  await expect(run.result({ timeout: "60s" })).rejects.toBeInstanceOf(RunCancelled);
  expect(undone).toEqual([{ what: "hotel" }, { what: "flight" }]);
  expect(await bench.client.runs.get("trip-waits", run.runId)).toMatchObject({
    status: "cancelled",
    error: { message: "changed my mind" },
  });
  expect(await run.cancel({ rollback: true })).toBe(false);
  expect(await bench.violations()).toEqual([]);
});

it("a run that executes finishes what it calls, and undoes that too", async () => {
  let called = false;
  let aborted = false;
  const undone: string[] = [];
  const slow = workflow({
    name: "trip-slow",
    run: async (ctx) => {
      await ctx.step.run(
        "book",
        async () => {
          called = true;
          await new Promise((resolve) => {
            ctx.signal.addEventListener("abort", resolve, { once: true });
          });
          aborted = true;
          return "booked";
        },
        { rollback: (value) => void undone.push(value) },
      );
      return "done";
    },
  });
  bench.serve([slow]);
  const run = await bench.client.start(slow, undefined);
  await eventually(() => called, true);
  expect(await run.cancel({ rollback: true })).toBe(true);
  await expect(run.result({ timeout: "60s" })).rejects.toBeInstanceOf(RunCancelled);
  expect(aborted).toBe(true);
  expect(undone).toEqual(["booked"]);
  expect(await bench.violations()).toEqual([]);
});

it("a run that is cancelled while it calls sends nothing more and starts no run", async () => {
  let called = false;
  const undone: string[] = [];
  const { order, workflows } = makeOrder("order-calls", async (ctx) => {
    await ctx.step.run(
      "charge",
      async () => {
        called = true;
        await new Promise((resolve) => {
          ctx.signal.addEventListener("abort", resolve, { once: true });
        });
        return "charged";
      },
      { rollback: (value) => void undone.push(value) },
    );
  });
  bench.serve(workflows);
  const run = await bench.client.start(order, undefined);
  await eventually(() => called, true);
  await run.cancel({ rollback: true });
  await expect(run.result({ timeout: "60s" })).rejects.toBeInstanceOf(RunCancelled);
  expect(undone).toEqual(["charged"]);
  expect(await kinds(run.runId)).toEqual([
    ["charge", "run"],
    ["rollback:charge", "rollback"],
  ]);
  expect(await childrenOf(run.runId)).toEqual([]);
  expect(await bench.violations()).toEqual([]);
});

it("a run that is cancelled after a signal, before a worker resumes it, starts no run", async () => {
  const undone: string[] = [];
  const { order, workflows } = makeOrder("order-signalled", async (ctx) => {
    await ctx.step.run("charge", () => "charged", {
      rollback: (value) => void undone.push(value),
    });
    await ctx.step.waitForEvent("paid");
  });
  const worker = bench.serve(workflows);
  const run = await bench.client.start(order, undefined);
  await eventually(() => bench.client.runs.get("order-signalled", run.runId), {
    activity: "waiting",
  });
  await worker.stop();
  await run.signal("paid");
  await run.cancel({ rollback: true });
  bench.serve(workflows);
  await expect(run.result({ timeout: "60s" })).rejects.toBeInstanceOf(RunCancelled);
  expect(undone).toEqual(["charged"]);
  expect(await childrenOf(run.runId)).toEqual([]);
  expect(await bench.violations()).toEqual([]);
});

it("a run that is paused, or not yet begun, is cancelled with rollback all the same", async () => {
  const { trip } = makeTrip("trip-paused", () => "done");
  const run = await bench.client.start(trip, undefined);
  await run.pause();
  expect(await run.cancel({ rollback: true })).toBe(true);
  bench.serve([trip]);
  await expect(run.result({ timeout: "60s" })).rejects.toBeInstanceOf(RunCancelled);
  expect(await bench.violations()).toEqual([]);
});
