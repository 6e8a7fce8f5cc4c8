import { pauseMs } from "../core/backoff.ts";
import { sleep } from "../async/sleep.ts";
import { blameFor } from "./blame.ts";

export interface PersistenceOptions {
  /** How long to retry. */
  readonly forMs: number;
  /** Ends it earlier. */
  readonly signal: AbortSignal;
  readonly onFailure?: (error: unknown) => void;
  /** Whether a retry can't help. Default: if the data is at fault. */
  readonly isFinal?: (error: unknown) => boolean;
}

const speaksOfData = (error: unknown): boolean => blameFor(error) === "data";

/**
 * Asks again, with back-off, what failed for a reason that may pass.
 *
 * @throws What was thrown last.
 */
export async function askPersistently<Answer>(
  ask: () => Promise<Answer>,
  { forMs, signal, onFailure, isFinal = speaksOfData }: PersistenceOptions,
): Promise<Answer> {
  const giveUpAt = performance.now() + forMs;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ask();
    } catch (error) {
      if (signal.aborted || isFinal(error)) throw error;
      onFailure?.(error);
      const delayMs = pauseMs(attempt, Math.random());
      if (performance.now() + delayMs > giveUpAt) throw error;
      await sleep(delayMs, signal);
      if (signal.aborted) throw error;
    }
  }
}
