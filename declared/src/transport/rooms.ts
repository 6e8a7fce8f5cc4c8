/** The rooms that definitions add to each transport. */
import type { Room } from "@oxbow/sdk/internal/rooms";
import type { CatalogTransport } from "../protocol/catalog.ts";
import type { DefinitionTransport } from "../protocol/definitions.ts";
import type { ResourceTransport } from "../protocol/resources.ts";
import type {
  TriggerHookTransport,
  TriggerRetentionTransport,
  TriggerTransport,
} from "../protocol/triggers.ts";
import { HttpCatalogTransport } from "./http/catalog.ts";
import { HttpDefinitionTransport } from "./http/definitions.ts";
import { HttpResourceTransport } from "./http/resources.ts";
import { HttpTriggerTransport } from "./http/triggers.ts";
import { PostgresCatalogTransport } from "./postgres/catalog/transport.ts";
import { PostgresDefinitionTransport } from "./postgres/definitions/transport.ts";
import { PostgresResourceTransport } from "./postgres/resources/transport.ts";
import { PostgresTriggerHookTransport } from "./postgres/triggers/hooks.ts";
import { PostgresTriggerTransport } from "./postgres/triggers/transport.ts";

export const DEFINITIONS: Room<DefinitionTransport> = {
  title: "Definitions",
  postgres: ({ queries }) => new PostgresDefinitionTransport(queries),
  http: (server) => new HttpDefinitionTransport(server),
};

export const RESOURCES: Room<ResourceTransport> = {
  title: "Resources",
  postgres: ({ queries }) => new PostgresResourceTransport(queries),
  http: (server) => new HttpResourceTransport(server),
};

export const TRIGGERS: Room<TriggerTransport> = {
  title: "Triggers",
  postgres: ({ queries, queues }) => new PostgresTriggerTransport(queries, queues),
  http: (server) => new HttpTriggerTransport(server),
};

export const CATALOG: Room<CatalogTransport> = {
  title: "The catalog",
  postgres: ({ unattributed }) => new PostgresCatalogTransport(unattributed),
  http: (server) => new HttpCatalogTransport(server),
};

/** The work of a server; undefined through one. */
export const TRIGGER_HOOKS: Room<TriggerHookTransport | undefined> = {
  title: "Webhooks of triggers",
  postgres: ({ unattributed }) => new PostgresTriggerHookTransport(unattributed),
  http: () => {},
};

/** The work of a server; undefined through one. */
export const TRIGGER_RETENTION: Room<TriggerRetentionTransport | undefined> = {
  title: "The retention of events",
  postgres: ({ unattributed, queues }) => new PostgresTriggerTransport(unattributed, queues),
  http: () => {},
};
