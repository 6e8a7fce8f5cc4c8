import { pauseMs } from "../core/backoff.ts";
import { sleep } from "../core/sleep.ts";
import { blameFor } from "./blame.ts";

export interface PersistenceOptions {
  /** How long to go on asking. */
  readonly forMs: number;
  /** Ends it earlier. */
  readonly signal: AbortSignal;
  readonly onFailure?: (error: unknown) => void;
}

/**
 * Asks again, with back-off, unless the database refuses the data itself.
 *
 * @throws What was thrown last.
 */
export async function askPersistently<Answer>(
  ask: () => Promise<Answer>,
  { forMs, signal, onFailure }: PersistenceOptions,
): Promise<Answer> {
  const giveUpAt = performance.now() + forMs;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ask();
    } catch (error) {
      if (signal.aborted || blameFor(error) === "data") throw error;
      onFailure?.(error);
      const delayMs = pauseMs(attempt, Math.random());
      if (performance.now() + delayMs > giveUpAt) throw error;
      await sleep(delayMs, signal);
      if (signal.aborted) throw error;
    }
  }
}
