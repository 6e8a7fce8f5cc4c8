import { tickTimes } from "@oxbow/sdk/internal/declared";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cronProblem } from "./cron.ts";

/** How a ticker reads it. */
function asTicked(cron: string, timeZone: string): "invalid" | "never" | undefined {
  try {
    const next = tickTimes({ cron, timeZone }, "the test").next(Date.UTC(2026, 0, 1));
    return next === undefined ? "never" : undefined;
  } catch {
    return "invalid";
  }
}

const CORPUS = `
* * * * *|*/5 9-17 * JAN-MAR MON-FRI|0 0 1,15 * 5|0 0 9 * * 1|@hourly|@daily|@weekly|@monthly|@yearly|@annually
@midnight|@sometimes|@reboot|0 9 L * *|0 9 LW * *|0 9 15W * *|0 9 31W * *|0 9 1W,15W * *|0 9 W * *|0 9 LW,1 * *
0 9 * * 5L|0 9 * * 1#1|0 9 * * 1#5|0 9 * * 1#6|0 9 * * MON#2|0 9 * * FRI#L|0 9 * * 5#L|0 9 * * L|0 9 L,1 * *
0 9 * * 7|0 9 * * 0-7|0 9 * * 5-0|0 9 * * 6-1|0 9 * * SUN-SAT|0 9 * * FRI-MON|0 9 * * 8|0 25 * * *|60 * * * *
61 * * * * *|0 0 0 * *|0 0 32 * *|0 0 30 2 *|0 0 31 4,6 *|0 0 29 2 *|0 0 * 13 *|0 0 * 0 *|0 0 * FEB *|0 0 * May *
0 0 * FEBRUARY *|0 0 * * MONDAY|*/0 * * * *|*/60 * * * *|*/61 * * * *|5/15 * * * *|5-20/5 * * * *|20-5 * * * *
5-5 * * * *|1,2,3 * * * *|1,,3 * * * *|,1 * * * *|1, * * * *|1-2-3 * * * *|1/2/3 * * * *|-5 * * * *|+5 * * * *
? ? ? ? ?|0 0 ? * MON|0 0 * * +1|0 0 13 * +5|0 0 13 * 5+|01 09 * * *|001 * * * *|00000000001 * * * *|1.5 * * * *
* * * *|* * * * * * *|* * * * * 2030|2026-01-01T00:00:00Z|every day||   |H * * * *|* * * * * MON-FRI|0 9 1-7 * 1
0 9 3W * MON|0 9 l * *|0 9 * * 5l|0 9 lw * *|0 9 * * mon#l|*/5,10 * * * *|*-5 * * * *|5-* * * * *|0-59/2 0-23/3 * * *
  0   9  * * *  |0 9 * * 1-5/2|0 9 */2 * *|0 9 1/3 * *|0 9 32W * *|0 9 0W * *|0 9 * * #1|0 9 * * 1#|0 9 * * 1#0
`
  .split(/[|\n]/)
  .concat("1".repeat(300));

describe("a cron expression", () => {
  it.each(CORPUS)("%j is read as tickers read it", (cron) => {
    expect(cronProblem(cron, "Europe/Berlin")?.kind).toBe(asTicked(cron, "Europe/Berlin"));
  });

  it("has examples of each verdict", () => {
    const kinds = CORPUS.map((cron) => cronProblem(cron, "UTC")?.kind);
    expect(kinds.filter((kind) => kind === undefined).length).toBeGreaterThan(40);
    expect(kinds.filter((kind) => kind === "invalid").length).toBeGreaterThan(40);
    expect(kinds.filter((kind) => kind === "never").length).toBeGreaterThan(1);
  });

  it("of random fields is read as tickers read it", () => {
    const value = fc.constantFrom(
      ..."* ? 0 1 5 12 23 31 59 60 L LW W 15W MON FEB 5L 1#2 #".split(" "),
    );
    const item = fc.oneof(
      { weight: 3, arbitrary: value },
      fc.tuple(value, fc.constantFrom("-", "/", ","), value).map((parts) => parts.join("")),
    );
    const fields = fc.array(item, { minLength: 4, maxLength: 7 }).map((each) => each.join(" "));
    fc.assert(
      fc.property(fields, (cron) => {
        expect(cronProblem(cron, "UTC")?.kind).toBe(asTicked(cron, "UTC"));
      }),
      { numRuns: 300 },
    );
  });
});
