/**
 * Times and durations of expressions, exact to the nanosecond, in the years 1 to 9999. Their methods read UTC or the
 * zone that is named, never the zone of the machine, so that every worker answers alike.
 */

const SECOND = 1_000_000_000n;
const FIRST = -62_135_596_800n * SECOND;
const LAST = 253_402_300_800n * SECOND - 1n;
/** About 292 years, as in other implementations of CEL. */
const LONGEST = 2n ** 63n - 1n;

export class Instant {
  /** Nanoseconds since 1970 in UTC. */
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    if (nanos < FIRST || nanos > LAST)
      throw new RangeError("a time of the years 1 to 9999 is needed");
    this.nanos = nanos;
  }

  /** As RFC 3339 in UTC, with 0, 3, 6 or 9 digits of a second. */
  toString(): string {
    const { seconds, nanos } = split(this.nanos);
    const whole = new Date(Number(seconds) * 1000).toISOString().slice(0, 19);
    return `${whole}${fraction(nanos)}Z`;
  }
}

/** A length of time, which may be negative. */
export class Span {
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    if (nanos > LONGEST || nanos < -LONGEST - 1n) {
      throw new RangeError("a duration of at most 292 years is needed");
    }
    this.nanos = nanos;
  }

  /** In seconds, such as "5400s" or "1.500s". */
  toString(): string {
    const size = this.nanos < 0n ? -this.nanos : this.nanos;
    return `${this.nanos < 0n ? "-" : ""}${size / SECOND}${fraction(size % SECOND)}s`;
  }
}

function split(nanos: bigint): { readonly seconds: bigint; readonly nanos: bigint } {
  const rest = ((nanos % SECOND) + SECOND) % SECOND;
  return { seconds: (nanos - rest) / SECOND, nanos: rest };
}

function fraction(nanos: bigint): string {
  if (nanos === 0n) return "";
  const digits = String(nanos).padStart(9, "0");
  return `.${digits.replace(/(?:000){1,2}$/, "")}`;
}

const RFC_3339 =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;

/** Reads a time of RFC 3339, such as "2026-03-01T09:00:00+01:00". Throws RangeError. */
export function readInstant(text: string): Instant {
  const match = RFC_3339.exec(text);
  const [year, month, day, hour, minute, second] = (match ?? []).slice(1, 7).map(Number);
  const date = new Date(0);
  date.setUTCFullYear(year ?? 0, (month ?? 0) - 1, day);
  date.setUTCHours(hour ?? 0, minute, second);
  const isReal =
    match !== null &&
    date.getUTCMonth() + 1 === month &&
    date.getUTCDate() === day &&
    date.getUTCHours() === hour &&
    date.getUTCMinutes() === minute &&
    date.getUTCSeconds() === second;
  if (!isReal) {
    throw new RangeError(`"${text.slice(0, 60)}" isn't a time like "2026-03-01T09:00:00Z"`);
  }
  const offset = offsetOf(match[8], Number(match[9] ?? 0), Number(match[10] ?? 0));
  const nanos = BigInt((match[7] ?? "").padEnd(9, "0"));
  return new Instant((BigInt(date.getTime()) - BigInt(offset)) * 1_000_000n + nanos);
}

/** In milliseconds. */
const offsetOf = (sign: string | undefined, hours: number, minutes: number): number =>
  (sign === "-" ? -1 : 1) * (hours * 60 + minutes) * 60_000;

const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1000n,
  µs: 1000n,
  ms: 1_000_000n,
  s: SECOND,
  m: 60n * SECOND,
  h: 3600n * SECOND,
  d: 86_400n * SECOND,
  w: 604_800n * SECOND,
};

/** Reads a duration such as "90s", "1h30m", "-1.5h" or "7d". Throws RangeError. */
export function readSpan(text: string): Span {
  const match =
    /^([+-]?)((?:(?:\d{1,18}(?:\.\d{0,18})?|\.\d{1,18})(?:ns|us|µs|ms|s|m|h|d|w))+|0)$/.exec(
      text.slice(0, 200),
    );
  if (match === null || text.length > 200) {
    throw new RangeError(`"${text.slice(0, 60)}" isn't a duration like "90s", "1h30m" or "7d"`);
  }
  let nanos = 0n;
  for (const [, whole = "", part = "", unit = ""] of (match[2] ?? "").matchAll(
    /(\d*)\.?(\d*)(ns|us|µs|ms|s|m|h|d|w)/g,
  )) {
    const factor = UNITS[unit] ?? 1n;
    nanos += BigInt(whole) * factor + (BigInt(part) * factor) / 10n ** BigInt(part.length);
  }
  return new Span(match[1] === "-" ? -nanos : nanos);
}

/** The calendar of an instant in a zone; `month` and `weekday` count from 0, `day` from 1. */
export interface Calendar {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly weekday: number;
  /** From 0. */
  readonly dayOfYear: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly millisecond: number;
}

/** Throws RangeError if there is no such zone. */
export function calendarOf(instant: Instant, zone = "UTC"): Calendar {
  const { seconds, nanos } = split(instant.nanos);
  // The fields of UTC of this date are those of the zone.
  const date = new Date(Number(seconds) * 1000 + shiftOf(Number(seconds) * 1000, zone));
  const year = date.getUTCFullYear();
  const newYear = new Date(0);
  newYear.setUTCFullYear(year, 0, 1);
  return {
    year,
    month: date.getUTCMonth(),
    day: date.getUTCDate(),
    weekday: date.getUTCDay(),
    dayOfYear: Math.floor((date.getTime() - newYear.getTime()) / 86_400_000),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
    millisecond: Number(nanos / 1_000_000n),
  };
}

/** Offset from UTC, in milliseconds. */
function shiftOf(epochMs: number, zone: string): number {
  if (zone === "UTC") return 0;
  const fixed = /^([+-]?)(\d{2}):(\d{2})$/.exec(zone);
  if (fixed !== null) return offsetOf(fixed[1], Number(fixed[2]), Number(fixed[3]));
  const parts = new Map(
    formatOf(zone)
      .formatToParts(epochMs)
      .map(({ type, value }) => [type, value]),
  );
  const field = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.get(type) ?? 0);
  const year = parts.get("era") === "B" ? 1 - field("year") : field("year");
  const local = new Date(0);
  local.setUTCFullYear(year, field("month") - 1, field("day"));
  local.setUTCHours(field("hour"), field("minute"), field("second"));
  return local.getTime() - epochMs;
}

function formatOf(zone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      era: "narrow",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
  } catch {
    throw new RangeError(
      `"${zone.slice(0, 60)}" isn't a time zone like "Europe/Berlin" or "+02:00"`,
    );
  }
}
