/**
 * Cron expressions as tickers read them: croner decides, with the options of `sdk/src/schedule/tick-times.ts`. A schedule
 * that passes here therefore ticks there. A test compares the two.
 */
import { Cron } from "croner";

/** Croner takes dates and years as well, which schedules don't have. */
const FORM = /^\s*(@[a-zA-Z]+|[-0-9a-zA-Z*,/?#+]+(\s+[-0-9a-zA-Z*,/?#+]+){4,5})\s*$/;
const LONGEST = 256;
/** The calendar repeats, so an expression with a tick has one after any instant. */
const ANY_INSTANT = new Date("2000-01-01T00:00:00Z");

/** What is wrong with a cron expression. */
export interface CronProblem {
  readonly kind: "invalid" | "never";
  readonly message: string;
}

/**
 * @param timeZone An IANA name that exists.
 * @returns undefined if nothing is wrong.
 */
export function cronProblem(text: string, timeZone: string): CronProblem | undefined {
  const shown = `the cron expression "${text.slice(0, 100)}"`;
  if (text.length > LONGEST || !FORM.test(text)) {
    const message = `${shown} doesn't have five fields, or six with the second first`;
    return { kind: "invalid", message };
  }
  try {
    const cron = new Cron(text.trim(), {
      timezone: timeZone,
      paused: true,
      mode: "5-or-6-parts",
      fixedTimeRule: "no-wildcard",
    });
    if (cron.nextRun(ANY_INSTANT) !== null) return undefined;
    return { kind: "never", message: `${shown} has no tick: there is no such day` };
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^Cron\w+: /, "") : String(error);
    return { kind: "invalid", message: `${shown} is invalid: ${why.replace(/\.$/, "")}` };
  }
}
