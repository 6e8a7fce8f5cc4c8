import type { SimulatedRun } from "./simulation.ts";

/** The end of a run, its decisions and the outcomes of its steps, in any order: crashes must not change them. */
export function summary({ status, output, error, journal }: SimulatedRun): unknown {
  const decisions = journal.flatMap((entry) => entry.decisions ?? []);
  const rows = journal.filter(({ kind }) => kind !== "decision");
  const steps = rows.map(({ name, kind, attempts, ...outcome }) => [
    name,
    kind,
    attempts,
    kind === "sleep" ? undefined : (outcome.error?.message ?? outcome.output),
  ]);
  return {
    status,
    output,
    error,
    decisions: Object.fromEntries(decisions.map((decision) => [decision.name, decision.output])),
    steps: steps.toSorted(([a], [b]) => String(a).localeCompare(String(b))),
  };
}
