import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { InvalidArgument } from "../core/errors.ts";
import { tickTimes } from "./tick-times.ts";

const DAY_MS = 86_400_000;

/** The ticks of a cron expression between two instants. */
function ticks(cron: string, timeZone: string, from: string, to: string): string[] {
  const times = tickTimes({ cron, timeZone }, "the test");
  const found: string[] = [];
  let tick = times.next(Date.parse(from));
  while (tick !== undefined && tick <= Date.parse(to)) {
    found.push(new Date(tick).toISOString().replace(":00.000Z", "Z"));
    tick = times.next(tick);
  }
  return found;
}

describe("a time of day", () => {
  it("stays at its place on the clock of its time zone, all year round", () => {
    expect(ticks("0 9 * * 1-5", "Europe/Berlin", "2026-03-26T12:00Z", "2026-03-31T12:00Z")).toEqual(
      ["2026-03-27T08:00Z", "2026-03-30T07:00Z", "2026-03-31T07:00Z"],
    );
  });

  it("that a day doesn't have comes as soon as the clock has been put forward", () => {
    expect(ticks("30 2 * * *", "Europe/Berlin", "2026-03-28T00:00Z", "2026-03-30T12:00Z")).toEqual([
      "2026-03-28T01:30Z",
      "2026-03-29T01:00Z",
      "2026-03-30T00:30Z",
    ]);
    expect(
      ticks("30 2 * * *", "America/New_York", "2026-03-07T00:00Z", "2026-03-09T12:00Z"),
    ).toEqual(["2026-03-07T07:30Z", "2026-03-08T07:00Z", "2026-03-09T06:30Z"]);
  });

  it("that a day ends before comes at midnight", () => {
    expect(ticks("59 23 * * *", "America/Nuuk", "2026-03-27T12:00Z", "2026-03-31T12:00Z")).toEqual([
      "2026-03-28T01:59Z",
      "2026-03-29T01:00Z",
      "2026-03-30T00:59Z",
      "2026-03-31T00:59Z",
    ]);
    // One tick where midnight is a time of the schedule too, or where several are left out.
    for (const cron of ["0,30 0,23 * * *", "10,20 23 * * *"]) {
      const found = ticks(cron, "America/Nuuk", "2026-03-29T00:59Z", "2026-03-29T01:29Z");
      expect(found).toEqual(["2026-03-29T01:00Z"]);
    }
    expect(ticks("59 23 28 3 *", "America/Nuuk", "2026-01-01T00:00Z", "2027-01-01T00:00Z")).toEqual(
      ["2026-03-29T01:00Z"],
    );
    // A day that a zone has left out altogether.
    expect(ticks("0 9 * * *", "Pacific/Apia", "2011-12-29T00:00Z", "2011-12-31T12:00Z")).toEqual([
      "2011-12-29T19:00Z",
      "2011-12-30T10:00Z",
      "2011-12-30T19:00Z",
    ]);
  });

  it("that a day has twice comes once, the first time", () => {
    expect(ticks("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00Z", "2026-10-26T12:00Z")).toEqual([
      "2026-10-25T00:30Z",
      "2026-10-26T01:30Z",
    ]);
    expect(
      ticks("15,45 1 * * *", "America/New_York", "2026-10-31T12:00Z", "2026-11-02T12:00Z"),
    ).toEqual(["2026-11-01T05:15Z", "2026-11-01T05:45Z", "2026-11-02T06:15Z", "2026-11-02T06:45Z"]);
  });
});

describe("what goes by the time that has passed", () => {
  it("ticks in both of two hours of the same name", () => {
    expect(
      ticks("*/30 * * * *", "Europe/Berlin", "2026-10-24T23:59Z", "2026-10-25T02:00Z"),
    ).toEqual([
      "2026-10-25T00:00Z",
      "2026-10-25T00:30Z",
      "2026-10-25T01:00Z",
      "2026-10-25T01:30Z",
      "2026-10-25T02:00Z",
    ]);
    expect(
      ticks("0 * * * *", "America/New_York", "2026-11-01T04:59Z", "2026-11-01T08:00Z"),
    ).toEqual(["2026-11-01T05:00Z", "2026-11-01T06:00Z", "2026-11-01T07:00Z", "2026-11-01T08:00Z"]);
  });

  it("has no hole, and no crowd, where an hour is left out", () => {
    expect(ticks("0 * * * *", "Europe/Berlin", "2026-03-28T23:59Z", "2026-03-29T03:00Z")).toEqual([
      "2026-03-29T00:00Z",
      "2026-03-29T01:00Z",
      "2026-03-29T02:00Z",
      "2026-03-29T03:00Z",
    ]);
  });
});

describe("ticks", () => {
  const rules = fc.constantFrom(
    { cron: "*/7 * * * *", timeZone: "Europe/Berlin" },
    { cron: "30 2 * * *", timeZone: "Europe/Berlin" },
    { cron: "15,45 1-2 * * *", timeZone: "America/New_York" },
    { cron: "0 */5 * * *", timeZone: "Australia/Lord_Howe" },
    { cron: "0 0 29 2 *", timeZone: "UTC" },
    { cron: "0 9 * * 1#1", timeZone: "Asia/Kathmandu" },
    { cron: "10 0 9 * * 5L", timeZone: "Pacific/Apia" },
    { cron: "15,45 0,23 * * *", timeZone: "America/Nuuk" },
    { everySeconds: 7 },
    { everySeconds: 86_400 },
  );
  const instants = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2028, 0, 1) });

  it("are the same from either end", () => {
    fc.assert(
      fc.property(rules, instants, fc.integer({ min: 1, max: 60 }), (rule, afterMs, count) => {
        const times = tickTimes(rule, "the test");
        const forward: number[] = [];
        let tick = times.next(afterMs);
        while (tick !== undefined && forward.length < count) {
          forward.push(tick);
          tick = times.next(tick);
        }
        const until = forward.at(-1) ?? afterMs;
        expect(times.newest(count, afterMs, until)).toEqual(forward);
        expect(times.newest(2, afterMs, until)).toEqual(forward.slice(-2));
        expect(forward.every((each) => each > afterMs && each % 1_000 === 0)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it("of an interval are its multiples", () => {
    const times = tickTimes({ everySeconds: 600 }, "the test");
    const from = Date.parse("2026-05-01T10:03:00Z");
    expect(new Date(times.next(from) ?? 0).toISOString()).toBe("2026-05-01T10:10:00.000Z");
    expect(times.next(Date.parse("2026-05-01T10:10:00Z"))).toBe(Date.parse("2026-05-01T10:20:00Z"));
    expect(times.newest(3, from, from + DAY_MS)).toHaveLength(3);
  });

  it("may not exist", () => {
    const times = tickTimes({ cron: "0 0 30 2 *" }, "the test");
    expect(times.next(Date.UTC(2026, 0, 1))).toBeUndefined();
    expect(times.newest(5, 0, Date.UTC(2026, 0, 1))).toEqual([]);
  });
});

describe("a rule", () => {
  it.each([
    "61 * * * *",
    "* * * *",
    "* * * * * * 2030",
    "2026-01-01T00:00:00Z",
    "every day",
    "@sometimes",
    "*/0 * * * *",
    "",
    5,
    null,
  ])("refuses the cron expression %j, and names it", (cron) => {
    const make = (): unknown => tickTimes({ cron: cron as string }, 'schedule "nightly"');
    expect(make).toThrow(InvalidArgument);
    expect(make).toThrow(typeof cron === "string" ? `"${cron}"` : String(cron));
    expect(make).toThrow('schedule "nightly"');
  });

  it.each(["Mars/Olympus", "", "Europe/Berlin; drop", 1])(
    "refuses the time zone %j",
    (timeZone) => {
      const make = (): unknown =>
        tickTimes({ cron: "@daily", timeZone: timeZone as string }, 'schedule "nightly"');
      expect(make).toThrow(InvalidArgument);
      expect(make).toThrow(/Unknown time zone .* of schedule "nightly"/);
    },
  );
});
