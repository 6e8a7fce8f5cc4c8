import { describe, expect, it } from "vitest";
import { completion, Drive, failure, T0 } from "../simulation/drive.ts";

const UNTIL = new Date(T0 + 5_000);

describe("a sleep", () => {
  it("is journaled with its deadline when that has passed", async () => {
    const run = new Drive(({ step }) => step.sleep("nap", "5s"), {
      now: T0 + 5_003,
      continuation: { waits: [{ kind: "sleep", step: "nap", since: T0, until: T0 + 5_000 }] },
    });
    const turn = await run.poll();
    expect(turn.commit?.steps).toEqual([
      {
        name: "nap",
        kind: "sleep",
        output: JSON.stringify({ until: UNTIL.toISOString() }),
        attempts: 1,
        durationMs: 5_003,
      },
    ]);
    expect(completion(turn)).toBeUndefined();
  });

  it("keeps its first deadline when the code changes", async () => {
    const waits = [{ kind: "sleep", step: "nap", since: T0, until: T0 + 1_000 }] as const;
    const run = new Drive(({ step }) => step.sleep("nap", "7d"), { continuation: { waits } });
    expect((await run.poll()).commit?.transition).toMatchObject({
      resumeAt: T0 + 1_000,
      continuation: { waits },
    });
  });

  it("has a deadline in whole milliseconds, rounded up", async () => {
    const run = new Drive(({ step }) => step.sleep("nap", 1_000), { now: T0 + 0.75 });
    expect((await run.poll()).commit?.transition).toMatchObject({
      resumeAt: T0 + 1_001,
      continuation: { waits: [{ since: T0 + 1, until: T0 + 1_001 }] },
    });
  });

  it("takes no deadline over from a wait for an event of the same name", async () => {
    const run = new Drive(({ step }) => step.sleep("nap", 2_000), {
      continuation: { waits: [{ kind: "event", step: "nap", event: "nap", until: T0 + 9_000 }] },
    });
    expect((await run.poll()).commit?.transition).toMatchObject({ resumeAt: T0 + 2_000 });
  });

  it.each([[0], ["0s"], [-1], [-1e12]])(
    "of %s is over immediately, and journaled",
    async (duration) => {
      const run = new Drive(async ({ step }) => {
        await step.sleep("nap", duration);
        return "awake";
      });
      const turn = await run.poll();
      expect(turn.commit?.steps).toMatchObject([{ name: "nap", kind: "sleep", durationMs: 0 }]);
      expect(completion(turn)).toBe("awake");
    },
  );

  it.each([["soon"], [Number.NaN], [Number.NEGATIVE_INFINITY], ["-5m"], ["200y"], ["30"]])(
    "of %s is refused",
    async (duration) => {
      const run = new Drive(({ step }) => step.sleep("nap", duration));
      const error = failure(await run.poll());
      expect(error?.code).toBe("INVALID_ARGUMENT");
      expect(error?.message).toContain('for sleep "nap"');
    },
  );
});

describe("a sleep until a date", () => {
  it("has that date as its deadline", async () => {
    const run = new Drive(({ step }) => step.sleepUntil("trial", UNTIL));
    expect((await run.poll()).commit?.transition).toMatchObject({ resumeAt: UNTIL.getTime() });
  });

  it("that has passed is over immediately", async () => {
    const run = new Drive(({ step }) => step.sleepUntil("trial", new Date(0)));
    expect((await run.poll()).commit?.steps).toMatchObject([
      { output: '{"until":"1970-01-01T00:00:00.000Z"}' },
    ]);
  });

  it.each([[new Date(Number.NaN)], ["2026-01-01"]])("%s is refused", async (date) => {
    const run = new Drive(({ step }) => step.sleepUntil("trial", date as Date));
    expect(failure(await run.poll())?.message).toContain('for sleep "trial": give a valid Date');
  });
});
