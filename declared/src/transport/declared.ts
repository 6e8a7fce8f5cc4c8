/** All that definitions call, of a transport. */
import type { ClientTransport, RunTransport } from "@oxbow/sdk/internal/rooms";
import type { CatalogTransport } from "../protocol/catalog.ts";
import type { DefinitionTransport } from "../protocol/definitions.ts";
import type { ResourceTransport } from "../protocol/resources.ts";
import type { TriggerTransport } from "../protocol/triggers.ts";
import { CATALOG, DEFINITIONS, RESOURCES, TRIGGERS } from "./rooms.ts";

export interface DeclaredCalls {
  readonly runs: RunTransport;
  readonly definitions: DefinitionTransport;
  readonly resources: ResourceTransport;
  readonly triggers: TriggerTransport;
  readonly catalog: CatalogTransport;
}

export const declaredIn = (transport: ClientTransport): DeclaredCalls => ({
  runs: transport.runs,
  definitions: transport.room(DEFINITIONS),
  resources: transport.room(RESOURCES),
  triggers: transport.room(TRIGGERS),
  catalog: transport.room(CATALOG),
});
