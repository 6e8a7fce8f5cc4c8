import type { Json } from "../document/json.ts";
import type { MakeBehaviour } from "./behaviour.ts";
import { InvalidParameters, Parameters } from "./parameters.ts";

/** The most items that a loop takes into its own run. */
const MAX_ITEMS = 10_000;
/** The most that it takes as child runs, each of which leaves a row in its journal: half of what a journal holds. */
const MAX_RUNS = 50_000;
const MAX_CONCURRENCY = 100;
const DEFAULT_CONCURRENCY = 10;

/**
 * `for_each@1`: executes its nodes once for each item of `items`, `concurrency` at a time (L2 in
 * `graph/execution.ts`). Its output is
 * `{ results, succeeded, failed, failures }`: a result is `collect` at the end of the iteration, or the output of its
 * `end`; null if it failed. `failures` is "stop", a number of iterations that may fail, or a share like "10%". With `as`
 * "runs", each item is a child run (`interpreter/item-runs.ts`).
 */
export const forEach: MakeBehaviour = (id, node) => {
  const parameters = new Parameters(id, node);
  const readItems = parameters.required("items");
  const concurrency = toConcurrency(parameters.literal("concurrency"), id);
  const tolerate = toTolerance(parameters.literal("failures"), id);
  const collect = parameters.bound("collect");
  const runs = toRuns(parameters.literal("as"), id);
  return {
    kind: "loop",
    open: (variables) => {
      const items = readItems(variables);
      if (!Array.isArray(items)) {
        throw new InvalidParameters(
          `Loop "${id}" can't iterate ${JSON.stringify(items).slice(0, 80)}: give a list.`,
        );
      }
      const count = items.length;
      requireCount(count, runs, id);
      const bounds = { kind: "for_each", count, concurrency, tolerated: tolerate(count) } as const;
      return { bounds: runs ? { ...bounds, runs } : bounds, items: items as readonly Json[] };
    },
    judge: (variables, output) => ({
      verdict: "succeeded",
      result: collect === undefined ? output : collect(variables),
    }),
    output: (results, failures) => ({
      results,
      succeeded: results.length - failures.length,
      failed: failures.length,
      failures: failures.map(({ index, error }) => ({ index, error: { ...error } })),
    }),
  };
};

function toRuns(given: unknown, id: string): boolean {
  if (given === undefined || given === "inline") return false;
  if (given === "runs") return true;
  throw new InvalidParameters(
    `Loop "${id}" executes its items as ${JSON.stringify(given)}: give "inline" or "runs".`,
  );
}

function requireCount(count: number, runs: boolean, id: string): void {
  if (count <= (runs ? MAX_RUNS : MAX_ITEMS)) return;
  const advice = runs ? "split the list" : 'set "as": "runs", or split the list';
  throw new InvalidParameters(
    `Loop "${id}" has ${count} items, and at most ${runs ? MAX_RUNS : MAX_ITEMS} are allowed: ${advice}.`,
  );
}

function toConcurrency(given: unknown, id: string): number {
  if (given === undefined) return DEFAULT_CONCURRENCY;
  if (Number.isInteger(given) && Number(given) >= 1 && Number(given) <= MAX_CONCURRENCY) {
    return Number(given);
  }
  throw new InvalidParameters(
    `Loop "${id}" has the concurrency ${JSON.stringify(given)}: give a whole number from 1 to ${MAX_CONCURRENCY}.`,
  );
}

function toTolerance(given: unknown, id: string): (count: number) => number {
  if (given === undefined || given === "stop") return () => 0;
  if (Number.isInteger(given) && Number(given) >= 0) return () => Number(given);
  const percent = typeof given === "string" ? /^(\d{1,3}(?:\.\d+)?)%$/.exec(given)?.[1] : undefined;
  const share = Number(percent ?? Number.NaN) / 100;
  if (share >= 0 && share <= 1) return (count) => Math.floor(count * share);
  throw new InvalidParameters(
    `Loop "${id}" tolerates the failures ${JSON.stringify(given)}: give "stop", a number, or a share like "10%".`,
  );
}
