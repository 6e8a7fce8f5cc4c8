/** The SQL functions of this room. Made by `npm run build:seam` of extension-sql: change the sources there. */
import { call, type Call } from "@oxbow/sdk/internal/rooms";

export const nodeTypesRegister: Call<
  readonly [pool: string | null, types: string | null, replace: boolean | null],
  { readonly value: number }
> = call(
  "node_types_register",
  `select queue.node_types_register(
    pool => $1::text, types => $2::json, replace => $3::boolean) as value`,
);

export interface NodeTypeEntryRow {
  readonly pool: string;
  readonly type: string;
  readonly version: number;
  readonly descriptor: Readonly<Record<string, unknown>>;
  readonly registeredAt: Date;
  readonly lastSeenAt: Date;
  readonly isServed: boolean;
}

export const nodeTypes: Call<
  readonly [pool: string | null, definition: string | null],
  NodeTypeEntryRow
> = call(
  "node_types",
  `select pool, type, version, descriptor, registered_at as "registeredAt", last_seen_at as "lastSeenAt",
    is_served as "isServed"
  from queue.node_types(pool => $1::text, definition => $2::text) as answer`,
);
