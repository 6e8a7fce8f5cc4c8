/** An agent whose model sends tokens at a steady pace, and what its process counts. */
import { durableModel, streamDurably } from "@oxbow/ai";
import { type EventSchemas, type ServableWorkflow, workflow } from "@oxbow/sdk/runtime";
import { ToolLoopAgent, type UIMessage } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { setTimeout as delay } from "node:timers/promises";

export const TOKENS_PER_SECOND = 50;

type StreamResult = Awaited<ReturnType<MockLanguageModelV4["doStream"]>>;
type Part = StreamResult["stream"] extends ReadableStream<infer Each> ? Each : never;

/** All models of this process count together. */
export const counts = { calls: 0, streaming: 0, tokens: 0 };

/** Each token is a part, and has the time of its making. */
async function* speak(seconds: number): AsyncGenerator<Part> {
  counts.calls += 1;
  counts.streaming += 1;
  try {
    yield { type: "text-start", id: "0" };
    const startedAt = performance.now();
    for (let token = 0; token < seconds * TOKENS_PER_SECOND; token += 1) {
      const waitMs = startedAt + (token * 1_000) / TOKENS_PER_SECOND - performance.now();
      if (waitMs > 0) await delay(waitMs);
      counts.tokens += 1;
      yield { type: "text-delta", id: "0", delta: `${Date.now()} ` };
    }
    yield { type: "text-end", id: "0" };
    yield FINISH;
  } finally {
    counts.streaming -= 1;
  }
}

const FINISH: Part = {
  type: "finish",
  usage: {
    inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: 1, text: 1, reasoning: undefined },
  },
  finishReason: { unified: "stop", raw: undefined },
};

const modelFor = (seconds: number): MockLanguageModelV4 =>
  new MockLanguageModelV4({
    doStream: () => Promise.resolve({ stream: ReadableStream.from(speak(seconds)) }),
  });

/** The same without Oxbow and without the AI SDK: the model, read to its end. */
export async function readBare(seconds: number): Promise<void> {
  const { stream } = await modelFor(seconds).doStream({ prompt: [] });
  const reader = stream.getReader();
  while (!(await reader.read()).done);
}

export const agent: ServableWorkflow<{ seconds: number }, UIMessage, EventSchemas> = workflow({
  name: "agent",
  run: (ctx, { seconds }: { seconds: number }) =>
    streamDurably(ctx, new ToolLoopAgent({ model: durableModel(ctx, modelFor(seconds)) }), [
      { id: "1", role: "user", parts: [{ type: "text", text: "Speak." }] },
    ]),
});
