import { describe, expect, it } from "vitest";
import { called, completion, Drive, failure, macrotask } from "./simulation/drive.ts";

describe("step.map", () => {
  it("has a limited number of items in progress, and returns the values in order", async () => {
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

  it("begins no further item once one has failed", async () => {
    const run = new Drive(({ step }) =>
      step.map("m", [1, 2, 3], (n) => n, { concurrency: 1, retry: { attempts: 1 } }),
    );
    await run.poll();
    expect(failure(await run.fail("m-0"))).toMatchObject({ code: "STEP_FAILED" });
  });

  it("may fail before the body awaits it", async () => {
    const stray: unknown[] = [];
    const note = (error: unknown): void => void stray.push(error);
    process.on("unhandledRejection", note);
    const run = new Drive(async ({ step }) => {
      const mapped = step.map("m", [1], (n) => n, { retry: { attempts: 1 } });
      await step.run("other", () => {});
      return mapped.catch(() => "caught");
    });
    await run.poll();
    await run.fail("m-0");
    await macrotask();
    process.off("unhandledRejection", note);
    expect(stray).toEqual([]);
    await run.commit();
    expect(completion(await run.succeed("other"))).toBe("caught");
  });

  it.each([
    [{ concurrency: 0 }, /Invalid concurrency 0 of step "m"/],
    [{ concurrency: 1.5 }, /Invalid concurrency 1.5/],
  ])("refuses %j", async (options, message) => {
    const run = new Drive(({ step }) => step.map("m", [1], (n) => n, options));
    expect(failure(await run.poll())?.message).toMatch(message);
  });
});
