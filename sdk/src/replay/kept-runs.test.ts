import { describe, expect, it } from "vitest";
import type { Context } from "../definition/context.ts";
import { defineWorkflow } from "../definition/define-workflow.ts";
import { Drive, ran, T0 } from "./simulation/drive.ts";

const child = defineWorkflow({ name: "child", run: () => {} });

/** Has as many rows in its journal, and then waits for two child runs. */
const waiting =
  (rows: number) =>
  async ({ step }: Context): Promise<void> => {
    for (let n = 0; n < rows; n += 1) await step.run(`s${n}`, () => n);
    await Promise.all([step.invoke("a", child, null), step.invoke("b", child, null)]);
  };
const journalOf = (rows: number) => Array.from({ length: rows }, (_, n) => ran(`s${n}`, n));
const drive = (rows: number, body = waiting(rows)): Drive =>
  new Drive(body, { journal: journalOf(rows) });

describe("a run that waits for child runs (R7)", () => {
  it("is suspended immediately with a short journal", async () => {
    const { commit } = await drive(999).poll();
    expect(commit?.transition.kind).toBe("suspend");
  });

  it("is kept with a long one, for about as long as a replay takes", async () => {
    const run = drive(2_000);
    const first = await run.poll();
    expect([first.commit?.transition.kind, first.wakeAt]).toEqual(["keep", T0 + 100]);
    const idle = await run.commit();
    expect([idle.commit, idle.wakeAt]).toEqual([undefined, T0 + 100]);
    run.now += 100;
    const { commit } = await run.poll();
    expect(commit?.transition.kind).toBe("suspend");
  });

  it("is kept again when one of them has ended", async () => {
    const run = drive(2_000);
    await run.poll();
    await run.commit();
    run.now += 90;
    run.engine.signalled();
    const asked = await run.poll();
    expect(asked.commit?.transition).toMatchObject({
      kind: "keep",
      continuation: { waits: [{ step: "a" }, { step: "b" }] },
    });
    const turn = await run.commit([{ step: "a", kind: "invoke", payload: 1 }]);
    expect([turn.commit, turn.wakeAt]).toEqual([undefined, T0 + 191]);
  });

  it("is suspended immediately if it only waits for events", async () => {
    const body = async ({ step }: Context): Promise<void> => {
      for (let n = 0; n < 2_000; n += 1) await step.run(`s${n}`, () => n);
      await step.waitForEvent("go");
    };
    const { commit } = await drive(2_000, body).poll();
    expect(commit?.transition.kind).toBe("suspend");
  });
});
