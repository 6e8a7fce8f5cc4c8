/** Transports over shards, each of which checks that its database is the one that its url was given for. */
import { InvalidArgument } from "@oxbow/sdk";
import type { OwnFleetMap, ShardLane, ShardToOpen } from "@oxbow/sdk/internal/fleet";
import { FleetTransport } from "./fleet-transport.ts";
import { requireShard } from "./require-shard.ts";

export const openFleet = (shards: readonly ShardToOpen[]): FleetTransport =>
  new FleetTransport(openShards(shards));

/** A lane for each shard, in their order. The first that answers decides which fleet the others have to be in. */
export function openShards(shards: readonly ShardToOpen[]): ShardLane[] {
  let first: { readonly fleetId: string; readonly name: string } | undefined;
  const requireOneFleet = (map: OwnFleetMap | undefined, name: string): void => {
    const { fleetId } = requireShard(map, name);
    first ??= { fleetId, name };
    if (fleetId === first.fleetId) return;
    throw new InvalidArgument(
      `The databases of shards "${first.name}" and "${name}" are in different fleets: correct the urls in \`shards\`, or in QUEUE_SHARDS.`,
    );
  };
  return shards.map(({ name, open }) => ({
    name,
    transport: open((map) => requireOneFleet(map, name)),
  }));
}
