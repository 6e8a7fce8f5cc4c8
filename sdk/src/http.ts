/** Door `@oxbow/sdk/http`, for functions: serves workflows by HTTP requests of a server, without a process that stays. */
export { createHandler, type Handler, type RouteMethod } from "./push/handler.ts";
export type { HandlerOptions } from "./push/handler-options.ts";
export { type LambdaAnswer, type LambdaEvent, toLambdaHandler } from "./push/lambda-handler.ts";
export { type NodeRequest, type NodeResponse, toNodeHandler } from "./push/node-handler.ts";
