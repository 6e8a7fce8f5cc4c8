/** The transports, each by the target that it leads to. Clients load them by `loading-transport.ts` instead. */
import type { Transport } from "../protocol/transport.ts";
import { FleetIdentity } from "./fleet/fleet-identity.ts";
import { openFleet, openShard } from "./fleet/open-fleet.ts";
import { HttpTransport } from "./http/http-transport.ts";
import { PostgresTransport } from "./postgres/postgres-transport.ts";
import { type ConnectOptions, type Target, targetOf } from "./target.ts";

/** The transport for a url, or over shards. Connects at the first use. @throws InvalidArgument */
export function connect(options: ConnectOptions): Transport {
  const target = targetOf(options);
  return target.kind === "fleet" ? openFleet(target.shards) : openOne(target);
}

interface LaneToOpen {
  /** Name of the shard. */
  readonly name: string | undefined;
  readonly open: () => Transport;
}

/** For the url, or for each shard, how to open its transport. @throws InvalidArgument */
export function lanesOf(options: ConnectOptions): readonly LaneToOpen[] {
  const target = targetOf(options);
  if (target.kind !== "fleet") return [{ name: undefined, open: () => openOne(target) }];
  const identity = new FleetIdentity();
  return target.shards.map((shard) => ({
    name: shard.name,
    open: () => openShard(shard, identity),
  }));
}

const openOne = (target: Exclude<Target, { readonly kind: "fleet" }>): Transport =>
  target.kind === "server" ? new HttpTransport(target) : new PostgresTransport(target.database);
