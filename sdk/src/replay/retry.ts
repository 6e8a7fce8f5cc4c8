import { backoffMs, type RetryPolicy } from "../core/retry-policy.ts";
import { StepFailed } from "../core/errors.ts";

/**
 * How long to wait before the next attempt of a step; undefined when it has failed for good.
 *
 * @param attempts Calls so far, including the one that threw `error`.
 */
export function retryDelayMs(
  error: unknown,
  attempts: number,
  policy: RetryPolicy,
  random: () => number,
): number | undefined {
  const { code, delayMs } = errorFacts(error);
  if (attempts >= policy.attempts || code === "NON_RETRIABLE" || code === "NESTED_STEP")
    return undefined;
  if (code === "RETRY_AFTER" && typeof delayMs === "number") return delayMs;
  return backoffMs(policy, attempts, random());
}

/**
 * The same for the next attempt of a run (R13). If a step failed, the error that its callback threw last decides.
 *
 * @param retried Earlier retries of the run.
 */
export function runRetryDelayMs(
  error: unknown,
  retried: number,
  policy: RetryPolicy | undefined,
  random: () => number,
): number | undefined {
  if (policy === undefined) return undefined;
  const isOfStep = error instanceof StepFailed && error.cause !== undefined;
  return retryDelayMs(isOfStep ? error.cause : error, retried + 1, policy, random);
}

/** Reads facts rather than the class of an error: a process may hold two copies of this package. */
const errorFacts = (error: unknown): { code?: unknown; delayMs?: unknown } =>
  typeof error === "object" && error !== null ? error : {};
