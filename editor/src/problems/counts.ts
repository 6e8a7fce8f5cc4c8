import type { Problem } from "@oxbow/declared/check";

/** Problems by node, counted once for each list of problems. */
const COUNTS = new WeakMap<readonly Problem[], ReadonlyMap<string, number>>();

export function countProblems(
  problems: readonly Problem[],
  node: string,
  severity: Problem["severity"],
): number {
  let counts = COUNTS.get(problems);
  if (counts === undefined) {
    const counted = new Map<string, number>();
    for (const problem of problems) {
      const key = `${problem.severity} ${problem.node ?? ""}`;
      counted.set(key, (counted.get(key) ?? 0) + 1);
    }
    counts = counted;
    COUNTS.set(problems, counts);
  }
  return counts.get(`${severity} ${node}`) ?? 0;
}
