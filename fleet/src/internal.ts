/** Door `@oxbow/fleet/internal`, for what keeps the shards of a fleet: the commands, the services of a server, and the tests. No promise of compatibility. */
export type { Routes, ShardLag } from "@oxbow/sdk/internal/fleet";
export { drainShard, refillShard } from "./moving/drain-shard.ts";
export type { MovedRoutes } from "./moving/move.ts";
export { moveRoutes } from "./moving/move-routes.ts";
export { moveRun, type MoveRunOptions } from "./moving/move-run.ts";
export { Relay, relaysOf } from "./relay/relay.ts";
export { addShard } from "./shards/add-shard.ts";
export {
  createRestorePoints,
  type HeldShard,
  passFullSecond,
  whileRelaysAreHeld,
} from "./shards/checkpoint.ts";
export {
  initFleet,
  type InitializedFleet,
  readFleet,
  type ShardStatus,
} from "./shards/init-fleet.ts";
export { type NewShard, requireRelease } from "./shards/members.ts";
export { openShard } from "./shards/open-shard.ts";
export { readLags, readOutbox, repeatItems, type ShardOutbox } from "./shards/outboxes.ts";
export { connect } from "./transport/connect.ts";
