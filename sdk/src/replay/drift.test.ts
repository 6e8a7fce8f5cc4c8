import { describe, expect, it } from "vitest";
import { completion, Drive, failure, macrotask, ran, slept, waited } from "./simulation/drive.ts";

const nothing = (): unknown => undefined;

describe("a body that departs from its journal fails with NondeterminismError", () => {
  it("naming both kinds, when a step has another kind", async () => {
    const run = new Drive(({ step }) => step.run("pause", nothing).catch(nothing), {
      journal: [slept("pause")],
    });
    const error = failure(await run.poll());
    expect(error?.code).toBe("NONDETERMINISM");
    expect(error?.message).toContain(
      'its journal has step "pause" as a step.sleep, and the body asks for it as a step.run',
    );
  });

  it("naming the step, when the body returns without it", async () => {
    const run = new Drive(() => "early", { journal: [ran("charge")] });
    expect(failure(await run.poll())?.message).toContain(
      'its journal has step "charge" (step.run), and the body returned without asking for it',
    );
  });

  it("naming the step, with what was thrown as its cause, when the body throws without it", async () => {
    const run = new Drive(
      () => {
        throw new TypeError("not a function");
      },
      { journal: [ran("charge")] },
    );
    const error = failure(await run.poll());
    expect(error?.message).toContain("threw without asking for it");
    expect(error?.cause).toMatchObject({ name: "TypeError", message: "not a function" });
  });

  it("naming the next step and the steps it asks for instead, when it stays stalled", async () => {
    const run = new Drive(
      ({ step }) => Promise.all([step.run("b", nothing), step.waitForEvent("c")]),
      { journal: [ran("a")] },
    );
    expect(await run.poll()).toEqual({ calls: [], stalled: true });
    run.engine.diverged();
    expect(failure(await run.poll())?.message).toContain(
      'its journal continues with step "a" (step.run), and the body asks for "b" (step.run), "c" (step.waitForEvent)',
    );
  });

  it("naming no step, when it asks for no step", async () => {
    const run = new Drive(() => new Promise(() => {}), { journal: [ran("a")] });
    await run.poll();
    run.engine.diverged();
    expect(failure(await run.poll())?.message).toContain("awaits something that is not a step");
  });

  it("listing no more than a few of many steps", async () => {
    const names = Array.from({ length: 100 }, (_, index) => `s${index}`);
    const run = new Drive(({ step }) => Promise.all(names.map((name) => step.run(name, nothing))), {
      journal: [ran("a")],
    });
    await run.poll();
    run.engine.diverged();
    expect(failure(await run.poll())?.message).toContain("and 95 more");
  });
});

it("a stalled body that continues after all has not diverged", async () => {
  let wake = (): void => {};
  const run = new Drive(
    async ({ step }) => {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
      return step.run("a", nothing);
    },
    { journal: [ran("a", "journaled")] },
  );
  expect((await run.poll()).stalled).toBe(true);
  wake();
  await macrotask();
  run.engine.diverged();
  expect(completion(await run.poll())).toBe("journaled");
});

it("an end that leaves journaled steps unread is valid if the body asked for them", async () => {
  const run = new Drive(
    ({ step }) => Promise.race([step.run("a", nothing), step.waitForEvent("b")]),
    {
      journal: [ran("a", 1), waited("b", 2)],
    },
  );
  expect(completion(await run.poll())).toBe(1);
});
