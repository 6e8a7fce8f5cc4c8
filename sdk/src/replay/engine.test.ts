import type { StandardSchemaV1 } from "@standard-schema/spec";
import { describe, expect, it } from "vitest";
import type { Context } from "../definition/context.ts";
import type { Turn } from "./effects.ts";
import {
  called,
  committed,
  completion,
  Drive,
  failure,
  macrotask,
  ran,
  slept,
  T0,
  waited,
} from "./simulation/drive.ts";

const never = (): Promise<never> => new Promise(() => {});
const nothing = (): unknown => undefined;

describe("suspension (R1)", () => {
  it("leaves a step without outcome pending, so that no catch or finally of the body runs", async () => {
    const seen: string[] = [];
    const run = new Drive(async ({ step }) => {
      try {
        await step.sleep("nap", "1h");
        seen.push("slept");
      } catch {
        seen.push("caught");
      } finally {
        seen.push("finally");
      }
    });
    expect((await run.poll()).commit?.transition.kind).toBe("suspend");
    await run.commit();
    expect(run.engine.state).toBe("suspended");
    expect(seen).toEqual([]);
  });

  it("makes no unhandled rejection of a step that fails after its race was decided", async () => {
    const run = new Drive(async ({ step }) => {
      const winner = await Promise.race([
        step.run("a", nothing, { retry: { attempts: 1 } }),
        step.run("b", () => "b"),
      ]);
      await step.run("c", nothing);
      return winner;
    });
    await run.poll();
    await run.succeed("b", "b");
    // Vitest fails the file on an unhandled rejection.
    await run.fail("a");
    await run.commit();
    await run.succeed("c");
    expect(completion(await run.commit())).toBe("b");
  });

  it("does not execute a step that the body does not await", async () => {
    const run = new Drive(({ step }) => {
      void step.run("not a name!\n", nothing);
      return "fine";
    });
    expect(completion(await run.poll())).toBe("fine");
  });

  it("is final: later steps of the body stay pending", async () => {
    let wake = (): void => {};
    const seen: string[] = [];
    const run = new Drive(async ({ step }) => {
      const foreign = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const late = async (): Promise<void> => {
        await foreign;
        seen.push("asks");
        await step.run("late", nothing);
        seen.push("continues");
      };
      await Promise.all([step.sleep("nap", "1h"), late()]);
    });
    await run.poll();
    expect(await run.commit()).toEqual({ calls: [] });
    wake();
    await macrotask();
    expect(await run.poll()).toEqual({ calls: [] });
    expect(seen).toEqual(["asks"]);
    expect(run.activities).toBe(0);
  });
});

describe("the order of outcomes (R2)", () => {
  const race = ({ step }: Context): Promise<unknown> =>
    Promise.race([
      // A long way from the step to the race, against a short one.
      step
        .run("far", () => "far")
        .then((value) => value)
        .then((value) => value)
        .then((value) => value),
      step.run("near", () => "near"),
    ]);

  it("decides a race by which step finished first, not by how its promise is chained", async () => {
    const run = new Drive(race);
    await run.poll();
    run.engine.stepSucceeded("far", "far", 1);
    run.engine.stepSucceeded("near", "near", 1);
    const turn = await run.poll();
    expect(completion(turn)).toBe("far");
    expect(committed(turn)).toEqual(["far"]);
  });

  it.each([["far"], ["near"]])("decides it the same way on a replay: %s", async (winner) => {
    const loser = winner === "far" ? "near" : "far";
    const run = new Drive(race, { journal: [ran(winner, winner), ran(loser, loser)] });
    expect(completion(await run.poll())).toBe(winner);
  });

  it("takes results before deadlines that have passed", async () => {
    const run = new Drive(({ step }) =>
      Promise.race([step.sleep("limit", 10).then(() => "late"), step.run("work", () => "done")]),
    );
    await run.poll();
    await run.commit();
    run.now += 20;
    expect(completion(await run.succeed("work", "done"))).toBe("done");
  });

  it("lets the earlier of two deadlines pass first, and the one that was set first if they are equal", async () => {
    const order: string[] = [];
    const run = new Drive(async ({ step }) => {
      const sleep = async (name: string, ms: number): Promise<void> => {
        await step.sleep(name, ms);
        order.push(name);
      };
      await Promise.all([
        sleep("c", 30),
        sleep("a", 10),
        sleep("b-1", 20),
        sleep("b-2", 20),
        step.run("x", never),
      ]);
    });
    await run.poll();
    await run.advance(100);
    expect(order).toEqual(["a", "b-1", "b-2", "c"]);
  });
});

describe("replay (R3)", () => {
  it("gives journaled outcomes without calling a callback, or committing anything", async () => {
    const run = new Drive(
      async ({ step }) => [
        await step.run("a", nothing),
        await step.sleep("b", "1h").then(() => "slept"),
        await step.waitForEvent("c"),
        await step.run("d", nothing),
      ],
      { journal: [ran("a", 1), slept("b"), waited("c", { n: 2 })] },
    );
    const turn = await run.poll();
    expect(called(turn)).toEqual(["d"]);
    expect(turn.commit).toBeUndefined();
    expect(completion(await run.succeed("d", 3))).toEqual([1, "slept", { n: 2 }, 3]);
  });

  it("holds new callbacks back while journal entries are left", async () => {
    let wake = (): void => {};
    const run = new Drive(
      async ({ step }) => {
        const fresh = step.run("new", nothing);
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        await step.run("old", nothing);
        await fresh;
      },
      { journal: [ran("old")] },
    );
    expect(await run.poll()).toEqual({ calls: [], stalled: true });
    wake();
    await macrotask();
    expect(called(await run.poll())).toEqual(["new"]);
  });

  it("replays 10,000 steps in parallel as in sequence", async () => {
    const names = Array.from({ length: 10_000 }, (_, index) => `step-${index}`);
    const journal = names.map((name) => ran(name, name));
    const parallel = new Drive(
      ({ step }) => Promise.all(names.map((name) => step.run(name, nothing))),
      { journal },
    );
    const sequence = new Drive(
      async ({ step }) => {
        const outputs: unknown[] = [];
        for (const name of names) outputs.push(await step.run(name, nothing));
        return outputs;
      },
      { journal },
    );
    expect(completion(await parallel.poll())).toEqual(names);
    expect(completion(await sequence.poll())).toEqual(names);
  });
});

describe("the journaled form (R4)", () => {
  const valueOf = async (value?: unknown): Promise<unknown> => {
    let seen: unknown;
    const run = new Drive(async ({ step }) => {
      seen = await step.run("a", () => value);
    });
    await run.poll();
    await run.succeed("a", value);
    return seen;
  };

  it("is what the body sees in the first run already", async () => {
    expect(await valueOf({ at: new Date(T0), gone: undefined })).toEqual({
      at: "2026-01-01T00:00:00.000Z",
    });
    expect(await valueOf()).toBeUndefined();
    expect(await valueOf(null)).toBeNull();
  });

  it("shares nothing with what the callback returned", async () => {
    const returned = { list: [1] };
    const seen = await valueOf(returned);
    returned.list.push(2);
    expect(seen).toEqual({ list: [1] });
  });

  it("has the keys of objects in the order of the database", async () => {
    expect(Object.keys((await valueOf({ bb: 1, a: 2, aa: 3 })) as object)).toEqual([
      "a",
      "aa",
      "bb",
    ]);
  });

  it("goes through the codec, both ways", async () => {
    const codec = {
      encode: (value: unknown) => ({ hidden: String(value) }),
      decode: (data: unknown) => `seen ${(data as { hidden: string }).hidden}`,
    };
    const body = async (ctx: Context, input: unknown): Promise<unknown> => [
      input,
      await ctx.step.run("a", () => "value"),
    ];
    const first = new Drive(body, { codec, input: { hidden: "input" } });
    await first.poll();
    const turn = await first.succeed("a", "value");
    const end = { kind: "complete", output: JSON.stringify({ hidden: "seen input,seen value" }) };
    expect(turn.commit?.steps[0]?.output).toBe('{"hidden":"value"}');
    expect(turn.commit?.transition).toEqual(end);
    const replay = new Drive(body, {
      codec,
      input: { hidden: "input" },
      journal: [ran("a", { hidden: "value" })],
    });
    expect((await replay.poll()).commit?.transition).toEqual(end);
  });

  it("that can't be decoded rejects the poll, and never reaches the body", async () => {
    const codec = {
      encode: (value: unknown) => value,
      decode: () => {
        throw new Error("no key");
      },
    };
    const run = new Drive(() => "unreachable", { codec });
    await expect(run.poll()).rejects.toThrow("no key");
  });
});

describe("records and commits (R5)", () => {
  it("calls a callback that was asked for after a subscription when that is durable", async () => {
    const run = new Drive(({ step }) =>
      Promise.all([
        step.run("before", nothing),
        step.waitForEvent("plain"),
        step.run("between", nothing),
        step.waitForEvent("answer", { topic: "answers" }),
        step.run("ask", nothing),
      ]),
    );
    const turn = await run.poll();
    expect([called(turn), turn.commit?.effects]).toMatchObject([
      ["before", "between"],
      [{ kind: "subscribe", step: "answer" }],
    ]);
    expect(called(await run.commit())).toEqual(["ask"]);
  });

  it("a step's record and the sleep that follows it", async () => {
    const run = new Drive(async ({ step }) => {
      await step.run("a", nothing);
      await step.sleep("nap", 1_000);
    });
    await run.poll();
    const { commit } = await run.succeed("a", 1);
    expect(commit).toEqual({
      steps: [{ name: "a", kind: "run", output: "1", attempts: 1, durationMs: 5 }],
      transition: {
        kind: "suspend",
        resumeAt: T0 + 1_000,
        continuation: {
          retries: [],
          // It begins with this commit, by the database's clock.
          waits: [{ kind: "sleep", step: "nap", asked: T0, until: T0 + 1_000 }],
        },
      },
    });
  });

  it("a step's record and the end of the run", async () => {
    const returned = new Drive(({ step }) => step.run("a", nothing));
    await returned.poll();
    const turn = await returned.succeed("a", 1);
    expect(committed(turn)).toEqual(["a"]);
    expect(completion(turn)).toBe(1);

    const threw = new Drive(async ({ step }) => {
      await step.run("a", nothing);
      throw new TypeError("wrong");
    });
    await threw.poll();
    const last = await threw.succeed("a", 1);
    expect(committed(last)).toEqual(["a"]);
    expect(failure(last)).toMatchObject({ name: "TypeError", message: "wrong" });
  });

  it("a step's record, before the next callback is called", async () => {
    const run = new Drive(async ({ step }) => {
      await step.run("a", nothing);
      await step.run("b", nothing);
    });
    await run.poll();
    const turn = await run.succeed("a");
    expect(turn.calls).toEqual([]);
    expect(turn.commit).toMatchObject({ steps: [{ name: "a" }], transition: { kind: "keep" } });
    expect(await run.poll()).toEqual({ calls: [] });
    expect(called(await run.commit())).toEqual(["b"]);
  });

  it("parallel steps start immediately, and each is committed as soon as it is done", async () => {
    const run = new Drive(({ step }) =>
      Promise.all(["a", "b", "c"].map((name) => step.run(name, nothing))),
    );
    expect(called(await run.poll())).toEqual(["a", "b", "c"]);
    expect(committed(await run.succeed("b"))).toEqual(["b"]);
    expect((await run.succeed("a")).commit).toBeUndefined();
    expect(committed(await run.commit())).toEqual(["a"]);
  });

  it("a step waits for no record that came after it was asked for", async () => {
    const run = new Drive(({ step }) =>
      Promise.all([
        step.run("a", nothing).then(() => step.run("after-a", nothing)),
        step.run("b", nothing).then(() => step.run("after-b", nothing)),
      ]),
    );
    await run.poll();
    await run.succeed("a");
    await run.succeed("b");
    expect(called(await run.commit())).toEqual(["after-a"]);
    expect(called(await run.commit())).toEqual(["after-b"]);
  });
});

describe("commits (R6)", () => {
  it("are made one at a time; records that come while one is under way go with the next", async () => {
    const run = new Drive(({ step }) =>
      Promise.all(["a", "b", "c", "d"].map((name) => step.run(name, nothing))),
    );
    await run.poll();
    await run.succeed("a");
    expect((await run.succeed("b")).commit).toBeUndefined();
    expect((await run.succeed("c")).commit).toBeUndefined();
    expect(committed(await run.commit())).toEqual(["b", "c"]);
  });

  it("that carry event waits hold back steps that finish, so that a resolved wait comes first", async () => {
    const run = new Drive(({ step }) =>
      Promise.race([step.run("work", nothing), step.waitForEvent("go")]),
    );
    await run.poll();
    expect((await run.succeed("work", "worked")).commit).toBeUndefined();
    expect(completion(await run.commit([{ step: "go", payload: "event" }]))).toBe("event");
  });

  it("that carry event waits and resolve no wait let finished steps through", async () => {
    const run = new Drive(({ step }) =>
      Promise.race([step.run("work", nothing), step.waitForEvent("go")]),
    );
    await run.poll();
    await run.succeed("work", "worked");
    expect(completion(await run.commit())).toBe("worked");
  });

  it("of the end wait for the one that is outstanding", async () => {
    const run = new Drive(async ({ step }) => {
      await Promise.all([step.run("a", nothing), step.run("b", nothing)]);
    });
    await run.poll();
    await run.succeed("a");
    expect(await run.succeed("b")).toEqual({ calls: [] });
    const turn = await run.commit();
    expect(committed(turn)).toEqual(["b"]);
    expect(completion(turn)).toBeUndefined();
    expect(run.engine.state).toBe("running");
    await run.commit();
    expect(run.engine.state).toBe("ended");
  });
});

describe("suspending (R7)", () => {
  it("waits until every branch is blocked, and then for the earliest deadline", async () => {
    const run = new Drive(({ step }) =>
      Promise.all([step.sleep("long", 5_000), step.sleep("short", 2_000), step.run("a", nothing)]),
    );
    const first = await run.poll();
    expect(called(first)).toEqual(["a"]);
    expect(first.commit?.transition.kind).toBe("keep");
    expect(first.wakeAt).toBe(T0 + 2_000);
    await run.commit();
    const { commit, wakeAt } = await run.succeed("a");
    expect(commit?.transition).toMatchObject({ kind: "suspend", resumeAt: T0 + 2_000 });
    expect(wakeAt).toBeUndefined();
  });

  it("keeps short sleeps in memory while another branch runs", async () => {
    const run = new Drive(({ step }) =>
      Promise.all([
        step.run("long", nothing),
        step.sleep("nap", 10).then(() => step.run("next", nothing)),
      ]),
    );
    await run.poll();
    await run.commit();
    const turn = await run.advance(10);
    expect(turn.commit).toMatchObject({
      steps: [{ name: "nap", kind: "sleep" }],
      transition: { kind: "keep", continuation: { waits: [] } },
    });
    expect(called(await run.commit())).toEqual(["next"]);
  });

  it("has no time to resume at when only an event can wake the run", async () => {
    const run = new Drive(({ step }) => step.waitForEvent("go"));
    expect((await run.poll()).commit?.transition).not.toHaveProperty("resumeAt");
  });

  it("continues in memory when the commit resolved a wait", async () => {
    const run = new Drive(async ({ step }) => {
      await step.waitForEvent("go");
      return step.run("after", nothing);
    });
    await run.poll();
    expect(called(await run.commit([{ step: "go" }]))).toEqual(["after"]);
    expect(run.engine.state).toBe("running");
  });

  it("calls nothing that the body asks for while it is being suspended", async () => {
    let wake = (): void => {};
    const run = new Drive(async ({ step }) => {
      const foreign = new Promise<void>((resolve) => {
        wake = resolve;
      });
      await Promise.all([step.sleep("nap", 1_000), foreign.then(() => step.run("late", nothing))]);
    });
    expect((await run.poll()).commit?.transition.kind).toBe("suspend");
    wake();
    await Promise.resolve();
    expect(await run.poll()).toEqual({ calls: [] });
  });
});

describe("waits and retries (R8)", () => {
  it("are committed immediately when new, even while a branch runs", async () => {
    const run = new Drive(({ step }) =>
      Promise.all([
        step.run("long", nothing),
        step.run("flaky", nothing),
        step.sleep("nap", 60_000),
        step.waitForEvent("go", { timeout: 90_000 }),
      ]),
    );
    const waits = [
      { kind: "sleep", step: "nap", since: T0, until: T0 + 60_000 },
      { kind: "event", step: "go", event: "go", since: T0, until: T0 + 90_000 },
    ];
    const first = await run.poll();
    expect(first.commit?.transition).toEqual({
      kind: "keep",
      continuation: { waits, retries: [] },
    });
    await run.commit();
    const { commit, wakeAt } = await run.fail("flaky");
    expect(commit?.transition).toMatchObject({
      kind: "keep",
      continuation: { waits, retries: [{ step: "flaky", attempts: 1, until: T0 + 1_000 }] },
    });
    expect(wakeAt).toBe(T0 + 1_000);
  });

  it("are not written again while nothing changes", async () => {
    const run = new Drive(({ step }) =>
      Promise.all([step.sleep("nap", 60_000), step.run("a", nothing), step.run("b", nothing)]),
    );
    await run.poll();
    await run.commit();
    expect((await run.succeed("a")).commit?.transition).toEqual({ kind: "keep" });
  });

  it("are kept unchanged by a later delivery", async () => {
    const continuation = {
      waits: [
        { kind: "sleep", step: "nap", since: T0 - 5_000, until: T0 + 1_000 },
        { kind: "event", step: "go", event: "go", since: T0 - 5_000, until: T0 + 9_000 },
      ] as const,
      retries: [
        { step: "flaky", attempts: 2, until: T0 + 500, error: { name: "Error", message: "boom" } },
      ],
    };
    const run = new Drive(
      ({ step }) =>
        Promise.all([
          step.sleep("nap", 60_000),
          step.waitForEvent("go", { timeout: "1d" }),
          step.run("flaky", nothing),
        ]),
      { continuation },
    );
    expect((await run.poll()).commit).toEqual({
      steps: [],
      transition: { kind: "suspend", continuation, resumeAt: T0 + 500 },
    });
  });

  it("call no step again before its last failure is durable, however short the backoff", async () => {
    const run = new Drive(({ step }) =>
      step.run("a", nothing, { retry: { backoff: { kind: "fixed", base: 0 } } }),
    );
    await run.poll();
    const turn = await run.fail("a");
    expect(turn.calls).toEqual([]);
    expect(turn.commit?.transition).toMatchObject({
      kind: "keep",
      continuation: { retries: [{ attempts: 1 }] },
    });
    await run.commit();
    expect(run.calls).toEqual(["a#1", "a#2"]);
  });
});

describe("event waits (R9)", () => {
  it("are submitted to the database, which decides, when their deadline has passed", async () => {
    const run = new Drive(({ step }) => step.waitForEvent("go", { timeout: 1_000 }), {
      now: T0 + 1_000,
      continuation: {
        waits: [{ kind: "event", step: "go", event: "go", since: T0, until: T0 + 1_000 }],
      },
    });
    expect((await run.poll()).commit?.transition).toMatchObject({
      kind: "suspend",
      continuation: { waits: [{ step: "go", expired: true }] },
    });
    expect(completion(await run.commit([{ step: "go" }]))).toBeNull();
  });

  it("are submitted together when their deadlines have passed, up to that of another step", async () => {
    const run = new Drive(({ step }) =>
      Promise.all([
        step.waitForEvent("c", { timeout: 4_000 }),
        step.waitForEvent("a", { timeout: 2_000 }),
        step.waitForEvent("b", { timeout: 1_000 }),
        step.sleep("nap", 3_000),
        step.run("long", never),
      ]),
    );
    await run.poll();
    await run.commit();
    const expired = (turn: Turn): unknown => {
      const transition = turn.commit?.transition;
      if (transition === undefined || !("continuation" in transition)) return undefined;
      return transition.continuation.waits.flatMap((wait) =>
        "expired" in wait ? [wait.step] : [],
      );
    };
    expect(expired(await run.advance(5_000))).toEqual(["a", "b"]);
    const turn = await run.commit([{ step: "b" }, { step: "a" }]);
    expect([committed(turn), expired(turn)]).toEqual([["nap"], ["c"]]);
  });

  it("hold later deadlines back until the database has decided", async () => {
    const run = new Drive(({ step }) =>
      Promise.race([
        step.waitForEvent("go", { timeout: 1_000 }).then((payload) => payload ?? "timeout"),
        step.sleep("later", 2_000).then(() => "later"),
        step.run("long", never),
      ]),
    );
    await run.poll();
    await run.commit();
    const turn = await run.advance(5_000);
    expect(turn.commit).toMatchObject({
      steps: [],
      transition: { continuation: { waits: [{ expired: true }, {}] } },
    });
    expect(turn.wakeAt).toBeUndefined();
    expect(completion(await run.commit([{ step: "go" }]))).toBe("timeout");
  });

  it("are offered again when a signal has arrived for one of them", async () => {
    const run = new Drive(({ step }) =>
      Promise.all([step.waitForEvent("go"), step.run("long", nothing)]),
    );
    await run.poll();
    expect((await run.commit()).commit).toBeUndefined();
    run.engine.signalled();
    const { commit } = await run.poll();
    expect(commit?.transition).toMatchObject({
      kind: "keep",
      continuation: { waits: [{ step: "go" }] },
    });
  });

  it("are offered by the delivery after a crash, because the lost worker may have been notified", async () => {
    const waits = [{ kind: "event", step: "go", event: "go", since: T0 }] as const;
    const body = ({ step }: Context): unknown =>
      Promise.all([step.waitForEvent("go"), step.run("long", nothing)]);
    const crashed = new Drive(body, { attempt: 2, continuation: { waits } });
    expect((await crashed.poll()).commit?.transition).toMatchObject({
      kind: "keep",
      continuation: { waits },
    });
    const orderly = new Drive(body, { attempt: 1, continuation: { waits } });
    expect((await orderly.poll()).commit).toBeUndefined();
  });
});

describe("the end (R10)", () => {
  it("comes with the return of the body, even if callbacks are under way", async () => {
    const run = new Drive(({ step }) =>
      Promise.race([step.run("a", nothing), step.run("b", nothing)]),
    );
    await run.poll();
    const turn = await run.succeed("b", "b");
    expect(completion(turn)).toBe("b");
    run.engine.stepSucceeded("a", "late", 1);
    run.engine.stepFailed("b", new Error("late"), 1);
    expect(await run.poll()).toEqual({ calls: [] });
    await run.commit();
    expect(run.engine.state).toBe("ended");
  });

  it("ignores answers to callbacks that were never called", async () => {
    const run = new Drive(({ step }) => step.sleep("nap", 1_000));
    await run.poll();
    run.engine.stepSucceeded("nap", 1, 1);
    run.engine.stepFailed("unknown", new Error("?"), 1);
    expect(await run.commit()).toEqual({ calls: [] });
  });

  it("is a failure when the output can't be journaled", async () => {
    const run = new Drive(() => ({ big: 1n }));
    expect(failure(await run.poll())).toMatchObject({
      name: "SerializationError",
      code: "SERIALIZATION_FAILED",
      message:
        'Cannot journal the output of workflow "driven": $.big is a BigInt: convert it to a string',
    });
  });

  it("records what was thrown, even if it is no error", async () => {
    const thrown = new Drive(() => {
      // oxlint-disable-next-line typescript/only-throw-error, no-throw-literal -- users do that
      throw "just text";
    });
    expect(failure(await thrown.poll())).toEqual({ name: "NonError", message: "just text" });
  });

  it("comes from a step name that is used twice, even if the body catches it", async () => {
    const run = new Drive(async ({ step }) => {
      await step.run("a", nothing);
      await step.sleep("a", 10).catch(nothing);
      return "hidden";
    });
    await run.poll();
    const turn = await run.succeed("a");
    expect(committed(turn)).toEqual(["a"]);
    expect(failure(turn)).toMatchObject({ code: "DUPLICATE_STEP_NAME" });
    expect(failure(turn)?.message).toContain("step.run(`a-${item.id}`, …)");
  });

  it("comes from a bad step name, unless the body catches it", async () => {
    const fails = new Drive(({ step }) => step.run("no tab\t", nothing));
    expect(failure(await fails.poll())).toMatchObject({ code: "INVALID_NAME" });
    const catches = new Drive(({ step }) => step.run("", nothing).catch(() => "caught"));
    expect(completion(await catches.poll())).toBe("caught");
  });
});

describe("a body that awaits more than steps", () => {
  it("gets an empty turn, and reports when it continues", async () => {
    let wake = (): void => {};
    const run = new Drive(async ({ step }) => {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
      return step.run("a", nothing);
    });
    expect(await run.poll()).toEqual({ calls: [] });
    expect(run.activities).toBe(0);
    wake();
    await macrotask();
    expect(run.activities).toBe(1);
    expect(called(await run.poll())).toEqual(["a"]);
  });

  it("is waited for until it is quiet again", async () => {
    let wake = (): void => {};
    const run = new Drive(async ({ step }) => {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
      const nap = step.sleep("nap", 1_000);
      await Promise.resolve();
      await Promise.all([nap, step.run("a", nothing)]);
    });
    await run.poll();
    wake();
    await Promise.resolve();
    expect(run.activities).toBe(1);
    const turn = await run.poll();
    expect(called(turn)).toEqual(["a"]);
    expect(turn.commit?.transition.kind).toBe("keep");
  });
});

describe("a schema that validates asynchronously", () => {
  const validates = (validated: Promise<unknown>): StandardSchemaV1<unknown, never> => ({
    "~standard": {
      version: 1,
      vendor: "test",
      validate: () => validated.then((value) => ({ value: value as never })),
    },
  });
  const race = async ({ step }: Context): Promise<unknown> =>
    Promise.race([step.waitForEvent("go"), step.sleep("late", 1_000), step.run("work", nothing)]);

  it("holds the event's race open until it has validated, however much else happens", async () => {
    let validate = (): void => {};
    const validated = new Promise<string>((resolve) => {
      validate = () => resolve("validated");
    });
    const run = new Drive(race, { workflow: { events: { go: validates(validated) } } });
    await run.poll();
    expect(await run.commit([{ step: "go", payload: 1 }])).toEqual({ calls: [] });
    expect(await run.succeed("work")).toEqual({ calls: [] });
    expect(await run.advance(2_000)).toEqual({ calls: [] });
    const before = run.activities;
    validate();
    await macrotask();
    expect(run.activities).toBeGreaterThan(before);
    expect(completion(await run.poll())).toBe("validated");
  });

  it("holds a replay up, which is not stalled, until the deadline of the run", async () => {
    const run = new Drive(race, {
      journal: [ran("work")],
      deadline: T0 + 5_000,
      workflow: { input: validates(never()) },
    });
    expect(await run.poll()).toEqual({ calls: [], wakeAt: T0 + 5_000 });
    expect(failure(await run.advance(5_000))).toMatchObject({ code: "DEADLINE_EXCEEDED" });
  });
});

it("poll refuses to be called before it has resolved", async () => {
  const run = new Drive(never);
  const first = run.engine.poll(macrotask);
  await expect(run.engine.poll(macrotask)).rejects.toThrow("again");
  await first;
});
