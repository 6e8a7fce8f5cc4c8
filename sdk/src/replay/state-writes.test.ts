import { expect, it } from "vitest";
import type { Context } from "../definition/context.ts";
import type { Turn } from "./effects.ts";
import { called, Drive, ran } from "./simulation/drive.ts";

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

const stateOf = (turn: Turn): unknown => turn.commit?.state;

it("what a body has set is durable before the transaction of a step.tx commits", async () => {
  const run = new Drive(async ({ set, step }) => {
    set("at", "charging");
    await step.tx("charge", () => {});
    await step.run("next", () => {});
  });
  await run.poll();
  run.engine.txReady("charge", 1);
  const first = await run.poll();
  expect([stateOf(first), first.commitTx]).toEqual([
    [{ key: "at", value: '"charging"' }],
    undefined,
  ]);
  const second = await run.commit();
  expect([second.commit, second.commitTx]).toEqual([undefined, "charge"]);
  run.engine.txCommitted("charge", "1");
  expect(called(await run.poll())).toEqual(["next"]);
});

it("so is what the callback of the step.tx has set, but not what a callback sets that is called again", async () => {
  const run = new Drive(async ({ set, step }) => {
    await Promise.all([
      step.tx("charge", () => set("charge", "sent")),
      step.run("count", () => set("count", 1)),
    ]);
  });
  const [charge, count] = (await run.poll()).calls;
  void count?.callback(run.abort.signal);
  run.engine.txReady("charge", 1);
  expect((await run.poll()).commitTx).toBe("charge");
  run.engine.txPutOff();
  void charge?.callback(run.abort.signal);
  run.engine.txReady("charge", 1);
  const turn = await run.poll();
  expect([stateOf(turn), turn.commitTx]).toEqual([
    [
      { key: "count", value: "1" },
      { key: "charge", value: '"sent"' },
    ],
    undefined,
  ]);
  expect((await run.commit()).commitTx).toBe("charge");
});
