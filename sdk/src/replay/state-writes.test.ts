import { expect, it } from "vitest";
import type { Context } from "../definition/context.ts";
import { Drive, ran } from "./simulation/drive.ts";

const body = async ({ set, step }: Context): Promise<void> => {
  set("at", "start");
  set("n", 0);
  await step.run("a", () => "a");
  set("at", "a");
  await step.run("b", () => "b");
  set("at", "b");
};

it("what a body sets goes with its next commit, of each key the last value", async () => {
  const run = new Drive(body);
  expect((await run.poll()).commit).toBeUndefined();
  const turn = await run.succeed("a", "a");
  expect(turn.commit?.state).toEqual([
    { key: "at", value: '"a"' },
    { key: "n", value: "0" },
  ]);
});

it("a replay leaves out what went with the commit of a journaled step, and repeats only what followed the last", async () => {
  const run = new Drive(body, { journal: [ran("a")] });
  await run.poll();
  const turn = await run.succeed("b", "b");
  expect(turn.commit?.state).toEqual([{ key: "at", value: '"b"' }]);
});
