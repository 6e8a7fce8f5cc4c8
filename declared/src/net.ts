/** Door `@oxbow/declared/net`: requests to urls that are not trusted. Loads nothing else of the package. */
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
