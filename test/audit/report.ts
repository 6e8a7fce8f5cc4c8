/** The table that the suite prints. */
import type { Fault } from "./fault.ts";
import type { Violation } from "./promises/history.ts";
import type { TrialOutcome } from "./trial.ts";

export interface Row {
  readonly fault: Fault;
  readonly rounds: number;
  readonly acknowledged: number;
  readonly effects: number;
  readonly violations: readonly Violation[];
  /** The longest of the rounds. */
  readonly recoveredMs: number | undefined;
  readonly drainedMs: number | undefined;
  /** Why it was left out. */
  readonly leftOut?: string;
}

export async function rowOf(
  fault: Fault,
  rounds: number,
  trial: (round: number) => Promise<TrialOutcome>,
): Promise<Row> {
  const leftOut = fault.unless?.();
  const trials = leftOut === undefined ? rounds : 0;
  const outcomes: TrialOutcome[] = [];
  const violations: Violation[] = [];
  for (let round = 1; round <= trials; round += 1) {
    try {
      outcomes.push(await trial(round));
    } catch (error) {
      violations.push({
        promise: "the trial comes to an end",
        detail: error instanceof Error ? (error.stack ?? error.message) : String(error),
      });
    }
  }
  const sum = (of: (outcome: TrialOutcome) => number): number =>
    outcomes.reduce((all, outcome) => all + of(outcome), 0);
  const longest = (of: (outcome: TrialOutcome) => number | undefined): number | undefined => {
    const times = outcomes.map(of).filter((time) => time !== undefined);
    return times.length === 0 ? undefined : Math.max(...times);
  };
  return {
    fault,
    rounds: trials,
    acknowledged: sum((outcome) => outcome.acknowledged),
    effects: sum((outcome) => outcome.effects),
    violations: [...violations, ...outcomes.flatMap((outcome) => outcome.violations)],
    recoveredMs: longest((outcome) => outcome.recoveredMs),
    drainedMs: longest((outcome) => outcome.drainedMs),
    ...(leftOut === undefined ? {} : { leftOut }),
  };
}

export const tableHead = (): string =>
  [
    "| fault | what it does | rounds | acknowledged calls | effects | violations | recovered | drained |",
    "| --- | --- | --: | --: | --: | --: | --: | --: |",
  ].join("\n");

export function tableLine(row: Row): string {
  const { fault, rounds, acknowledged, effects, violations, recoveredMs, drainedMs, leftOut } = row;
  if (leftOut !== undefined) return `| ${fault.name} | left out: ${leftOut} | 0 | | | | | |`;
  const cells = [
    fault.name,
    fault.injects,
    rounds,
    acknowledged,
    effects,
    violations.length,
    seconds(recoveredMs),
    seconds(drainedMs),
  ];
  return `| ${cells.join(" | ")} |`;
}

export const table = (rows: readonly Row[]): string =>
  [tableHead(), ...rows.map(tableLine), ""].join("\n");

const seconds = (ms: number | undefined): string =>
  ms === undefined ? "never" : `${(ms / 1_000).toFixed(1)} s`;
