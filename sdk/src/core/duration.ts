import ms from "ms";
import { InvalidArgument } from "./errors.ts";

/** A length of time: milliseconds, or text with a unit like "250ms", "30s", "5m", "1.5h", "7d". */
export type Duration = number | string;

const DAY_MS = 86_400_000;

/** 100 years; whatever is longer is a mistake in the unit. */
const LONGEST_MS = 36_525 * DAY_MS;

/**
 * Milliseconds of a duration, rounded up to a whole one.
 *
 * @param what What the duration is for, as an error would name it.
 * @throws InvalidArgument if it has no unit, is no number, negative, or longer than 100 years.
 */
export function parseDuration(duration: Duration, what: string): number {
  const parsed = typeof duration === "number" ? duration : parseText(duration);
  if (!(parsed >= 0 && parsed <= LONGEST_MS)) {
    throw new InvalidArgument(
      `Invalid duration ${describe(duration)} for ${what}: ` +
        'give milliseconds as a number, or text with a unit like "30s", "5m", "1.5h" or "7d", ' +
        "between 0 and 100 years.",
      { facts: { duration } },
    );
  }
  return Math.ceil(parsed);
}

/** Text that `parseDuration` reads back, in the largest unit that divides it, or rounded to one decimal. */
export const formatDuration = (durationMs: number): string => ms(durationMs);

/** `ms` takes a bare "30" for milliseconds; here that is an error, because half of its readers mean seconds. */
function parseText(text: unknown): number {
  if (typeof text !== "string" || !/^\s*[\d.]+\s*[a-z]+\s*$/i.test(text)) return Number.NaN;
  return ms(text.trim() as ms.StringValue) ?? Number.NaN;
}

const describe = (value: unknown): string =>
  typeof value === "string" ? `"${value.slice(0, 100)}"` : String(value);
