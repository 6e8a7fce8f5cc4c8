/** Door `@oxbow/sdk/internal/fleet`, for what keeps the shards of a fleet: the commands, the services of a server, and the tests. No promise of compatibility. */
export type { RejectedItem, Routes, ShardLag } from "../protocol/shards.ts";
export { addShard } from "../transport/fleet/add-shard.ts";
export {
  createRestorePoints,
  type HeldShard,
  passFullSecond,
  whileRelaysAreHeld,
} from "../transport/fleet/checkpoint.ts";
export {
  initFleet,
  type InitializedFleet,
  readFleet,
  type ShardStatus,
} from "../transport/fleet/init-fleet.ts";
export { type NewShard, requireRelease } from "../transport/fleet/members.ts";
export { openShard } from "../transport/fleet/open-shard.ts";
export { readOutbox, repeatItems, type ShardOutbox } from "../transport/fleet/outboxes.ts";
export { drainShard, refillShard } from "../worker/drain-shard.ts";
export { moveRoutes } from "../worker/move-routes.ts";
export { moveRun, type MoveRunOptions } from "../worker/move-run.ts";
export type { MovedRoutes } from "../worker/moving/move.ts";
export { Relay, relaysOf } from "../worker/relay.ts";
