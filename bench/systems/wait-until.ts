import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";

const LONGEST_PAUSE_MS = 100;

/**
 * Repeats a query until it returns no row, with pauses of a hundredth of the time that has passed: asking costs next to nothing,
 * and the end is seen within 1%.
 */
export async function waitUntilNone(
  database: pg.Client | pg.Pool,
  query: string,
  values: readonly unknown[] = [],
): Promise<void> {
  const startedAt = performance.now();
  while ((await database.query(query, [...values])).rows.length > 0) {
    const elapsed = performance.now() - startedAt;
    await sleep(Math.min(LONGEST_PAUSE_MS, Math.max(10, elapsed / 100)));
  }
}
