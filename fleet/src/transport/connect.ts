import {
  type ConnectOptions,
  connectTo,
  shardsToOpen,
  targetOf,
  type Transport,
} from "@oxbow/sdk/internal/fleet";
import { openFleet } from "./open-fleet.ts";

/** The transport for a url, or over shards, of a server or a command. Connects at the first use. @throws InvalidArgument */
export function connect(options: ConnectOptions): Transport {
  const target = targetOf(options);
  return target.kind === "fleet" ? openFleet(shardsToOpen(target.shards)) : connectTo(target);
}
