/**
 * The cleanup of helpers when a test file ends. `leak-guard.ts` runs it, after the file's own `afterAll`.
 */

/** Tidies up; fails if the file should have closed something itself. */
type TidyUp = () => unknown;

const pending: TidyUp[] = [];

export function atFileEnd(tidyUp: TidyUp): void {
  pending.push(tidyUp);
}

/** Runs everything, last come first served, whatever fails on the way; returns the failures. */
export async function endFile(): Promise<readonly string[]> {
  const failures: string[] = [];
  for (const tidyUp of pending.splice(0).toReversed()) {
    try {
      await tidyUp();
    } catch (error) {
      failures.push(`tidying up failed: ${String(error)}`);
    }
  }
  return failures;
}
