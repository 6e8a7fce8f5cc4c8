import { describe, expect, it } from "vitest";
import type { Context } from "../../definition/context.ts";
import { defineWorkflow } from "../../definition/define-workflow.ts";
import { completion, Drive, failure, T0 } from "../simulation/drive.ts";

const child = defineWorkflow({
  name: "child",
  version: 2,
  retention: "3d",
  run: (_ctx, input: unknown) => input,
});
const invoking = ({ step }: Context): Promise<unknown> => step.invoke("i", child, { n: 1 });
const wait = { kind: "invoke", step: "i", since: T0 } as const;

describe("step.invoke", () => {
  it("starts the child run by an effect, and suspends the run with a wait", async () => {
    const { commit } = await new Drive(invoking).poll();
    expect(commit?.effects).toEqual([
      {
        kind: "invoke",
        step: "i",
        workflow: "child",
        version: 2,
        retentionDays: 3,
        input: '{"n":1}',
      },
    ]);
    expect(commit?.transition).toMatchObject({ kind: "suspend", continuation: { waits: [wait] } });
  });

  it("starts no second child run in a later delivery", async () => {
    const run = new Drive(invoking, { continuation: { waits: [wait] } });
    expect((await run.poll()).commit).not.toHaveProperty("effects");
  });

  it("returns the output of the child run", async () => {
    const run = new Drive(invoking);
    await run.poll();
    const turn = await run.commit([{ step: "i", kind: "invoke", payload: "c" }]);
    expect(completion(turn)).toBe("c");
  });

  it("rejects with StepFailed when the child run failed", async () => {
    const run = new Drive(invoking);
    await run.poll();
    const error = { name: "Error", message: "boom" };
    const turn = await run.commit([{ step: "i", kind: "invoke", error }]);
    expect(failure(turn)).toMatchObject({ code: "STEP_FAILED", cause: { message: "boom" } });
  });

  it.each(["invoke", "detach"] as const)(
    "replays a detached run that was journaled as %s",
    async (kind) => {
      const codec = { encode: () => "encoded", decode: () => "decoded" };
      const run = new Drive(({ step }) => step.invoke("i", child, null, { detach: true }), {
        codec,
        journal: [{ name: "i", kind, attempts: 1, output: "77" }],
      });
      expect(completion(await run.poll())).toBe("encoded");
      const other = new Drive(({ step }) => step.sleep("i", "1s"), {
        journal: [{ name: "i", kind, attempts: 1, output: "77" }],
      });
      expect(failure(await other.poll())?.message).toContain("as a step.invoke");
    },
  );

  it("returns the id of a detached run as it is, without the codec", async () => {
    const codec = { encode: (value: unknown) => value, decode: () => "decoded" };
    const run = new Drive(({ step }) => step.invoke("i", child, null, { detach: true }), { codec });
    expect((await run.poll()).commit?.effects).toMatchObject([{ kind: "detach" }]);
    const turn = await run.commit([{ step: "i", kind: "invoke", payload: "17" }]);
    expect(completion(turn)).toBe("17");
  });

  it("refuses a value that is no workflow", async () => {
    const run = new Drive(({ step }) => step.invoke("i", {} as never, null as never));
    expect(failure(await run.poll())?.message).toContain('Step "i" invokes no workflow');
  });
});
