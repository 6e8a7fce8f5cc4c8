/** The requests to endpoints by the settings of a server. */
import { AddressGuard, Proxies } from "@oxbow/declared/net";
import { deliveryDefaults, type DeliverySettings } from "../deliveries/settings.ts";
import { EndpointRequests } from "./endpoint-requests.ts";

export interface EndpointSettings {
  readonly signingKeys: readonly string[];
  readonly userAgent: string;
  /** Urls are guarded like those of deliveries. */
  readonly deliveries: DeliverySettings;
  /** Only this machine can reach the server, so it may reach this machine. */
  readonly isLocal: boolean;
}

/** This machine. */
const LOOPBACK = ["127.0.0.0/8", "::1"];

export function endpointRequestsOf(settings: EndpointSettings): EndpointRequests {
  const { signingKeys, userAgent, deliveries, isLocal } = settings;
  const { allowedNetworks, allowHttp, proxy, resolve } = { ...deliveryDefaults, ...deliveries };
  const networks = isLocal ? [...allowedNetworks, ...LOOPBACK] : allowedNetworks;
  return new EndpointRequests({
    signingKeys,
    userAgent,
    guard: new AddressGuard(networks),
    proxies: new Proxies(proxy),
    allowHttp: allowHttp || isLocal,
    ...(resolve === undefined ? {} : { resolve }),
  });
}
