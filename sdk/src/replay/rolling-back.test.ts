import { describe, expect, it } from "vitest";
import type { Context } from "../definition/context.ts";
import type { Continuation } from "../protocol/continuation.ts";
import { called, committed, Drive, failure, ran, T0 } from "./simulation/drive.ts";

const saga =
  (seen: unknown[] = []) =>
  async ({ step }: Context): Promise<void> => {
    for (const name of ["a", "b"])
      await step.run(name, () => name, {
        rollback: (value, { runId, step: of }) => void seen.push([value, runId, of]),
        retry: { attempts: 2, backoff: { kind: "fixed", base: 1000, jitter: 0 } },
      });
    await step.run("c", () => {}, { retry: { attempts: 1 } });
  };

const undone = (step: string) => ({ ...ran(`rollback:${step}`), kind: "rollback" as const });
const failed = (name: string) => ({
  ...ran(name),
  error: { name: "Error", message: "boom" },
});

describe("rollback (R12)", () => {
  it("undoes the completed steps of a run that fails, the last first, and then fails it", async () => {
    const run = new Drive(saga(), { journal: [ran("a", "a"), ran("b", "b")] });
    expect(called(await run.poll())).toEqual(["c"]);
    const turn = await run.fail("c");
    expect(committed(turn)).toEqual(["c"]);
    expect(called(turn)).toEqual([]);
    expect(called(await run.commit())).toEqual(["rollback:b"]);
    expect(committed(await run.succeed("rollback:b", "ignored"))).toEqual(["rollback:b"]);
    expect(called(await run.commit())).toEqual(["rollback:a"]);
    const last = await run.succeed("rollback:a");
    expect(committed(last)).toEqual(["rollback:a"]);
    expect(last.commit?.steps[0]).toMatchObject({ kind: "rollback" });
    expect(failure(last)).toMatchObject({ code: "STEP_FAILED" });
    await run.commit();
    expect(run.engine.state).toBe("ended");
  });

  it("gives a rollback the journaled value", async () => {
    const seen: unknown[] = [];
    const run = new Drive(saga(seen), { journal: [ran("a", "A"), ran("b", "B"), failed("c")] });
    const turn = await run.poll();
    await turn.calls[0]?.callback(run.abort.signal);
    expect(seen).toEqual([["B", "42", "b"]]);
  });

  it("resumes after a crash", async () => {
    const journal = [ran("a", "a"), ran("b", "b"), failed("c"), undone("b")];
    const run = new Drive(saga(), { journal });
    expect(called(await run.poll())).toEqual(["rollback:a"]);
  });

  it("ends immediately when everything is rolled back already", async () => {
    const journal = [ran("a", "a"), ran("b", "b"), failed("c"), undone("b"), undone("a")];
    const turn = await new Drive(saga(), { journal }).poll();
    expect(failure(turn)).toMatchObject({ code: "STEP_FAILED" });
  });

  it("suspends the run while a rollback backs off", async () => {
    const journal = [ran("a", "a"), failed("b")];
    const run = new Drive(saga(), { journal });
    expect(called(await run.poll())).toEqual(["rollback:a"]);
    const turn = await run.fail("rollback:a");
    expect(turn.commit?.transition).toMatchObject({
      kind: "suspend",
      resumeAt: T0 + 1000,
      continuation: { waits: [], retries: [{ step: "rollback:a", attempts: 1 }] },
    });
    await run.commit();
    const { transition } = turn.commit ?? {};
    const continuation = transition?.kind === "suspend" ? transition.continuation : {};
    const again = new Drive(saga(), { journal, continuation, now: T0 + 1000 });
    await again.poll();
    expect(again.calls).toEqual(["rollback:a#2"]);
  });

  it("continues with the other steps when a rollback fails for good, and reports both errors", async () => {
    const journal = [
      ran("a", "a"),
      ran("b", "b"),
      failed("c"),
      { ...undone("b"), error: { name: "Error", message: "no undo" } },
    ];
    const run = new Drive(saga(), { journal });
    expect(called(await run.poll())).toEqual(["rollback:a"]);
    const error = failure(await run.succeed("rollback:a"));
    expect(error).toMatchObject({ code: "ROLLBACK_FAILED", cause: { code: "STEP_FAILED" } });
    expect(error?.message).toContain('"b"');
    expect(error?.message).toContain("no undo");
  });

  it("waits for callbacks under way, and undoes their steps too", async () => {
    const run = new Drive(({ step }) =>
      Promise.all([
        step.run("slow", () => "slow", { rollback: () => {} }),
        step.run("quick", () => {}, { retry: { attempts: 1 } }),
      ]),
    );
    await run.poll();
    await run.fail("quick");
    expect(called(await run.commit())).toEqual([]);
    expect(run.engine.state).toBe("running");
    expect(committed(await run.succeed("slow", "slow"))).toEqual(["slow"]);
    expect(called(await run.commit())).toEqual(["rollback:slow"]);
  });

  it("undoes a transaction that was under way and commits", async () => {
    const run = new Drive(({ step }) =>
      Promise.all([
        // JavaScript may give it, though the types leave it out.
        step.tx("slow", () => "slow", { rollback: () => {} } as never),
        step.run("quick", () => {}, { retry: { attempts: 1 } }),
      ]),
    );
    await run.poll();
    await run.fail("quick");
    await run.commit();
    expect(run.engine.txReady("slow", "slow")).toBe('"slow"');
    expect((await run.poll()).commitTx).toBe("slow");
    run.engine.txCommitted("slow", '"slow"');
    expect(called(await run.poll())).toEqual(["rollback:slow"]);
  });

  it("retries no step that fails after the body has ended", async () => {
    const run = new Drive(({ step }) =>
      Promise.all([
        step.run("slow", () => "slow", { rollback: () => {} }),
        step.run("quick", () => {}, { retry: { attempts: 1 } }),
      ]),
    );
    await run.poll();
    await run.fail("quick");
    await run.commit();
    expect(failure(await run.fail("slow"))).toMatchObject({ code: "STEP_FAILED" });
  });

  it("rolls nothing back for a body that has changed", async () => {
    const run = new Drive(
      async ({ step }) => {
        await step.run("a", () => {}, { rollback: () => {} });
      },
      { journal: [ran("a", "a"), ran("gone")] },
    );
    expect(failure(await run.poll())).toMatchObject({ code: "NONDETERMINISM" });
  });

  it("fails a body that no longer throws although its journal has rollbacks", async () => {
    const run = new Drive(
      async ({ step }) => {
        await step.run("a", () => {}, { rollback: () => {} });
        await step.sleep("more", "1h");
      },
      { journal: [ran("a", "a"), undone("a")] },
    );
    expect(await run.poll()).toMatchObject({ stalled: true });
    run.engine.diverged();
    expect(failure(await run.poll())).toMatchObject({ code: "NONDETERMINISM" });
  });

  it("rolls nothing back when the body returns", async () => {
    const run = new Drive(({ step }) => step.run("a", () => 1, { rollback: () => {} }), {
      journal: [ran("a", 1)],
    });
    expect((await run.poll()).commit?.transition.kind).toBe("complete");
  });
});

describe("rollback after a rejection that nothing awaited", () => {
  const journal = [ran("a", "a"), ran("b", "b")];

  /** The continuation of a run that strayed during step "c". */
  async function strayed(): Promise<Partial<Continuation>> {
    const run = new Drive(saga(), { journal });
    await run.poll();
    expect(run.engine.strayed(new Error("lost"))).toBe(true);
    const turn = await run.succeed("c");
    expect(committed(turn)).toEqual(["c"]);
    expect(called(turn)).toEqual([]);
    expect(called(await run.commit())).toEqual(["rollback:b"]);
    const transition = turn.commit?.transition;
    if (transition?.kind !== "keep") throw new Error("The error goes with no commit.");
    return transition.continuation ?? {};
  }

  it("resumes after a crash, and fails the run by the same error", async () => {
    const run = new Drive(saga(), {
      journal: [...journal, ran("c"), undone("b")],
      continuation: await strayed(),
    });
    expect(called(await run.poll())).toEqual(["rollback:a"]);
    expect(run.engine.strayed(new Error("lost again"))).toBe(true);
    expect(failure(await run.succeed("rollback:a"))).toMatchObject({ message: "lost" });
  });

  it("keeps the error while it backs off", async () => {
    const run = new Drive(saga(), {
      journal: [...journal, ran("c")],
      continuation: await strayed(),
    });
    await run.poll();
    expect((await run.fail("rollback:b")).commit?.transition).toMatchObject({
      kind: "suspend",
      continuation: { failure: { message: "lost" }, retries: [{ step: "rollback:b" }] },
    });
  });
});

describe("cancellation with rollback", () => {
  const continuation = { cancelled: { reason: "enough" } };

  it("calls nothing of the body, rolls back, and ends the run cancelled", async () => {
    const run = new Drive(saga(), { journal: [ran("a", "a")], continuation });
    expect(called(await run.poll())).toEqual(["rollback:a"]);
    const turn = await run.succeed("rollback:a");
    expect(turn.commit?.transition).toEqual({
      kind: "cancel",
      error: { name: "RunCancelled", code: "RUN_CANCELLED", message: "enough" },
    });
    await run.commit();
    expect(run.engine.state).toBe("ended");
  });

  it("immediately ends a run without anything to roll back, also one that sleeps", async () => {
    const run = new Drive(({ step }) => step.sleep("nap", "1h"), { continuation });
    expect((await run.poll()).commit?.transition.kind).toBe("cancel");
  });

  it("rolls back a run whose body would return", async () => {
    const run = new Drive(({ step }) => step.run("a", () => 1, { rollback: () => {} }), {
      journal: [ran("a", 1)],
      continuation,
    });
    expect(called(await run.poll())).toEqual(["rollback:a"]);
  });

  it("that comes during a callback journals its outcome, and gives it to no body", async () => {
    const run = new Drive(async ({ step }) => {
      await step.run("a", () => "a", { rollback: () => {} });
      await step.publish("announce", "orders.shipped", {});
    });
    await run.poll();
    run.engine.cancelling();
    expect((await run.succeed("a", "a")).commit).toMatchObject({ steps: [{ name: "a" }] });
    expect(called(await run.commit())).toEqual(["rollback:a"]);
  });
});
