/** The usage of models: tokens, money, budgets, and what an OpenTelemetry SDK sees of it. */
import {
  type Budget,
  carryUsage,
  durableModel,
  type DurableModelOptions,
  type RunUsage,
  usageOf,
} from "@oxbow/ai";
import { type ServableWorkflow, workflow, type EventSchemas } from "@oxbow/sdk/runtime";
import { metrics } from "@opentelemetry/api";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { generateText, streamText } from "ai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually, isNotEmpty } from "../helpers/eventually.ts";
import { type OtlpReceiver, startOtlpReceiver } from "../helpers/otlp-receiver.ts";
import { registerTracing } from "../helpers/tracing.ts";
import { setupWorkflows } from "../helpers/workflows.ts";
import { apiError, finish, type Part, scripted, text } from "./models.ts";

const bench = await setupWorkflows();

/** Each answer has 3 tokens of input and 5 of output: 0.0000560 in money. */
const prices = { scripted: { input: 2, output: 10 } };
const COST = 0.000_056;

/** Asks a model some times, one after the other, and returns the cost of its answers. */
const asking = (
  name: string,
  options: DurableModelOptions,
  { times = 3, isConcurrent = false } = {},
): {
  readonly asked: readonly unknown[];
  readonly definition: ServableWorkflow<unknown, unknown[], EventSchemas>;
} => {
  const { model, asked } = scripted(() => text("yes"));
  const definition = workflow({
    name,
    run: async (ctx) => {
      const durable = durableModel(ctx, model, options);
      const ask = async (n: number) => {
        const { finalStep } = await generateText({ model: durable, prompt: `number ${n}` });
        return finalStep.providerMetadata?.["oxbow"] ?? null;
      };
      const numbers = Array.from({ length: times }, (_, n) => n);
      if (isConcurrent) {
        await ask(-1);
        return Promise.all(numbers.map(ask));
      }
      const answers: unknown[] = [];
      for (const n of numbers) answers.push(await ask(n));
      return answers;
    },
  });
  return { asked, definition };
};

describe("the cost of a run", () => {
  it("is the sum of its answers, each with its own", async () => {
    const { definition } = asking("priced", { prices });
    bench.serve([definition]);
    const run = await bench.client.start(definition);
    expect(await run.result({ timeout: "60s" })).toEqual([
      { cost: COST },
      { cost: COST },
      { cost: COST },
    ]);
    expect(await bench.client.runs.state(run.runId)).toEqual({
      usage: { calls: 3, inputTokens: 9, outputTokens: 15, cost: 0.000_168 },
    });
  });

  it("counts cached input by its price, and the model that has answered", async () => {
    const cached: Part = {
      ...(finish() as Extract<Part, { type: "finish" }>),
      usage: {
        inputTokens: { total: 1_000, noCache: 400, cacheRead: 600, cacheWrite: undefined },
        outputTokens: { total: 10, text: 10, reasoning: undefined },
      },
    };
    const first = scripted(() => {
      throw apiError(500);
    }, "first");
    const second = scripted(() => [cached], "second");
    const fallback = workflow({
      name: "priced-fallback",
      run: async (ctx) => {
        const model = durableModel(ctx, [first.model, second.model], {
          prices: {
            first: { input: 1_000, output: 1_000 },
            second: { input: 10, output: 100, cachedInput: 1 },
          },
        });
        return (await streamText({ model, prompt: "Why?" }).finalStep).providerMetadata;
      },
    });
    bench.serve([fallback]);
    const run = await bench.client.start(fallback);
    expect(await run.result({ timeout: "60s" })).toEqual({ oxbow: { cost: 0.0056 } });
  });

  it("goes from one generation to the next", async () => {
    const { model } = scripted(() => text("yes"));
    const renewing = workflow({
      name: "priced-generations",
      run: async (ctx, input: { turn: number; usage?: RunUsage }) => {
        carryUsage(ctx, input.usage);
        const prompt = `turn ${input.turn}`;
        await generateText({ model: durableModel(ctx, model, { prices }), prompt });
        const usage = usageOf(ctx);
        return input.turn === 3 ? usage : ctx.continueAsNew({ turn: input.turn + 1, usage });
      },
    });
    bench.serve([renewing]);
    const run = await bench.client.start(renewing, { turn: 1 });
    const usage = { calls: 3, inputTokens: 9, outputTokens: 15, cost: 0.000_168 };
    expect(await run.result({ timeout: "60s" })).toEqual(usage);
    expect(await bench.client.runs.state(run.runId)).toEqual({ usage });
  });
});

describe("a budget", () => {
  /** Requests of a run, the newest first. */
  const requests = (runId: string) =>
    eventually(async () => {
      for await (const { approvals } of bench.client.approvals.list({ runId })) return approvals;
      return [];
    }, isNotEmpty);

  it.each([
    ["tokens", { tokens: 16 }, "Use more than 16 tokens?"],
    ["cost", { cost: 2 * COST }, "Use more than a cost of 0.000112?"],
  ])("of %s makes the run ask, and grants as much again", async (unit, budget, title) => {
    const { asked, definition } = asking(`budget-${unit}`, { prices, budget }, { times: 5 });
    bench.serve([definition]);
    const run = await bench.client.start(definition);
    const [first] = await requests(run.runId);
    expect(first).toMatchObject({ title, step: `approve more ${unit} 1` });
    expect(asked).toHaveLength(2);
    await bench.client.approvals.decide(first?.id ?? "", "approved", { actor: "ada" });
    const [second] = await eventually(
      () => requests(run.runId),
      ([found]) => found?.id !== first?.id,
    );
    expect(asked).toHaveLength(4);
    await bench.client.approvals.decide(second?.id ?? "", "approved", { actor: "ada" });
    expect(await run.result({ timeout: "60s" })).toHaveLength(5);
    expect(asked).toHaveLength(5);
  });

  it("keeps what was approved when the run continues as new", async () => {
    const { model, asked } = scripted(() => text("yes"));
    const renewing = workflow({
      name: "budget-generations",
      run: async (ctx, input: { turn: number; usage?: RunUsage }) => {
        carryUsage(ctx, input.usage);
        const durable = durableModel(ctx, model, { budget: { tokens: 16 } });
        await generateText({ model: durable, prompt: `turn ${input.turn}` });
        const usage = usageOf(ctx);
        return input.turn === 5 ? usage : ctx.continueAsNew({ turn: input.turn + 1, usage });
      },
    });
    bench.serve([renewing]);
    const run = await bench.client.start(renewing, { turn: 1 });
    const { runId } = run;
    for (const calls of [2, 4]) {
      const [request] = await eventually(async () => {
        for await (const { approvals } of bench.client.approvals.list({ runId, status: "waiting" }))
          return approvals;
        return [];
      }, isNotEmpty);
      expect(asked).toHaveLength(calls);
      await bench.client.approvals.decide(request?.id ?? "", "approved", { actor: "ada" });
    }
    const usage = { calls: 5, inputTokens: 15, outputTokens: 25 };
    expect(await run.result({ timeout: "60s" })).toEqual({ ...usage, granted: { tokens: 48 } });
    expect(await bench.client.runs.state(runId)).toEqual({ usage });
  });

  it("is asked about once by concurrent calls", async () => {
    const { asked, definition } = asking(
      "budget-concurrent",
      { budget: { tokens: 1 } },
      { isConcurrent: true },
    );
    bench.serve([definition]);
    const run = await bench.client.start(definition);
    const [request] = await requests(run.runId);
    await bench.client.approvals.decide(request?.id ?? "", "approved", { actor: "ada" });
    expect(await run.result({ timeout: "60s" })).toHaveLength(3);
    expect(asked).toHaveLength(4);
    expect(await requests(run.runId)).toHaveLength(1);
  });

  it.each([
    ["refused", {}, /used up, and more was refused by ada/],
    ["late", { timeout: "100ms" }, /used up, and more was not approved in time/],
  ])("that is %s ends the run with a BudgetExceeded", async (name, options, message) => {
    const { asked, definition } = asking(`budget-${name}`, { budget: { tokens: 8, ...options } });
    bench.serve([definition]);
    const run = await bench.client.start(definition);
    if (name === "refused") {
      const [request] = await requests(run.runId);
      await bench.client.approvals.decide(request?.id ?? "", "rejected", { actor: "ada" });
    }
    const failed = await run.result({ timeout: "60s" }).catch((error: unknown) => error);
    expect(failed).toMatchObject({ cause: { name: "BudgetExceeded", message } });
    expect(asked).toHaveLength(1);
  });

  it("of a tenant counts what its function returns, in a step", async () => {
    let spent = 3;
    const { asked, definition } = asking(
      "budget-tenant",
      { prices, budget: { cost: 5, spent: () => (spent += 1) } },
      { times: 2 },
    );
    bench.serve([definition]);
    const run = await bench.client.start(definition);
    const [request] = await requests(run.runId);
    expect(asked).toHaveLength(1);
    await bench.client.approvals.decide(request?.id ?? "", "approved", { actor: "ada" });
    await run.result({ timeout: "60s" });
    const steps = await bench.client.runs.steps(run.runId);
    expect(
      steps.filter(({ name }) => name.startsWith("read budget")).map(({ output }) => output),
    ).toEqual([4, 5, 6]);
  });

  it("fails a run whose function returns no number", async () => {
    const { definition } = asking("budget-broken", {
      budget: { tokens: 8, spent: () => "many" as unknown as number },
    });
    bench.serve([definition]);
    const run = await bench.client.start(definition);
    await expect(run.result({ timeout: "60s" })).rejects.toThrow(
      /spent\(\) of a budget returned many/,
    );
  });

  it.each([
    [{}, /give either cost or tokens/],
    [{ cost: 1, tokens: 1 }, /give either cost or tokens/],
    [{ tokens: 0 }, /Invalid tokens 0/],
    [{ tokens: Number.NaN }, /Invalid tokens NaN/],
    [{ tokens: "9" }, /Invalid tokens 9/],
    [{ cost: 1 }, /limits cost: give the option prices/],
    [{ token: 1 }, /Did you mean tokens\?/],
    [{ tokens: 1, approvers: [] }, /Invalid approvers \[\]/],
    [{ tokens: 1, timeout: "soon" }, /soon/],
  ])("as %o is refused", (budget, message) => {
    const ctx = { step: {} } as Parameters<typeof durableModel>[0];
    const { model } = scripted(() => text("yes"));
    expect(() => durableModel(ctx, model, { budget: budget as Budget })).toThrow(message);
  });

  it.each([
    [{}, /no price of model "scripted", but of no model/],
    [{ other: { input: 1, output: 1 } }, /no price of model "scripted", but of other/],
    [{ scripted: { input: -1, output: 1 } }, /Invalid price -1 of model "scripted"/],
    [{ scripted: { input: 1 } }, /Invalid price undefined of model "scripted"/],
  ])("with the prices %o is refused", (given, message) => {
    const ctx = { step: {} } as Parameters<typeof durableModel>[0];
    const { model } = scripted(() => text("yes"));
    const options = { prices: given } as DurableModelOptions;
    expect(() => durableModel(ctx, model, options)).toThrow(message);
  });
});

describe("an OpenTelemetry SDK", () => {
  let receiver: OtlpReceiver;
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const meters = new MeterProvider({
    readers: [new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 })],
  });
  let tracers: ReturnType<typeof registerTracing>;

  beforeAll(async () => {
    receiver = await startOtlpReceiver();
    tracers = registerTracing(receiver.url);
    metrics.setGlobalMeterProvider(meters);
  });
  afterAll(() => Promise.all([tracers.shutdown(), meters.shutdown()]));

  it("sees each call within its step, with tokens and failures", async () => {
    const { model } = scripted((_, call) => {
      if (call === 1) throw apiError(503);
      return text("yes");
    }, "seen");
    const seen = workflow({
      name: "seen",
      run: async (ctx) => {
        const durable = durableModel(ctx, model, {
          retry: { backoff: { kind: "fixed", base: "5ms" } },
        });
        const { text: said } = await generateText({ model: durable, prompt: "Why?" });
        await ctx.step.sleep("replay", "50ms");
        return said;
      },
    });
    bench.serve([seen]);
    const run = await bench.client.start(seen);
    await run.result({ timeout: "60s" });
    const received = await eventually(
      () => receiver.spans.filter(({ name }) => name === "chat seen"),
      { length: 2 },
    );
    // Spans are exported in any order.
    const calls = received.toSorted((one, other) => one.startedAt - other.startedAt);
    expect(calls.map(({ isError }) => isError)).toEqual([true, false]);
    await eventually(
      () => receiver.spans.filter(({ name }) => name === "workflow.step"),
      (steps) =>
        calls.every(({ parentSpanId }) => steps.some(({ spanId }) => spanId === parentSpanId)),
    );
    expect(calls[0]?.attributes).toMatchObject({ "error.type": "AI_APICallError" });
    expect(calls[1]?.attributes).toMatchObject({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "mock-provider",
      "gen_ai.request.model": "seen",
      "gen_ai.usage.input_tokens": 3,
      "gen_ai.usage.output_tokens": 5,
    });

    await meters.forceFlush();
    const found = exporter
      .getMetrics()
      .flatMap(({ scopeMetrics }) => scopeMetrics)
      .flatMap((scope) => scope.metrics)
      .flatMap(({ descriptor, dataPoints }) =>
        dataPoints.map(({ attributes, value }) => ({
          name: descriptor.name,
          attributes,
          value: value as { readonly sum: number; readonly count: number },
        })),
      );
    const tokens = found.filter(({ name }) => name === "gen_ai.client.token.usage");
    expect(
      tokens.map(({ attributes, value }) => [attributes["gen_ai.token.type"], value.sum]),
    ).toEqual([
      ["input", 3],
      ["output", 5],
    ]);
    const durations = found.filter(({ name }) => name === "gen_ai.client.operation.duration");
    expect(
      durations.map(({ attributes, value }) => [attributes["error.type"], value.count]),
    ).toEqual([
      ["AI_APICallError", 1],
      [undefined, 1],
    ]);
  });
});
