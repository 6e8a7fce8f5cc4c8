import { expect, test } from "vitest";
import { id, oneOf, searchReader, text, textLike } from "./search.ts";

const read = searchReader({
  run: id,
  state: oneOf(["open", "done"]),
  name: text(4),
  cursor: textLike(/^\d-\d$/),
});

test("members are read without the space around them, and cut at their limit", () => {
  const given = { run: " 42 ", state: "done", name: " orders ", cursor: "1-2" };
  expect(read(given)).toEqual({ run: "42", state: "done", name: "orde", cursor: "1-2" });
});

test("what can't be read is left out, and so is what the page doesn't know", () => {
  const given = { run: "x", state: "gone", name: " ", cursor: "1", other: "1" };
  expect(read(given)).toStrictEqual({});
  expect(read({ run: 42, name: null })).toStrictEqual({});
});
