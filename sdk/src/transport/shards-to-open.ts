/** The databases of shards, as `@oxbow/fleet` gets them (Z1 of protocol/fleet.ts). */
import { postgresTransport } from "#postgres";
import type { ShardToOpen } from "../protocol/fleet.ts";
import type { ShardTarget } from "./target.ts";

export const shardsToOpen = (shards: readonly ShardTarget[]): ShardToOpen[] =>
  shards.map(({ name, database }) => ({
    name,
    open: (requireShard) => postgresTransport({ ...database, requireShard }),
  }));
