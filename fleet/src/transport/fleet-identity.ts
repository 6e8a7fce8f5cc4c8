/** Which fleet the databases of several urls have to be in: that of the first that answers. */
import { InvalidArgument } from "@oxbow/sdk";
import type { OwnFleetMap } from "@oxbow/sdk/internal/fleet";
import { requireShard } from "./require-shard.ts";

export class FleetIdentity {
  #first: { readonly fleetId: string; readonly shard: string } | undefined;

  /** @throws InvalidArgument unless the map is that of the shard, in the same fleet as the others. */
  require(map: OwnFleetMap | undefined, shard: string): void {
    const { fleetId } = requireShard(map, shard);
    this.#first ??= { fleetId, shard };
    if (fleetId === this.#first.fleetId) return;
    throw new InvalidArgument(
      `The databases of shards "${this.#first.shard}" and "${shard}" are in different fleets: correct the urls in \`shards\`, or in QUEUE_SHARDS.`,
    );
  }
}
