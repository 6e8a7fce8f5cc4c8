/** How deliveries to urls are made, and where they may go. */
import type { ProxySettings } from "@oxbow/declared/net";

export interface DeliverySettings {
  /** Concurrent requests. 0: this server delivers nothing. Default 50. */
  readonly senders?: number;
  /** Concurrent requests of a subscription without the option `concurrency`. Default 10. */
  readonly perSubscription?: number;
  /** Longest duration of a request, from name resolution to the last byte. Default 15 s. */
  readonly timeoutMs?: number;
  /** Delays between attempts. A delivery that fails after the last delay becomes a dead letter. Default: three days. */
  readonly retryDelaysMs?: readonly number[];
  /** How long a target may fail before its subscription is disabled. 0: for ever. Default 5 days. */
  readonly disableAfterMs?: number;
  /**
   * How long the log keeps what was delivered or has failed. 0: this server neither logs deliveries nor sweeps the log.
   * Default 24.
   */
  readonly logHours?: number;
  /** Secrets from which those of subscriptions are derived; the first is current. Default: nothing is signed. */
  readonly secrets?: readonly string[];
  /** Private networks to which deliveries are allowed: `10.1.0.0/16`, `127.0.0.1`. Default: only public ones. */
  readonly allowedNetworks?: readonly string[];
  /** Whether to deliver to `http://` urls too. Default false. */
  readonly allowHttp?: boolean;
  /** Proxies of requests. Default: direct connections. */
  readonly proxy?: ProxySettings;
  /** Resolves a name to addresses. Default: DNS. */
  readonly resolve?: (name: string) => Promise<string[]>;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

export const deliveryDefaults = {
  senders: 50,
  perSubscription: 10,
  timeoutMs: 15 * SECOND,
  // As the specification of Standard Webhooks recommends.
  retryDelaysMs: [
    5 * SECOND,
    5 * MINUTE,
    30 * MINUTE,
    2 * HOUR,
    5 * HOUR,
    10 * HOUR,
    14 * HOUR,
    20 * HOUR,
    24 * HOUR,
  ],
  disableAfterMs: 5 * 24 * HOUR,
  logHours: 24,
  allowedNetworks: [],
  allowHttp: false,
  proxy: {},
} as const satisfies DeliverySettings;
