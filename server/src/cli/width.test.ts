import { expect, it } from "vitest";
import { cut, pad, widest } from "./width.ts";

it("measures and cuts a message of any length at once", () => {
  const message = "é".repeat(60_000);
  expect(widest([message])).toBe(60_000);
  expect(cut(message, 20)).toBe(`${"é".repeat(19)}…`);
  expect(cut("x".repeat(60_000), 20)).toBe(`${"x".repeat(19)}…`);
  expect(pad(message, 60_001)).toBe(`${message} `);
});

it("counts ideographs as two columns, and colours as nothing", () => {
  expect(widest(["ab", "注文"])).toBe(4);
  expect(cut("\u001B[31m注文番号\u001B[39m", 5)).toBe("\u001B[31m注文\u001B[39m…");
});
