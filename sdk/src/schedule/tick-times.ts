/**
 * When a schedule ticks. The only place that reads cron expressions; croner knows the fields, the calendar and, by the
 * time zones of the platform, when clocks are put forward and back:
 *
 * - A time of day that a day doesn't have ticks at the first instant that it has again; one that comes twice ticks the
 *   first time.
 * - Expressions with `*` or a step in second, minute or hour go by what time has passed: an hour that comes twice has
 *   its ticks twice, and one that is left out has no ticks.
 */
import { Cron } from "croner";
import { InvalidArgument } from "../core/errors.ts";
import { skippedMidnights } from "./skipped-midnights.ts";

/** A cron expression with its time zone, or an interval. */
export interface TickRule {
  readonly cron?: string | undefined;
  /** IANA name. Default UTC. */
  readonly timeZone?: string | undefined;
  readonly everySeconds?: number | undefined;
}

/** Instants in milliseconds since 1970, all of them whole seconds. */
export interface TickTimes {
  /** The first tick after an instant; undefined after the last tick. */
  next(afterMs: number): number | undefined;
  /** The newest ticks after an instant, until another one or at it, in order. */
  newest(count: number, afterMs: number, untilMs: number): number[];
}

/** Croner would also take dates and other things, which we refuse; SQL checks the same. */
const CRON = /^\s*(@[a-zA-Z]+|[-0-9a-zA-Z*,/?#+]+(\s+[-0-9a-zA-Z*,/?#+]+){4,5})\s*$/;

/** Ticks that are looked up at a time, backwards. */
const CHUNK = 50;

/**
 * @param what The owner of the rule, as an error names it.
 * @throws InvalidArgument for an expression, or a time zone, that makes no sense.
 */
export function tickTimes(rule: TickRule, what: string): TickTimes {
  const { cron, everySeconds, timeZone = "UTC" } = rule;
  if (everySeconds !== undefined) return intervalTimes(everySeconds * 1_000);
  checkTimeZone(timeZone, what);
  const times = cronTimes(toCron(cron, timeZone, what));
  if (timeZone === "UTC" || !isTimeOfDay(String(cron))) return times;
  const shown = cronTimes(toCron(cron, "UTC", what));
  return withSkippedMidnights(times, (afterMs, untilMs) =>
    skippedMidnights(timeZone, afterMs, untilMs)
      .filter(({ from, to }) => (shown.next(from - 1) ?? to) < to)
      .map(({ at }) => at),
  );
}

/** The first ticks after an instant. */
export function firstTicks(times: TickTimes, count: number, afterMs: number): Date[] {
  const ticks: Date[] = [];
  let tick = times.next(afterMs);
  while (tick !== undefined && ticks.length < count) {
    ticks.push(new Date(tick));
    tick = times.next(tick);
  }
  return ticks;
}

function toCron(expression: unknown, timezone: string, what: string): Cron {
  try {
    if (typeof expression === "string" && CRON.test(expression)) {
      return new Cron(expression.trim(), {
        timezone,
        paused: true,
        mode: "5-or-6-parts",
        fixedTimeRule: "no-wildcard",
      });
    }
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^Cron\w+: /, "") : String(error);
    throw invalidCron(expression, what, ` ${why.replace(/\.$/, "")}.`);
  }
  throw invalidCron(expression, what, "");
}

const invalidCron = (expression: unknown, what: string, why: string): InvalidArgument =>
  new InvalidArgument(
    `Invalid cron expression ${show(expression)} of ${what}.${why} ` +
      'It has five fields, minute, hour, day of the month, month and day of the week, like "0 9 * * 1-5"; ' +
      "six begin with the second.",
    { facts: { cron: expression } },
  );

function checkTimeZone(timeZone: unknown, what: string): void {
  try {
    if (typeof timeZone === "string" && timeZone !== "") {
      Intl.DateTimeFormat("en", { timeZone });
      return;
    }
  } catch {
    // As one that is no text.
  }
  throw new InvalidArgument(
    `Unknown time zone ${show(timeZone)} of ${what}: give its IANA name, like "Europe/Berlin".`,
    { facts: { timeZone } },
  );
}

function cronTimes(cron: Cron): TickTimes {
  return {
    next: (afterMs) => cron.nextRun(new Date(afterMs))?.getTime(),
    newest: (count, afterMs, untilMs) => {
      const found: number[] = [];
      // Whoever asks for what was before an instant doesn't get the instant.
      let beforeMs = untilMs + 1;
      while (found.length < count) {
        const wanted = Math.min(CHUNK, count - found.length);
        const before = cron.previousRuns(wanted, new Date(beforeMs)).map((date) => date.getTime());
        const after = before.filter((tick) => tick > afterMs);
        found.push(...after);
        beforeMs = after.at(-1) ?? Number.NaN;
        if (after.length < wanted) break;
      }
      return found.toReversed();
    },
  };
}

/** Whether an expression names times of day, by croner's rule "no-wildcard". */
function isTimeOfDay(cron: string): boolean {
  const fields = cron.trim().split(/\s+/);
  if (fields.length === 1) return fields[0]?.toLowerCase() !== "@hourly";
  return !/[*/?]/.test(fields.slice(0, fields.length - 3).join(" "));
}

/** Adds the ticks of days whose end is left out. */
function withSkippedMidnights(
  times: TickTimes,
  ticksBetween: (afterMs: number, untilMs: number) => number[],
): TickTimes {
  return {
    next: (afterMs) => {
      const next = times.next(afterMs);
      return next === undefined ? undefined : (ticksBetween(afterMs, next)[0] ?? next);
    },
    newest: (count, afterMs, untilMs) => {
      const found = times.newest(count, afterMs, untilMs);
      const first = found.length < count ? afterMs : (found[0] ?? afterMs);
      const ticks = new Set([...found, ...ticksBetween(first, untilMs)]);
      return [...ticks].toSorted((a, b) => a - b).slice(-count);
    },
  };
}

/** Multiples of the interval, so that every process computes the same ticks. */
function intervalTimes(everyMs: number): TickTimes {
  return {
    next: (afterMs) => (Math.floor(afterMs / everyMs) + 1) * everyMs,
    newest: (count, afterMs, untilMs) => {
      const last = Math.floor(untilMs / everyMs);
      const first = Math.max(Math.floor(afterMs / everyMs) + 1, last - count + 1);
      return Array.from({ length: Math.max(0, last - first + 1) }, (_, n) => (first + n) * everyMs);
    },
  };
}

const show = (value: unknown): string =>
  typeof value === "string" ? `"${value.slice(0, 100)}"` : String(value);
