import type { SimulatedRun } from "./simulation.ts";

/** The end of a run and the outcomes of its steps, in any order: crashes must not change them. */
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
