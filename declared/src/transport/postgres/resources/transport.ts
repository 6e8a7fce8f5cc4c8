/** Resources, straight to the database: each method one call of one SQL function. */
import type { JsonText, RoomQueries } from "@oxbow/sdk/internal/rooms";
import type {
  ReferenceOwner,
  RegisterResourceTypesRequest,
  ResourceTransport,
  ResourceType,
  SetReferencesRequest,
} from "../../../protocol/resources.ts";
import type { TransactionClient } from "@oxbow/sdk";
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

export class PostgresResourceTransport implements ResourceTransport {
  readonly #queries: RoomQueries;

  constructor(queries: RoomQueries) {
    this.#queries = queries;
  }

  startList(type: string, input: JsonText | undefined): Promise<string> {
    return this.#queries.value(resourceListStart, [type, input ?? null]);
  }

  register({ pool, types, replace }: RegisterResourceTypesRequest): Promise<number> {
    // Not repeated: a worker that stops must not wait for a database that is away.
    return this.#queries.value(resourceRegister, [
      types.map(({ name }) => name),
      types.map(({ title }) => title ?? null),
      types.map(({ schema }) => schema ?? null),
      types.map(({ table }) => table?.name ?? null),
      types.map(({ table }) => table?.id ?? null),
      pool,
      types.map(({ isListed }) => String(isListed)),
      replace,
    ]);
  }

  types(): Promise<ResourceType[]> {
    return this.#queries.query(resourceTypes, []);
  }

  referencesTo(type: string, id: string, tx?: TransactionClient): Promise<ReferenceOwner[]> {
    return this.#queries.query(referencesTo, [type, id], { tx });
  }

  setReferences(
    { ownerType, ownerId, title, resources }: SetReferencesRequest,
    tx?: TransactionClient,
  ): Promise<boolean> {
    const text = JSON.stringify(resources);
    return this.#queries.value(referenceSet, [ownerType, ownerId, text, title ?? null], { tx });
  }

  assertUnreferenced(type: string, id: string, tx?: TransactionClient): Promise<number> {
    return this.#queries.value(assertUnreferenced, [type, id], { tx });
  }

  protect(type: string, table: string, idColumn: string, tx?: TransactionClient): Promise<boolean> {
    return this.#queries.value(protectResource, [type, table, idColumn], { tx });
  }

  unprotect(type: string, tx?: TransactionClient): Promise<boolean> {
    return this.#queries.value(unprotectResource, [type], { tx });
  }
}
