/** The form of cron expressions. Tickers compute their times. */

interface Field {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly names?: readonly string[];
}

const MONTHS = "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC".split(" ");
const DAYS = "SUN MON TUE WED THU FRI SAT".split(" ");
const FIELDS: readonly Field[] = [
  { name: "second", from: 0, to: 59 },
  { name: "minute", from: 0, to: 59 },
  { name: "hour", from: 0, to: 23 },
  { name: "day of the month", from: 1, to: 31 },
  { name: "month", from: 1, to: 12, names: MONTHS },
  { name: "day of the week", from: 0, to: 7, names: DAYS },
];
const ALIASES = /^@(?:hourly|daily|weekly|monthly|yearly)$/i;

/** Returns what is wrong with a cron expression; undefined: nothing. */
export function cronProblem(text: string): string | undefined {
  const shown = `"${text.slice(0, 100)}"`;
  if (ALIASES.test(text.trim())) return undefined;
  const parts = text.trim().split(/\s+/);
  if (text.length > 256 || parts.length < 5 || parts.length > 6) {
    return `the cron expression ${shown} doesn't have five fields, or six with the second first`;
  }
  const fields = parts.length === 6 ? FIELDS : FIELDS.slice(1);
  const wrong = fields.findIndex((field, at) => !fits(parts[at] ?? "", field));
  if (wrong === -1) return undefined;
  return `the cron expression ${shown} has the ${fields[wrong]?.name ?? ""} "${parts[wrong] ?? ""}"`;
}

function fits(part: string, field: Field): boolean {
  return part.split(",").every((item) => {
    const [range = "", step, ...more] = item.split("/");
    if (more.length > 0 || (step !== undefined && !/^[1-9]\d{0,4}$/.test(step))) return false;
    if (range === "*" || range === "?") return true;
    const isDay = field.name.startsWith("day");
    // The last day, a weekday near a day, the nth weekday of the month.
    if (isDay && /^(?:l|lw|\d{1,2}[lw]|[a-z\d]{1,3}#[1-5l])$/i.test(range)) return true;
    const [from, to, ...rest] = range.split("-").map((value) => valueOf(value, field));
    if (rest.length > 0 || from === undefined || Number.isNaN(from)) return false;
    return to === undefined || to >= from || (isDay && field.to === 7 && to === 0);
  });
}

function valueOf(text: string, { from, to, names }: Field): number {
  const at = names?.indexOf(text.toUpperCase()) ?? -1;
  const value = at === -1 ? (/^\d{1,2}$/.test(text) ? Number(text) : Number.NaN) : at + from;
  return value >= from && value <= to ? value : Number.NaN;
}
