import fc from "fast-check";
import { expect, it } from "vitest";
import { anyScenario } from "./program.ts";
import { type Faults, type SimulatedRun, simulate } from "./simulation.ts";
import { summary } from "./summary.ts";

/** `make test-random` asks for 20,000 of each property. */
const RUNS = Number(process.env["OXBOW_RANDOM_RUNS"] ?? 200);
const { SEED } = process.env;
const options = { numRuns: RUNS, ...(SEED === undefined ? {} : { seed: Number(SEED) }) };

/** Where faults happen, as shares of the effects that a run without faults has. */
const anyShares = fc.array(fc.double({ min: 0, max: 1.3, noNaN: true }), { maxLength: 6 });

const anyFaults = fc.record({ crashes: anyShares, lostAnswers: anyShares, cuts: anyShares });

it("any body is sound, whatever crashes, lost answers and cuts (S1 to S6)", async () => {
  await fc.assert(
    fc.asyncProperty(anyScenario(false), anyFaults, async (scenario, faults) => {
      const undisturbed = await simulate(scenario);
      await simulate(scenario, toFaults(undisturbed, faults));
    }),
    options,
  );
});

it("a body that doesn't depend on time comes to the same end, whatever crashes, lost answers and cuts", async () => {
  await fc.assert(
    fc.asyncProperty(anyScenario(true), anyFaults, async (scenario, faults) => {
      const undisturbed = await simulate(scenario);
      const run = await simulate(scenario, toFaults(undisturbed, faults));
      expect(summary(run)).toEqual(summary(undisturbed));
    }),
    options,
  );
});

function toFaults(
  { effects }: SimulatedRun,
  shares: Readonly<Record<"crashes" | "lostAnswers" | "cuts", readonly number[]>>,
): Faults {
  const toEffects = (each: readonly number[]): ReadonlySet<number> =>
    new Set(each.map((share) => Math.floor(share * effects)));
  return {
    crashes: toEffects(shares.crashes),
    lostAnswers: toEffects(shares.lostAnswers),
    cuts: toEffects(shares.cuts),
  };
}
