/** Door `@oxbow/sdk/internal/testing`, for the embedded Postgres of the server, the benchmarks and the tests. No promise of compatibility. */
export { findBinaries } from "../testing/embedded/binaries.ts";
export { findFreePort } from "../testing/embedded/free-port.ts";
export { isReachable } from "../testing/embedded/reachable.ts";
export { chooseServerUser } from "../testing/embedded/server-user.ts";
