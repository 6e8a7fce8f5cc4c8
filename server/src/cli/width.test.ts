import { expect, it } from "vitest";
import { cut, pad, widest } from "./width.ts";

it("measures and cuts a message of any length with work that grows only with its length", () => {
  // Time of the processor: the clock runs for other programs too.
  const workOn = (length: number): number => {
    const message = "é".repeat(length);
    const before = process.cpuUsage();
    expect(cut(message, 20)).toBe(`${"é".repeat(19)}…`);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
  workOn(10_000);
  expect(workOn(160_000)).toBeLessThan(80 * Math.max(5, workOn(10_000)));
  expect(pad("é".repeat(1_000), 1_001)).toBe(`${"é".repeat(1_000)} `);
});

it("counts ideographs as two columns, and colours as nothing", () => {
  expect(widest(["ab", "注文"])).toBe(4);
  expect(cut("\u001B[31m注文番号\u001B[39m", 5)).toBe("\u001B[31m注文\u001B[39m…");
});
