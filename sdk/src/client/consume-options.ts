/** Options of `client.queues.consume`, and the settings made from them. */
import {
  type BackoffOptions,
  DEFAULT_RETRY,
  type RetryPolicy,
  toRetryPolicy,
} from "../core/retry-policy.ts";
import { type Duration, parseDuration } from "../core/duration.ts";
import { InvalidArgument } from "../core/errors.ts";
import { toStorableText } from "../core/json.ts";
import { type OptionNames, checkOptions } from "../core/options.ts";
import type { Logger } from "../definition/context.ts";

export interface ConsumeOptions {
  /** Maximum number of concurrent handler calls, from 1 to 10000. Default 10. */
  readonly concurrency?: number;
  /**
   * How long a message stays with this consumer without a heartbeat, and so the delay after a crash. If the process
   * stalls for longer, messages are handled twice. From 1s to 12h, rounded up to whole seconds. Default "30s".
   */
  readonly visibilityTimeout?: Duration;
  /** Receives only messages that contain this JSON. Default: all messages. */
  readonly matching?: unknown;
  /** Longest time between polls of an idle consumer, at least 100ms; notifications wake it earlier. Default "20s". */
  readonly wait?: Duration;
  /** Delay before a message whose handler threw is delivered again. Default: exponential from 1s to 15m, 20 % jitter. */
  readonly retryDelay?: BackoffOptions;
  /** How long `stop()` waits for handlers before it releases their messages. Default "30s". */
  readonly stopTimeout?: Duration;
  /** Receives failures of handlers and of the consumer. Default: they become warnings of the process. False: nothing does. */
  readonly logger?: Logger | false;
}

export interface ConsumeBatchOptions extends ConsumeOptions {
  /** Maximum number of messages in one handler call, from 1 to 10000. Default 10. */
  readonly batch?: number;
}

const OPTIONS: OptionNames<ConsumeBatchOptions> = {
  concurrency: true,
  visibilityTimeout: true,
  matching: true,
  wait: true,
  retryDelay: true,
  stopTimeout: true,
  logger: true,
  batch: true,
};

const DEFAULT_DELAY: RetryPolicy = { ...DEFAULT_RETRY, maxMs: 15 * 60_000 };

export interface ConsumeSettings {
  readonly concurrency: number;
  readonly batch: number;
  readonly leaseMs: number;
  readonly waitMs: number;
  readonly stopTimeoutMs: number;
  readonly matching: string | undefined;
  readonly retryDelay: RetryPolicy;
}

/**
 * @param what The consumer, as named in errors.
 * @throws InvalidArgument
 */
export function toConsumeSettings(options: ConsumeBatchOptions, what: string): ConsumeSettings {
  checkOptions(options, OPTIONS, what);
  return {
    concurrency: checkCount(options.concurrency ?? 10, "concurrency", what),
    batch: checkCount(options.batch ?? 10, "batch", what),
    leaseMs: leaseMs(options.visibilityTimeout ?? "30s", what),
    waitMs: waitMs(options.wait ?? "20s", what),
    stopTimeoutMs: parseDuration(options.stopTimeout ?? "30s", `stopTimeout of ${what}`),
    matching: toStorableText(options.matching, `\`matching\` of ${what}`),
    retryDelay: toRetryPolicy({ backoff: options.retryDelay ?? {} }, DEFAULT_DELAY, what),
  };
}

function checkCount(count: number, name: string, what: string): number {
  if (Number.isInteger(count) && count >= 1 && count <= 10_000) return count;
  throw new InvalidArgument(
    `Invalid ${name} ${count} of ${what}: give a whole number from 1 to 10000.`,
  );
}

function leaseMs(timeout: Duration, what: string): number {
  const ms = Math.ceil(parseDuration(timeout, `the visibility timeout of ${what}`) / 1000) * 1000;
  if (ms >= 1_000 && ms <= 43_200_000) return ms;
  throw new InvalidArgument(
    `Invalid visibilityTimeout ${JSON.stringify(timeout)} of ${what}: it is 1 second to 12 hours.`,
  );
}

function waitMs(wait: Duration, what: string): number {
  const ms = parseDuration(wait, `the wait of ${what}`);
  if (ms >= 100) return ms;
  throw new InvalidArgument(
    `Invalid wait ${JSON.stringify(wait)} of ${what}: it is at least 100ms; messages are handled as they come.`,
  );
}
