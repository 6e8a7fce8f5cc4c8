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
export type { TimedJournalEntry } from "../protocol/journal.ts";
export type {
  AlterQueueRequest,
  CreateQueueRequest,
  DeadLetterQueue,
  FifoItem,
  MessageDelivery,
  PeekedMessage,
  PeekRequest,
  QueueDepth,
  QueueSettings,
  QueueStatistics,
  QueueTransport,
  ReceiveMessagesRequest,
  SendBatchRequest,
  SendFifoRequest,
  SendRequest,
  SentMessage,
  DeleteOptions,
  SettleOptions,
  VisibilityOptions,
} from "../protocol/queues.ts";
export type { Room } from "../protocol/rooms.ts";
export { requireKeyOfRoute } from "../protocol/routes.ts";
export type { RunGeneration } from "../protocol/run-shapes.ts";
export { LARGEST_PAGE } from "../protocol/runs.ts";
export type {
  CancelRequest,
  ChangedRuns,
  ChangeRequest,
  ChildListing,
  ListedRuns,
  PageRequest,
  RerunRequest,
  RunChange,
  RunConditions,
  RunExplanation,
  RunListing,
  PublishedSum,
  RunRecord,
  RunTransport,
  SignalledRunOf,
  SignalledStart,
  SignalOutcome,
  SignalRequest,
  StartBatchOptions,
  StartedRun,
  StartRequest,
  StreamChunk,
  UpdateRequest,
} from "../protocol/runs.ts";
export type { RunTokenRequest } from "../protocol/run-token.ts";
export type {
  CreateScheduleRequest,
  ScheduleOutcome,
  ScheduleRecord,
  ScheduleTransport,
} from "../protocol/schedules.ts";
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
export type {
  StatisticsTransport,
  WorkflowChanges,
  WorkflowLag,
  WorkflowMetrics,
} from "../protocol/statistics.ts";
export type { TransactionClient } from "../protocol/transaction.ts";
export type { FleetAccess, ShardLane, Transport } from "../protocol/transport.ts";
export type {
  RegisteredVersion,
  Registration,
  WorkerEntry,
  WorkerReport,
  WorkflowTally,
  WorkflowTool,
  WorkflowTransport,
} from "../protocol/workflows.ts";
export { connectTo } from "../transport/connect.ts";
export { PostgresTransport } from "../transport/postgres/postgres-transport.ts";
export { shardsToOpen } from "../transport/shards-to-open.ts";
export { type ConnectOptions, noSuchShard, targetOf } from "../transport/target.ts";
