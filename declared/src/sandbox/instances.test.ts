import { expect, it } from "vitest";
import { Instances } from "./instances.ts";

it("calls of one run share an instance, which no other run gets", async () => {
  let made = 0;
  const instances = new Instances(() => Promise.resolve((made += 1)));
  const groups = ["1", "1", "2", "1", "1"];
  const got: number[] = [];
  for (const group of groups) got.push(await instances.of(group));
  expect(got).toEqual([1, 1, 2, 3, 3]);
});
