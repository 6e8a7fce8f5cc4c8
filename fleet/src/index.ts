/** Door `@oxbow/fleet`. Programs import nothing of it: `@oxbow/sdk` loads it for clients and workers that are given `shards`. */
export { fleet } from "./package.ts";
