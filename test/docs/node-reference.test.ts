import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { nodePages, strayPages } from "../../docs/generate-node-reference.ts";

it.each([...nodePages()])("the page %s has the facts of the descriptors", (file, text) => {
  const page = readFileSync(new URL(`../../docs/declared/nodes/${file}`, import.meta.url), "utf8");
  expect(page).toBe(text);
});

it("each page belongs to a node type", () => {
  expect(strayPages()).toEqual([]);
});
