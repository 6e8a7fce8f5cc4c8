import { type Duration, parseDuration } from "../core/duration.ts";
import { InvalidArgument } from "../core/errors.ts";

/** So many runs begin in so much time, evenly spread. */
export interface RateLimit {
  /** 1 to 1000000. */
  readonly limit: number;
  /** 1 ms to a year. */
  readonly per: Duration;
  /** How many may begin at once after a silence. Default: what falls into a tenth of a second, at least 1. */
  readonly burst?: number;
}

/**
 * How many runs of a workflow are in flight, how fast they begin, and in which order. It counts all runs that are
 * started once a worker has said it, by whomever, in whichever version.
 */
export interface FlowControl {
  /**
   * What limits for each key count a run under: a path into the input, keys split by ".". A run with nothing there is
   * in no one's way. A start may tell it instead, as `flowKey`.
   */
  readonly key?: string;
  /** How many runs are in flight: from their first delivery until they end, asleep or not. 1 to 1000000. */
  readonly concurrency?: number;
  /** The same, of each key. With 1, runs of a key are one after the other, in the order of their starts. */
  readonly concurrencyPerKey?: number;
  readonly rateLimit?: RateLimit;
  readonly rateLimitPerKey?: RateLimit;
  /**
   * A run begins after `wait` without another start of the same key; until then a start gives it its input instead
   * of starting another one. `maxWait`: but it waits no longer than that. Starts with an idempotency key are exempt.
   */
  readonly debounce?: { readonly wait: Duration; readonly maxWait?: Duration };
  /** A path to a number in the input, the higher goes first; or true, where starts tell it as `priority`. */
  readonly priority?: string | true;
}

/** As `queue.workflow_set_flow_control` takes it. */
export type FlowSettings = Readonly<Record<string, unknown>>;

/**
 * @param what What has the flow control, as an error would name it.
 * @throws InvalidArgument
 */
export function toFlowSettings(flow: FlowControl, what: string): FlowSettings {
  const { key, concurrency, concurrencyPerKey, rateLimit, rateLimitPerKey, debounce, priority } =
    flow;
  const unknown = Object.keys(flow).find((name) => !NAMES.has(name));
  if (unknown !== undefined) {
    throw new InvalidArgument(
      `Unknown setting "${unknown}" of ${what}: there are ${[...NAMES].join(", ")}.`,
    );
  }
  checkPath("key", key, what);
  if (priority !== true) checkPath("priority", priority, what);
  checkCount("concurrency", concurrency, what);
  checkCount("concurrencyPerKey", concurrencyPerKey, what);
  const isPerKey = [concurrencyPerKey, rateLimitPerKey, debounce].some((one) => one !== undefined);
  if (isPerKey && key === undefined) {
    throw new InvalidArgument(
      `Limits for each key of ${what} need a key: a path into the input, like key: "customerId".`,
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
      `The debounce of ${what} waits at most ${JSON.stringify(maxWait)}, which is less than its wait of ${JSON.stringify(wait)}.`,
    );
  }
  return defined({ seconds, max_seconds: maxSeconds });
}

function toSeconds(duration: Duration, name: string, what: string): number {
  const ms = parseDuration(duration, `${name} of ${what}`);
  if (ms >= 1 && ms <= YEAR_MS) return ms / 1_000;
  throw new InvalidArgument(
    `Invalid ${name} ${JSON.stringify(duration)} of ${what}: it is 1 ms to a year.`,
  );
}

function checkCount(name: string, count: number | undefined, what: string): void {
  if (count === undefined || (Number.isInteger(count) && count >= 1 && count <= 1_000_000)) return;
  throw new InvalidArgument(
    `Invalid ${name} ${String(count)} of ${what}: it is a whole number from 1 to 1000000.`,
  );
}

function checkPath(name: string, path: unknown, what: string): void {
  if (path === undefined || (typeof path === "string" && /^[^.]+(\.[^.]+)*$/.test(path))) return;
  throw new InvalidArgument(
    `Invalid ${name} ${JSON.stringify(path)} of ${what}: it is a path into the input, like "customer.id".`,
  );
}

const defined = (settings: Record<string, unknown>): FlowSettings =>
  Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
