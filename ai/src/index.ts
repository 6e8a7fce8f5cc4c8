/** Door `@oxbow/ai`: models, tools and agents of the AI SDK whose work is journaled by runs of Oxbow. */
export { approval, type ApprovalOptions } from "./approval.ts";
export type { Budget } from "./budget.ts";
export { chatAnswer } from "./chat-answer.ts";
export {
  type ChatInput,
  type ChatRoutes,
  chatRoutes,
  type ChatRoutesOptions,
} from "./chat-routes.ts";
export {
  durableMcpTools,
  type McpClient,
  type McpTool,
  type McpToolsOptions,
} from "./durable-mcp-tools.ts";
export { durableModel, type DurableModelOptions, type ModelContext } from "./durable-model.ts";
export { durableEmbeddingModel } from "./durable-embedding-model.ts";
export { type DurableToolOptions, durableTools, txOf } from "./durable-tools.ts";
export { BudgetExceeded, IncompleteAnswer, SilentModel } from "./failures.ts";
export type { ModelStepOptions } from "./model-step.ts";
export type { Price, Prices } from "./prices.ts";
export type { ProviderModel } from "./provider-model.ts";
export { streamDurably, type StreamingAgent } from "./stream-durably.ts";
export { carryUsage, type RunUsage, usageOf } from "./usage.ts";
