/** Calls of models within runs: names, retries, other models, and answers that are broken. */
import { setTimeout as pause } from "node:timers/promises";
import { durableEmbeddingModel, durableModel, type DurableModelOptions } from "@oxbow/ai";
import { workflow } from "@oxbow/sdk/runtime";
import { APICallError, embedMany, generateText, Output, streamText } from "ai";
import { MockEmbeddingModelV4, MockLanguageModelV4 } from "ai/test";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { eventually } from "../helpers/eventually.ts";
import { setupWorkflows } from "../helpers/workflows.ts";
import { apiError, finish, type Part, scripted, text, USAGE } from "./models.ts";
import { readAll, RestlessReader } from "./reader.ts";

const bench = await setupWorkflows();

const FAST: DurableModelOptions = {
  retry: { backoff: { kind: "fixed", base: "5ms", jitter: 0 } },
};

/** Streams an answer to a prompt; of a failure, what the AI SDK shows of it. */
const asking = (
  name: string,
  models: Parameters<typeof durableModel>[1],
  options: DurableModelOptions = FAST,
) =>
  workflow({
    name,
    run: async (ctx, prompt: string) => {
      let failure: unknown;
      const { text: said } = streamText({
        model: durableModel(ctx, models, options),
        prompt,
        onError: ({ error }) => {
          failure = error;
        },
      });
      try {
        return { said: await said };
      } catch {
        const { message, statusCode, isRetryable } = failure as APICallError;
        return { message, isCallError: APICallError.isInstance(failure), statusCode, isRetryable };
      }
    },
  });

async function ask(definition: ReturnType<typeof asking>): Promise<{
  readonly runId: string;
  readonly output: unknown;
  readonly attempts: number[];
  readonly deltas: string[];
}> {
  bench.serve([definition]);
  const run = await bench.client.start(definition, "Why?");
  const { runId } = run;
  const output = await run.result({ timeout: "60s" });
  const steps = await bench.client.runs.steps(runId);
  const chunks = await readAll(bench.client, runId);
  return {
    runId,
    output,
    attempts: steps.map(({ attempts }) => attempts),
    deltas: chunks.flatMap((chunk) => (chunk.type === "text-delta" ? [chunk.delta] : [])),
  };
}

describe("a call of a model", () => {
  it("counts its tokens towards those of the run, once", async () => {
    const { model, asked } = scripted(() => text("yes"));
    const counting = workflow({
      name: "counting",
      run: async (ctx) => {
        const durable = durableModel(ctx, model);
        await generateText({ model: durable, prompt: "generated" });
        await ctx.step.sleep("replay", "50ms");
        const { text: said } = streamText({ model: durable, prompt: "streamed" });
        return said;
      },
    });
    bench.serve([counting]);
    const run = await bench.client.start(counting);
    expect(await run.result({ timeout: "60s" })).toBe("yes");
    expect(asked).toHaveLength(2);
    expect(await bench.client.runs.state(run.runId)).toEqual({
      usage: {
        calls: 2,
        inputTokens: 2 * (USAGE.inputTokens.total ?? 0),
        outputTokens: 2 * (USAGE.outputTokens.total ?? 0),
      },
    });
  });

  it("is named by its prompt, whatever order concurrent calls have", async () => {
    const { model, asked } = scripted(({ prompt }) => text(JSON.stringify(prompt).slice(-9, -5)));
    const concurrent = workflow({
      name: "concurrent",
      run: async (ctx) => {
        const durable = durableModel(ctx, model);
        const answers = await Promise.all(
          ["one", "two", "two"].map((prompt) => generateText({ model: durable, prompt })),
        );
        return answers.map(({ text: said }) => said);
      },
    });
    bench.serve([concurrent]);
    const run = await bench.client.start(concurrent, undefined);
    await run.result({ timeout: "60s" });
    expect(asked).toHaveLength(3);
    const names = (await bench.client.runs.steps(run.runId)).map(({ name }) => name);
    expect(
      names
        .toSorted()
        .map((name) => name.replace(/[0-9a-f]{12}/, "…"))
        .toSorted(),
    ).toEqual(["generate …", "generate …", "generate … #2"]);
  });

  it("gives objects, dates and bytes as the model gave them", async () => {
    const image = new Uint8Array([1, 2, 255]);
    const timestamp = new Date("2026-03-01T09:00:00Z");
    const model = new MockLanguageModelV4({
      doGenerate: {
        content: [
          { type: "text", text: '{"warm":true}' },
          { type: "file", mediaType: "image/png", data: { type: "data", data: image } },
        ],
        finishReason: { unified: "stop", raw: undefined },
        usage: (finish() as Extract<Part, { type: "finish" }>).usage,
        response: { id: "r", timestamp, headers: { "x-secret": "1" }, body: { huge: true } },
        warnings: [],
      },
    });
    const generated = workflow({
      name: "generated",
      run: async (ctx) => {
        const { output, files, finalStep } = await generateText({
          model: durableModel(ctx, model),
          prompt: "Why?",
          output: Output.object({ schema: z.object({ warm: z.boolean() }) }),
        });
        return {
          output,
          bytes: [...(files[0]?.uint8Array ?? [])],
          at: finalStep.response.timestamp.toJSON(),
        };
      },
    });
    bench.serve([generated]);
    const run = await bench.client.start(generated, undefined);
    const expected = { output: { warm: true }, bytes: [1, 2, 255], at: timestamp.toJSON() };
    expect(await run.result({ timeout: "60s" })).toEqual(expected);
    const [step] = await bench.client.runs.steps(run.runId);
    expect(JSON.stringify(step?.output)).not.toMatch(/secret|huge/);
  });

  it("keeps characters that arrive in halves, and replaces what Postgres can't store", async () => {
    const { model } = scripted(async function* answer() {
      for (const part of text("nul \0 ", "\uD83D", "\uDE00 ", "half \uD83D")) {
        yield part;
        await pause(60);
      }
    });
    const { output, deltas } = await ask(asking("halves", model));
    expect([output, deltas.join("")]).toEqual([
      { said: "nul \uFFFD \u{1F600} half \uFFFD" },
      "nul \uFFFD \u{1F600} half \uFFFD",
    ]);
  });

  it("of embeddings is a step as well", async () => {
    let isBroken = true;
    const model = new MockEmbeddingModelV4({
      maxEmbeddingsPerCall: 2,
      doEmbed: ({ values }) => {
        if (isBroken) {
          isBroken = false;
          return Promise.reject(apiError(503));
        }
        const embeddings = values.map((value) => [value.length, 0.5]);
        return Promise.resolve({ embeddings, usage: { tokens: 1 }, warnings: [] });
      },
    });
    const embedded = workflow({
      name: "embedded",
      run: async (ctx) => {
        const durable = durableEmbeddingModel(ctx, model, FAST);
        const { embeddings } = await embedMany({ model: durable, values: ["a", "bb", "ccc"] });
        return embeddings;
      },
    });
    bench.serve([embedded]);
    const run = await bench.client.start(embedded, undefined);
    expect(await run.result({ timeout: "60s" })).toEqual([
      [1, 0.5],
      [2, 0.5],
      [3, 0.5],
    ]);
    const steps = await bench.client.runs.steps(run.runId);
    const shown = steps.map(({ name, attempts }) => `${name.slice(0, 5)} ${attempts}`);
    expect(shown.toSorted()).toEqual(["embed 1", "embed 2"]);
  });

  it("with another prompt in a replay fails the run as a departure from its journal", async () => {
    const version = (prompt: string, asked: { readonly model: MockLanguageModelV4 }) =>
      workflow({
        name: "changed",
        run: async (ctx) => {
          await generateText({ model: durableModel(ctx, asked.model), prompt });
          await ctx.step.waitForEvent("go");
        },
      });
    const before = scripted(() => text("yes"));
    const first = bench.serve([version("Is it warm?", before)]);
    const run = await bench.client.start(version("", before));
    await eventually(() => bench.client.runs.steps(run.runId), { length: 1 });
    await first.stop();
    const after = scripted(() => text("no"));
    bench.serve([version("Is it cold?", after)]);
    await run.signal("go");
    const failure: unknown = await run.result({ timeout: "60s" }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ cause: { code: "NONDETERMINISM" } });
    expect(after.asked).toEqual([]);
  });
});

it("a call whose run is cancelled is aborted, and its text stays readable", async () => {
  const aborted: AbortSignal[] = [];
  const { model } = scripted(async function* answer({ abortSignal }) {
    if (abortSignal !== undefined) aborted.push(abortSignal);
    yield { type: "text-start", id: "0" };
    yield { type: "text-delta", id: "0", delta: "half" };
    await new Promise((_, reject) => {
      abortSignal?.addEventListener("abort", () => reject(new Error("aborted")));
    });
  });
  const cancelled = asking("cancelled", model);
  bench.serve([cancelled]);
  const run = await bench.client.start(cancelled, "Why?");
  const reader = new RestlessReader();
  const reading = reader.follow(bench.client, run.runId);
  const half = { type: "text-delta", id: "0", delta: "half" };
  await eventually(
    () => reader.chunks,
    (chunks) => chunks.some(({ type }) => type === "text-delta"),
  );
  await run.cancel();
  await eventually(() => aborted[0]?.aborted, true);
  await reading;
  expect(reader.chunks).toContainEqual(half);
  expect(await readAll(bench.client, run.runId)).toEqual(reader.chunks);
  expect(await run.status()).toMatchObject({ status: "cancelled" });
});

describe("a call that fails", () => {
  it("is retried after the delay that the provider asks for, and its chunks are replaced", async () => {
    const { model } = scripted(function* answer(_, call) {
      if (call < 3) {
        yield { type: "text-start", id: "0" };
        yield { type: "text-delta", id: "0", delta: `try ${call}` };
        const headers: Record<string, string> =
          call === 1 ? { "retry-after-ms": "20" } : { "retry-after": "0" };
        yield { type: "error", error: apiError(429, headers) };
      } else yield* text("done");
    });
    // With the backoff alone, it would take a minute.
    const slow: DurableModelOptions = { retry: { backoff: { kind: "fixed", base: "60s" } } };
    const { output, attempts, deltas } = await ask(asking("retried", model, slow));
    expect([output, attempts, deltas]).toEqual([{ said: "done" }, [3], ["done"]]);
  });

  it.each([
    ["null", null],
    ["text", "overloaded"],
    ["a frozen error", Object.freeze(apiError(503))],
  ])("with %s has its attempts", async (what, error) => {
    const { model, asked } = scripted(() => [{ type: "error", error }]);
    const { attempts } = await ask(asking(`throws-${what.replaceAll(" ", "-")}`, model));
    expect([asked.length, attempts]).toEqual([3, [3]]);
  });

  it("is not repeated if that can't help, and keeps its class and status", async () => {
    const { model, asked } = scripted(() => {
      throw apiError(401);
    });
    const { output, attempts } = await ask(asking("refused", model));
    expect(output).toEqual({
      message: "status 401",
      isCallError: true,
      statusCode: 401,
      isRetryable: false,
    });
    expect([asked.length, attempts]).toEqual([1, [1]]);
  });

  it("has the attempts of its step, and no more by the AI SDK", async () => {
    const { model, asked } = scripted(() => {
      throw apiError(503);
    });
    const { output } = await ask(asking("unavailable", model));
    expect(output).toMatchObject({ statusCode: 503, isCallError: true });
    expect(asked).toHaveLength(3);
  });

  it("goes to the next model immediately", async () => {
    const broken = scripted(function* answer() {
      yield { type: "text-start", id: "0" };
      yield { type: "text-delta", id: "0", delta: "half" };
      yield { type: "error", error: apiError(401) };
    });
    const whole = scripted(() => text("whole"));
    const slow: DurableModelOptions = { retry: { backoff: { kind: "fixed", base: "60s" } } };
    const { output, attempts, deltas } = await ask(
      asking("fallback", [broken.model, whole.model], slow),
    );
    expect([output, attempts, deltas]).toEqual([{ said: "whole" }, [2], ["whole"]]);
    expect([broken.asked.length, whole.asked.length]).toEqual([1, 1]);
  });

  it("goes to the next model immediately when the first one takes longer than its timeout", async () => {
    const mute = scripted(() => [], "mute");
    mute.model.doGenerate = () => (mute.asked.push({ prompt: [] }), new Promise(() => {}));
    const whole = scripted(() => text("whole"));
    const definition = workflow({
      name: "times-out",
      run: async (ctx) => {
        const model = durableModel(ctx, [mute.model, whole.model], {
          timeout: "100ms",
          retry: { backoff: { kind: "fixed", base: "5m", jitter: 0 } },
        });
        return (await generateText({ model, prompt: "Why?" })).text;
      },
    });
    bench.serve([definition]);
    const run = await bench.client.start(definition);
    expect(await run.result({ timeout: "60s" })).toBe("whole");
    expect([mute.asked.length, whole.asked.length]).toEqual([1, 1]);
  });

  it("has its attempts, and the error of the timeout, if each model takes longer", async () => {
    const mute = scripted(() => [], "mute");
    mute.model.doStream = () => (mute.asked.push({ prompt: [] }), new Promise(() => {}));
    const limited: DurableModelOptions = { ...FAST, timeout: 50 };
    const { output, attempts } = await ask(
      asking("all-time-out", [mute.model, mute.model], limited),
    );
    expect(output).toMatchObject({ message: expect.stringContaining("within 50 ms") as string });
    expect([mute.asked.length, attempts]).toEqual([6, [6]]);
  });

  it("goes back to the first model unless each one has failed for good", async () => {
    const overloaded = scripted((_, call) => {
      if (call === 1) throw apiError(429, { "retry-after": "0" });
      return text("recovered");
    });
    const small = scripted(() => {
      throw apiError(400);
    });
    const models = [overloaded.model, small.model];
    const slow: DurableModelOptions = { retry: { backoff: { kind: "fixed", base: "60s" } } };
    const back = await ask(asking("back-to-the-first", models, slow));
    expect([back.output, back.attempts]).toEqual([{ said: "recovered" }, [3]]);
    const refused = await ask(asking("both-refuse", [small.model, small.model], slow));
    expect([refused.output, refused.attempts]).toMatchObject([{ statusCode: 400 }, [2]]);
  });

  it.each([
    ["ends without a finish part", text("half").slice(0, 2), /after 2 parts without a finish part/],
    ["falls silent", undefined, /"mute" sent nothing for 50 ms/],
  ])("when the model %s", async (_, parts, message) => {
    const { model, asked } = scripted(
      () => parts ?? ReadableStream.from<Part>(new Promise(() => {}) as never),
      "mute",
    );
    if (parts === undefined)
      model.doStream = () => (asked.push({ prompt: [] }), new Promise(() => {}));
    const name = parts === undefined ? "silent" : "incomplete";
    const { output, attempts } = await ask(asking(name, model, { ...FAST, silence: 50 }));
    expect((output as Error).message).toMatch(message);
    expect([asked.length, attempts]).toEqual([3, [3]]);
  });

  it("may be silent for longer than a timer of Node lasts", async () => {
    const { model } = scripted(async function* answer() {
      await pause(20);
      yield* text("yes");
    });
    const patient = asking("patient", model, { ...FAST, silence: "30d" });
    expect(await ask(patient)).toMatchObject({ output: { said: "yes" }, attempts: [1] });
  });
});

it.each([
  ["openai/gpt-5", {}, /can't call "openai\/gpt-5": give a model of a provider/],
  [[], {}, /empty list of models/],
  [scripted(() => []).model, { silence: "soon" }, /"soon"/],
  [scripted(() => []).model, { retries: 3 }, /retries/],
])("a model %o with options %o is refused", async (model, options, message) => {
  const name = `bad-${Math.random().toString(36).slice(2)}`;
  const refused = asking(name, model, options as DurableModelOptions);
  bench.serve([refused]);
  const run = await bench.client.start(refused, "Why?");
  await expect(run.result({ timeout: "60s" })).rejects.toThrow(message);
});

it("no invariant is broken by any of this", async () => {
  expect(await bench.violations()).toEqual([]);
});
