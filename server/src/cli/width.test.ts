import { expect, it } from "vitest";
import { cut, pad, widest } from "./width.ts";

it("measures and cuts a message of any length in a time that grows only with its length", () => {
  const timeOf = (length: number): number => {
    const message = "é".repeat(length);
    const before = performance.now();
    expect(cut(message, 20)).toBe(`${"é".repeat(19)}…`);
    return performance.now() - before;
  };
  timeOf(10_000);
  expect(timeOf(160_000)).toBeLessThan(80 * Math.max(5, timeOf(10_000)));
  expect(pad("é".repeat(1_000), 1_001)).toBe(`${"é".repeat(1_000)} `);
});

it("counts ideographs as two columns, and colours as nothing", () => {
  expect(widest(["ab", "注文"])).toBe(4);
  expect(cut("\u001B[31m注文番号\u001B[39m", 5)).toBe("\u001B[31m注文\u001B[39m…");
});
