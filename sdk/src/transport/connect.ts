/** The transport to one database or through a server. Clients load theirs by `loading-transport.ts` instead. */
import { postgresTransport } from "#postgres";
import type { Transport } from "../protocol/transport.ts";
import { httpTransport } from "./http/http-transport.ts";
import { type ConnectOptions, type Target, targetOf } from "./target.ts";

/** The transport for a url. Connects at the first use. @throws InvalidArgument */
export function connect(options: Omit<ConnectOptions, "shards">): Transport {
  const target = targetOf(options);
  if (target.kind === "fleet") throw new Error("QUEUE_SHARDS is set: connect by @oxbow/fleet.");
  return connectTo(target);
}

export const connectTo = (target: Exclude<Target, { readonly kind: "fleet" }>): Transport =>
  target.kind === "server" ? httpTransport(target) : postgresTransport(target.database);
