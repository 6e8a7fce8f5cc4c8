import { PostgresTransport } from "../postgres/postgres-transport.ts";
import type { ShardTarget } from "../target.ts";
import { FleetIdentity } from "./fleet-identity.ts";
import { FleetTransport } from "./fleet-transport.ts";

export function openFleet(shards: readonly ShardTarget[]): FleetTransport {
  const identity = new FleetIdentity();
  return new FleetTransport(
    shards.map((shard) => ({ name: shard.name, transport: openShard(shard, identity) })),
  );
}

/** @param identity Shared by the shards of the fleet. */
export const openShard = (
  { name, database }: ShardTarget,
  identity: FleetIdentity,
): PostgresTransport =>
  new PostgresTransport({ ...database, requireShard: (map) => identity.require(map, name) });
