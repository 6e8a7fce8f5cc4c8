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

it("any body is sound, whatever crashes and lost answers (S1 to S5)", async () => {
  await fc.assert(
    fc.asyncProperty(
      anyScenario(false),
      anyShares,
      anyShares,
      async (scenario, crashes, losses) => {
        const undisturbed = await simulate(scenario);
        await simulate(scenario, toFaults(undisturbed, crashes, losses));
      },
    ),
    options,
  );
});

it("a body that doesn't depend on time comes to the same end, whatever crashes and lost answers", async () => {
  await fc.assert(
    fc.asyncProperty(anyScenario(true), anyShares, anyShares, async (scenario, crashes, losses) => {
      const undisturbed = await simulate(scenario);
      const run = await simulate(scenario, toFaults(undisturbed, crashes, losses));
      expect(summary(run)).toEqual(summary(undisturbed));
    }),
    options,
  );
});

function toFaults(
  { effects }: SimulatedRun,
  crashes: readonly number[],
  losses: readonly number[],
): Faults {
  const toEffects = (shares: readonly number[]): ReadonlySet<number> =>
    new Set(shares.map((share) => Math.floor(share * effects)));
  return { crashes: toEffects(crashes), lostAnswers: toEffects(losses) };
}
