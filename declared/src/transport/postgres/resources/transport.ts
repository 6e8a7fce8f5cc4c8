/** Resources, straight to the database: each method one call of one SQL function. */
import type { RoomQueries } from "@oxbow/sdk/internal/rooms";
import type { ResourceTransport } from "../../../protocol/resources.ts";
import {
  assertUnreferenced,
  protectResource,
  referenceSet,
  referencesTo,
  resourceListStart,
  resourceRegister,
  resourceTypes,
  unprotectResource,
} from "./functions.ts";

export const resourcesOverPostgres = (queries: RoomQueries): ResourceTransport => ({
  startList: (type, input) => queries.value(resourceListStart, [type, input ?? null]),

  // Not repeated: a worker that stops must not wait for a database that is away.
  register: ({ pool, types, replace }) =>
    queries.value(resourceRegister, [
      types.map(({ name }) => name),
      types.map(({ title }) => title ?? null),
      types.map(({ schema }) => schema ?? null),
      types.map(({ table }) => table?.name ?? null),
      types.map(({ table }) => table?.id ?? null),
      pool,
      types.map(({ isListed }) => String(isListed)),
      replace,
    ]),

  types: () => queries.query(resourceTypes, []),

  referencesTo: (type, id, tx) => queries.query(referencesTo, [type, id], { tx }),

  setReferences: ({ ownerType, ownerId, title, resources }, tx) => {
    const text = JSON.stringify(resources);
    return queries.value(referenceSet, [ownerType, ownerId, text, title ?? null], { tx });
  },

  assertUnreferenced: (type, id, tx) => queries.value(assertUnreferenced, [type, id], { tx }),

  protect: (type, table, idColumn, tx) =>
    queries.value(protectResource, [type, table, idColumn], { tx }),

  unprotect: (type, tx) => queries.value(unprotectResource, [type], { tx }),
});
