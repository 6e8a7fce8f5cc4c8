import { describe, expect, it } from "vitest";
import { toErrorRecord } from "../../core/error-record.ts";
import { StepFailed } from "../../core/errors.ts";
import { NonRetriableError, RetryAfterError } from "../../core/retry-errors.ts";
import type { Codec } from "../../core/codec.ts";
import type { Context } from "../../definition/context.ts";
import type { RunStepOptions } from "../../definition/step.ts";
import { completion, Drive, failure, T0 } from "../simulation/drive.ts";

const nothing = (): unknown => undefined;

/** A run of one step. */
const oneStep = (options?: RunStepOptions): Drive =>
  new Drive(async ({ step }) => step.run("a", nothing, options));

/** The error that the body gets, live and on a replay, when a step's only attempt throws. */
async function failForGood(thrown: unknown): Promise<{ live: unknown; replayed: unknown }> {
  const seen: unknown[] = [];
  const body = async ({ step }: Context): Promise<void> => {
    const options = { retry: { attempts: 1 } };
    await step.run("a", nothing, options).catch((error: unknown) => void seen.push(error));
  };
  const first = new Drive(body);
  await first.poll();
  const { commit } = await first.fail("a", thrown);
  const record = commit?.steps[0];
  if (record?.error === undefined) throw new Error("no record");
  const entry = { name: "a", kind: "run", attempts: record.attempts, error: record.error } as const;
  await new Drive(body, { journal: [structuredClone(entry)] }).poll();
  return { live: seen[0], replayed: seen[1] };
}

describe("retries", () => {
  it("are due after a backoff, for which the run is suspended", async () => {
    const run = oneStep();
    await run.poll();
    const { commit } = await run.fail("a", new Error("boom"));
    expect(commit).toMatchObject({
      steps: [],
      transition: {
        kind: "suspend",
        resumeAt: T0 + 1_000,
        continuation: {
          retries: [
            {
              step: "a",
              attempts: 1,
              until: T0 + 1_000,
              error: { name: "Error", message: "boom" },
            },
          ],
        },
      },
    });
  });

  it("count across deliveries, and fail for good after the last", async () => {
    const retries = [
      { step: "a", attempts: 2, until: T0, error: { name: "Error", message: "2nd" } },
    ];
    const run = new Drive(({ step }) => step.run("a", nothing), { continuation: { retries } });
    await run.poll();
    expect(run.calls).toEqual(["a#3"]);
    const turn = await run.fail("a", new Error("3rd"));
    expect(turn.commit?.steps).toMatchObject([
      { name: "a", kind: "run", attempts: 3, error: { message: "3rd" } },
    ]);
    expect(failure(turn)).toMatchObject({
      code: "STEP_FAILED",
      message: 'Step "a" of run 42 failed after 3 attempts: 3rd',
      cause: { message: "3rd" },
    });
  });

  it("are made in memory while another branch runs", async () => {
    const run = new Drive(({ step }) =>
      Promise.all([step.run("a", nothing), step.run("b", nothing)]),
    );
    await run.poll();
    expect((await run.fail("a")).wakeAt).toBe(T0 + 1_000);
    await run.commit();
    await run.advance(1_000);
    expect(run.calls).toEqual(["a#1", "b#1", "a#2"]);
    const { commit } = await run.succeed("a", "at last");
    expect(commit).toMatchObject({
      steps: [{ name: "a", attempts: 2, output: '"at last"' }],
      transition: { kind: "keep", continuation: { retries: [] } },
    });
  });

  it("default to the policy of the workflow, member by member", async () => {
    const run = new Drive(({ step }) => step.run("a", nothing, { retry: { attempts: 9 } }), {
      workflow: { retry: { attempts: 1, backoff: { kind: "fixed", base: "7s" } } },
    });
    await run.poll();
    expect((await run.fail("a")).commit?.transition).toMatchObject({ resumeAt: T0 + 7_000 });
  });

  it("are skipped by NonRetriableError, and by errors with its code", async () => {
    for (const error of [
      new NonRetriableError("no use"),
      Object.assign(new Error("no use"), { code: "NON_RETRIABLE" }),
    ]) {
      const run = oneStep();
      await run.poll();
      const turn = await run.fail("a", error);
      expect(failure(turn)?.message).toBe('Step "a" of run 42 failed after 1 attempt: no use');
    }
  });

  it("come after the delay of a RetryAfterError", async () => {
    const run = oneStep();
    await run.poll();
    const { commit } = await run.fail("a", new RetryAfterError("5m"));
    expect(commit?.transition).toMatchObject({ resumeAt: T0 + 300_000 });
  });

  it("end after the last attempt, even by a RetryAfterError", async () => {
    const run = oneStep({ retry: { attempts: 1 } });
    await run.poll();
    expect(failure(await run.fail("a", new RetryAfterError("5m")))?.code).toBe("STEP_FAILED");
  });
});

it("an output with a codec is decoded once on its way to the body", async () => {
  let decoded = 0;
  const codec: Codec = {
    encode: (value) => ({ sealed: value }),
    decode: (value) => {
      decoded += 1;
      return (value as { sealed: unknown }).sealed;
    },
  };
  const run = new Drive(({ step }) => step.run("a", nothing), {
    codec,
    input: { sealed: null },
  });
  await run.poll();
  decoded = 0;
  const turn = await run.succeed("a", { n: 1 });
  expect([completion(turn), decoded]).toEqual([{ sealed: { n: 1 } }, 1]);
});

describe("a step that failed for good", () => {
  it("is the same error live and on a replay", async () => {
    const thrown = Object.assign(new TypeError("outer", { cause: new RangeError("inner") }), {
      code: "E_X",
    });
    const { live, replayed } = await failForGood(thrown);
    for (const error of [live, replayed]) {
      expect(error).toBeInstanceOf(StepFailed);
      expect(error).toMatchObject({
        code: "STEP_FAILED",
        message: 'Step "a" of run 42 failed after 1 attempt: outer',
        facts: { runId: "42", step: "a", attempts: 1 },
        cause: {
          name: "TypeError",
          message: "outer",
          code: "E_X",
          cause: { name: "RangeError", message: "inner" },
        },
      });
    }
    const stack = (error: unknown): unknown => (error as { cause: Error }).cause.stack;
    expect(stack(live)).toBe(stack(replayed));
    expect(stack(live)).toBe(toErrorRecord(thrown).stack);
  });

  it("can be caught", async () => {
    const run = new Drive(async ({ step }) => {
      await step.run("a", nothing, { retry: { attempts: 1 } }).catch(nothing);
      return step.run("b", nothing);
    });
    await run.poll();
    await run.fail("a");
    await run.commit();
    expect(completion(await run.succeed("b", "fine"))).toBe("fine");
  });

  it("has an output that can't be journaled, even if attempts are left", async () => {
    const run = oneStep();
    await run.poll();
    const turn = await run.succeed("a", { users: [{ name: "nul \u0000" }] });
    expect(turn.commit?.steps).toMatchObject([
      { attempts: 1, error: { code: "SERIALIZATION_FAILED" } },
    ]);
    expect(failure(turn)?.cause?.message).toBe(
      'Cannot journal the output of step "a": $.users[0].name contains the character \\u0000, which Postgres can\'t store',
    );
  });
});

describe("options", () => {
  it("pass the timeout on", async () => {
    const [call] = (await oneStep({ timeout: "30s" }).poll()).calls;
    expect(call?.timeoutMs).toBe(30_000);
    const [unlimited] = (await oneStep().poll()).calls;
    expect(unlimited).toMatchObject({ name: "a", timeoutMs: undefined });
  });

  it.each([
    [{ timeout: "soon" }, 'Invalid duration "soon" for the timeout of step "a"'],
    [{ timeout: 0 }, 'Invalid timeout 0 of step "a"'],
    [{ retry: { attempts: 0 } }, 'Invalid retry.attempts 0 of step "a"'],
    [{ retry: { backoff: { base: "x" } } }, 'for retry.backoff.base of step "a"'],
  ])("that make no sense are refused: %j", async (options, message) => {
    const error = failure(await oneStep(options).poll());
    expect(error?.code).toBe("INVALID_ARGUMENT");
    expect(error?.message).toContain(message);
  });

  it("include a callback", async () => {
    const run = new Drive(({ step }) => step.run("a", undefined as never));
    expect(failure(await run.poll())?.message).toContain('Step "a" has no callback');
  });
});
