/** Door `@oxbow/declared`: node types, and what runs documents on a worker. */
export type { ConditionScope } from "./check/condition-scope.ts";
export type { ResourceReference } from "./check/references.ts";
export {
  compileCondition,
  type Condition,
  type ConditionOptions,
  type ConditionVariables,
  type EvaluateOptions,
} from "./conditions/condition.ts";
export {
  createDefinitions,
  type DefinitionsOptions,
  type ServableDefinitions,
} from "./definitions/create-definitions.ts";
export { definitionTools, type DefinitionToolsOptions } from "./definitions/definition-tools.ts";
export { contentHash } from "./document/content-hash.ts";
export type { Document, JsonSchema } from "./document/document.ts";
export type { Problem, TextRange } from "./document/problem.ts";
export { ExpressionFailed } from "./expression/expression-errors.ts";
export type { Conjunct, Explanation } from "./expression/explain.ts";
export type { Json, JsonObject } from "./document/json.ts";
export type { ProgressOptions } from "./interpreter/journal-fold.ts";
export { type Progress, progressOf } from "./interpreter/progress.ts";
export type { ProgressRow } from "./interpreter/journaled-outcome.ts";
export {
  type DeclaredWorkflow,
  workflowOf,
  type WorkflowOfOptions,
} from "./interpreter/workflow-of.ts";
export { httpRequest, type HttpRequestOptions } from "./nodes/http-request.ts";
export { js, type JsOptions } from "./nodes/js.ts";
export { NodeFailed, type NodeFailure } from "./nodes/failure.ts";
export type { NodeDescriptor, NodeTypeDescription, OutputSchema } from "./nodes/descriptor.ts";
export { descriptorsOf } from "./nodes/descriptors-of.ts";
export {
  defineNode,
  type HandlerOf,
  HandledOutput,
  type NodeCall,
  type NodeHandler,
  type NodeType,
  type NodeTypeOptions,
  type RollbackCall,
  takeHandle,
} from "./nodes/node-type.ts";
export type { Schema, StandardSchema, ValueOf } from "./nodes/json-schema.ts";
export {
  defineResource,
  type DefinedResource,
  type ListResources,
  type ResourceList,
  type ResourceQuery,
  type ResourceTypeOptions,
} from "./resources/resource-type.ts";
export type { SecretSource } from "./nodes/secrets.ts";
export {
  defineTrigger,
  type LoadCall,
  type TriggerType,
  type TriggerTypeOptions,
} from "./triggers/trigger-type.ts";
export {
  type SqlConnection,
  type SqlPool,
  sqlQuery,
  type SqlQueryOptions,
  type SqlSource,
} from "./nodes/sql-query.ts";
