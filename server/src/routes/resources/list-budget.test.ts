import { expect, it } from "vitest";
import { ListBudget } from "./list-budget.ts";

const REFUSED = { code: "TOO_MANY_LISTS" };

it("lets a caller wait for ten lists at once, and others for theirs", () => {
  const budget = new ListBudget();
  const ends = Array.from({ length: 10 }, () => budget.take("a", 0));
  expect(() => budget.take("a", 0)).toThrow(expect.objectContaining(REFUSED));
  budget.take("b", 0);
  ends[0]?.();
  expect(() => budget.take("a", 0)).not.toThrow();
});

it("lets a caller begin twenty lists a second", () => {
  const budget = new ListBudget();
  for (let n = 0; n < 20; n += 1) budget.take("a", n)();
  expect(() => budget.take("a", 999)).toThrow("within a second");
  budget.take("b", 999)();
  expect(() => budget.take("a", 1_000)).not.toThrow();
});

it("lets a server wait for fifty, whoever asks", () => {
  const budget = new ListBudget();
  const ends = Array.from({ length: 50 }, (_, n) => budget.take(`caller ${n}`, 0));
  expect(() => budget.take("a", 0)).toThrow("The server waits for 50");
  ends[7]?.();
  budget.take("a", 0);
  expect(() => budget.take("b", 0)).toThrow("The server waits for 50");
});
