import { describe, expect, it } from "vitest";
import type { Context } from "../../definition/context.ts";
import { completion, Drive, failure } from "../simulation/drive.ts";

const sent = async (body: (ctx: Context) => unknown): Promise<unknown> => {
  const turn = await new Drive(async (ctx) => {
    await body(ctx);
    return "sent";
  }).poll();
  expect(completion(turn)).toBe("sent");
  return turn.commit;
};

describe("step.signal", () => {
  it("is journaled immediately, with the signal as its effect", async () => {
    expect(await sent(({ step }) => step.signal("notify", "7", "done", { n: 1 }))).toMatchObject({
      steps: [{ name: "notify", kind: "signal" }],
      effects: [{ kind: "signal", step: "notify", runId: "7", event: "done", payload: '{"n":1}' }],
    });
  });

  it.each([["x"], ["-1"], ["8796093022208"], [7 as never]])("refuses the run id %s", async (id) => {
    const run = new Drive(({ step }) => step.signal("notify", id, "done"));
    expect(failure(await run.poll())?.message).toContain('in step "notify"');
  });
});

describe("step.publish", () => {
  it("is journaled immediately, with the message as its effect", async () => {
    expect(await sent(({ step }) => step.publish("notify", "a.b", [1]))).toMatchObject({
      steps: [{ name: "notify", kind: "publish" }],
      effects: [{ kind: "publish", step: "notify", topic: "a.b", message: "[1]" }],
    });
  });

  it.each([["a.*"], ["a..b"], [""], ["a b"]])("refuses the topic %j", async (topic) => {
    const run = new Drive(({ step }) => step.publish("notify", topic, 1));
    expect(failure(await run.poll())?.code).toBe("INVALID_ARGUMENT");
  });

  it("refuses to publish nothing", async () => {
    const run = new Drive(({ step }) => step.publish("notify", "a", undefined));
    expect(failure(await run.poll())?.message).toContain('Step "notify" publishes nothing');
  });
});
