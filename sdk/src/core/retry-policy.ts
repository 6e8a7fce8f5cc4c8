/** When a failed step is retried: options as users write them, and the policy made from them. */
import { type Duration, parseDuration } from "./duration.ts";
import { InvalidArgument } from "./errors.ts";
import { checkOptions, type OptionNames } from "./options.ts";

/** The delay between attempts. */
export interface BackoffOptions {
  /** `fixed`: always `base`. `linear`: `base`, twice `base`, three times… `exp`: doubled each time. Default `exp`. */
  readonly kind?: "fixed" | "linear" | "exp";
  /** The delay after the first attempt. Default "1s". */
  readonly base?: Duration;
  /** The longest delay, before jitter. Default "60s", or `base` if that is longer. */
  readonly max?: Duration;
  /** Varies delays randomly by up to this share in both directions, from 0 to 1. Default 0.2. */
  readonly jitter?: number;
}

/** The number and timing of attempts. */
export interface RetryOptions {
  /** Total number of attempts, the first included; 1 means no retry. Default 3. */
  readonly attempts?: number;
  readonly backoff?: BackoffOptions;
}

const BACKOFF_OPTIONS: OptionNames<BackoffOptions> = {
  kind: true,
  base: true,
  max: true,
  jitter: true,
};
const RETRY_OPTIONS: OptionNames<RetryOptions> = { attempts: true, backoff: true };

export interface RetryPolicy {
  readonly attempts: number;
  readonly kind: "fixed" | "linear" | "exp";
  readonly baseMs: number;
  readonly maxMs: number;
  readonly jitter: number;
}

/** 3 attempts, exponential from 1 s to 60 s, 20 % jitter. */
export const DEFAULT_RETRY: RetryPolicy = {
  attempts: 3,
  kind: "exp",
  baseMs: 1_000,
  maxMs: 60_000,
  jitter: 0.2,
};

/**
 * Makes a policy of options, which default to `defaults`.
 *
 * @param what - The owner of the retries, as named in errors.
 * @throws InvalidArgument
 */
export function toRetryPolicy(
  options: RetryOptions,
  defaults: RetryPolicy,
  what: string,
): RetryPolicy {
  checkOptions(options, RETRY_OPTIONS, `the retry of ${what}`);
  const { attempts = defaults.attempts, backoff = {} } = options;
  checkOptions(backoff, BACKOFF_OPTIONS, `the backoff of ${what}`);
  const { kind = defaults.kind, jitter = defaults.jitter } = backoff;
  if (!Number.isInteger(attempts) || attempts < 1) {
    throw new InvalidArgument(
      `Invalid retry.attempts ${attempts} of ${what}: give a whole number from 1.`,
    );
  }
  if (!["fixed", "linear", "exp"].includes(kind)) {
    throw new InvalidArgument(
      `Invalid retry.backoff.kind "${kind}" of ${what}: give fixed, linear or exp.`,
    );
  }
  if (!(jitter >= 0 && jitter <= 1)) {
    throw new InvalidArgument(`Invalid retry.backoff.jitter ${jitter} of ${what}: give 0 to 1.`);
  }
  const baseMs =
    backoff.base === undefined
      ? defaults.baseMs
      : parseDuration(backoff.base, `retry.backoff.base of ${what}`);
  const maxMs =
    backoff.max === undefined
      ? Math.max(defaults.maxMs, baseMs)
      : parseDuration(backoff.max, `retry.backoff.max of ${what}`);
  return { attempts, kind, baseMs, maxMs, jitter };
}

/** Milliseconds to wait after attempt number `attempts` has failed. `random` is from 0 to 1, like `Math.random()`. */
export function backoffMs(policy: RetryPolicy, attempts: number, random: number): number {
  const spread = 1 + policy.jitter * (2 * random - 1);
  return Math.round(Math.min(policy.maxMs, plainDelayMs(policy, attempts)) * spread);
}

function plainDelayMs({ kind, baseMs }: RetryPolicy, attempts: number): number {
  switch (kind) {
    case "fixed":
      return baseMs;
    case "linear":
      return baseMs * attempts;
    case "exp":
      return baseMs * 2 ** Math.min(attempts - 1, 60);
    default:
      return kind satisfies never;
  }
}

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;

/**
 * Milliseconds to wait before a request to the database is repeated: doubled after each attempt, with jitter above a
 * floor. `random` is from 0 to 1.
 */
export function pauseMs(attempt: number, random: number): number {
  const ceiling = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(attempt - 1, 60));
  return ceiling / 2 + random * (ceiling / 2);
}
