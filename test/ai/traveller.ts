/** An agent whose worker can be killed at any call: it asks two tools in parallel, then answers in six pieces. */
import { setTimeout as pause } from "node:timers/promises";
import { durableModel, durableTools, streamDurably, txOf } from "@oxbow/ai";
import { type EventSchemas, type ServableWorkflow, workflow } from "@oxbow/sdk/runtime";
import { tool, ToolLoopAgent, type UIMessage } from "ai";
import { z } from "zod";
import { type Part, resultsIn, scripted, text, toolCalls } from "./models.ts";

/** A call outside of the journal, and whether it begins or has returned. */
export type Call =
  | `${"ask" | "weather" | "book" | "answer"} ${"begins" | "returns"}`
  | "answer halfway";

/** @param letter What the pieces of its answer begin with. */
export function traveller(
  name: string,
  letter: string,
  onCall: (call: Call) => unknown,
): ServableWorkflow<{ messages: UIMessage[] }, UIMessage, EventSchemas> {
  const { model } = scripted((options) => pieces(resultsIn(options) > 0));
  async function* pieces(isAnswer: boolean): AsyncGenerator<Part> {
    await onCall(isAnswer ? "answer begins" : "ask begins");
    const parts = isAnswer
      ? text(...Array.from({ length: 6 }, (_, n) => `${letter}${n} `))
      : toolCalls(["weather", { city: "Oslo" }], ["book", { city: "Oslo" }]);
    for (const part of parts) {
      yield part;
      if (part.type === "text-delta") await pause(20);
      if (part.type === "text-delta" && part.delta === `${letter}2 `)
        await onCall("answer halfway");
    }
    await onCall(isAnswer ? "answer returns" : "ask returns");
  }
  const weather = tool({
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }) => {
      await onCall("weather begins");
      await onCall("weather returns");
      return { celsius: 20, city };
    },
  });
  const book = tool({
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }, call) => {
      await onCall("book begins");
      await txOf(call).query("insert into public.booking (run, city) values ($1, $2)", [
        name,
        city,
      ]);
      await onCall("book returns");
      return "booked";
    },
  });
  return workflow({
    name,
    run: (ctx, { messages }: { messages: UIMessage[] }) => {
      const tools = durableTools(ctx, { weather, book }, { book: { tx: true } });
      const agent = new ToolLoopAgent({ model: durableModel(ctx, model), tools });
      return streamDurably(ctx, agent, messages);
    },
  });
}
