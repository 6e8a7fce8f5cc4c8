import type { Continuation, Retry, Wait } from "../protocol/continuation.ts";

/** Smaller jumps are waited out. The database has the same tolerance (`queue._is_clock_set_back`). */
const TOLERANCE_MS = 5_000;

/**
 * Corrects times that the database wrote while its clock was ahead. A wait or retry that began in the future begins now
 * instead, and its deadline moves earlier by the same amount, unless the body gave the deadline as a date.
 */
export function withoutWrongTimes(continuation: Continuation, now: number): Continuation {
  const { waits, retries } = continuation;
  if (![...waits, ...retries].some((item) => aheadMs(item, now) > 0)) return continuation;
  return {
    ...continuation,
    waits: waits.map((wait) => corrected(wait, now)),
    retries: retries.map((retry) => corrected(retry, now)),
  };
}

function corrected<Item extends Wait | Retry>(item: Item, now: number): Item {
  const byMs = aheadMs(item, now);
  if (byMs === 0) return item;
  const isDate = "isDate" in item && item.isDate;
  return {
    ...item,
    since: now,
    ...(item.until === undefined || isDate ? {} : { until: Math.ceil(item.until - byMs) }),
  };
}

/**
 * When a wait began that the body asked for at `asked` and whose commit was durable at `now`. If the clock was set back in
 * between, the deadline of the wait is wrong, and only a beginning by the same clock shows it.
 */
export const beginning = (asked: number, now: number): number =>
  asked > now + TOLERANCE_MS ? asked : now;

const aheadMs = ({ since }: Wait | Retry, now: number): number =>
  since !== undefined && since > now + TOLERANCE_MS ? since - now : 0;
