/** The entries and facts of a trial, arranged for the promises to ask. */
import type {
  Acknowledged,
  Began,
  Entry,
  GivenUp,
  Handled,
  Settled,
  Slept,
  Woke,
} from "../record.ts";
import type { AuditRequest, Facts, RunFact, StepFact } from "./facts.ts";

export interface Violation {
  /** Name of the promise. */
  readonly promise: string;
  readonly detail: string;
}

/** A call of a callback with what became of it. */
export interface Call extends Began {
  readonly endedAt: number | undefined;
  readonly threw: boolean;
  readonly abortedAt: number | undefined;
}

export class History {
  readonly facts: Facts;
  readonly request: AuditRequest;
  readonly acknowledged: readonly Acknowledged[];
  readonly givenUp: readonly GivenUp[];
  /** In the order of their beginnings. */
  readonly calls: readonly Call[];
  readonly handled: readonly Handled[];
  readonly settled: readonly Settled[];
  readonly slept: readonly Slept[];
  readonly woke: readonly Woke[];
  readonly entries: readonly Entry[];
  readonly runs: ReadonlyMap<string, RunFact>;
  readonly journals: ReadonlyMap<string, readonly StepFact[]>;

  constructor(entries: readonly Entry[], facts: Facts, request: AuditRequest) {
    this.entries = entries;
    this.facts = facts;
    this.request = request;
    this.acknowledged = entries.filter((entry) => entry.kind === "acknowledged");
    this.givenUp = entries.filter((entry) => entry.kind === "given-up");
    this.handled = byTime(entries.filter((entry) => entry.kind === "handled"));
    this.settled = byTime(entries.filter((entry) => entry.kind === "settled"));
    this.slept = byTime(entries.filter((entry) => entry.kind === "slept"));
    this.woke = byTime(entries.filter((entry) => entry.kind === "woke"));
    this.calls = toCalls(entries);
    this.runs = new Map(facts.runs.map((run) => [run.run, run]));
    this.journals = groupBy(facts.steps, ({ run }) => run);
  }

  /** Whether what was acknowledged then may be gone. */
  mayBeLost(at: number): boolean {
    const { lost } = this.request;
    return lost !== undefined && at >= lost.from && at <= lost.to;
  }
}

export function groupBy<Value>(
  values: readonly Value[],
  keyOf: (value: Value) => string,
): Map<string, Value[]> {
  const groups = new Map<string, Value[]>();
  for (const value of values) {
    const key = keyOf(value);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [value]);
    else group.push(value);
  }
  return groups;
}

const byTime = <Timed extends { readonly at: number }>(entries: Timed[]): Timed[] =>
  entries.toSorted((a, b) => a.at - b.at);

function toCalls(entries: readonly Entry[]): Call[] {
  const ends = new Map<string, { at: number; threw: boolean }>();
  const aborts = new Map<string, number>();
  for (const entry of entries) {
    if (entry.kind === "ended") ends.set(entry.call, entry);
    if (entry.kind === "aborted") aborts.set(entry.call, entry.at);
  }
  return byTime(entries.filter((entry) => entry.kind === "began")).map((began) => ({
    ...began,
    endedAt: ends.get(began.call)?.at,
    threw: ends.get(began.call)?.threw ?? false,
    abortedAt: aborts.get(began.call),
  }));
}
