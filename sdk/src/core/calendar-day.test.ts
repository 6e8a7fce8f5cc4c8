import { expect, it } from "vitest";
import { hasRealDay } from "./calendar-day.ts";

it.each(["2026-02-30", "2026-02-29T09:00:00Z", "2026-04-31T00:00:00+02:00", "2026-13-01"])(
  "%s is not in the calendar",
  (text) => {
    expect(hasRealDay(text)).toBe(false);
  },
);

it.each(["2028-02-29", "2026-12-31T23:59:59-11:00", "2026-05", "1 May 2026"])(
  "%s may be in the calendar",
  (text) => {
    expect(hasRealDay(text)).toBe(true);
  },
);
