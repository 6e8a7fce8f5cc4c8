/** Door `@oxbow/declared/client`: definitions, and what they use, by a client. Loads neither the interpreter nor the checker. */
export { definitionsOf, type DefinitionsOfOptions } from "./client/definitions-of.ts";
export type { Catalog } from "./client/catalog.ts";
export type { Config } from "./client/config.ts";
export type {
  ApplyOptions,
  CreateDefinitionOptions,
  DefinitionFilter,
  DefinitionPin,
  FollowProgressOptions,
  MigrateOptions,
  RerunDefinitionOptions,
  Draft,
  TestDefinitionNodeOptions,
  TestDefinitionOptions,
  TriggerEventFilter,
} from "./client/definition-options.ts";
export type { DefinitionRuns } from "./client/definition-runs.ts";
export type { Definitions } from "./client/definitions.ts";
export type { ReferenceHolder, References } from "./client/references.ts";
export type { ListResourcesOptions, ProtectOptions, Resources } from "./client/resources.ts";
export type {
  DefinitionEdgeChange,
  DefinitionNodeStatus,
  DefinitionProgressChanges,
  DefinitionProgress,
  DefinitionProgressEvent,
  DefinitionProgressFold,
} from "./protocol/definition-progress.ts";
export type { RegisteredCatalog, RegisteredNodeType } from "./protocol/catalog.ts";
export type {
  AppliedDefinition,
  ConfigValue,
  DefinitionChange,
  DefinitionDocument,
  DefinitionRecord,
  DefinitionState,
  DefinitionSummary,
  DefinitionVersion,
  MigratedRun,
  PublishedDefinition,
  RerunFromNode,
  TestedNode,
  VersionedDocument,
} from "./protocol/definitions.ts";
export type { CheckedDefinition, DefinitionTools } from "./protocol/definition-tools.ts";
export type {
  ListedResource,
  ReferenceOwner,
  ResourcePage,
  ResourceType,
  ResourceUse,
} from "./protocol/resources.ts";
export type {
  CatalogFilter,
  DeclaredTriggerType,
  DefinitionHook,
  EventExplanation,
  EventFacts,
  OnceHolder,
  TriggerCondition,
  TriggerEvent,
  TriggerEventState,
  TriggerExplanation,
  TriggerFacts,
  TriggerMatch,
} from "./protocol/triggers.ts";
export {
  DefinitionInactive,
  DefinitionInUse,
  DefinitionNotFound,
  type DefinitionProblem,
  InvalidDefinition,
  NotMigratable,
  ResourceInUse,
  ResourceNotFound,
  ResourcesNotListed,
  RevisionConflict,
  TriggerEventNotFound,
} from "@oxbow/sdk/internal/rooms";
