/** Door `@oxbow/sdk/internal/server`, for the server and its command, the benchmarks and the tests. No promise of compatibility. */
export { linkSignals, withLinkedSignal } from "../async/linked-signal.ts";
export type { Pace } from "../async/pace.ts";
export { sleep } from "../async/sleep.ts";
export { unlessAborted } from "../async/unless-aborted.ts";
export { Watch } from "../async/watch.ts";
export { within } from "../async/within.ts";
export { followRun } from "../client/run-reading.ts";
export { recordRun } from "../client/run-recording.ts";
export { hasRealDay } from "../core/calendar-day.ts";
export { parseDuration } from "../core/duration.ts";
export {
  ERROR_CATALOGUE,
  type Outcome,
  SERVER_PROBLEMS,
  type ServerProblemCode,
  SQL_ONLY_ERRORS,
} from "../core/error-catalogue.ts";
export { Emitter } from "../core/events.ts";
export { findInexactNumber } from "../core/exact-numbers.ts";
export { MAX_JSON_DEPTH, toJournal, toStorableText } from "../core/json.ts";
export { checkStartableName } from "../core/names.ts";
export { withClient as withDatabase } from "../install/connect.ts";
export { diagnose, type Finding } from "../install/diagnose.ts";
export {
  guardIncarnation,
  holdIncarnation,
  type Incarnation,
  knowsIncarnations,
  readIncarnation,
  releaseIncarnation,
} from "../install/incarnation.ts";
export { migrate, type MigrationReport, releaseState } from "../install/migrate.ts";
export type { Approval, ApprovalRecipient } from "../protocol/approvals.ts";
export type { AuditListing } from "../protocol/audit.ts";
export { blameFor, sqlstateOf } from "../protocol/blame.ts";
export type { RunCommit } from "../protocol/commit.ts";
export type { DeliveryReport, UrlDelivery } from "../protocol/deliveries.ts";
export type { PushTarget } from "../protocol/endpoints.ts";
export type { FailedAttempt, TimedJournalEntry } from "../protocol/journal.ts";
export {
  checkSigningKeys,
  LEASE_TOKEN_PREFIX,
  type LeaseGrant,
  LeaseTokenKeys,
  LEASES_HEADER,
  MOST_LEASES,
} from "../protocol/lease-token.ts";
export { askPersistently } from "../protocol/persistence.ts";
export type {
  FifoItem,
  MessageDelivery,
  ReceiveMessagesRequest,
  PeekedMessage,
  QueueSettings,
  QueueStatistics,
} from "../protocol/queues.ts";
export {
  CLOCK_HEADER,
  type EndpointManifest,
  LARGEST_PUSHED_BYTES,
  PROTOCOL_HEADER,
  PUSH_PROTOCOL,
  type PushOutcome,
  type PushRequest,
  type ServedVersion,
} from "../protocol/push.ts";
export type { ReceiveRequest } from "../protocol/receive-request.ts";
export {
  RELAY_PATH,
  RELAY_PROTOCOL,
  type RelayedAnswer,
  type RelayedCall,
  type WorkerRelay,
} from "../protocol/relay.ts";
export type { RunGeneration } from "../protocol/run-shapes.ts";
export {
  checkRunTokenSecrets,
  LONGEST_RUN_TOKEN_MS,
  type RunGrant,
  type RunPermission,
  RunTokenKeys,
  RUN_TOKEN_PREFIX,
} from "../protocol/run-token.ts";
export type {
  ChildListing,
  RunChange,
  RunConditions,
  RunExplanation,
  RunListing,
  RunRecord,
  SignalledRunOf,
  SignalRequest,
  StartRequest,
} from "../protocol/runs.ts";
export { isShown, toShownRun, toShownStep, withoutStack } from "../protocol/shown-run.ts";
export type { ScheduleRecord } from "../protocol/schedules.ts";
export { SignedTokens, type TokenKind } from "../protocol/signed-token.ts";
export { whyUnavailable } from "../protocol/sqlstate.ts";
export type { WorkflowLag, WorkflowMetrics } from "../protocol/statistics.ts";
export type { LoggedDelivery, Subscription } from "../protocol/topics.ts";
export { WebhookSignatures } from "../protocol/standard-webhook.ts";
export type { TraceHeaders } from "../protocol/trace-headers.ts";
export type { Transport } from "../protocol/transport.ts";
export type { RequestTimes, WorkerTransport, WorkflowDelivery } from "../protocol/worker.ts";
export type { Registration, WorkflowTally, WorkflowTool } from "../protocol/workflows.ts";
export { firstTicks, tickTimes } from "../schedule/tick-times.ts";
export { inSpan } from "../telemetry/tracer.ts";
export { connect } from "../transport/connect.ts";
export { PROBLEM_FACTS } from "../transport/http/problems.ts";
export { toProgramUrl } from "../transport/postgres/connection/server-list.ts";
export { SourcePool } from "../transport/postgres/connection/source-pool.ts";
export { toRelease } from "../protocol/commit.ts";
export type { ConnectOptions } from "../transport/target.ts";
export { type Committer, makeCommitter } from "../worker/committer.ts";
export { isExtended } from "../worker/lease-keeper.ts";
export { Receiver } from "../worker/receiver.ts";
export { Turns } from "../async/turns.ts";
export { Expirer } from "../worker/expirer.ts";
export { Ticker, type TickerEvents } from "../worker/ticker.ts";
