import { expect, it } from "vitest";
import { conditionsOf } from "./runs-search.ts";

it.each(["2026-02-30", "2026-02-30T12:00", "2025-02-29T00:00Z", "2026-04-31T00:00+02:00", "soon"])(
  "a search from %s is refused, since the calendar has no such time",
  (from) => {
    expect(() => conditionsOf({ from }, 0)).toThrow(`"${from}" is no time`);
    expect(() => conditionsOf({ to: from }, 0)).toThrow(`"${from}" is no time`);
  },
);

it.each([
  ["2024-02-29T00:00Z", "2024-02-29T00:00:00.000Z"],
  ["2026-05-01T00:30+02:00", "2026-04-30T22:30:00.000Z"],
  ["2026-05-01T12:00", new Date(2026, 4, 1, 12).toISOString()],
])("a search from %s is one from %s", (from, startedAfter) => {
  expect(conditionsOf({ from }, 0)).toEqual({ startedAfter });
});
