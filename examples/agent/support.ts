/** The agent: a loop of the AI SDK as the body of a workflow. */
import { approval, type ChatInput, durableModel, durableTools, streamDurably } from "@oxbow/ai";
import { workflow } from "@oxbow/sdk/runtime";
import { ToolLoopAgent } from "ai";
import { chooseModel } from "./model.ts";
import { refund, search, sendMail } from "./shop.ts";

const INSTRUCTIONS = `You answer the customers of a shop for lamps, briefly and politely.
Find the order before you refund it. After a refund, send a mail about it.`;

export const support = workflow({
  name: "support",
  run: (ctx, { messages }: ChatInput) =>
    streamDurably(
      ctx,
      new ToolLoopAgent({
        model: durableModel(ctx, chooseModel()),
        instructions: INSTRUCTIONS,
        tools: durableTools(
          ctx,
          {
            search,
            refund: approval(refund, {
              timeout: "2d",
              title: ({ order }) => `Refund order ${order}?`,
            }),
            sendMail,
          },
          { refund: { tx: true } },
        ),
      }),
      messages,
    ),
});
