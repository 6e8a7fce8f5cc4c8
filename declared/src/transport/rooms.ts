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
import { catalogOverHttp } from "./http/catalog.ts";
import { definitionsOverHttp } from "./http/definitions.ts";
import { resourcesOverHttp } from "./http/resources.ts";
import { triggersOverHttp } from "./http/triggers.ts";
import { catalogOverPostgres } from "./postgres/catalog/transport.ts";
import { definitionsOverPostgres } from "./postgres/definitions/transport.ts";
import { resourcesOverPostgres } from "./postgres/resources/transport.ts";
import { triggerHooksOverPostgres } from "./postgres/triggers/hooks.ts";
import {
  triggerRetentionOverPostgres,
  triggersOverPostgres,
} from "./postgres/triggers/transport.ts";

export const DEFINITIONS: Room<DefinitionTransport> = {
  title: "Definitions",
  postgres: ({ queries }) => definitionsOverPostgres(queries),
  http: definitionsOverHttp,
};

export const RESOURCES: Room<ResourceTransport> = {
  title: "Resources",
  postgres: ({ queries }) => resourcesOverPostgres(queries),
  http: resourcesOverHttp,
};

export const TRIGGERS: Room<TriggerTransport> = {
  title: "Triggers",
  postgres: ({ queries, queues }) => triggersOverPostgres(queries, queues),
  http: triggersOverHttp,
};

export const CATALOG: Room<CatalogTransport> = {
  title: "The catalog",
  postgres: ({ unattributed }) => catalogOverPostgres(unattributed),
  http: catalogOverHttp,
};

/** The work of a server; undefined through one. */
export const TRIGGER_HOOKS: Room<TriggerHookTransport | undefined> = {
  title: "Webhooks of triggers",
  postgres: ({ unattributed }) => triggerHooksOverPostgres(unattributed),
  http: () => {},
};

/** The work of a server; undefined through one. */
export const TRIGGER_RETENTION: Room<TriggerRetentionTransport | undefined> = {
  title: "The retention of events",
  postgres: ({ unattributed }) => triggerRetentionOverPostgres(unattributed),
  http: () => {},
};
