/** Figures of runs that have ended. */
import type { ListedRun } from "../../api/runs.ts";
import { took } from "../../format/duration.ts";

/** Returns a percentile of numbers in any order; undefined for an empty list. */
export function percentile(values: readonly number[], share: number): number | undefined {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
}

export const durationsOf = (runs: readonly ListedRun[]): number[] =>
  runs
    .filter(({ completedAt }) => completedAt !== null)
    .map(({ startedAt, completedAt }) => took(startedAt, completedAt));

const MINUTE_MS = 60_000;

/** Runs that ended in each minute since an instant: seconds since 1970, completed, failed. */
export function endsByMinute(
  runs: readonly ListedRun[],
  since: number,
  now: number,
): [number[], number[], number[]] {
  const first = Math.floor(since / MINUTE_MS);
  const minutes = Array.from({ length: Math.floor(now / MINUTE_MS) - first + 1 }, (_, n) => n);
  const completed = minutes.map(() => 0);
  const failed = minutes.map(() => 0);
  for (const { status, completedAt } of runs) {
    if (completedAt === null || status === "cancelled") continue;
    const index = Math.floor(Date.parse(completedAt) / MINUTE_MS) - first;
    const counts = status === "completed" ? completed : failed;
    const count = counts[index];
    if (count !== undefined) counts[index] = count + 1;
  }
  return [minutes.map((n) => ((first + n) * MINUTE_MS) / 1_000), completed, failed];
}
