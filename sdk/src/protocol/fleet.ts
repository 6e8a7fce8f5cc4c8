/**
 * The seam to `@oxbow/fleet`, the optional package that connects to several databases as the shards of a fleet. The SDK
 * loads it when `shards` are given, and knows nothing of it but these types ([decision 0090](../../../docs/decisions/0090-fleets-are-a-package.md)).
 *
 * Promises:
 *   Z1  The package opens databases only as it is given: it has their urls and options from the SDK's check of them.
 *   Z2  It works with the copy of the SDK that loads it, so that errors are instances of the same classes.
 */
import type { InvalidArgument } from "../core/errors.ts";
import type { OwnFleetMap } from "./shards.ts";
import type { FleetAccess, ShardLane, Transport } from "./transport.ts";

/** The export of `@oxbow/fleet`. The compiler takes this file for the package: see `imports` in package.json. */
export declare const fleet: FleetPackage;

export interface FleetPackage {
  /** That of the SDK which the package has loaded. */
  readonly InvalidArgument: typeof InvalidArgument;
  /** The transport of a client or a server over shards. Connects at the first use. */
  openFleet(shards: readonly ShardToOpen[]): Transport & { readonly fleet: FleetAccess };
  /** The shards that a worker serves, and relays between them, which it has to start. */
  openLanes(
    shards: readonly ShardToOpen[],
    onTrouble: (doing: string, error: unknown) => void,
  ): FleetLanes;
}

/** A shard, before anything connects to it. */
export interface ShardToOpen {
  readonly name: string;
  /** @param requireShard Throws unless the database has the map of the shard. Each connection calls it first. */
  readonly open: (requireShard: (map: OwnFleetMap | undefined) => void) => Transport;
}

export interface FleetLanes {
  /** In the order of the shards. */
  readonly lanes: readonly ShardLane[];
  /** One from each shard to the others; empty for a single shard. */
  readonly relays: readonly FleetRelay[];
}

/** Moves items from the outbox of one shard to the others. */
export interface FleetRelay {
  start(): void;
  /** Moves what waits, for a few seconds at most, then stops. */
  finish(): Promise<void>;
}
