import { expect, it } from "vitest";
import { jsonLines } from "./json-lines.ts";

const textOf = (value: unknown, collapsed: readonly string[] = []): string =>
  jsonLines(value, new Set(collapsed))
    .map(({ depth, key, text }) => `${"  ".repeat(depth)}${key}${text}`)
    .join("\n");

it("has the lines that JSON.stringify has", () => {
  const value = { a: [1, { b: null }], "c/d": {}, e: "<b>", f: [], g: true };
  expect(textOf(value)).toBe(JSON.stringify(value, undefined, 2));
});

it("shows what is collapsed in one line, with its size", () => {
  const value = { list: [1, 2, 3], "a/b": { c: 1 } };
  expect(textOf(value, ["/list", "/a~1b"])).toBe(
    '{\n  "list": [ 3 elements ],\n  "a/b": { 1 property }\n}',
  );
});

it("cuts long strings on the screen", () => {
  expect(textOf("x".repeat(10_000)).length).toBeLessThan(2_100);
  expect(textOf("x".repeat(10_000))).toMatch(/… 8,002 more characters$/);
});
