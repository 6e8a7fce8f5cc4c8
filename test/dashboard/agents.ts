/** Agents whose models answer by scripts, which the tests of the dashboard look at. */
import { approval, durableModel, durableTools, streamDurably } from "@oxbow/ai";
import { type EventSchemas, type ServableWorkflow, workflow } from "@oxbow/sdk/runtime";
import { jsonSchema, tool, ToolLoopAgent, type UIMessage } from "ai";
import { apiError, type Part, resultsIn, scripted, text, toolCalls } from "../ai/models.ts";
import { MARKUP } from "./workflows.ts";

interface AgentInput {
  readonly messages: UIMessage[];
}
type Agent = ServableWorkflow<AgentInput, UIMessage, EventSchemas>;

/** @param answer By the number of results of tools that the model has, and of its calls. */
function agent(
  name: string,
  answer: (results: number, call: number) => Iterable<Part> | AsyncIterable<Part>,
  found = MARKUP,
): Agent {
  const { model } = scripted((options, call) => answer(resultsIn(options), call));
  const order = jsonSchema<{ order: number }>({ type: "object" });
  const search = tool({ inputSchema: order, execute: () => ({ found }) });
  const refund = tool({ inputSchema: order, execute: ({ order: n }) => `refunded ${n}` });
  const explode = tool({
    inputSchema: order,
    execute: (): string => {
      throw new Error(`${MARKUP} exploded`);
    },
  });
  return workflow({
    name,
    run: (ctx, { messages }: AgentInput) => {
      const tools = durableTools(
        ctx,
        { search, explode, refund: approval(refund) },
        { explode: { retry: { attempts: 1 } } },
      );
      const loop = new ToolLoopAgent({ model: durableModel(ctx, model), tools });
      return streamDurably(ctx, loop, messages);
    },
  });
}

const reasoning = (said: string): Part[] => [
  { type: "reasoning-start", id: "r" },
  { type: "reasoning-delta", id: "r", delta: said },
  { type: "reasoning-end", id: "r" },
];

/** Thinks, searches and fails at once, then asks for a refund, and answers. Each text of it is markup. */
export const refunds = (name: string): Agent =>
  agent(name, (results) => {
    if (results === 0) {
      return [
        ...reasoning(`The order comes first. ${MARKUP}`),
        ...text(`I look for it. ${MARKUP}`).slice(0, 3),
        ...toolCalls(["search", { order: 7 }], ["explode", { order: 7 }]),
      ];
    }
    return results === 1 ? toolCalls(["refund", { order: 7 }]) : text("It is refunded.");
  });

/** Its first call fails in the middle, at the first hold; the second one ends after the second hold. */
export function repeats(name: string, holds: readonly (() => Promise<void>)[]): Agent {
  return agent(name, async function* twice(_results, call) {
    yield* text(`${call === 1 ? "A" : "B"}0 `, "more ").slice(0, 3);
    await holds[call - 1]?.();
    if (call === 1) throw apiError(503, { "retry-after-ms": "1" });
    yield* text("end").slice(1);
  });
}

export const answers = (name: string): Agent => agent(name, () => text("Fine."));

/** The agent of the pictures: it finds an order, and asks for a refund. */
export const supports = (name: string): Agent =>
  agent(
    name,
    (results) =>
      results === 0
        ? [...reasoning("The order comes first."), ...toolCalls(["search", { order: 7 }])]
        : [
            ...text("I am sorry that your lamp arrived broken. I ask for the refund.").slice(0, 3),
            ...toolCalls(["refund", { order: 7 }]),
          ],
    "Desk lamp Otto, 39 EUR",
  );

/** A message of a page. */
export const said = (role: "assistant" | "user", words: string, id = words): UIMessage => ({
  id,
  role,
  parts: [{ type: "text", text: words }],
});
