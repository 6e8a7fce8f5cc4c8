import { describe, expect, it } from "vitest";
import type { Codec } from "../core/codec.ts";
import type { ContinueAsNew } from "../definition/continue-as-new.ts";
import { completion, Drive, failure, ran } from "./simulation/drive.ts";

const codec: Codec = {
  encode: (value) => ({ boxed: value }),
  decode: (data) => (data as { boxed: unknown }).boxed,
};

describe("a body that continues as new", () => {
  it("R17: makes one commit with its last steps and the next input, and gets nothing more", async () => {
    const drive = new Drive(async (ctx) => {
      await ctx.step.run("a", () => {});
      return ctx.continueAsNew({ from: 2 });
    });
    await drive.poll();
    const turn = await drive.succeed("a", 1);
    expect(turn.commit).toMatchObject({
      steps: [{ name: "a" }],
      transition: { kind: "continue", input: '{"from":2}' },
    });
    await drive.commit();
    expect(drive.engine.state).toBe("suspended");
    expect(await drive.poll()).toEqual({ calls: [] });
  });

  it("may begin with no input, and with another version", async () => {
    const none = await new Drive((ctx) => ctx.continueAsNew()).finish();
    expect(none).toEqual({ kind: "continue" });
    const newer = await new Drive((ctx) => ctx.continueAsNew(null, { version: 2 })).finish();
    expect(newer).toEqual({ kind: "continue", input: "null", version: 2 });
  });

  it("knows its generation and how many steps it has journaled, the same in a replay", async () => {
    const seen: number[][] = [];
    const body = async (ctx: Parameters<ConstructorParameters<typeof Drive>[0]>[0]) => {
      const lengths = [ctx.journalLength];
      for (const step of ["a", "b"]) {
        await ctx.step.run(step, () => {});
        lengths.push(ctx.journalLength);
      }
      seen.push(lengths);
      return ctx.generation;
    };
    await new Drive(body).finish();
    await new Drive(body, { journal: [ran("a"), ran("b")] }).finish();
    expect(seen).toEqual([
      [0, 1, 2],
      [0, 1, 2],
    ]);
    const second = new Drive(body, { journal: [ran("a"), ran("b")], generation: 2 });
    expect(completion(await second.poll())).toBe(2);
  });

  it("R17: fails a body that forgets to return the result, unless the body throws", async () => {
    const forgotten = new Drive((ctx) => {
      ctx.continueAsNew(1);
    });
    expect(failure(await forgotten.poll())).toMatchObject({
      name: "InvalidArgument",
      message: expect.stringContaining("return ctx.continueAsNew(input)") as string,
    });
    const thrown = new Drive((ctx) => {
      ctx.continueAsNew(1);
      throw new Error("after all");
    });
    expect(failure(await thrown.poll())).toMatchObject({ message: "after all" });
  });

  it("is refused inside a callback, with an invalid version, and with what JSON can't represent", async () => {
    const errors: string[] = [];
    const attempt = (make: () => ContinueAsNew): void => {
      try {
        make();
      } catch (error) {
        errors.push(`${(error as Error).name}: ${(error as Error).message}`);
      }
    };
    const drive = new Drive((ctx) => {
      attempt(() => ctx.continueAsNew(1, { version: 0 }));
      attempt(() => ctx.continueAsNew(1, { versoin: 2 } as never));
      attempt(() => ctx.continueAsNew(1n));
      return "done";
    });
    expect(completion(await drive.poll())).toBe("done");
    expect(errors).toEqual([
      expect.stringMatching(
        /^InvalidArgument: Invalid version 0 for the next generation of run 42/,
      ),
      expect.stringMatching(/^InvalidArgument: Unknown option "versoin".*version/),
      expect.stringMatching(/^SerializationError: .*next generation of workflow "driven"/),
    ]);
  });

  it("R3: fails if it has not asked for a step of its journal", async () => {
    const drive = new Drive((ctx) => ctx.continueAsNew(1), { journal: [ran("a")] });
    expect(failure(await drive.poll())).toMatchObject({ name: "NondeterminismError" });
  });

  it("gives up its rollbacks", async () => {
    const drive = new Drive(async (ctx) => {
      await ctx.step.run("a", () => {}, { rollback: () => {} });
      return ctx.continueAsNew(1);
    });
    expect(await drive.finish()).toMatchObject({ kind: "continue" });
    expect(drive.calls).toEqual(["a#1"]);
  });

  it("encodes the next input", async () => {
    const drive = new Drive((ctx) => ctx.continueAsNew(7), { codec, input: { boxed: 1 } });
    expect(await drive.finish()).toEqual({ kind: "continue", input: '{"boxed":7}' });
  });

  it.each([
    [undefined],
    [null],
    [7],
    [[8]],
    [{ page: 2 }],
    [{ page: 2, input: null }],
    [{ runId: "7", input: 3 }],
  ])(
    "may continue with %j in a failure handler, where the codec encodes all of it",
    async (given) => {
      const options = { codec, failureOf: "7" };
      const failed = { runId: "7", input: null };
      const first = new Drive((ctx) => ctx.continueAsNew(given), { ...options, input: failed });
      const end = await first.finish();
      expect(end).toEqual({
        kind: "continue",
        input: JSON.stringify({ "oxbow:encoded": { boxed: given } }),
      });
      const input: unknown = JSON.parse((end as { input: string }).input);
      const seen: unknown[] = [];
      await new Drive((_ctx, next) => void seen.push(next), { ...options, input }).poll();
      expect(seen).toEqual([given]);
    },
  );

  it("decodes the input of a failed run by a codec that marks what it encodes", async () => {
    const marking: Codec = {
      encode: (value) => ({ $encoded: value }),
      decode: (data) => (data as { readonly $encoded: unknown }).$encoded,
    };
    const input = { runId: "7", input: { $encoded: 3 } };
    const seen: unknown[] = [];
    const body = (_ctx: unknown, given: unknown): void => void seen.push(given);
    await new Drive(body, { codec: marking, failureOf: "7", input }).poll();
    expect(seen).toEqual([{ runId: "7", input: 3 }]);
  });
});
