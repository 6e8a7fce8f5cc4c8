import { expect, it } from "vitest";
import { Instances } from "./instances.ts";

it("calls of one run with one limit share an instance, which no other run gets", async () => {
  let made = 0;
  const instances = new Instances(() => Promise.resolve((made += 1)));
  const calls = [
    ["1", 64],
    ["1", 64],
    ["2", 64],
    ["1", 64],
    ["1", 64],
    ["1", 32],
  ] as const;
  const got: number[] = [];
  for (const [group, bytes] of calls) got.push(await instances.of(group, bytes));
  expect(got).toEqual([1, 1, 2, 3, 3, 4]);
});
