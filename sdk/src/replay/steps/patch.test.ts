import { describe, expect, it } from "vitest";
import type { Context } from "../../definition/context.ts";
import { completion, Drive, ran, slept, T0 } from "../simulation/drive.ts";

describe("ctx.patched", () => {
  const patched = async ({ step, patched: isPatched }: Context): Promise<unknown> => {
    await step.run("a", () => {});
    const isNew = await isPatched("fix");
    await step.sleep("nap", 1000);
    return isNew;
  };

  it("is true in a run that reaches it, and journaled", async () => {
    const run = new Drive(patched, { journal: [ran("a")] });
    const turn = await run.poll();
    expect(turn.commit?.steps).toMatchObject([{ name: "patched:fix", output: "true" }]);
  });

  it("stays true on a replay", async () => {
    const journal = [ran("a"), ran("patched:fix", true), slept("nap")];
    expect(completion(await new Drive(patched, { journal }).poll())).toBe(true);
  });

  it("is false in a run that passed it with the old code", async () => {
    const journal = [ran("a"), slept("nap")];
    expect(completion(await new Drive(patched, { journal }).poll())).toBe(false);
  });

  it("is false in a run that is blocked on a later step", async () => {
    const continuation = { waits: [{ kind: "sleep", step: "nap", until: T0 + 1000 }] } as const;
    const run = new Drive(patched, { journal: [ran("a")], continuation });
    expect((await run.poll()).commit?.steps).toEqual([]);
  });

  describe("in two places", () => {
    const twice = async (ctx: Context): Promise<unknown> => {
      const first = await ctx.patched("fix");
      await ctx.step.sleep("nap", 1000);
      const both = await Promise.all([ctx.patched("fix"), ctx.patched("fix")]);
      await ctx.step.sleep("rest", 1000);
      return [first, ...both];
    };

    it("is journaled once", async () => {
      const run = new Drive(twice);
      expect((await run.poll()).commit?.steps).toMatchObject([{ name: "patched:fix" }]);
      const journal = [ran("patched:fix", true), slept("nap"), slept("rest")];
      expect(completion(await new Drive(twice, { journal }).poll())).toEqual([true, true, true]);
    });

    it("is false in the second one, too, if the run passed the first one with the old code", async () => {
      const run = new Drive(twice, { journal: [slept("nap")] });
      expect((await run.poll()).commit).toMatchObject({
        steps: [],
        transition: { kind: "suspend" },
      });
      const journal = [slept("nap"), slept("rest")];
      expect(completion(await new Drive(twice, { journal }).poll())).toEqual([false, false, false]);
    });
  });
});
