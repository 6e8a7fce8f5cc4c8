import { describe, expect, it } from "vitest";
import { StepFailed } from "../core/errors.ts";
import { DEFAULT_RETRY, toRetryPolicy } from "../core/retry-policy.ts";
import { NonRetriableError, RetryAfterError } from "../core/retry-errors.ts";
import { retryDelayMs, runRetryDelayMs } from "./retry.ts";

const options = { attempts: 3, backoff: { kind: "fixed", base: 100, jitter: 0 } } as const;
const policy = toRetryPolicy(options, DEFAULT_RETRY, "test");
const half = (): number => 0.5;
const boom = new Error("boom");

describe("the delay of a step's next attempt", () => {
  it("follows the policy until the last attempt", () => {
    expect(retryDelayMs(boom, 1, policy, half)).toBe(100);
    expect(retryDelayMs(boom, 2, policy, half)).toBe(100);
    expect(retryDelayMs(boom, 3, policy, half)).toBeUndefined();
  });

  it("is that of a RetryAfterError, and does not exist for a NonRetriableError", () => {
    expect(retryDelayMs(new RetryAfterError("5m"), 1, policy, half)).toBe(300_000);
    expect(retryDelayMs(new RetryAfterError("5m"), 3, policy, half)).toBeUndefined();
    expect(retryDelayMs(new NonRetriableError("no"), 1, policy, half)).toBeUndefined();
  });

  it("exists for thrown values that are no errors", () => {
    for (const thrown of [null, undefined, "text", 7])
      expect(retryDelayMs(thrown, 1, policy, half)).toBe(100);
  });
});

describe("the delay of a run's next attempt", () => {
  it("counts retries, and does not exist without a policy", () => {
    expect(runRetryDelayMs(boom, 1, policy, half)).toBe(100);
    expect(runRetryDelayMs(boom, 2, policy, half)).toBeUndefined();
    expect(runRetryDelayMs(boom, 0, undefined, half)).toBeUndefined();
  });

  it("depends on the error behind a failed step", () => {
    const failed = (cause: Error): StepFailed =>
      new StepFailed({ runId: "1", step: "a", attempts: 1, cause });
    expect(runRetryDelayMs(failed(boom), 0, policy, half)).toBe(100);
    expect(runRetryDelayMs(failed(new NonRetriableError("no")), 0, policy, half)).toBeUndefined();
  });
});
