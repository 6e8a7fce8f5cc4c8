/** Door `@oxbow/sdk/internal/fleet`, for `@oxbow/fleet`: what connects to several databases takes from the SDK. No promise of compatibility. */
export { withLinkedSignal } from "../async/linked-signal.ts";
export { type Pace, Pacer } from "../async/pace.ts";
export { sleep } from "../async/sleep.ts";
export { unlessAborted } from "../async/unless-aborted.ts";
export { Watch } from "../async/watch.ts";
export { LAST_ANSWER_MS, within } from "../async/within.ts";
export type { AdminTransport, Violation } from "../protocol/admin.ts";
export type { Actor } from "../protocol/audit.ts";
export type { FleetPackage, ShardToOpen } from "../protocol/fleet.ts";
export type {
  DeadLetterQueue,
  MessageDelivery,
  QueueDepth,
  QueueSettings,
  QueueTransport,
  ReceiveMessagesRequest,
  SentMessage,
} from "../protocol/queues.ts";
export type { Room } from "../protocol/rooms.ts";
export { requireKeyOfRoute } from "../protocol/routes.ts";
export { LARGEST_PAGE } from "../protocol/runs.ts";
export type {
  RunConditions,
  RunListing,
  PublishedSum,
  RunTransport,
  StartedRun,
  StartRequest,
  StreamChunk,
} from "../protocol/runs.ts";
export type { ScheduleTransport } from "../protocol/schedules.ts";
export type {
  DrainRequest,
  FleetMap,
  FleetShard,
  KeptRun,
  LeavingGroup,
  OutboxBatch,
  OwnFleetMap,
  RejectedItem,
  RelayTransport,
  RouteHandover,
  Routes,
  ShardCandidate,
  ShardIdentity,
  ShardLag,
  ShardTransport,
} from "../protocol/shards.ts";
export { isDenied, isLockTimeout, isMissing } from "../protocol/sqlstate.ts";
export type { StatisticsTransport } from "../protocol/statistics.ts";
export type { TransactionClient } from "../protocol/transaction.ts";
export type { FleetAccess, ShardLane, Transport } from "../protocol/transport.ts";
export type { WorkflowTally, WorkflowTool, WorkflowTransport } from "../protocol/workflows.ts";
export { connectTo } from "../transport/connect.ts";
export {
  type PostgresTransport,
  postgresTransport,
} from "../transport/postgres/postgres-transport.ts";
export { shardsToOpen } from "../transport/shards-to-open.ts";
export { type ConnectOptions, noSuchShard, targetOf } from "../transport/target.ts";
