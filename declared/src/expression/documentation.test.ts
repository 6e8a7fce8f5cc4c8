import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { FUNCTIONS } from "./functions.ts";
import { EXPRESSION_LIMITS } from "./limits.ts";

const page = readFileSync(
  new URL("../../../docs/declared/expressions.md", import.meta.url),
  "utf8",
);

it("the page on expressions lists every function", () => {
  const names = [...FUNCTIONS.keys()];
  expect(names.filter((name) => !page.includes(`${name}()`))).toEqual([]);
});

it("the page on expressions lists every limit", () => {
  const limits = page.slice(page.indexOf("## Limits"));
  const missing = Object.entries(EXPRESSION_LIMITS).filter(
    ([, limit]) => !new RegExp(`\\b${limit}\\b`).test(limits),
  );
  expect(missing).toEqual([]);
});
