/** Door `@oxbow/declared/internal`, for the server and the tests. No promise of compatibility. */
export { followProgress } from "./client/definition-progress.ts";
export { progressNow } from "./client/definition-states.ts";
export { catalogFor, type CatalogReader } from "./protocol/catalog.ts";
export { requireTestable, requireInput } from "./protocol/definition-tools.ts";
export {
  type DefinitionTransport,
  type SaveDraftRequest,
  readTestedNode,
  revisionConflict,
} from "./protocol/definitions.ts";
export { migrateRun } from "./protocol/migration.ts";
export { rerunFromNode } from "./protocol/rerun-from-node.ts";
export { listResources, RESOURCE_LIST, listingWorkflow } from "./protocol/resource-listing.ts";
export { readTestOrigin } from "./protocol/test-origin.ts";
export type { TriggerHook, TriggerRetentionTransport } from "./protocol/triggers.ts";
export { type DeclaredCalls, declaredIn } from "./transport/declared.ts";
export {
  CATALOG,
  DEFINITIONS,
  RESOURCES,
  TRIGGER_HOOKS,
  TRIGGER_RETENTION,
  TRIGGERS,
} from "./transport/rooms.ts";
