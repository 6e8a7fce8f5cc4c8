import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { backoffMs, DEFAULT_RETRY, type RetryOptions, toRetryPolicy } from "./retry-policy.ts";
import { InvalidArgument } from "./errors.ts";

const policy = (options: RetryOptions): ReturnType<typeof toRetryPolicy> =>
  toRetryPolicy(options, DEFAULT_RETRY, "the test");

/** The delays after the first attempts, in the middle of the jitter. */
const delays = (options: RetryOptions, random = 0.5): number[] =>
  [1, 2, 3, 4, 5, 6, 7, 8].map((attempts) => backoffMs(policy(options), attempts, random));

describe("backoff", () => {
  it("doubles from 1 s to 60 s by default", () => {
    expect(delays({})).toEqual([1, 2, 4, 8, 16, 32, 60, 60].map((s) => s * 1_000));
    expect(policy({}).attempts).toBe(3);
  });

  it("is the same each time, or grows by its base", () => {
    const fixed = { backoff: { kind: "fixed", base: 100 } } as const;
    const linear = { backoff: { kind: "linear", base: 100, max: 450 } } as const;
    expect(delays(fixed)).toEqual([100, 100, 100, 100, 100, 100, 100, 100]);
    expect(delays(linear)).toEqual([100, 200, 300, 400, 450, 450, 450, 450]);
  });

  it("is spread by a fifth in both directions by default", () => {
    expect(delays({}, 0)[0]).toBe(800);
    expect(delays({}, 0.999_999)[0]).toBe(1_200);
    expect(delays({ backoff: { jitter: 0 } }, 0)[0]).toBe(1_000);
  });

  it("raises its default maximum to a longer base", () => {
    expect(delays({ backoff: { kind: "fixed", base: "5m" } })[0]).toBe(300_000);
  });

  it("is never negative, endless or beyond its maximum and jitter", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("fixed" as const, "linear" as const, "exp" as const),
        fc.nat(100_000),
        fc.nat(100_000),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.integer({ min: 1, max: 10_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (kind, base, max, jitter, attempts, random) => {
          const delay = backoffMs(
            policy({ backoff: { kind, base, max, jitter } }),
            attempts,
            random,
          );
          return delay >= 0 && delay <= Math.ceil(max * (1 + jitter));
        },
      ),
    );
  });
});

describe("retry options", () => {
  it("take what they leave out from the defaults", () => {
    const defaults = policy({
      attempts: 7,
      backoff: { kind: "linear", base: 5, max: 9, jitter: 0 },
    });
    expect(toRetryPolicy({ backoff: { base: 6 } }, defaults, "x")).toEqual({
      ...defaults,
      baseMs: 6,
    });
  });

  it.each<[RetryOptions, string]>([
    [{ attempts: 0 }, "retry.attempts 0 of the test"],
    [{ attempts: 1.5 }, "retry.attempts 1.5 of the test"],
    [{ backoff: { kind: "none" as "exp" } }, 'retry.backoff.kind "none" of the test'],
    [{ backoff: { jitter: 2 } }, "retry.backoff.jitter 2 of the test"],
    [{ backoff: { jitter: Number.NaN } }, "retry.backoff.jitter NaN of the test"],
    [{ backoff: { base: "x" } }, "retry.backoff.base of the test"],
    [{ backoff: { max: -1 } }, "retry.backoff.max of the test"],
  ])("that make no sense are refused: %j", (options, message) => {
    expect(() => policy(options)).toThrow(InvalidArgument);
    expect(() => policy(options)).toThrow(message);
  });
});
