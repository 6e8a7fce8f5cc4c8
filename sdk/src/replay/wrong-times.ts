import type { Continuation, Retry, Wait } from "../protocol/messages.ts";

/** Less is waited for; the database corrects no less either (`queue._is_clock_back`). */
const TOLERANCE_MS = 5_000;

/**
 * A continuation without times that the database's clock has written while it was ahead. What began in the future began
 * now, at the latest: its deadline is as much earlier, unless it is a date that the body has given.
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

const aheadMs = ({ since }: Wait | Retry, now: number): number =>
  since !== undefined && since > now + TOLERANCE_MS ? since - now : 0;
