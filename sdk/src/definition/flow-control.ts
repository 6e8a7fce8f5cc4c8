import { type Duration, parseDuration } from "../core/duration.ts";
import { InvalidArgument } from "../core/errors.ts";

/** A rate at which runs begin, evenly spread. */
export interface RateLimit {
  /** Runs per period: 1 to 1000000. */
  readonly limit: number;
  /** The period: 1 ms to a year. Milliseconds, or text like "1m". */
  readonly per: Duration;
  /** Runs that may begin at once after an idle time. Default: the runs of a tenth of a second, at least 1. */
  readonly burst?: number;
}

/**
 * Limits how many runs of a workflow are in flight, how fast they begin, and in which order. Workers register the
 * settings at startup. They apply to every run started afterwards, of any version and by any client.
 *
 * @example
 * defineWorkflow({ name: "sync", flowControl: { key: "customerId", concurrencyPerKey: 1 }, run: … });
 */
export interface FlowControl {
  /**
   * Path to the key of a run in its input, members split by ".". The limits per key count runs with equal keys together;
   * runs without a key are not limited per key. The option `flowKey` of a start overrides it.
   */
  readonly key?: string;
  /** Runs in flight, from first delivery to end, sleeping or not: 1 to 1000000. Default: no limit. */
  readonly concurrency?: number;
  /** Runs in flight for each key. With 1, runs of a key execute one after another, in the order of their starts. */
  readonly concurrencyPerKey?: number;
  /** How fast runs begin. Default: no limit. */
  readonly rateLimit?: RateLimit;
  /** How fast runs of each key begin. Default: no limit. */
  readonly rateLimitPerKey?: RateLimit;
  /**
   * Delays a run until no other start with the same key has come for `wait`. Until then, another start replaces the input
   * of the waiting run instead of starting a run. `maxWait` limits the total delay. Starts with an idempotency key are
   * exempt. Requires `key`.
   */
  readonly debounce?: { readonly wait: Duration; readonly maxWait?: Duration };
  /** Path to a number in the input, or true to use the `priority` of each start. Runs with higher numbers begin first. */
  readonly priority?: string | true;
}

/** Settings in the form of `queue.workflow_set_flow_control()`. */
export type FlowSettings = Readonly<Record<string, unknown>>;

/**
 * Checks flow control, and converts it to settings.
 *
 * @param what Names the owner in errors, such as `the flow control of workflow "sync"`.
 * @throws InvalidArgument if a setting is unknown or out of range.
 */
export function toFlowSettings(flow: FlowControl, what: string): FlowSettings {
  const { key, concurrency, concurrencyPerKey, rateLimit, rateLimitPerKey, debounce, priority } =
    flow;
  const unknown = Object.keys(flow).find((name) => !NAMES.has(name));
  if (unknown !== undefined) {
    throw new InvalidArgument(
      `Unknown setting "${unknown}" of ${what}: the settings are ${[...NAMES].join(", ")}.`,
    );
  }
  checkPath("key", key, what);
  if (priority !== true) checkPath("priority", priority, what);
  checkCount("concurrency", concurrency, what);
  checkCount("concurrencyPerKey", concurrencyPerKey, what);
  const isPerKey = [concurrencyPerKey, rateLimitPerKey, debounce].some((one) => one !== undefined);
  if (isPerKey && key === undefined) {
    throw new InvalidArgument(
      `The limits per key of ${what} require a key: a path into the input, like key: "customerId".`,
    );
  }
  return defined({
    key,
    concurrency,
    concurrency_per_key: concurrencyPerKey,
    rate_limit: rateLimit && toRate(rateLimit, "rateLimit", what),
    rate_limit_per_key: rateLimitPerKey && toRate(rateLimitPerKey, "rateLimitPerKey", what),
    debounce: debounce && toDebounce(debounce, what),
    priority,
  });
}

const NAMES = new Set<string>([
  "key",
  "concurrency",
  "concurrencyPerKey",
  "rateLimit",
  "rateLimitPerKey",
  "debounce",
  "priority",
]);
const YEAR_MS = 31_536_000_000;

function toRate({ limit, per, burst }: RateLimit, name: string, what: string): FlowSettings {
  checkCount(`${name}.limit`, limit, what);
  checkCount(`${name}.burst`, burst, what);
  return defined({ limit, per_seconds: toSeconds(per, `${name}.per`, what), burst });
}

function toDebounce(
  { wait, maxWait }: NonNullable<FlowControl["debounce"]>,
  what: string,
): FlowSettings {
  const seconds = toSeconds(wait, "debounce.wait", what);
  const maxSeconds =
    maxWait === undefined ? undefined : toSeconds(maxWait, "debounce.maxWait", what);
  if (maxSeconds !== undefined && maxSeconds < seconds) {
    throw new InvalidArgument(
      `Invalid debounce.maxWait ${JSON.stringify(maxWait)} of ${what}: it is shorter than the wait of ${JSON.stringify(wait)}.`,
    );
  }
  return defined({ seconds, max_seconds: maxSeconds });
}

function toSeconds(duration: Duration, name: string, what: string): number {
  const ms = parseDuration(duration, `${name} of ${what}`);
  if (ms >= 1 && ms <= YEAR_MS) return ms / 1_000;
  throw new InvalidArgument(
    `Invalid ${name} ${JSON.stringify(duration)} of ${what}: give a duration from 1 ms to a year.`,
  );
}

function checkCount(name: string, count: number | undefined, what: string): void {
  if (count === undefined || (Number.isInteger(count) && count >= 1 && count <= 1_000_000)) return;
  throw new InvalidArgument(
    `Invalid ${name} ${String(count)} of ${what}: give a whole number from 1 to 1000000.`,
  );
}

export function checkPath(name: string, path: unknown, what: string): void {
  if (path === undefined || (typeof path === "string" && /^[^.]+(\.[^.]+)*$/.test(path))) return;
  throw new InvalidArgument(
    `Invalid ${name} ${JSON.stringify(path)} of ${what}: give a path into the input, like "customer.id".`,
  );
}

const defined = (settings: Record<string, unknown>): FlowSettings =>
  Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
