import { describe, expect, it } from "vitest";
import { NonRetriableError } from "../core/retry-errors.ts";
import type { Context } from "../definition/context.ts";
import { decide } from "./decisions.ts";
import { called, committed, deciding, Drive, failure, ran, T0 } from "./simulation/drive.ts";

const once = { retry: { attempts: 1 } };
const workflow = {
  runRetry: { attempts: 3, backoff: { kind: "fixed", base: 60_000, jitter: 0 } },
} as const;

const order = async ({ step }: Context): Promise<void> => {
  await step.run("reserve", () => "r", { rollback: () => {} });
  await step.run("charge", () => {}, once);
};

describe("a run whose workflow retries runs (R13)", () => {
  it("gets another attempt after its back-off, and rolls nothing back", async () => {
    const run = new Drive(order, { workflow, journal: [ran("reserve", "r")] });
    expect(called(await run.poll())).toEqual(["charge"]);
    const turn = await run.fail("charge");
    expect([committed(turn), called(turn)]).toEqual([["charge"], []]);
    expect(turn.commit?.transition).toMatchObject({
      kind: "retry",
      resumeAt: T0 + 60_000,
      error: { code: "STEP_FAILED" },
    });
    await run.commit();
    expect(run.engine.state).toBe("suspended");
  });

  it("rolls back and fails with its last attempt", async () => {
    const run = new Drive(order, { workflow, retried: 2, journal: [ran("reserve", "r")] });
    await run.poll();
    await run.fail("charge");
    expect(called(await run.commit())).toEqual(["rollback:reserve"]);
    expect(failure(await run.succeed("rollback:reserve"))).toMatchObject({ code: "STEP_FAILED" });
  });

  it("continues rollbacks that a crash interrupted", async () => {
    const journal = [
      ran("reserve", "r"),
      { ...ran("charge"), error: { name: "Error", message: "boom" } },
      { ...ran("rollback:reserve"), kind: "rollback" as const },
    ];
    const turn = await new Drive(order, { workflow, journal }).poll();
    expect(failure(turn)).toMatchObject({ code: "STEP_FAILED" });
  });

  it("continues them also where a decision, or a step that the body did not wait for, was journaled before", async () => {
    const body = async (ctx: Context): Promise<void> => {
      await ctx.step.run("reserve", () => "r", { rollback: () => {} });
      void ctx.step.run("slow", () => {});
      decide(ctx, "way", () => "left");
      throw new Error("boom");
    };
    const undone = { ...ran("rollback:reserve"), kind: "rollback" as const };
    const decided = deciding(ran("reserve", "r"), { way: "left" });
    for (const slow of [[], [ran("slow")]]) {
      const journal = [decided, ...slow, undone];
      const turn = await new Drive(body, { workflow, journal }).poll();
      expect(failure(turn)).toMatchObject({ message: "boom" });
    }
  });

  it("fails immediately for a NonRetriableError, of a step or of the body", async () => {
    const inStep = new Drive(({ step }) => step.run("charge", () => {}), { workflow });
    await inStep.poll();
    expect(failure(await inStep.fail("charge", new NonRetriableError("no")))).toMatchObject({
      code: "STEP_FAILED",
    });
    const inBody = new Drive(() => Promise.reject(new NonRetriableError("no")), { workflow });
    expect(failure(await inBody.poll())).toMatchObject({ code: "NON_RETRIABLE" });
  });

  it("fails immediately when its body departs from its journal", async () => {
    const run = new Drive(({ step }) => step.run("other", () => {}), {
      workflow,
      journal: [ran("reserve", "r")],
    });
    expect(await run.poll()).toMatchObject({ stalled: true });
    run.engine.diverged();
    expect(failure(await run.poll())).toMatchObject({ code: "NONDETERMINISM" });
  });

  it("waits for callbacks under way, and keeps their results", async () => {
    const run = new Drive(
      ({ step }) =>
        Promise.all([step.run("slow", () => "slow"), step.run("quick", () => {}, once)]),
      { workflow },
    );
    await run.poll();
    await run.fail("quick");
    const waiting = await run.commit();
    expect([waiting.commit, called(waiting)]).toEqual([undefined, []]);
    const turn = await run.succeed("slow", "slow");
    expect(committed(turn)).toEqual(["slow"]);
    expect(turn.commit?.transition.kind).toBe("retry");
  });
});
