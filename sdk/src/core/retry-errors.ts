/** Errors that a step throws to tell the runtime whether, and when, to try it again. */
import { type Duration, formatDuration, parseDuration } from "./duration.ts";
import { OxbowError, type OxbowErrorOptions } from "./errors.ts";

/**
 * Thrown in a step: trying again is pointless, so the step fails at once, whatever attempts it has left.
 *
 * @example
 * if (response.status === 402) throw new NonRetriableError("card declined");
 */
export class NonRetriableError extends OxbowError {
  override readonly name: string = "NonRetriableError";

  constructor(message: string, options: OxbowErrorOptions = {}) {
    super("NON_RETRIABLE", message, options);
  }
}

/**
 * Thrown in a step: the next attempt is due after `delay`, in place of the step's backoff. It counts as an
 * attempt like any other.
 *
 * @param delay Milliseconds, or text like "30s".
 * @example
 * throw new RetryAfterError("30s", "rate limited");
 */
export class RetryAfterError extends OxbowError {
  override readonly name: string = "RetryAfterError";
  readonly delayMs: number;

  constructor(delay: Duration, message?: string, options: OxbowErrorOptions = {}) {
    const delayMs = parseDuration(delay, "the delay of a RetryAfterError");
    super("RETRY_AFTER", message ?? `try again after ${formatDuration(delayMs)}`, {
      ...options,
      facts: { ...options.facts, delayMs },
    });
    this.delayMs = delayMs;
  }
}
