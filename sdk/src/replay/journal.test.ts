import { expect, it } from "vitest";
import { Journal } from "./journal.ts";
import { ran, waited } from "./simulation/drive.ts";

it("a journal hands its entries over in order", () => {
  const journal = new Journal([ran("a"), ran("b")]);
  expect([journal.next?.name, journal.isReplaying]).toEqual(["a", true]);
  journal.advance();
  journal.advance();
  expect([journal.next, journal.isReplaying]).toEqual([undefined, false]);
});

it("an entry that is appended comes next, and is no replay", () => {
  const journal = new Journal([ran("a")]);
  journal.advance();
  journal.append(waited("go", 1));
  expect([journal.next?.name, journal.isReplaying]).toEqual(["go", false]);
  expect(journal.get("go")).toEqual(waited("go", 1));
});

it("a step is ahead up to the last entry that a commit of the run wrote", () => {
  const journal = new Journal([ran("a"), waited("go")]);
  expect(journal.hasStepAhead).toBe(true);
  journal.advance();
  expect(journal.hasStepAhead).toBe(false);
});

it("the first unasked entry is searched from the position on, without rollbacks", () => {
  const rollback = { ...ran("rollback:a"), kind: "rollback" as const };
  const journal = new Journal([ran("a"), rollback, ran("b"), ran("c")]);
  journal.advance();
  expect(journal.firstUnasked(() => false)?.name).toBe("b");
  expect(journal.firstUnasked((name) => name === "b")?.name).toBe("c");
  expect(journal.firstUnasked(() => true)).toBeUndefined();
});
