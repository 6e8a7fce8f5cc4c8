import ms from "ms";
import { InvalidArgument } from "./errors.ts";

/** A length of time: milliseconds, or text with a unit, like "250ms", "30s", "5m", "1.5h" or "7d". */
export type Duration = number | string;

const DAY_MS = 86_400_000;

/** 100 years; a longer duration is a mistake in the unit. */
const LONGEST_MS = 36_525 * DAY_MS;

/**
 * Returns the milliseconds of a duration, rounded up to a whole number.
 *
 * @param what - The purpose of the duration, as named in errors.
 * @throws InvalidArgument if it has no unit, is not a number, is negative, or exceeds 100 years
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

/** Returns text that `parseDuration` accepts, in the largest unit that divides the duration, or rounded to one decimal. */
export const formatDuration = (durationMs: number): string => ms(durationMs);

/** `ms` reads "30" as milliseconds; here that is an error, because many users mean seconds. */
function parseText(text: unknown): number {
  if (typeof text !== "string" || !/^\s*[\d.]+\s*[a-z]+\s*$/i.test(text)) return Number.NaN;
  return ms(text.trim() as ms.StringValue) ?? Number.NaN;
}

const describe = (value: unknown): string =>
  typeof value === "string" ? `"${value.slice(0, 100)}"` : String(value);
