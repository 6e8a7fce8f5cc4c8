/** Door `@oxbow/server`: starts a server in the calling process. */
export type { DeliverySettings } from "./services/deliveries/settings.ts";
export { parseTokens, type Scope, type Token } from "./http/auth.ts";
export type { RequestTimeouts } from "./http/slow-clients.ts";
export { type RunningServer, type ServerOptions, startServer } from "./server.ts";
