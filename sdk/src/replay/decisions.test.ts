import { describe, expect, it } from "vitest";
import type { Context } from "../definition/context.ts";
import type { JournalEntry } from "../protocol/journal.ts";
import { decide } from "./decisions.ts";
import {
  called,
  committed,
  completion,
  deciding,
  Drive,
  failure,
  macrotask,
  ran,
  waited,
} from "./simulation/drive.ts";

const nothing = (): unknown => undefined;

const row = (name: string): JournalEntry => ({ name, kind: "decision", attempts: 1 });

describe("a decision (R16)", () => {
  const body =
    (answer: () => unknown) =>
    async (ctx: Context): Promise<unknown> => {
      await ctx.step.run("a", nothing);
      const way = decide(ctx, "way", answer);
      await ctx.step.run(`b-${String(way)}`, nothing);
      return way;
    };

  it("goes with the record of the outcome that led to it", async () => {
    const drive = new Drive(body(() => "left"));
    expect(called(await drive.poll())).toEqual(["a"]);
    const turn = await drive.succeed("a", 1);
    expect(turn.commit?.steps).toMatchObject([
      { name: "a", decisions: '[{"name":"way","output":"left"}]' },
    ]);
    expect(called(turn)).toEqual([]);
    drive.engine.committed([]);
    expect(called(await drive.poll())).toEqual(["b-left"]);
  });

  it("goes with the record of the outcome that led to it, where a commit has several", async () => {
    const drive = new Drive(async (ctx) => {
      const branch = async (name: string): Promise<void> => {
        await ctx.step.run(name, nothing);
        decide(ctx, `after ${name}`, () => name);
      };
      decide(ctx, "first", nothing);
      await Promise.all([branch("a"), branch("b")]);
    });
    await drive.poll();
    drive.engine.stepSucceeded("a", undefined, 5);
    const turn = await drive.succeed("b");
    expect(turn.commit?.steps).toMatchObject([
      {
        name: "a",
        decisions: '[{"name":"first","before":true},{"name":"after a","output":"a"}]',
      },
      { name: "b", decisions: '[{"name":"after b","output":"b"}]' },
    ]);
  });

  it("is taken from the journal, and not computed again", async () => {
    const carrier = deciding(row("way"), { way: "left" });
    const journals = [
      [deciding(ran("a", 1), { way: "left" }), ran("b-left")],
      [ran("a", 1), deciding(ran("b-left"), { way: "left" }, true)],
      [ran("a", 1), carrier, ran("b-left")],
    ];
    for (const journal of journals) {
      const drive = new Drive(
        body(() => expect.unreachable()),
        { journal },
      );
      expect(completion(await drive.poll())).toBe("left");
    }
  });

  it("is computed where it was lost with its worker, and goes with the next record", async () => {
    const drive = new Drive(
      body(() => "right"),
      { journal: [ran("a", 1)] },
    );
    const turn = await drive.poll();
    expect(called(turn)).toEqual(["b-right"]);
    expect(turn.commit).toBeUndefined();
    expect((await drive.succeed("b-right")).commit?.steps).toMatchObject([
      { name: "b-right", decisions: '[{"name":"way","output":"right","before":true}]' },
    ]);
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
    expect([committed(last), completion(last)]).toEqual([["a"], [1, null]]);
  });

  it("has a separate record in a commit without another: when the run is suspended, or ends", async () => {
    const sleeper = new Drive(async (ctx) => {
      decide(ctx, "way", () => "left");
      decide(ctx, "speed", () => 2);
      await ctx.step.sleep("nap", 1_000);
    });
    const own = {
      name: "way",
      kind: "decision",
      decisions: '[{"name":"way","output":"left"},{"name":"speed","output":2}]',
    };
    const { commit } = await sleeper.poll();
    expect([commit?.transition.kind, commit?.steps]).toMatchObject(["suspend", [own]]);

    const ended = await new Drive((ctx: Context) =>
      Promise.resolve(decide(ctx, "way", () => "left")),
    ).poll();
    expect([completion(ended), committed(ended)]).toEqual(["left", ["way"]]);
  });

  it("goes with the transaction of the next step, and with a later commit if that rolls back", async () => {
    const drive = new Drive(async (ctx) => {
      decide(ctx, "way", () => "left");
      await ctx.step.tx("book", nothing);
    });
    await drive.poll();
    for (const isLast of [false, true]) {
      drive.engine.txReady("book", 1);
      expect((await drive.poll()).commitTx).toBe("book");
      expect(drive.engine.txDecisions).toBe('[{"name":"way","output":"left","before":true}]');
      if (isLast) drive.engine.txCommitted("book", "1");
      else drive.engine.txPutOff();
    }
    expect(drive.engine.txDecisions).toBeUndefined();
    expect(committed(await drive.poll())).toEqual([]);
  });

  it("stays with its outcome where the database has journaled an abandoned step since then", async () => {
    const drive = new Drive(async (ctx) => {
      void ctx.step.waitForEvent("hold");
      await ctx.step.run("a", nothing);
      ctx.step.abandon("hold");
      await ctx.step.run("b", nothing);
      decide(ctx, "way", () => "left");
      await ctx.step.sleep("nap", 1_000);
    });
    await drive.poll();
    drive.engine.committed([]);
    await drive.succeed("a");
    drive.engine.committed([{ step: "hold", payload: 1 }]);
    await drive.poll();
    const { commit } = await drive.succeed("b");
    expect(commit?.steps).toMatchObject([
      { name: "b", decisions: '[{"name":"way","output":"left"}]' },
    ]);
  });

  it("shares no name with a step, and fails the run if it does", async () => {
    const drive = new Drive(async (ctx) => {
      decide(ctx, "a", () => 1);
      await ctx.step.run("a", nothing);
    });
    expect(failure(await drive.poll())).toMatchObject({ code: "DUPLICATE_STEP_NAME" });
  });

  it("that the code makes as a step, or a step as a decision, fails the run", async () => {
    const decided = [deciding(ran("b"), { a: 1 }, true)];
    const asStep = new Drive((ctx: Context) => ctx.step.run("a", nothing), { journal: decided });
    expect(failure(await asStep.poll())).toMatchObject({ code: "NONDETERMINISM" });
    const asDecision = new Drive((ctx: Context) => Promise.resolve(decide(ctx, "a", nothing)), {
      journal: [ran("a")],
    });
    expect(failure(await asDecision.poll())).toMatchObject({ code: "NONDETERMINISM" });
  });

  it.each([
    ["after the last outcome", [deciding(ran("a"), { way: 1 })]],
    ["before an outcome", [deciding(ran("a"), { way: 1 }, true), ran("b")]],
    ["in a separate row", [ran("a"), deciding(row("way"), { way: 1 })]],
  ])("that the code no longer makes fails the run: %s", async (_where, journal) => {
    const drive = new Drive(
      async ({ step }: Context) => {
        await step.run("a", nothing);
        if (journal.length > 1) await step.run("b", nothing);
      },
      { journal },
    );
    const turn = await drive.poll();
    if (turn.stalled === true) drive.engine.diverged();
    expect(failure(turn.stalled === true ? await drive.poll() : turn)).toMatchObject({
      code: "NONDETERMINISM",
      message: expect.stringContaining('"way" (a decision)') as string,
    });
  });

  it("comes before the next outcome also in a replay: a body that is late with it is given time", async () => {
    const drive = new Drive(
      async (ctx) => {
        await ctx.step.run("a", nothing);
        await macrotask();
        const way = decide(ctx, "way", nothing);
        const event = await ctx.step.waitForEvent("event");
        return [way, event];
      },
      { journal: [deciding(ran("a"), { way: "left" }), waited("event", 1)] },
    );
    expect(await drive.poll()).toMatchObject({ stalled: true });
    await macrotask();
    expect(completion(await drive.poll())).toEqual(["left", 1]);
  });
});
