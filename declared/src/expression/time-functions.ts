import { method, type Overload } from "./overload.ts";
import { type Calendar, calendarOf } from "./time.ts";

const CALENDAR: readonly (readonly [string, (calendar: Calendar) => number])[] = [
  ["getFullYear", ({ year }) => year],
  ["getMonth", ({ month }) => month],
  ["getDate", ({ day }) => day],
  ["getDayOfMonth", ({ day }) => day - 1],
  ["getDayOfWeek", ({ weekday }) => weekday],
  ["getDayOfYear", ({ dayOfYear }) => dayOfYear],
  ["getHours", ({ hour }) => hour],
  ["getMinutes", ({ minute }) => minute],
  ["getSeconds", ({ second }) => second],
  ["getMilliseconds", ({ millisecond }) => millisecond],
];

const UNITS: readonly (readonly [string, bigint])[] = [
  ["getHours", 3_600_000_000_000n],
  ["getMinutes", 60_000_000_000n],
  ["getSeconds", 1_000_000_000n],
];

/** Reading a calendar in a zone takes as long as several hundred nodes. */
const ZONE_COST = 500;

export const TIME_FUNCTIONS: readonly Overload[] = [
  ...CALENDAR.flatMap(([name, read]) => [
    method(name, "time", [], "integer", ({ time }) => read(calendarOf(time(0)))),
    method(name, "time", ["text"], "integer", ({ time, text, charge }) => {
      charge(ZONE_COST);
      return read(calendarOf(time(0), text(1)));
    }),
  ]),
  ...UNITS.map(([name, unit]) =>
    method(name, "duration", [], "integer", ({ duration }) => Number(duration(0).nanos / unit)),
  ),
  // Returns the rest of a second, unlike the others, as the specification requires.
  method("getMilliseconds", "duration", [], "integer", ({ duration }) =>
    Number((duration(0).nanos % 1_000_000_000n) / 1_000_000n),
  ),
];
