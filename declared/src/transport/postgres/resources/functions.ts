/** The SQL functions of this room. Made by `npm run build:seam` of extension-sql: change the sources there. */
import { call, type Call, type Texts } from "@oxbow/sdk/internal/rooms";

export const resourceListStart: Call<
  readonly [type: string | null, input: string | null],
  { readonly value: string }
> = call(
  "resource_list_start",
  `select queue.resource_list_start(type => $1::text, input => $2::jsonb)::text as value`,
);

export const resourceRegister: Call<
  readonly [
    names: Texts | null,
    titles: Texts | null,
    schemas: Texts | null,
    tableNames: Texts | null,
    idColumns: Texts | null,
    pool: string | null,
    listed: Texts | null,
    replace: boolean | null,
  ],
  { readonly value: number }
> = call(
  "resource_register",
  `select queue.resource_register(
    names => $1::text[], titles => $2::text[], schemas => $3::jsonb[], table_names => $4::text[],
    id_columns => $5::text[], pool => $6::text, listed => $7::boolean[], replace => $8::boolean) as value`,
);

export interface ResourceTypeInfoRow {
  readonly name: string;
  readonly title: string | null;
  readonly schema: unknown;
  readonly pool: string;
  readonly tableName: string | null;
  readonly idColumn: string | null;
  readonly protectedTable: string | null;
  readonly protectedColumn: string | null;
  readonly registeredAt: Date | null;
  readonly isListed: boolean;
}

export const resourceTypes: Call<readonly [], ResourceTypeInfoRow> = call(
  "resource_types",
  `select name, title, schema, pool, table_name as "tableName", id_column as "idColumn",
    protected_table as "protectedTable", protected_column as "protectedColumn",
    registered_at as "registeredAt", is_listed as "isListed"
  from queue.resource_types() as answer`,
);

export interface ReferenceOwnerRow {
  readonly ownerType: string;
  readonly ownerId: string;
  readonly title: string | null;
  readonly version: number | null;
  readonly state: "draft" | "published" | "archived" | "current";
  readonly pointer: string;
  readonly protects: boolean;
}

export const referencesTo: Call<
  readonly [type: string | null, id: string | null],
  ReferenceOwnerRow
> = call(
  "references_to",
  `select owner_type as "ownerType", owner_id as "ownerId", title, version, state, pointer, protects
  from queue.references_to(type => $1::text, id => $2::text) as answer`,
);

export const referenceSet: Call<
  readonly [
    ownerType: string | null,
    ownerId: string | null,
    resources: string | null,
    title: string | null,
  ],
  { readonly value: boolean }
> = call(
  "reference_set",
  `select queue.reference_set(
    owner_type => $1::text, owner_id => $2::text, resources => $3::jsonb, title => $4::text) as value`,
);

export const assertUnreferenced: Call<
  readonly [type: string | null, id: string | null],
  { readonly value: number }
> = call(
  "assert_unreferenced",
  `select queue.assert_unreferenced(type => $1::text, id => $2::text) as value`,
);

export const protectResource: Call<
  readonly [type: string | null, source: string | null, idColumn: string | null],
  { readonly value: boolean }
> = call(
  "protect_resource",
  `select queue.protect_resource(
    type => $1::text, source => $2::regclass, id_column => $3::name) as value`,
);

export const unprotectResource: Call<readonly [type: string | null], { readonly value: boolean }> =
  call("unprotect_resource", `select queue.unprotect_resource(type => $1::text) as value`);
