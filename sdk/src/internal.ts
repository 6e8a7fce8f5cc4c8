/** Door `@oxbow/sdk/internal`, for the server, the benchmarks and the tests. No promise of compatibility. */
export { followRun } from "./client/run-reading.ts";
export { diagnose, type Finding } from "./install/diagnose.ts";
export { withClient as withDatabase } from "./install/connect.ts";
export {
  guardIncarnation,
  holdIncarnation,
  type Incarnation,
  knowsIncarnations,
  readIncarnation,
  releaseIncarnation,
} from "./install/incarnation.ts";
export {
  migrate,
  type MigrateOptions,
  type MigrationReport,
  releaseState,
} from "./install/migrate.ts";
export {
  ERROR_CATALOGUE,
  type Outcome,
  SERVER_PROBLEMS,
  SQL_ONLY_ERRORS,
  type ServerProblemCode,
} from "./core/error-catalogue.ts";
export { PROBLEM_FACTS } from "./transport/http/problems.ts";
export {
  initFleet,
  type InitializedFleet,
  readFleet,
  type ShardStatus,
} from "./transport/fleet/init-fleet.ts";
export { addShard } from "./transport/fleet/add-shard.ts";
export { openShard } from "./transport/fleet/open-shard.ts";
export { type NewShard, requireRelease } from "./transport/fleet/members.ts";
export {
  createRestorePoints,
  type HeldShard,
  passFullSecond,
  whileRelaysAreHeld,
} from "./transport/fleet/checkpoint.ts";
export { readOutbox, repeatItems, type ShardOutbox } from "./transport/fleet/outboxes.ts";
export type { RejectedItem, Routes, ShardLag } from "./protocol/shards.ts";
export { messageOf } from "./core/error-record.ts";
export { formatDuration, parseDuration } from "./core/duration.ts";
export { findInexactNumber } from "./core/exact-numbers.ts";
export { MAX_JSON_DEPTH, toJournal, toStorableText } from "./core/json.ts";
export { checkStartableName, isReservedName } from "./core/names.ts";
export { toFlowSettings } from "./definition/flow-control.ts";
export { decide } from "./replay/decisions.ts";
export { type Items, itemsOf } from "./replay/items.ts";
export type { AuditListing } from "./protocol/audit.ts";

export { APPROVAL, type ApprovalRequest, AT_TIMEOUT } from "./replay/steps/wait.ts";
export type {
  Approval,
  ApprovalConditions,
  ApprovalRecipient,
  DecisionOutcome,
} from "./protocol/approvals.ts";
export type { DeliveryReport, UrlDelivery } from "./protocol/deliveries.ts";
export type {
  MessageDelivery,
  PeekedMessage,
  QueueSettings,
  QueueStatistics,
} from "./protocol/queues.ts";
export type { WorkflowLag, WorkflowMetrics } from "./protocol/statistics.ts";
export { hasRealDay } from "./core/calendar-day.ts";
export { blameFor, sqlstateOf } from "./protocol/blame.ts";
export {
  type LimitedRows,
  mayChangeSession,
  readWithin,
  type RowLimits,
} from "./protocol/transaction.ts";
export { type CursorClient, readAtMost } from "./transport/postgres/connection/limited-read.ts";
export { toProgramUrl } from "./transport/postgres/connection/server-list.ts";
export { askPersistently } from "./protocol/persistence.ts";
export { isRefused, whyUnavailable } from "./protocol/sqlstate.ts";
export type {
  LoggedDelivery,
  LoggedDeliveryDetails,
  Subscription,
  TopicDeadLetter,
  TopicTarget,
} from "./protocol/topics.ts";
export {
  CHILD_RUN_INSTANTS,
  type ChildRun,
  RUN_GENERATION_INSTANTS,
  type RunGeneration,
  RUN_STATE_INSTANTS,
  RUN_SUMMARY_INSTANTS,
} from "./protocol/run-shapes.ts";
export type {
  ChildListing,
  RunExplanation,
  RunListing,
  RunRecord,
  SignalRequest,
  SignalledRunOf,
  StartRequest,
} from "./protocol/runs.ts";
export type { ReceiveRequest } from "./protocol/receive-request.ts";
export {
  RELAY_PATH,
  RELAY_PROTOCOL,
  type RelayedAnswer,
  type RelayedCall,
  type WorkerRelay,
} from "./protocol/relay.ts";
export { toRelease } from "./transport/postgres/worker/commit.ts";
export type { FleetAccess, Transport } from "./protocol/transport.ts";
export type { WorkflowTally } from "./protocol/workflows.ts";
export type { CommitResult, RunCommit } from "./protocol/commit.ts";
export type { LeaseNotice, WorkflowDelivery } from "./protocol/worker.ts";
export type { FailedAttempt, TimedJournalEntry } from "./protocol/journal.ts";
export type { TraceHeaders } from "./protocol/trace-headers.ts";
export { findBinaries } from "./testing/embedded/binaries.ts";
export { findFreePort } from "./testing/embedded/free-port.ts";
export { isReachable } from "./testing/embedded/reachable.ts";
export { chooseServerUser } from "./testing/embedded/server-user.ts";
export { Emitter } from "./core/events.ts";
export { linkSignals, withLinkedSignal } from "./async/linked-signal.ts";
export { Batcher } from "./async/batcher.ts";
export { type Pace, Pacer } from "./async/pace.ts";
export { SharedRead } from "./async/shared-read.ts";
export { sleep } from "./async/sleep.ts";
export { Watch } from "./async/watch.ts";
export { unlessAborted } from "./async/unless-aborted.ts";
export { within } from "./async/within.ts";
export { firstTicks, tickTimes } from "./schedule/tick-times.ts";
export { Expirer } from "./worker/expirer.ts";
export { moveRun, type MoveRunOptions } from "./worker/move-run.ts";
export { moveRoutes } from "./worker/move-routes.ts";
export { drainShard, refillShard } from "./worker/drain-shard.ts";
export type { MovedRoutes } from "./worker/moving/move.ts";
export { Relay, relaysOf } from "./worker/relay.ts";
export { Ticker, type TickerEvents } from "./worker/ticker.ts";

export { recordRun } from "./client/run-recording.ts";

export { replayRecording } from "./testing/replay-recording.ts";

export type { ScheduleRecord } from "./protocol/schedules.ts";
export { fromHeaders, inSpan } from "./telemetry/tracer.ts";
export { connect } from "./transport/connect.ts";
export type { ConnectOptions } from "./transport/target.ts";
