import { pauseMs } from "../core/retry-policy.ts";
import { sleep } from "../async/sleep.ts";
import { blameFor } from "./blame.ts";

export interface PersistenceOptions {
  /** How long to retry. */
  readonly forMs: number;
  /** Ends it earlier. Read only after a failure: most requests need no signal, and to make one takes 4 µs. */
  readonly signal: AbortSignal;
  readonly onFailure?: (error: unknown) => void;
  /** Whether a retry can't help. Default: if the data is at fault. */
  readonly isFinal?: (error: unknown) => boolean;
}

const speaksOfData = (error: unknown): boolean => blameFor(error) === "data";

/**
 * Asks again, with back-off, what failed for a reason that may pass.
 *
 * @throws What was thrown last, as a rejection: also what `ask` throws before it returns a promise.
 */
export function askPersistently<Answer>(
  ask: () => Promise<Answer>,
  options: PersistenceOptions,
): Promise<Answer> {
  const startedAt = performance.now();
  let asked: Promise<Answer>;
  try {
    asked = ask();
  } catch (error) {
    return askAgain(ask, error, startedAt, options);
  }
  return asked.catch((error: unknown) => askAgain(ask, error, startedAt, options));
}

/**
 * As `askPersistently`, after a first failure.
 *
 * @param startedAt When it was asked first, by `performance.now()`.
 */
export async function askAgain<Answer>(
  ask: () => Promise<Answer>,
  failure: unknown,
  startedAt: number,
  { forMs, signal, onFailure, isFinal = speaksOfData }: PersistenceOptions,
): Promise<Answer> {
  const giveUpAt = startedAt + forMs;
  let error = failure;
  for (let attempt = 1; ; attempt += 1) {
    if (signal.aborted || isFinal(error)) throw error;
    onFailure?.(error);
    const delayMs = pauseMs(attempt, Math.random());
    if (performance.now() + delayMs > giveUpAt) throw error;
    await sleep(delayMs, signal);
    if (signal.aborted) throw error;
    try {
      return await ask();
    } catch (again) {
      error = again;
    }
  }
}
