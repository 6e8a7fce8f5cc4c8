import { describe, expect, it } from "vitest";
import { NondeterminismError } from "../core/errors.ts";
import { Body } from "./body.ts";
import { Journal } from "./journal.ts";
import { Drive, macrotask, ran } from "./simulation/drive.ts";
import { StepPromise } from "./step-promise.ts";
import type { AskedStep } from "./steps/asked-step.ts";

const asked = (name: string): AskedStep<string> => ({
  name,
  kind: "run",
  promise: new StepPromise((resolve) => resolve(name)),
  hasEnded: false,
  begin() {},
  end() {},
  abandon: () => ({ attempts: 1, since: 0 }),
});

const makeBody = (journal = new Journal([])): Body =>
  new Body({ runId: "42", journal, onActivity: () => {} });

describe("a step", () => {
  it("is open until it gets its outcome", () => {
    const body = makeBody();
    void body.ask("a", () => asked("a"));
    expect(body.hasOpenSteps).toBe(true);
    expect(body.openSteps.map(({ name }) => name)).toEqual(["a"]);
    body.close();
    expect(body.hasOpenSteps).toBe(false);
  });

  it("with a name that is in use rejects, and faults the body", async () => {
    const body = makeBody();
    await body.ask("a", () => asked("a"));
    await expect(body.ask("a", () => asked("a"))).rejects.toThrow('"a"');
    expect(body.fault?.code).toBe("DUPLICATE_STEP_NAME");
    expect(body.isOver).toBe(true);
  });

  it("of a body that is over stays pending", async () => {
    const body = makeBody();
    body.start(() => Promise.resolve("done"));
    await macrotask();
    const outcome = await Promise.race([body.ask("a", () => asked("a")), macrotask()]);
    expect(outcome).toBeUndefined();
    expect(body.step("a")).toBeUndefined();
  });
});

describe("a body that has ended without a journaled step", () => {
  it("has a fault, whether it returned or threw", async () => {
    for (const run of [() => Promise.resolve(1), () => Promise.reject(new Error("boom"))]) {
      const body = makeBody(new Journal([ran("a")]));
      body.start(run);
      await macrotask();
      expect(body.fault).toBeInstanceOf(NondeterminismError);
    }
  });

  it("ends nothing once it is dropped", async () => {
    const body = makeBody();
    body.start(() => Promise.resolve(1));
    body.drop();
    await macrotask();
    expect([body.isOver, body.ending]).toEqual([false, undefined]);
  });
});

it("a step inside the callback of another is rejected immediately, with both names", async () => {
  const run = new Drive(({ step }) =>
    step.run("outer", async () => {
      await Promise.resolve();
      await step.run("inner", () => {});
    }),
  );
  const turn = await run.poll();
  await expect(turn.calls[0]?.callback(run.abort.signal)).rejects.toThrow(
    /Step "inner" of run 42 is called inside the callback of step "outer"/,
  );
});
