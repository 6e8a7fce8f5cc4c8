/** Bodies with the AI SDK, replayed from the journal after each step, with other times and random numbers each time. */
import { durableModel, durableTools, streamDurably } from "@oxbow/ai";
import { type Context, workflow } from "@oxbow/sdk/runtime";
import {
  generateText,
  isStepCount,
  Output,
  streamText,
  tool,
  ToolLoopAgent,
  type UIMessage,
} from "ai";
import { expect, it } from "vitest";
import { z } from "zod";
import { setupEnvironment } from "../helpers/test-environment.ts";
import { resultsIn, scripted, type ScriptedModel, text, toolCalls } from "./models.ts";

const messages: UIMessage[] = [{ id: "q", role: "user", parts: [{ type: "text", text: "Oslo?" }] }];
const city = z.object({ city: z.string() });
let called: string[] = [];

const weather = tool({
  inputSchema: city,
  execute: (input) => {
    called.push(input.city);
    return { celsius: 20, at: new Date(0), city: input.city };
  },
});

/** Asks for the weather of two cities, twice, and answers. */
const assistant = (): ScriptedModel =>
  scripted((given) =>
    resultsIn(given) < 2
      ? toolCalls(["weather", { city: "Oslo" }], ["weather", { city: "Bergen" }])
      : [
          { type: "reasoning-start", id: "r" },
          { type: "reasoning-delta", id: "r", delta: "It is " },
          { type: "reasoning-end", id: "r" },
          ...text("warm."),
        ],
  );

const agentOf = (ctx: Context, { model }: ScriptedModel): ToolLoopAgent =>
  new ToolLoopAgent({
    model: durableModel(ctx, model),
    tools: durableTools(ctx, { weather }),
  }) as unknown as ToolLoopAgent;

/** Asks its tool, which asks the other model. */
const boss = scripted((given) =>
  resultsIn(given) === 0 ? toolCalls(["ask", { city: "Oslo" }]) : text("done"),
);

interface Case {
  /** How often the model must be asked, and tools called, however often the body is replayed. */
  readonly asked: number;
  readonly calls: number;
  readonly output: unknown;
  readonly body: (ctx: Context, model: ScriptedModel) => unknown;
  readonly model?: () => ScriptedModel;
}

const cases: Readonly<Record<string, Case>> = {
  "an agent that streams": {
    asked: 3,
    calls: 4,
    output: { type: "text", text: "warm.", state: "done" },
    body: async (ctx, model) =>
      (await streamDurably(ctx, agentOf(ctx, model), messages)).parts.at(-1),
  },
  "an agent that generates": {
    asked: 3,
    calls: 4,
    output: "warm.",
    body: async (ctx, model) => (await agentOf(ctx, model).generate({ prompt: "Oslo?" })).text,
  },
  "two agents at the same time": {
    asked: 6,
    calls: 8,
    output: ["warm.", "warm."],
    body: async (ctx, model) => {
      const ask = async (prompt: string): Promise<string> =>
        (await agentOf(ctx, model).generate({ prompt })).text;
      return Promise.all([ask("Oslo?"), ask("Oslo?")]);
    },
  },
  "a tool that asks another agent": {
    asked: 3,
    calls: 4,
    output: "done",
    body: async (ctx, model) => {
      const ask = tool({
        inputSchema: city,
        execute: async () => (await agentOf(ctx, model).generate({ prompt: "Oslo?" })).text,
      });
      const { text: said } = await generateText({
        model: durableModel(ctx, boss.model),
        tools: { ask },
        stopWhen: isStepCount(5),
        prompt: "Oslo?",
      });
      return said;
    },
  },
  "a tool that starts an agent as a child run": {
    // The model of the child.
    asked: 0,
    calls: 4,
    output: "done",
    body: async (ctx) => {
      const ask = tool({
        inputSchema: city,
        execute: (input, { toolCallId }) => ctx.step.invoke(`ask ${toolCallId}`, forecaster, input),
      });
      const { text: said } = await generateText({
        model: durableModel(ctx, boss.model),
        tools: { ask },
        stopWhen: isStepCount(5),
        prompt: "Oslo?",
      });
      return said;
    },
  },
  "an agent that prepares each step": {
    asked: 1,
    calls: 2,
    output: "done",
    body: async (ctx, model) => {
      const last = durableModel(ctx, scripted(() => text("done")).model);
      const { text: said } = await generateText({
        model: durableModel(ctx, model.model),
        tools: durableTools(ctx, { weather }),
        stopWhen: isStepCount(5),
        prepareStep: ({ stepNumber }) => (stepNumber === 0 ? {} : { model: last }),
        prompt: "Oslo?",
      });
      return said;
    },
  },
  "an object that streams": {
    asked: 1,
    calls: 0,
    model: () => scripted(() => text('{"city":', '"Oslo"}')),
    output: { output: { city: "Oslo" }, hasPartial: true },
    body: async (ctx, { model }) => {
      await ctx.step.run("before", () => 1);
      const result = streamText({
        model: durableModel(ctx, model),
        prompt: `Oslo at ${ctx.startedAt.toJSON()}?`,
        output: Output.object({ schema: city }),
      });
      let partial = 0;
      for await (const _ of result.partialOutputStream) partial += 1;
      await ctx.step.sleep("nap", "1d");
      return { output: await result.output, hasPartial: partial > 0 };
    },
  },
};

const assistantOfChild = assistant();
const forecaster = workflow({
  name: "forecaster",
  run: async (ctx, input: { city: string }) =>
    (await agentOf(ctx, assistantOfChild).generate({ prompt: input.city })).text,
});

const models = new Map<string, ScriptedModel>();
const workflows = Object.entries(cases).map(([name, { body, model = assistant }]) => {
  const scriptedModel = model();
  models.set(name, scriptedModel);
  return workflow({ name: name.replaceAll(/\W+/g, "-"), run: (ctx) => body(ctx, scriptedModel) });
});

const env = await setupEnvironment([...workflows, forecaster], { replay: "every-step" });

it.each(Object.entries(cases))("%s", async (name, { asked, calls, output }) => {
  called = [];
  const definition = workflows.find((each) => each.name === name.replaceAll(/\W+/g, "-"));
  if (definition === undefined) throw new Error(name);
  expect(await env.run(definition, undefined)).toEqual(output);
  expect([models.get(name)?.asked.length, called.length]).toEqual([asked, calls]);
});
