import { describe, expect, it } from "vitest";
import { formatDuration, parseDuration } from "./duration.ts";
import { InvalidArgument } from "./errors.ts";

describe("a duration", () => {
  it.each([
    [0, 0],
    [1_500, 1_500],
    [0.2, 1],
    ["250ms", 250],
    ["30s", 30_000],
    ["5m", 300_000],
    ["1.5h", 5_400_000],
    ["7d", 604_800_000],
    ["2 weeks", 1_209_600_000],
    [" 1 min ", 60_000],
    ["100y", 36_525 * 86_400_000],
  ])("%j is %d ms", (duration, expected) => {
    expect(parseDuration(duration, "the test")).toBe(expected);
  });

  it.each([
    ["", '""'],
    ["soon", '"soon"'],
    ["30", '"30"'],
    ["-5m", '"-5m"'],
    ["5 moments", '"5 moments"'],
    ["1.2.3s", '"1.2.3s"'],
    ["101y", '"101y"'],
    [-1, "-1"],
    [Number.NaN, "NaN"],
    [Number.POSITIVE_INFINITY, "Infinity"],
    [null, "null"],
    [undefined, "undefined"],
    [{}, "[object Object]"],
  ])("%j is refused, and named", (duration, named) => {
    const parse = (): number => parseDuration(duration as string, "the test");
    expect(parse).toThrow(InvalidArgument);
    expect(parse).toThrow(`Invalid duration ${named} for the test`);
  });

  it("is shown in its largest unit", () => {
    expect([90, 30_000, 300_000].map(formatDuration)).toEqual(["90ms", "30s", "5m"]);
  });
});
