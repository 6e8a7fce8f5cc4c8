import { describe, expect, it } from "vitest";
import { called, committed, completion, Drive, failure, ran, T0 } from "./simulation/drive.ts";

const nothing = (): unknown => undefined;
const DEADLINE = T0 + 1_000;

describe("the deadline of a run (R14)", () => {
  it("is a time to poll the engine, even if no step has a deadline", async () => {
    const run = new Drive(({ step }) => step.run("a", nothing), { deadline: DEADLINE });
    expect((await run.poll()).wakeAt).toBe(DEADLINE);
    const sleeper = new Drive(
      ({ step }) => Promise.all([step.run("a", nothing), step.sleep("nap", 5_000)]),
      { deadline: DEADLINE },
    );
    expect((await sleeper.poll()).wakeAt).toBe(DEADLINE);
  });

  it("fails the run and journals outcomes handed over before, while a callback is under way", async () => {
    const run = new Drive(
      ({ step }) => Promise.all([step.run("a", nothing), step.run("b", nothing)]),
      { deadline: DEADLINE },
    );
    await run.poll();
    expect(committed(await run.succeed("a"))).toEqual(["a"]);
    // The commit is outstanding: the next one waits for its answer.
    const turn = await run.advance(1_000);
    expect(turn).toEqual({ calls: [], isOverdue: true });
    const last = await run.commit();
    expect(last.isOverdue).toBe(true);
    expect(failure(last)).toMatchObject({ code: "DEADLINE_EXCEEDED" });
    await run.commit();
    expect(run.engine.state).toBe("ended");
  });

  it("begins no step, and takes no later outcome", async () => {
    const run = new Drive(
      async ({ step }) => {
        await step.run("a", nothing);
        await step.run("b", nothing);
      },
      { deadline: DEADLINE },
    );
    await run.poll();
    run.now = DEADLINE;
    const turn = await run.succeed("a");
    expect(called(turn)).toEqual([]);
    expect(committed(turn)).toEqual([]);
    expect(failure(turn)?.message).toContain(new Date(DEADLINE).toISOString());
  });

  it("rolls nothing back, and cuts a rollback short", async () => {
    const rollback = { rollback: nothing };
    const run = new Drive(
      async ({ step }) => {
        await step.run("a", nothing, rollback);
        throw new Error("no");
      },
      { deadline: DEADLINE, journal: [ran("a")] },
    );
    expect(called(await run.poll())).toEqual(["rollback:a"]);
    expect(failure(await run.advance(1_000))).toMatchObject({ code: "DEADLINE_EXCEEDED" });
  });

  it("does not apply to a body that has ended", async () => {
    const run = new Drive(() => "in time", { deadline: DEADLINE, now: DEADLINE - 1 });
    expect(completion(await run.poll())).toBe("in time");
    const late = new Drive(({ step }) => step.run("a", nothing), { deadline: DEADLINE });
    await late.poll();
    await late.succeed("a", 1);
    expect(late.engine.state).toBe("running");
  });
});
