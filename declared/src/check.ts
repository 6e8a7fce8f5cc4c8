/** Door `@oxbow/declared/check`: documents and their problems. Runs in browsers under a strict policy as well. */
export {
  type Binding,
  BINDING_MEMBERS,
  type BindingKind,
  type CelBinding,
  type ConfigBinding,
  type LiteralBinding,
  type PathBinding,
  readBinding,
  type ReadBinding,
  type ResourceBinding,
  type SecretBinding,
  type TextBinding,
} from "./document/binding.ts";
export { canonicalJson } from "./document/canonical-json.ts";
export { DOCUMENT_SCHEMA } from "./document/document-schema.ts";
export { diffDocuments, type DocumentChange } from "./document/document-diff.ts";
export {
  DEFAULT_HANDLE,
  type Document,
  type DocumentDuration,
  type Edge,
  FORMAT,
  handleOf,
  type Join,
  type JsonSchema,
  type Layout,
  type Node,
  type NodeRetry,
  type NodeRollback,
  type Settings,
  type Trigger,
} from "./document/document.ts";
export { type Json, jsonEquals, type JsonObject } from "./document/json.ts";
export { type PathStep, readPath } from "./document/path.ts";
export type { Problem, TextRange } from "./document/problem.ts";
export { MAX_DOCUMENT_BYTES, readDocument, type ReadDocument } from "./document/read-document.ts";
export type { ShapeSchema } from "./document/shape.ts";
export { structureProblems } from "./document/structure.ts";
export {
  type BoundValue,
  parseBoundValue,
  resolve,
  type Resolved,
  SecretHandle,
} from "./expression/bound-value.ts";
export { evaluate, evaluateGuard, type Scope } from "./expression/evaluate.ts";
export { type Conjunct, explainGuard, type Explanation } from "./expression/explain.ts";
export { ExpressionCache } from "./expression/expression-cache.ts";
export { ExpressionFailed, InvalidExpression } from "./expression/expression-errors.ts";
export { type Expression, parseExpression, type ResourceLiteral } from "./expression/expression.ts";
export { EXPRESSION_LIMITS } from "./expression/limits.ts";
export { prefilterOf, type Requirement } from "./expression/prefilter.ts";
export { checkCondition, type CheckedCondition } from "./check/check-condition.ts";
export type { ConditionScope } from "./check/condition-scope.ts";
export type { Catalog, TriggerDescription, WorkflowDescription } from "./check/catalog.ts";
export {
  checkDocument,
  type CheckedDocument,
  type CompiledDocument,
  type CompiledTrigger,
} from "./check/check-document.ts";
export { handlesOfNode } from "./check/node-types.ts";
export {
  readableInCondition,
  type ReadablePlace,
  type ReadableValue,
  readableValues,
} from "./check/readable-values.ts";
export { itemPathIn } from "./interpreter/item-input.ts";
export type { ProgressOptions } from "./interpreter/journal-fold.ts";
export { type Progress, progressOf } from "./interpreter/progress.ts";
export type { ProgressRow } from "./interpreter/journaled-outcome.ts";
export type { References, ResourceReference } from "./check/references.ts";
export type { NodeDescriptor, NodeTypeDescription, OutputSchema } from "./nodes/descriptor.ts";
export { BUILT_IN_NODE_TYPES } from "./nodes/descriptors/built-in.ts";
export {
  handlesInMarkdown,
  nodeTypeDocumentation,
  nodeTypeFacts,
} from "./nodes/node-documentation.ts";
export { sampleOf } from "./types/sample.ts";
export { readDescriptor } from "./nodes/read-descriptor.ts";
