/** Door `@oxbow/declared/net`, for the server: requests to urls that are not trusted. No promise of compatibility. */
export { AddressGuard, parseNetwork } from "./net/address-guard.ts";
export {
  Forbidden,
  type GuardedRequest,
  type GuardedResponse,
  GuardedSender,
  type GuardedSenderOptions,
  ResponseTooLarge,
} from "./net/guarded-sender.ts";
export { maskedUrl } from "./net/masked-url.ts";
export { parseProxy, Proxies, type ProxySettings } from "./net/proxies.ts";
export { parseRetryAfter } from "./net/retry-after.ts";
