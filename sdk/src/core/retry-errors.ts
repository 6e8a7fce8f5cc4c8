/** Errors with which a step's callback decides whether and when it is retried. */
import { type Duration, formatDuration, parseDuration } from "./duration.ts";
import { OxbowError, type OxbowErrorOptions } from "./errors.ts";

/**
 * Throw it in a step's callback to fail the step immediately, whatever attempts it has left.
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
 * Throw it in a step's callback, or a consumer's handler, to set the delay before the next attempt in place of the backoff.
 * The failed attempt counts as usual.
 *
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
