/**
 * Instants at which a clock is put forward to or over midnight, with the times of day that the old day then doesn't
 * have: in America/Nuuk, 23:00 becomes 00:00. Croner looks for such a time only in its own day.
 */
const DAY_MS = 86_400_000;
const SECOND_MS = 1_000;

export interface SkippedMidnight {
  /** The first instant after the times that are left out. */
  readonly at: number;
  /** The times that are left out, as a clock shows them, in milliseconds as if it were UTC. The end is exclusive. */
  readonly from: number;
  readonly to: number;
}

/** Those after an instant, until another one or at it, in order. */
export function skippedMidnights(
  timeZone: string,
  afterMs: number,
  untilMs: number,
): SkippedMidnight[] {
  const shown = clockOf(timeZone);
  const offset = (ms: number): number => shown(ms) - ms;
  const found: SkippedMidnight[] = [];
  let start = Math.floor(afterMs / SECOND_MS) * SECOND_MS;
  let before = offset(start);
  while (start < untilMs) {
    const end = start + DAY_MS;
    const after = offset(end);
    if (after > before) {
      const at = changeBetween(start, end, offset);
      const from = at + before;
      const to = at + after;
      const isOverMidnight = Math.floor(from / DAY_MS) < Math.floor(to / DAY_MS);
      if (isOverMidnight && at > afterMs && at <= untilMs) found.push({ at, from, to });
    }
    start = end;
    before = after;
  }
  return found;
}

/** The first whole second after a change of the offset. */
function changeBetween(start: number, end: number, offset: (ms: number) => number): number {
  const before = offset(start);
  let low = start;
  let high = end;
  while (high - low > SECOND_MS) {
    const middle = low + Math.floor((high - low) / 2 / SECOND_MS) * SECOND_MS;
    if (offset(middle) === before) low = middle;
    else high = middle;
  }
  return high;
}

/** What a clock of the zone shows, in whole seconds, as milliseconds as if it were UTC. */
function clockOf(timeZone: string): (ms: number) => number {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  return (ms) => {
    const [month = 1, day = 1, year = 1970, hour = 0, minute = 0, second = 0] = format
      .format(ms)
      .split(/\D+/)
      .map(Number);
    return Date.UTC(year, month - 1, day, hour, minute, second);
  };
}
