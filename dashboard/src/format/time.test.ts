import { expect, it } from "vitest";
import { relativeTime } from "./time.ts";

it.each([
  [300, "now"],
  [-300, "now"],
  [15_700, "16s ago"],
  [-15_700, "in 16s"],
  [59_900, "1m ago"],
  [64_000, "1m 4s ago"],
  [-90_000_000, "in 1d 1h"],
])("an instant %d ms ago is %s", (ms, text) => {
  expect(relativeTime(new Date(1_000_000), 1_000_000 + ms)).toBe(text);
});
