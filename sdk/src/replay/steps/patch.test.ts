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
});
