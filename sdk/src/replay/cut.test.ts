/** A run that is cut leaves its worker as if its body had died there: promise R18 of engine.ts. */
import { describe, expect, it } from "vitest";
import type { Context } from "../definition/context.ts";
import type { Continuation } from "../protocol/continuation.ts";
import type { Turn } from "./effects.ts";
import {
  called,
  committed,
  Drive,
  failure,
  macrotask,
  ran,
  slept,
  T0,
} from "./simulation/drive.ts";

const HOUR = 3_600_000;
const nothing = (): unknown => undefined;

/** Rejects as the signal aborts. */
const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });

/** Cuts a run as a worker does. */
function cut(run: Drive): Promise<Turn> {
  run.engine.cut();
  run.abort.abort(new Error("The time is over."));
  return run.poll();
}

function continuationOf(turn: Turn): Continuation | undefined {
  const transition = turn.commit?.transition;
  return transition?.kind === "keep" ? transition.continuation : undefined;
}

describe("nothing counts that a body does as its signal aborts", () => {
  it.each<[string, (aborted: Promise<never>, ctx: Context) => unknown]>([
    ["throws", (aborted) => aborted],
    ["returns", (aborted) => aborted.catch(() => "aborted")],
    [
      "sends, sets and throws",
      (aborted, { step, set }) =>
        aborted.catch(async (error: unknown) => {
          set("phase", "aborted");
          await step.publish("alert", "alerts", "aborted");
          throw error;
        }),
    ],
  ])("if it %s", async (_how, react) => {
    const run = new Drive(async (ctx) => {
      await ctx.step.run("reserve", nothing, { rollback: nothing });
      const aborted = untilAborted(ctx.signal);
      aborted.catch(() => {});
      return Promise.race([react(aborted, ctx), ctx.step.run("work", nothing)]);
    });
    await run.poll();
    await run.succeed("reserve");
    expect(called(await run.commit())).toEqual(["work"]);
    expect(await cut(run)).toEqual({ calls: [] });
    expect(run.engine.strayed(new Error("The time is over."))).toBe(false);
    expect(await run.poll()).toEqual({ calls: [] });
    expect(run.engine.state).toBe("running");
  });
});

it("what the body did before the cut is committed", async () => {
  const run = new Drive(async ({ step, set }) => {
    await step.run("work", nothing);
    set("phase", "sent");
    await step.signal("send", "7", "done");
    await step.run("last", nothing);
  });
  await run.poll();
  const turn = await run.succeed("work");
  expect(committed(turn)).toEqual(["work", "send"]);
  expect(turn.commit).toMatchObject({
    transition: { kind: "keep" },
    effects: [{ kind: "signal", step: "send" }],
    state: [{ key: "phase", value: '"sent"' }],
  });
  expect(await cut(run)).toEqual({ calls: [] });
  expect(await run.commit()).toEqual({ calls: [] });
});

it("callbacks that return after the cut are journaled, and no deadline moves", async () => {
  const body = ({ step }: Context): Promise<unknown> =>
    Promise.all([
      step.run("a", nothing),
      step.run("b", nothing),
      step.run("failed", nothing, { retry: { attempts: 2 } }),
      step.sleep("long", "1h"),
      step.waitForEvent("go", { timeout: "2h" }),
    ]);
  const run = new Drive(body);
  await run.poll();
  await run.fail("failed");
  await run.commit();
  await run.commit();
  await cut(run);
  const first = await run.succeed("a", "A");
  expect(committed(first)).toEqual(["a"]);
  const continuation = continuationOf(first);
  expect(continuation).toMatchObject({
    waits: [
      { step: "long", until: T0 + HOUR },
      { step: "go", until: T0 + 2 * HOUR },
    ],
    retries: [{ step: "failed", attempts: 1 }],
    seen: 0,
  });
  expect(await run.succeed("b")).toEqual({ calls: [] });
  // A wait that the database has resolved is submitted no more.
  run.engine.signalled();
  const second = await run.commit([{ step: "go", payload: 1 }]);
  expect(committed(second)).toEqual(["b"]);
  expect(continuationOf(second)?.waits).toMatchObject([{ step: "long" }]);
  await run.commit();
  expect(await run.advance(HOUR)).toEqual({ calls: [] });
});

it("a wait is submitted no more that was resolved before the cut, and not handed over", async () => {
  const run = new Drive(({ step }) =>
    Promise.all([step.run("a", nothing), step.waitForEvent("go"), step.sleep("long", "1h")]),
  );
  await run.poll();
  run.engine.committed([{ step: "go", payload: 1 }]);
  await cut(run);
  expect(continuationOf(await run.succeed("a"))?.waits).toMatchObject([{ step: "long" }]);
});

it("a wait that the body has not asked for again stays in the continuation", async () => {
  const long = { kind: "sleep", step: "long", until: T0 + HOUR } as const;
  const run = new Drive(
    async ({ step }) => {
      const late = new Promise(() => {}).then(() => step.sleep("long", "1h"));
      await Promise.all([step.run("a", nothing), late]);
    },
    { continuation: { waits: [long] } },
  );
  await run.poll();
  await cut(run);
  expect(continuationOf(await run.succeed("a"))).toMatchObject({ waits: [long] });
});

it("the next delivery sets again what follows the rows that the body had got", async () => {
  const body = async ({ step, set }: Context): Promise<void> => {
    set("phase", "first");
    await step.run("first", nothing);
    let done = 0;
    const count = (): void => set("progress", (done += 1));
    await Promise.all(["a", "b"].map((name) => step.run(name, nothing).then(count)));
    await step.sleep("nap", "1h");
  };
  const run = new Drive(body);
  await run.poll();
  await run.succeed("first");
  await run.commit();
  await cut(run);
  run.engine.stepSucceeded("a", "a", 5);
  const turn = await run.succeed("b", "b");
  expect(committed(turn)).toEqual(["a", "b"]);
  const continuation = continuationOf(turn) ?? {};
  expect(continuation).toMatchObject({ seen: 1 });

  const journal = ["first", "a", "b"].map((name) => ran(name, name));
  const next = await new Drive(body, { journal, continuation }).poll();
  expect(next.commit).toMatchObject({
    transition: { kind: "suspend", continuation: { waits: [{ step: "nap" }] } },
    state: [{ key: "progress", value: "2" }],
  });
  expect(next.commit?.transition).not.toHaveProperty("continuation.seen");
});

it("the next delivery leaves out what the body had set when it was cut, and what it had got since counts", async () => {
  const body = async ({ step, set }: Context): Promise<void> => {
    set("progress", 0);
    await step.run("import", () => set("progress", 100));
    await step.run("next", nothing);
    await step.run("last", nothing);
  };
  // A callback has set 100 after the body had set 0, and the run was cut.
  const run = new Drive(body, { journal: [ran("import")], continuation: { seen: 0 } });
  const turn = await run.poll();
  expect(turn.commit?.state ?? []).toEqual([]);
  expect(turn.commit?.transition).toEqual({
    kind: "keep",
    continuation: { waits: [], retries: [] },
  });
  expect(called(turn)).toEqual(["next"]);
});

it("a body that has not repeated its journal commits nothing, and departs from nothing", async () => {
  const body = async ({ step, signal }: Context): Promise<void> => {
    signal.throwIfAborted();
    await Promise.race([untilAborted(signal), new Promise(() => {})]);
    await step.run("a", nothing);
  };
  const late = new Drive(body, { journal: [ran("a"), slept("nap")] });
  expect(await late.poll()).toMatchObject({ stalled: true });
  expect(await cut(late)).toEqual({ calls: [] });
  late.engine.diverged();
  expect(await late.poll()).toEqual({ calls: [] });

  const early = new Drive(body, { journal: [ran("a")] });
  expect(await cut(early)).toEqual({ calls: [] });
});

it("a run that is cancelled while its body repeats the journal leaves its rollbacks to the next delivery", async () => {
  const body = async ({ step, signal }: Context): Promise<void> => {
    await Promise.race([untilAborted(signal), new Promise(() => {})]);
    await step.run("charge", nothing, { rollback: nothing });
  };
  const run = new Drive(body, { journal: [ran("charge")] });
  expect(await run.poll()).toMatchObject({ stalled: true });
  run.engine.cancelling();
  run.abort.abort(new Error("The run was cancelled."));
  expect(await run.poll()).toEqual({ calls: [] });
});

it("a body that threw before the cut fails its run", async () => {
  let fail = (_error: Error): void => {};
  const run = new Drive(async ({ step }) => {
    await step.run("a", nothing);
    await new Promise((_resolve, reject) => {
      fail = reject;
    });
  });
  await run.poll();
  expect(committed(await run.succeed("a"))).toEqual(["a"]);
  fail(new Error("boom"));
  await macrotask();
  // The commit of the step is under way.
  expect(await run.poll()).toEqual({ calls: [] });
  await cut(run);
  expect(failure(await run.commit())).toMatchObject({ message: "boom" });
});

it("a run fails at its deadline also after the cut", async () => {
  const run = new Drive(({ step }) => step.run("a", nothing), { deadline: T0 + 1_000 });
  await run.poll();
  await cut(run);
  expect(failure(await run.advance(1_000))).toMatchObject({ code: "DEADLINE_EXCEEDED" });
});
