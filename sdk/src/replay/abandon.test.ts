import { describe, expect, it } from "vitest";
import type { Context } from "../definition/context.ts";
import { defineWorkflow } from "../definition/define-workflow.ts";
import {
  called,
  committed,
  completion,
  Drive,
  failure,
  ran,
  T0,
  waited,
} from "./simulation/drive.ts";

const nothing = (): unknown => undefined;
const withSignal = (signal: AbortSignal): unknown => signal;
const abandoned = (name: string) => ({
  ...ran(name),
  error: { name: "StepAbandoned", code: "STEP_ABANDONED", message: `Step "${name}" of run 42 …` },
});

/** Abandons the step `x` when `a` has ended, and sleeps. */
const body =
  (ask: (ctx: Context) => Promise<unknown>, seen: unknown[] = []) =>
  async (ctx: Context): Promise<string> => {
    ask(ctx).then(
      (value) => seen.push(value),
      (error: unknown) => seen.push(error),
    );
    await ctx.step.run("a", nothing);
    ctx.step.abandon("x");
    await ctx.step.sleep("nap", 1_000);
    return "done";
  };

const run = ({ step }: Context): Promise<unknown> => step.run("x", withSignal);
const wait = ({ step }: Context): Promise<unknown> => step.waitForEvent("x", { timeout: "1d" });
const sleep = ({ step }: Context): Promise<unknown> => step.sleep("x", 500);
const child = defineWorkflow({ name: "child", run: () => 1 });
const invoke = ({ step }: Context): Promise<unknown> => step.invoke("x", child, {});

describe("an abandoned step (R15)", () => {
  it.each([
    ["run", run],
    ["wait", wait],
    ["sleep", sleep],
    ["invoke", invoke],
  ])("of kind %s is journaled with the outcome that led to it", async (kind, ask) => {
    const drive = new Drive(body(ask));
    await drive.poll();
    drive.engine.committed([]);
    const { commit } = await drive.succeed("a");
    expect(commit?.steps).toMatchObject([
      { name: "a" },
      {
        name: "x",
        kind,
        attempts: 1,
        error: {
          name: "StepAbandoned",
          code: "STEP_ABANDONED",
          message: 'Step "x" of run 42 was abandoned.',
        },
      },
    ]);
    expect(commit?.transition).toMatchObject({
      kind: "suspend",
      resumeAt: T0 + 1_000,
      continuation: { waits: [{ step: "nap" }], retries: [] },
    });
  });

  it("is aborted while its callback is under way, and doesn't keep the run from suspending", async () => {
    const drive = new Drive(body(run));
    await drive.poll();
    const turn = await drive.succeed("a");
    expect(turn.aborts).toEqual(["x"]);
    expect(turn.commit?.transition.kind).toBe("suspend");
    expect((await drive.commit()).aborts).toBeUndefined();
    expect(drive.engine.state).toBe("suspended");
  });

  it.each<[string, (...args: [AbortSignal]) => unknown, boolean]>([
    ["with a parameter", (signal) => signal, true],
    ["with a default", (signal = AbortSignal.abort()) => signal, true],
    ["for the rest", (...[signal]) => signal, true],
    [
      "that is no arrow function",
      function one() {
        return 1;
      },
      true,
    ],
    ["that is bound", withSignal.bind(undefined), true],
    ["without parameters", () => 1, false],
    ["without parameters, async", async () => {}, false],
    ["without parameters, around one with them", () => [1].map((n) => n), false],
  ])("has a signal of its own if its callback is one %s", async (_what, callback, takes) => {
    const drive = new Drive(body(({ step }) => step.run("x", callback)));
    const { calls } = await drive.poll();
    expect(calls.find(({ name }) => name === "x")?.takesSignal).toBe(takes);
  });

  it("changes nothing by a result that comes late", async () => {
    const seen: unknown[] = [];
    const drive = new Drive(body(run, seen));
    await drive.poll();
    await drive.succeed("a");
    drive.engine.stepSucceeded("x", "late", 1);
    drive.engine.stepFailed("x", new Error("late"), 1);
    expect(await drive.poll()).toEqual({ calls: [] });
    expect(seen).toEqual([]);
  });

  it("is handed no result that arrived before, but was not handed over", async () => {
    const seen: unknown[] = [];
    const drive = new Drive(body(run, seen));
    await drive.poll();
    drive.engine.stepSucceeded("a", 1, 1);
    drive.engine.stepSucceeded("x", 2, 1);
    expect(committed(await drive.poll())).toEqual(["a", "x"]);
    expect(seen).toEqual([]);
  });

  it("is retried no more", async () => {
    const drive = new Drive(body(run));
    await drive.poll();
    await drive.fail("x");
    await drive.commit();
    const { commit } = await drive.succeed("a");
    expect(commit).toMatchObject({
      steps: [{ name: "a" }, { name: "x", attempts: 1 }],
      transition: { continuation: { retries: [] }, resumeAt: T0 + 1_000 },
    });
  });

  it("that invoked a run cancels it, unless the run was not started yet", async () => {
    const started = new Drive(body(invoke));
    await started.poll();
    await started.commit();
    const { commit } = await started.succeed("a");
    expect(commit?.effects).toEqual([{ kind: "cancel", step: "x" }]);
    const unsent = new Drive(body(invoke), { journal: [ran("a")] });
    expect((await unsent.poll()).commit).not.toHaveProperty("effects");
  });

  it("that invoked a detached run leaves it alone", async () => {
    const drive = new Drive(body(({ step }) => step.invoke("x", child, {}, { detach: true })));
    await drive.poll();
    await drive.commit();
    expect((await drive.succeed("a")).commit).not.toHaveProperty("effects");
  });

  it("that waits for a topic takes its unsent subscription back", async () => {
    const drive = new Drive(
      body(({ step }) => step.waitForEvent("x", { topic: "a.b" })),
      { journal: [ran("a")] },
    );
    expect((await drive.poll()).commit).not.toHaveProperty("effects");
  });

  it("that would have signalled or published does nothing", async () => {
    const drive = new Drive(({ step }) => {
      void step.publish("p", "a.b", 1);
      void step.signal("s", "7", "go");
      step.abandon("p");
      step.abandon("s");
    });
    const { commit } = await drive.poll();
    expect(commit).not.toHaveProperty("effects");
    expect(commit?.steps).toMatchObject([{ name: "p" }, { name: "s" }]);
  });

  it("is not rolled back, even if its callback finishes while the run rolls back", async () => {
    const drive = new Drive(async ({ step }) => {
      void step.run("x", nothing, { rollback: nothing });
      await step.run("a", nothing, { rollback: nothing });
      step.abandon("x");
      throw new Error("no");
    });
    await drive.poll();
    expect(committed(await drive.succeed("a"))).toEqual(["a", "x"]);
    drive.engine.stepSucceeded("x", 1, 1);
    expect(called(await drive.commit())).toEqual(["rollback:a"]);
    expect(failure(await drive.succeed("rollback:a"))?.message).toBe("no");
  });

  it("of kind tx does not commit when its callback has returned", async () => {
    const drive = new Drive(body(({ step }) => step.tx("x", nothing)));
    await drive.poll();
    drive.engine.stepSucceeded("a", 1, 1);
    drive.engine.txReady("x", "late");
    const turn = await drive.poll();
    expect(turn.commitTx).toBeUndefined();
    expect(turn.aborts).toEqual(["x"]);
    expect(drive.engine.txReady("x", "later")).toBeUndefined();
    expect((await drive.commit()).commitTx).toBeUndefined();
  });
});

describe("a replay of an abandoned step (R15)", () => {
  it("begins it no more", async () => {
    for (const ask of [run, wait, sleep, invoke]) {
      const drive = new Drive(body(ask), { journal: [ran("a"), abandonedAs(ask)] });
      const turn = await drive.poll();
      expect(called(turn)).toEqual([]);
      expect(turn.commit).toMatchObject({
        steps: [],
        transition: { kind: "suspend", continuation: { waits: [{ step: "nap" }] } },
      });
      expect(turn.commit).not.toHaveProperty("effects");
    }
  });

  it("skips an outcome that the database had journaled before the run knew", async () => {
    const seen: unknown[] = [];
    const journal = [ran("a"), waited("x", "late")];
    const drive = new Drive(body(wait, seen), { journal });
    expect(committed(await drive.poll())).toEqual([]);
    expect(seen).toEqual([]);
  });

  it("skips one that the database journals in a commit under way", async () => {
    let wake = (): void => {};
    const drive = new Drive(async ({ step }) => {
      void step.waitForEvent("x");
      const work = step.run("a", nothing);
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
      step.abandon("x");
      return work;
    });
    await drive.poll();
    wake();
    await drive.poll();
    const turn = await drive.commit([{ step: "x", payload: 1 }]);
    expect(turn.commit?.steps).toEqual([]);
    await drive.commit();
    expect(completion(await drive.succeed("a", "done"))).toBe("done");
  });

  it("journals it after all if a crash has lost that", async () => {
    const drive = new Drive(body(run), { journal: [ran("a")] });
    expect(committed(await drive.poll())).toEqual(["x"]);
  });

  it("fails a body that no longer abandons it", async () => {
    const drive = new Drive(
      async ({ step }) => {
        void step.run("x", nothing);
        await step.run("a", nothing);
        await step.sleep("nap", 1_000);
      },
      { journal: [ran("a"), abandoned("x")] },
    );
    expect(await drive.poll()).toMatchObject({ stalled: true });
    drive.engine.diverged();
    expect(failure(await drive.poll())?.message).toContain(
      'its journal has step "x" (step.run) as abandoned, and the body does not abandon it',
    );
  });
});

describe("step.abandon", () => {
  it("leaves a step that has ended as it is", async () => {
    const drive = new Drive(async ({ step }) => {
      const a = await step.run("a", nothing);
      step.abandon("a");
      return a;
    });
    await drive.poll();
    const turn = await drive.succeed("a", 1);
    expect(committed(turn)).toEqual(["a"]);
    expect(completion(turn)).toBe(1);
  });

  it("rejects a step that the body has not asked for", async () => {
    const drive = new Drive(({ step }) => step.abandon("x"));
    expect(failure(await drive.poll())).toMatchObject({
      code: "INVALID_ARGUMENT",
      message: `Step "x" of run 42 can't be abandoned: the body has not asked for it.`,
    });
  });

  it("rejects in the callback of a step", async () => {
    const drive = new Drive(async ({ step }) => {
      void step.sleep("x", 1_000);
      await step.run("a", () => step.abandon("x"), { retry: { attempts: 1 } });
    });
    const turn = await drive.poll();
    expect(() => turn.calls[0]?.callback(drive.abort.signal)).toThrow("inside the callback");
  });
});

function abandonedAs(ask: unknown) {
  const kinds = new Map<unknown, "wait" | "sleep" | "invoke">([
    [wait, "wait"],
    [sleep, "sleep"],
    [invoke, "invoke"],
  ]);
  return { ...abandoned("x"), kind: kinds.get(ask) ?? "run" } as const;
}
