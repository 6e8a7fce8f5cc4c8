import { backoffMs, type RetryPolicy } from "../core/backoff.ts";

/**
 * How long to wait before a step is tried again; undefined when it has failed for good.
 *
 * @param attempts Calls so far, the one that threw `error` included.
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

/** By code rather than by class: a process may hold two copies of this package. */
const errorFacts = (error: unknown): { code?: unknown; delayMs?: unknown } =>
  typeof error === "object" && error !== null ? error : {};
