import { setTimeout as sleep } from "node:timers/promises";

const LONGEST_PAUSE_MS = 100;

/**
 * Asks until the answer is yes, with pauses of a hundredth of the time that has passed: asking costs next to nothing,
 * and the end is seen within 1%.
 */
export async function waitUntil(isSo: () => Promise<boolean>): Promise<void> {
  const startedAt = performance.now();
  while (!(await isSo())) {
    const elapsed = performance.now() - startedAt;
    await sleep(Math.min(LONGEST_PAUSE_MS, Math.max(10, elapsed / 100)));
  }
}
