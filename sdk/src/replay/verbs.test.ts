import { describe, expect, it } from "vitest";
import type { Context } from "../definition/context.ts";
import { called, completion, Drive, failure, ran, slept, T0 } from "./simulation/drive.ts";

describe("a step inside the callback of another", () => {
  it("is refused at once, by both names", async () => {
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
});

describe("step.map", () => {
  it("calls so many at a time, and gives the values in order", async () => {
    const run = new Drive(({ step }) =>
      step.map("m", ["a", "b", "c"], (item) => item, { concurrency: 2 }),
    );
    expect(called(await run.poll())).toEqual(["m-0", "m-1"]);
    await run.succeed("m-1", "B");
    expect(called(await run.commit())).toEqual(["m-2"]);
    await run.succeed("m-2", "C");
    await run.succeed("m-0", "A");
    expect(completion(await run.commit())).toEqual(["A", "B", "C"]);
  });

  it("begins no more once one has failed", async () => {
    const run = new Drive(({ step }) =>
      step.map("m", [1, 2, 3], (n) => n, { concurrency: 1, retry: { attempts: 1 } }),
    );
    await run.poll();
    expect(failure(await run.fail("m-0"))).toMatchObject({ code: "STEP_FAILED" });
  });

  it.each([
    [{ concurrency: 0 }, /Invalid concurrency 0 of step "m"/],
    [{ concurrency: 1.5 }, /Invalid concurrency 1.5/],
  ])("refuses %j", async (options, message) => {
    const run = new Drive(({ step }) => step.map("m", [1], (n) => n, options));
    expect(failure(await run.poll())?.message).toMatch(message);
  });
});

describe("ctx.patched", () => {
  const patched = async ({ step, patched: isPatched }: Context): Promise<unknown> => {
    await step.run("a", () => {});
    const isNew = await isPatched("fix");
    await step.sleep("nap", 1000);
    return isNew;
  };

  it("is true in a run that gets there, and journaled", async () => {
    const run = new Drive(patched, { journal: [ran("a")] });
    const turn = await run.poll();
    expect(turn.commit?.steps).toMatchObject([{ name: "patched:fix", output: "true" }]);
  });

  it("stays so on a replay", async () => {
    const journal = [ran("a"), ran("patched:fix", true), slept("nap")];
    expect(completion(await new Drive(patched, { journal }).poll())).toBe(true);
  });

  it("is false in a run that went on from there with the old code", async () => {
    const journal = [ran("a"), slept("nap")];
    expect(completion(await new Drive(patched, { journal }).poll())).toBe(false);
  });

  it("is false in one that is still blocked on what comes after", async () => {
    const continuation = { waits: [{ kind: "sleep", step: "nap", until: T0 + 1000 }] } as const;
    const run = new Drive(patched, { journal: [ran("a")], continuation });
    expect((await run.poll()).commit?.steps).toEqual([]);
  });
});
