/** What the SDK loads of this package: see its `protocol/fleet.ts`. */
import { InvalidArgument } from "@oxbow/sdk";
import type { FleetPackage } from "@oxbow/sdk/internal/fleet";
import { relaysOf } from "./relay/relay.ts";
import { openFleet, openShards } from "./transport/open-fleet.ts";

export const fleet: FleetPackage = {
  InvalidArgument,
  openFleet,
  openLanes: (shards, onTrouble) => {
    const lanes = openShards(shards);
    return { lanes, relays: relaysOf(lanes, onTrouble) };
  },
};
