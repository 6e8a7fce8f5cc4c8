import type { SimulatedRun } from "./simulation.ts";

/** What must not depend on crashes: the end of a run, and each step's outcome, in whatever order. */
export function summary({ status, output, error, journal }: SimulatedRun): unknown {
  const steps = journal.map(({ name, kind, attempts, ...outcome }) => [
    name,
    kind,
    attempts,
    kind === "sleep" ? undefined : (outcome.error?.message ?? outcome.output),
  ]);
  return {
    status,
    output,
    error,
    steps: steps.toSorted(([a], [b]) => String(a).localeCompare(String(b))),
  };
}
