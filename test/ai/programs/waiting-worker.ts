/**
 * Serves an agent whose only tool needs approval, and prints the bytes of its heap at SIGUSR2, after a collection of garbage.
 * Argument: where it connects to, as JSON.
 */
import { approval, durableModel, durableTools } from "@oxbow/ai";
import { workflow } from "@oxbow/sdk/runtime";
import { generateText, isStepCount, jsonSchema, tool } from "ai";
import { resultsIn, scripted, text, toolCalls } from "../models.ts";

const [connection = ""] = process.argv.slice(2);

const refund = tool({
  inputSchema: jsonSchema<{ order: number }>({ type: "object" }),
  execute: ({ order }) => `refunded ${order}`,
});

const worker = workflow({
  name: "patient",
  run: async (ctx, order: number) => {
    const { model } = scripted((options) =>
      resultsIn(options) === 0 ? toolCalls(["refund", { order }]) : text("Done."),
    );
    const answer = await generateText({
      model: durableModel(ctx, model),
      tools: durableTools(ctx, { refund: approval(refund) }),
      stopWhen: isStepCount(3),
      prompt: `Refund order ${order}.`,
    });
    return answer.text;
  },
}).serve({ ...(JSON.parse(connection) as object), concurrency: 100, logger: false });

process.on("SIGUSR2", () => {
  globalThis.gc?.();
  process.stdout.write(`heap ${process.memoryUsage().heapUsed}\n`);
});
process.once("SIGTERM", () => void worker.stop());
process.stdout.write("serving\n");
