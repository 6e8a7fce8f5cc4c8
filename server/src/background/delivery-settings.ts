import type { ProxySettings } from "./proxies.ts";

/** How deliveries to urls are made, and where they may go. */
export interface DeliverySettings {
  /** Requests at the same time. 0: this server delivers nothing. Default 50. */
  readonly senders?: number;
  /** Of one subscription that has no option `concurrency`. Default 10. */
  readonly perSubscription?: number;
  /** Of a request, everything included. Default 15 s. */
  readonly timeoutMs?: number;
  /** From one attempt to the next. What fails after the last one becomes a dead letter. Default: over three days. */
  readonly retryDelaysMs?: readonly number[];
  /** How long a target may fail before its subscription is disabled. 0: for ever. Default 5 days. */
  readonly disableAfterMs?: number;
  /** What the secrets of subscriptions are derived from; the first is in use. Default: none, nothing is signed. */
  readonly secrets?: readonly string[];
  /** Networks that are not public, and may be delivered to nevertheless: `10.1.0.0/16`, `127.0.0.1`. */
  readonly allowedNetworks?: readonly string[];
  /** Deliver to `http://` urls too. Default false. */
  readonly allowHttp?: boolean;
  /** What requests go through. Default: nothing. */
  readonly proxy?: ProxySettings;
  /** Addresses of a name. Default: by DNS. */
  readonly resolve?: (name: string) => Promise<string[]>;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

export const DISABLE_AFTER_MS: number = 5 * 24 * HOUR;

/** As the specification of Standard Webhooks proposes. */
export const RETRY_DELAYS_MS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];
