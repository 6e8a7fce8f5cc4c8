/** Transports over shards, each of which checks that its database is the one that its url was given for. */
import type { ShardLane, ShardToOpen } from "@oxbow/sdk/internal/fleet";
import { FleetIdentity } from "./fleet-identity.ts";
import { FleetTransport } from "./fleet-transport.ts";

export const openFleet = (shards: readonly ShardToOpen[]): FleetTransport =>
  new FleetTransport(openShards(shards));

/** A lane for each shard, in their order. */
export function openShards(shards: readonly ShardToOpen[]): ShardLane[] {
  const identity = new FleetIdentity();
  return shards.map(({ name, open }) => ({
    name,
    transport: open((map) => identity.require(map, name)),
  }));
}
