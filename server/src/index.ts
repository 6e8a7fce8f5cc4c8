/** Door `@oxbow/server`: starts a server in the calling process. */
export type { DeliverySettings } from "./services/deliveries/settings.ts";
export type { Scope } from "./http/scopes.ts";
export type { SignInSettings } from "./sign-in/settings.ts";
export { parseTokens, type Token } from "./http/tokens.ts";
export type { RequestTimeouts } from "./http/slow-clients.ts";
export { type RunningServer, type ServerOptions, startServer } from "./server.ts";
