import { expect, it } from "vitest";
import { readPath } from "./path.ts";

it.each([
  ["input", ["input"]],
  ["nodes.fetch.output.items[0].id", ["nodes", "fetch", "output", "items", 0, "id"]],
  ['input["first name"]["a.b"][12]', ["input", "first name", "a.b", 12]],
  ['input["\\u0041\\""]', ["input", 'A"']],
])("reads %s", (text, steps) => {
  expect(readPath(text)).toEqual(steps);
});

it.each([
  "",
  ".a",
  "a.",
  "a..b",
  "a b",
  "a[-1]",
  "a[01]",
  "a[x]",
  'a["b]',
  'a["\\x"]',
  "1a",
  "a.1",
])("refuses %j", (text) => {
  expect(readPath(text)).toBeUndefined();
});
