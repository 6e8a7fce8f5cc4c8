/** Recorded runs, replayed against the code of another day. */
import { createWorkflowClient, NondeterminismError } from "@oxbow/sdk";
import { type Context, workflow } from "@oxbow/sdk/runtime";
import { replayRecording, type RunRecording } from "@oxbow/sdk/testing";
import { describe, expect, it } from "vitest";
import { setupEnvironment } from "../helpers/test-environment.ts";

type Body = (ctx: Context, input: { email: string }) => Promise<unknown>;

const onboard = (run: Body, version = 1) => workflow({ name: "onboard", version, run });

/** The code of yesterday. */
const before: Body = async (ctx, { email }) => {
  const user = await ctx.step.run("create-user", () => ({ id: 42, email }));
  await ctx.step.sleep("welcome-delay", "5m");
  const verified = await ctx.step.waitForEvent("verify", { timeout: "7d" });
  if (verified === null) await ctx.step.run("nudge", () => "nudged");
  return { userId: user.id };
};

async function setup(): Promise<{
  readonly waiting: RunRecording;
  readonly completed: RunRecording;
}> {
  const yesterday = onboard(before);
  const env = await setupEnvironment([yesterday]);
  const run = await env.client.start(yesterday, { email: "ada@example.com" });
  await env.skip("1h");
  const waiting = asFixture(await env.client.runs.record(run.runId));
  await env.result(run);
  return { waiting, completed: asFixture(await env.client.runs.record(run.runId)) };
}

/** As from a file. */
const asFixture = (recording: RunRecording): RunRecording =>
  JSON.parse(JSON.stringify(recording)) as RunRecording;

const recordings = await setup();

describe("a recording", () => {
  it("is plain JSON: input, journal, what the run waits for, and how it ended", () => {
    const { waiting, completed } = recordings;
    expect(waiting).toMatchObject({
      recording: 1,
      workflow: "onboard",
      version: 1,
      status: "running",
      input: { email: "ada@example.com" },
      journal: [
        { name: "create-user", kind: "run", attempts: 1, output: { id: 42 } },
        { name: "welcome-delay", kind: "sleep" },
      ],
      waits: [{ kind: "event", step: "verify", event: "verify" }],
      retries: [],
    });
    expect(completed).toMatchObject({ status: "completed", output: { userId: 42 }, waits: [] });
    expect(completed.journal.map(({ name }) => name)).toEqual([
      "create-user",
      "welcome-delay",
      "verify",
      "nudge",
    ]);
  });

  it("distinguishes null from no input", async () => {
    const echo = workflow({
      name: "echo",
      run: (_ctx, input: null | undefined) => (input === null ? "null" : typeof input),
    });
    const env = await setupEnvironment([echo]);
    for (const input of [null, undefined]) {
      const run = await env.client.start(echo, input);
      const output = await env.result(run);
      const recording = asFixture(await env.client.runs.record(run.runId));
      expect(await replayRecording(echo, recording)).toEqual({ outcome: "completed", output });
    }
  });

  it("has errors without the stacks of the machine", async () => {
    const failing = workflow({
      name: "failing",
      run: async (ctx) => {
        await ctx.step.run(
          "fail",
          () => {
            throw new TypeError("no", { cause: new Error("why") });
          },
          { retry: { attempts: 1 } },
        );
      },
    });
    const env = await setupEnvironment([failing]);
    const run = await env.client.start(failing, undefined);
    await env.result(run).catch(() => {});
    const recording = await env.client.runs.record(run.runId);
    expect(recording.error).toMatchObject({ name: "StepFailed", cause: { name: "TypeError" } });
    expect(JSON.stringify(recording)).not.toContain("stack");
    expect(await replayRecording(failing, recording)).toMatchObject({ outcome: "failed" });
  });

  it("of a run that is not there is refused", async () => {
    const env = await setupEnvironment([onboard(before)]);
    await expect(env.client.runs.record("1")).rejects.toMatchObject({ code: "RUN_NOT_FOUND" });
    await expect(env.client.runs.record("x")).rejects.toThrow(/Invalid run id "x"/);
  });

  it("can be made by any client, with nothing but a run id", async () => {
    const one = workflow({ name: "one", run: () => 1 });
    const env = await setupEnvironment([one]);
    const run = await env.client.start(one, undefined);
    await env.result(run);
    await using client = createWorkflowClient({ url: env.url });
    expect(await client.runs.record(run.runId)).toMatchObject({ workflow: "one", output: 1 });
  });
});

describe("code that fits", () => {
  it("continues where the run was, and calls nothing", async () => {
    const { waiting } = recordings;
    expect(await replayRecording(onboard(before), waiting)).toEqual({
      outcome: "continues",
      next: [{ step: "verify", kind: "wait" }],
    });
  });

  it("ends as the run ended", async () => {
    const { completed } = recordings;
    expect(await replayRecording(onboard(before), completed)).toEqual({
      outcome: "completed",
      output: { userId: 42 },
    });
  });

  it("may do more after what is journaled", async () => {
    const { waiting } = recordings;
    const more = onboard(async (ctx, { email }) => {
      await ctx.step.run("create-user", () => email);
      await ctx.step.sleep("welcome-delay", "10m");
      await Promise.all([
        ctx.step.waitForEvent("verify", { timeout: "7d" }),
        ctx.step.run("also", () => 1),
      ]);
    });
    expect(await replayRecording(more, waiting)).toMatchObject({
      next: [{ step: "verify" }, { step: "also", kind: "run" }],
    });
  });

  it("may await something that is not a step", async () => {
    const { waiting } = recordings;
    const slow = onboard(async (ctx, input) => {
      await new Promise<void>((resolve) => {
        setTimeout(resolve, 30);
      });
      return before(ctx, input);
    });
    expect(await replayRecording(slow, waiting)).toMatchObject({ next: [{ step: "verify" }] });
  });

  it("lets a patched run continue the old way", async () => {
    const { waiting } = recordings;
    const patched = onboard(async (ctx, { email }) => {
      await ctx.step.run("create-user", () => email);
      if (await ctx.patched("no-delay")) await ctx.step.run("new", () => 1);
      else await ctx.step.sleep("welcome-delay", "5m");
      return ctx.step.waitForEvent("verify");
    });
    expect(await replayRecording(patched, waiting)).toMatchObject({ next: [{ step: "verify" }] });
  });
});

describe("a run that rolled back", () => {
  const trip = workflow({
    name: "trip",
    run: async (ctx) => {
      await ctx.step.run("hotel", () => 1, { rollback: () => {} });
      await ctx.step.run("flight", () => 2, { rollback: () => {} });
      throw new RangeError("too far");
    },
  });

  it("comes to its end again, failed", async () => {
    const env = await setupEnvironment([trip]);
    const run = await env.client.start(trip, undefined);
    await expect(env.result(run)).rejects.toThrow(/too far/);
    const recording = await env.client.runs.record(run.runId);
    expect(recording.journal.map(({ name }) => name)).toEqual([
      "hotel",
      "flight",
      "rollback:flight",
      "rollback:hotel",
    ]);
    expect(await replayRecording(trip, recording)).toMatchObject({
      outcome: "failed",
      error: { name: "RangeError", message: "too far" },
    });
    const mended = workflow({ name: "trip", run: (ctx) => ctx.step.run("hotel", () => 1) });
    await expect(replayRecording(mended, recording)).rejects.toThrow(/step "flight" \(step\.run\)/);
  });
});

it("a run that retries a step must be asked for that step", async () => {
  const failing = (step: string) =>
    workflow({
      name: "failing",
      run: (ctx) =>
        ctx.step.run(
          step,
          () => {
            throw new Error("not today");
          },
          { retry: { attempts: 9, backoff: { kind: "fixed", base: "1d" } } },
        ),
    });
  const env = await setupEnvironment([failing("charge")]);
  const run = await env.client.start("failing");
  await env.idle();
  const recording = await env.client.runs.record(run.runId);
  expect(recording.retries).toMatchObject([{ step: "charge", attempts: 1 }]);
  expect(await replayRecording(failing("charge"), recording)).toMatchObject({
    next: [{ step: "charge", kind: "run" }],
  });
  await expect(replayRecording(failing("pay"), recording)).rejects.toThrow(
    /it is in step "charge" \(step\.run\), and the body asks for "pay" \(step\.run\)/,
  );
});

describe("code that does not fit", () => {
  const incompatible: [string, Body, RegExp][] = [
    [
      "a step was renamed",
      async (ctx, { email }) => ctx.step.run("make-user", () => email),
      /continues with step "create-user" \(step\.run\), and the body asks for "make-user" \(step\.run\)/,
    ],
    [
      "a step is of another kind",
      async (ctx, { email }) => {
        await ctx.step.run("create-user", () => email);
        return ctx.step.waitForEvent("welcome-delay");
      },
      /has step "welcome-delay" as a step\.sleep, and the body asks for it as a step\.waitForEvent/,
    ],
    [
      "a step was removed",
      async (ctx, { email }) => ctx.step.run("create-user", () => email),
      /has step "welcome-delay" \(step\.sleep\), and the body returned without asking for it/,
    ],
    [
      "the wait that it is in was renamed",
      async (ctx, { email }) => {
        await ctx.step.run("create-user", () => email);
        await ctx.step.sleep("welcome-delay", "5m");
        await ctx.step.waitForEvent("verified");
      },
      /it is in step "verify" \(step\.waitForEvent\), and the body asks for "verified" \(step\.waitForEvent\)/,
    ],
    [
      "the wait that it is in is of another kind",
      async (ctx, { email }) => {
        await ctx.step.run("create-user", () => email);
        await ctx.step.sleep("welcome-delay", "5m");
        await ctx.step.sleep("verify", "7d");
      },
      /it is in step "verify" \(step\.waitForEvent\), and the body asks for it as a step\.sleep/,
    ],
    [
      "a name is used twice",
      async (ctx, { email }) => {
        await ctx.step.run("create-user", () => email);
        await ctx.step.run("create-user", () => email);
      },
      /"create-user" is used a second time/,
    ],
    [
      "the body waits for something else",
      async () => new Promise(() => {}),
      /continues with step "create-user" \(step\.run\), and the body awaits something that is not a step/,
    ],
  ];

  it.each(incompatible)("is found: %s", async (_what, body, message) => {
    const { waiting } = recordings;
    const replay = replayRecording(onboard(body), waiting, { grace: "100ms" });
    await expect(replay).rejects.toThrow(message);
  });

  it("is a NondeterminismError with facts", async () => {
    const { waiting } = recordings;
    const error = await replayRecording(
      onboard(async (ctx) => ctx.step.sleep("create-user", 1)),
      waiting,
    ).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(NondeterminismError);
    expect(error).toMatchObject({
      code: "NONDETERMINISM",
      facts: { step: "create-user", journaled: "run", asked: "sleep" },
    });
  });

  it("is found by the end of a run that had ended", async () => {
    const { completed } = recordings;
    const end = (change: (user: { id: number }) => unknown): Body => {
      return async (ctx, input) => {
        const output = (await before(ctx, input)) as { userId: number };
        return change({ id: output.userId });
      };
    };
    await expect(
      replayRecording(onboard(end(({ id }) => ({ user: id }))), completed),
    ).rejects.toThrow(/it completed with \{"userId":42\}, and the body returns \{"user":42\}/);
    const throwing = end(() => {
      throw new Error("oops");
    });
    await expect(replayRecording(onboard(throwing), completed)).rejects.toThrow(
      /it completed with .* and the body throws Error: oops/,
    );
    const longer: Body = async (ctx, input) => {
      await before(ctx, input);
      await ctx.step.run("more", () => 1);
    };
    await expect(replayRecording(onboard(longer), completed)).rejects.toThrow(
      /and the body asks for "more" \(step\.run\)/,
    );
    expect(await replayRecording(onboard(longer), completed, { comparesEnd: false })).toMatchObject(
      {
        outcome: "continues",
      },
    );
  });
});

it("an invalid recording is refused", async () => {
  const { waiting } = recordings;
  const today = onboard(before);
  await expect(replayRecording(today, {})).rejects.toThrow(
    /Invalid recording for workflow "onboard"/,
  );
  await expect(replayRecording(today, { ...waiting, journal: undefined })).rejects.toThrow(
    /are missing or damaged/,
  );
  await expect(replayRecording(onboard(before, 2), waiting)).rejects.toThrow(
    /in version 1: replay it against that one, not against version 2/,
  );
  await expect(replayRecording(today, waiting, { grace: "soon" })).rejects.toThrow(
    /Invalid duration/,
  );
});

it("values that are encoded are decoded by the codec of the replay", async () => {
  const codec = {
    encode: (value: unknown) => ({ text: JSON.stringify(value ?? null) }),
    decode: (data: unknown): unknown => JSON.parse((data as { text: string }).text),
  };
  const secret = workflow({
    name: "secret",
    run: async (ctx, input: { n: number }) => {
      const doubled = await ctx.step.run("double", () => 2 * input.n);
      return { doubled };
    },
  });
  const env = await setupEnvironment([secret], { codec });
  const run = await env.client.start(secret, { n: 21 });
  expect(await env.result(run)).toEqual({ doubled: 42 });
  const recording = await env.client.runs.record(run.runId);
  expect(recording.input).toEqual({ text: '{"n":21}' });
  expect(await replayRecording(secret, recording, { codec })).toEqual({
    outcome: "completed",
    output: { doubled: 42 },
  });
});
