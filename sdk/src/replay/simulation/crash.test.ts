import { describe, expect, it } from "vitest";
import { StepFailed } from "../../core/errors.ts";
import { type Scenario, simulate } from "./simulation.ts";
import { summary } from "./summary.ts";

const NO_RETRY = { attempts: 1 };
const QUICK = { attempts: 4, backoff: { kind: "fixed", base: 100, jitter: 0 } } as const;
const SLOW = {
  attempts: 9,
  backoff: { kind: "fixed", base: 90_000_000, jitter: 0, max: "90d" },
} as const;
const AT_ONCE = { attempts: 4, backoff: { kind: "fixed", base: 0 } } as const;

/** Bodies whose outcome doesn't depend on time. */
const CORPUS: Record<string, Scenario> = {
  sequence: {
    body: async (s) => [
      await s.run("a", { value: 1 }),
      await s.run("b", { value: { deep: [2] } }),
      await s.run("c"),
    ],
  },
  branch: {
    body: async (s) => {
      const a = await s.run("a", { value: 3 });
      return a === 3 ? s.run("three", { value: "yes" }) : s.run("other");
    },
  },
  loop: {
    body: async (s) => {
      let sum = 0;
      for (let i = 0; i < 5; i += 1) {
        sum += Number(await s.run(`add-${i}`, { value: i }));
        await s.sleep(`pause-${i}`, 1_000);
      }
      return sum;
    },
  },
  parallel: {
    body: (s) =>
      Promise.all([
        s.run("slow", { value: 1, ms: 50 }),
        s.run("quick", { value: 2, ms: 1 }),
        s.run("same-1", { value: 3, ms: 7 }),
        s.run("same-2", { value: 4, ms: 7 }),
      ]),
  },
  "parallel branches of several steps": {
    body: (s) =>
      Promise.all(
        ["x", "y", "z"].map(async (branch, index) => {
          await s.run(`${branch}-1`, { ms: 3 + index });
          await s.sleep(`${branch}-pause`, 5 * index);
          return s.run(`${branch}-2`, { value: branch, ms: 5 - index });
        }),
      ),
  },
  "nested parallel with sleeps": {
    body: (s) =>
      Promise.all([
        s.sleep("long", 5_000),
        (async () => {
          await Promise.all([s.run("a", { ms: 20 }), s.sleep("short", 10), s.sleep("none", 0)]);
          await Promise.all([s.sleep("middle", 2_000), s.run("b", { ms: 20, failures: 1 })]);
          return "done";
        })(),
      ]),
  },
  "caught failure": {
    body: async (s) => {
      try {
        await s.run("a", { failures: 9, retry: NO_RETRY });
      } catch (error) {
        return [
          error instanceof StepFailed,
          String(error),
          await s.run("compensate", { value: 1 }),
        ];
      }
      return "unreachable";
    },
  },
  "uncaught failure": {
    body: async (s) => {
      await s.run("a");
      await s.run("b", { failures: 9, retry: QUICK });
    },
  },
  "retry with backoff": {
    body: async (s) => {
      await s.run("a", { failures: 3, retry: QUICK });
      return s.run("b", { failures: 1, value: "b" });
    },
  },
  "retry immediately": { body: (s) => s.run("a", { failures: 3, retry: AT_ONCE, value: 1 }) },
  "retry next to a branch that runs": {
    body: (s) =>
      Promise.all([
        s.run("a", { failures: 2, retry: QUICK, value: 1 }),
        s.run("long", { ms: 1_000, value: 2 }),
      ]),
  },
  sleep: {
    body: async (s) => {
      await s.sleep("first", 60_000);
      await s.run("a");
      await s.sleep("second", 1);
      return "up";
    },
  },
  wait: {
    body: async (s) => [await s.run("a"), await s.wait("w", "go"), await s.run("b")],
    signals: [{ atMs: 500_000, event: "go", payload: { n: 1 } }],
  },
  "wait for what came early": {
    body: async (s) => [
      await s.run("a", { ms: 100 }),
      await s.wait("w", "go"),
      await s.wait("v", "go"),
    ],
    signals: [
      { atMs: 1, event: "go", payload: 1 },
      { atMs: 2, event: "go", payload: undefined },
    ],
  },
  "wait that times out": {
    body: async (s) => [await s.run("a"), await s.wait("w", "never", 5_000), await s.run("b")],
  },
  "wait next to a branch that runs": {
    body: (s) =>
      Promise.all([
        s.wait("w", "go"),
        (async () => {
          for (let i = 0; i < 4; i += 1) await s.run(`work-${i}`, { ms: 40 });
          return "worked";
        })(),
      ]),
    signals: [{ atMs: 55, event: "go", payload: "now" }],
  },
  "timeout next to a branch that runs": {
    body: (s) =>
      Promise.all([s.wait("w", "never", 50), s.run("long", { ms: 200 }), s.sleep("z", 60)]),
  },
  "many waits": {
    body: (s) => Promise.all([s.wait("w1", "go"), s.wait("w2", "go"), s.wait("w3", "stop")]),
    signals: [
      { atMs: 200_000, event: "stop", payload: 0 },
      { atMs: 400_000, event: "go", payload: 1 },
      { atMs: 600_000, event: "go", payload: 2 },
    ],
  },
  "abandoned wait, which leaves the signal to the next wait": {
    body: async (s) => {
      void s.wait("w", "go");
      await s.run("a");
      s.abandon("w");
      return s.wait("v", "go");
    },
    signals: [{ atMs: 500_000, event: "go", payload: 1 }],
  },
  "abandoned sleep, wait with timeout and callback": {
    body: async (s) => {
      void s.sleep("long", 50_000_000);
      void s.wait("w", "never", 40_000_000);
      void s.run("endless", { ms: 60_000_000 });
      const a = await s.run("a", { value: 1 });
      for (const name of ["long", "w", "endless", "a"]) s.abandon(name);
      await s.sleep("short", 1_000);
      return [a, await s.run("b", { value: 2 })];
    },
  },
  "abandoned retry": {
    body: async (s) => {
      void s.run("flaky", { ms: 1, failures: 9, retry: SLOW });
      await s.run("a", { ms: 50 });
      s.abandon("flaky");
      await s.sleep("nap", 1_000);
      return "done";
    },
  },
  "error of the body": {
    body: async (s) => {
      await s.run("a");
      throw new TypeError("the body's own");
    },
  },
};

/** Bodies whose outcome may depend on time, until it is journaled. */
const RACES: Record<string, Scenario> = {
  "race of steps": {
    body: async (s) => {
      const winner = await Promise.race([
        s.run("a", { ms: 10, value: "a" }),
        s.run("b", { ms: 10, value: "b" }),
        s.run("c", { ms: 11, value: "c" }),
      ]);
      return [winner, await s.run(`after-${String(winner)}`)];
    },
  },
  "race of a step and a sleep": {
    body: async (s) => {
      const winner = await Promise.race([
        s.run("work", { ms: 100, value: "worked" }),
        s.sleep("limit", 100),
      ]);
      return [winner ?? "late", await s.run("after", { value: 1 })];
    },
  },
  // The event is journaled by a commit that is under way when the step finishes.
  "race of a step and an event": {
    body: async (s) => {
      const winner = await Promise.race([
        s.run("work", { ms: 106, value: "worked" }),
        s.wait("w", "go", 150),
      ]);
      await s.run(`after-${String(winner)}`, { ms: 30 });
      return winner;
    },
    signals: [{ atMs: 99, event: "go", payload: "signal" }],
    requestMs: 5,
    answerMs: 5,
  },
  "any of branches, whose losers are abandoned": {
    body: async (s) => {
      const branch = async (name: string, ms: number): Promise<string> => {
        await s.run(`${name}-1`, { ms });
        await s.wait(`${name}-wait`, "go", 200_000);
        await s.run(`${name}-2`, { ms: 60 - ms });
        return name;
      };
      const names = ["x", "y", "z"];
      const winner = await Promise.race(names.map((name, index) => branch(name, 20 + index)));
      for (const name of names) if (name !== winner) s.abandonAll(name);
      return [winner, await s.run(`after-${winner}`), await s.wait("last", "go", 1_000_000)];
    },
    signals: [
      { atMs: 99, event: "go", payload: 1 },
      { atMs: 100, event: "go", payload: 2 },
      { atMs: 400_000, event: "go", payload: 3 },
    ],
    requestMs: 5,
    answerMs: 5,
  },
  "race of branches": {
    body: async (s) => {
      const branch = async (name: string, ms: number): Promise<string> => {
        await s.run(`${name}-1`, { ms });
        await Promise.resolve();
        await s.run(`${name}-2`, { ms: 60 - ms });
        return name;
      };
      const winner = await Promise.race([branch("x", 20), branch("y", 25), branch("z", 30)]);
      return [winner, await s.run(`after-${winner}`)];
    },
  },
};

describe.each(Object.entries(CORPUS))("%s", (_, scenario) => {
  it("comes to the same end, wherever its worker dies", async () => {
    const expected = summary(await simulate(scenario));
    await forEachEffect(scenario, async (crashes) => {
      expect(summary(await simulate(scenario, { crashes }))).toEqual(expected);
    });
  });

  it("comes to the same end, whichever answer of the database is lost", async () => {
    const expected = summary(await simulate(scenario));
    await forEachEffect(scenario, async (lostAnswers) => {
      expect(summary(await simulate(scenario, { lostAnswers }))).toEqual(expected);
    });
  });

  it("comes to the same end, wherever it is cut", async () => {
    const expected = summary(await simulate(scenario));
    await forEachEffect(scenario, async (cuts) => {
      expect(summary(await simulate(scenario, { cuts }))).toEqual(expected);
    });
  });
});

describe.each(Object.entries(RACES))("%s", (_, scenario) => {
  it("keeps its journaled winner, wherever its worker dies", async () => {
    await forEachEffect(scenario, async (crashes) => {
      expect((await simulate(scenario, { crashes })).status).toBe("completed");
    });
  });

  it("keeps its journaled winner, wherever it is cut", async () => {
    await forEachEffect(scenario, async (cuts) => {
      expect((await simulate(scenario, { cuts })).status).toBe("completed");
    });
  });
});

async function forEachEffect(
  scenario: Scenario,
  check: (effects: ReadonlySet<number>) => Promise<void>,
): Promise<void> {
  const { effects } = await simulate(scenario);
  for (let at = 0; at < effects; at += 1) await check(new Set([at]));
  for (let at = 0; at < effects; at += 1) await check(new Set([at, at + 3, at + 8]));
}
