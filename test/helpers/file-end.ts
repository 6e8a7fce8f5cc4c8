/**
 * The cleanup of helpers when a test file ends. `leak-guard.ts` runs it, after the file's own `afterAll`.
 */

/** Tidies up, and returns in words what the file should have closed itself. */
export type TidyUp = () => Promise<readonly string[]>;

const pending: TidyUp[] = [];

export function atFileEnd(tidyUp: TidyUp): void {
  pending.push(tidyUp);
}

/** Runs everything, last come first served, whatever fails on the way; returns the leaks. */
export async function endFile(): Promise<readonly string[]> {
  const leaks: string[] = [];
  for (const tidyUp of pending.splice(0).toReversed()) {
    try {
      leaks.push(...(await tidyUp()));
    } catch (error) {
      leaks.push(`tidying up failed: ${String(error)}`);
    }
  }
  return leaks;
}
