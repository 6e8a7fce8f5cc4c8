import { describe, expect, it } from "vitest";
import type { Context } from "../definition/context.ts";
import { decide } from "./decisions.ts";
import { called, committed, completion, Drive, failure, ran } from "./simulation/drive.ts";

const nothing = (): unknown => undefined;

describe("a decision (R16)", () => {
  const body =
    (answer: () => unknown) =>
    async (ctx: Context): Promise<unknown> => {
      await ctx.step.run("a", nothing);
      const way = decide(ctx, "way", answer);
      await ctx.step.run(`b-${String(way)}`, nothing);
      return way;
    };

  it("goes with the commit of the outcome before it", async () => {
    const drive = new Drive(body(() => "left"));
    expect(called(await drive.poll())).toEqual(["a"]);
    const turn = await drive.succeed("a", 1);
    expect(turn.commit?.steps).toMatchObject([
      { name: "a" },
      { name: "way", kind: "run", output: '"left"', attempts: 1 },
    ]);
    expect(called(turn)).toEqual([]);
    drive.engine.committed([]);
    expect(called(await drive.poll())).toEqual(["b-left"]);
  });

  it("is taken from the journal, and not computed again", async () => {
    const journal = [ran("a", 1), ran("way", "left"), ran("b-left")];
    const drive = new Drive(
      body(() => expect.unreachable()),
      { journal },
    );
    expect(completion(await drive.poll())).toBe("left");
  });

  it("is computed where it was lost with its worker", async () => {
    const drive = new Drive(
      body(() => "right"),
      { journal: [ran("a", 1)] },
    );
    const turn = await drive.poll();
    expect(called(turn)).toEqual(["b-right"]);
    expect(committed(turn)).toBeUndefined();
    expect(committed(await drive.succeed("b-right"))).toEqual(["way", "b-right"]);
  });

  it("neither causes a commit at the beginning, nor holds a callback back", async () => {
    const drive = new Drive(async (ctx) => {
      const list = decide(ctx, "list", () => [1, undefined]);
      await ctx.step.run("a", nothing);
      return list;
    });
    const turn = await drive.poll();
    expect([called(turn), turn.commit]).toEqual([["a"], undefined]);
    const last = await drive.succeed("a");
    expect([committed(last), completion(last)]).toEqual([
      ["list", "a"],
      [1, null],
    ]);
  });

  it("goes with the commit that suspends the run", async () => {
    const drive = new Drive(async (ctx) => {
      decide(ctx, "way", () => "left");
      await ctx.step.sleep("nap", 1_000);
    });
    const { commit } = await drive.poll();
    expect([commit?.transition.kind, commit?.steps]).toMatchObject(["suspend", [{ name: "way" }]]);
  });

  it("shares no name with a step, and fails the run if it does", async () => {
    const drive = new Drive(async (ctx) => {
      decide(ctx, "a", () => 1);
      await ctx.step.run("a", nothing);
    });
    expect(failure(await drive.poll())).toMatchObject({ code: "DUPLICATE_STEP_NAME" });
  });

  it("that the code no longer makes fails the run", async () => {
    const drive = new Drive((ctx: Context) => ctx.step.run("a", nothing), {
      journal: [ran("a"), ran("way", 1)],
    });
    expect(failure(await drive.poll())).toMatchObject({ code: "NONDETERMINISM" });
  });
});
