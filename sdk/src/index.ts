/** Door `@oxbow/sdk`: the client. Loads no replay engine. */
export {
  type ClientOptions,
  createWorkflowClient,
  type SignalledRun,
  type WorkflowClient,
} from "./client/client.ts";
export type { ApprovalFilter, ApprovalPage, Approvals, DecideOptions } from "./client/approvals.ts";
export type { Audit, AuditFilter, AuditListOptions, AuditPage } from "./client/audit.ts";

export type {
  BatchItem,
  SignalWithStartOptions,
  StartElsewhereOptions,
  StartOptions,
} from "./client/start-request.ts";
export type { ConsumeBatchOptions, ConsumeOptions } from "./client/consume-options.ts";
export type { Endpoints } from "./client/endpoints.ts";
export type { Consumer } from "./client/consumer.ts";
export type {
  BatchContext,
  BatchHandler,
  Handler,
  MessageContext,
} from "./client/message-handling.ts";
export type { ConsumerEvents, MessageFacts } from "./client/consumer-events.ts";
export type { Headers, Receipt, ReceivedMessage } from "./client/message.ts";
export type {
  AlterQueueOptions,
  CreateQueueOptions,
  DeadLetterQueuesOptions,
  FifoMessage,
  PeekOptions,
  ReceiveOptions,
  SendBatchOptions,
  SendFifoOptions,
  SendOptions,
} from "./client/queue-options.ts";

export type { Queues, QueueStats } from "./client/queues.ts";

export type { RunFilter } from "./client/run-filter.ts";
export type {
  CancelOptions,
  RerunOptions,
  ResultOptions,
  RunHandle,
  SignalOptions,
} from "./client/run-handle.ts";

export type { RecordedRetry, RecordedWait, RunRecording } from "./protocol/run-recording.ts";
export type { RunEvent, StreamOptions, SubscribeToRunOptions } from "./client/run-reading.ts";
export type {
  ChangeOptions,
  ListOptions,
  ReasonedChangeOptions,
  RerunAllOptions,
  RunPage,
  Runs,
  StepsOptions,
  RunUpdate,
} from "./client/runs.ts";
export type { CatchUp, Schedule, ScheduleOptions, Schedules } from "./client/schedules.ts";
export type {
  DeliveriesOptions,
  PublishOptions,
  SubscribeOptions,
  SubscriptionTo,
  Topics,
} from "./client/topics.ts";
export type { ShardConnection } from "./transport/target.ts";
export type { BackoffOptions } from "./core/retry-policy.ts";
export type { Codec } from "./core/codec.ts";
export type { CatchUpMode } from "./schedule/due-ticks.ts";
export type { Duration } from "./core/duration.ts";
export type { ErrorCode } from "./core/error-catalogue.ts";
export type { ErrorRecord } from "./core/error-record.ts";
export * from "./core/errors.ts";
export { RetryAfterError } from "./core/retry-errors.ts";
export type { TransactionOptions } from "./client/transaction.ts";
export type { Logger } from "./definition/context.ts";
export type {
  Approval,
  ApprovalDecision,
  ApprovalStatus,
  ApprovalVerdict,
  DecisionOutcome,
} from "./protocol/approvals.ts";
export type { ActorKind, AuditEntry } from "./protocol/audit.ts";
export type { Endpoint } from "./protocol/endpoints.ts";

export type {
  Decision,
  FailedAttempt,
  JournalEntry,
  StepInProgress,
  StepKind,
  TimedJournalEntry,
} from "./protocol/journal.ts";
export type {
  ChildRun,
  RunActivity,
  RunGeneration,
  RunState,
  RunStatus,
  RunSummary,
} from "./protocol/run-shapes.ts";

export type { FlowOutcome, FlowState } from "./protocol/flow-control.ts";
export type {
  OnEnded,
  OnRunning,
  RunCause,
  RunExplanation,
  SignalOutcome,
  StreamChunk,
} from "./protocol/runs.ts";
export type { RunSnapshot } from "./protocol/shown-run.ts";
export type { RegisteredVersion, WorkerEntry, WorkflowTally } from "./protocol/workflows.ts";
export type { TransactionClient } from "./protocol/transaction.ts";
export type {
  DeadLetterQueue,
  PeekedMessage,
  QueueDepth,
  QueueSettings,
  QueueStatistics,
} from "./protocol/queues.ts";
export type { Overlap, ScheduleOutcome } from "./protocol/schedules.ts";
export type {
  CapturedDelivery,
  DeliveryOutcome,
  DeliveryStatus,
  LoggedDelivery,
  LoggedDeliveryDetails,
  ResentDelivery,
  Subscription,
  SubscriptionTarget,
  TopicDeadLetter,
  TopicTarget,
} from "./protocol/topics.ts";
export { jsonLogger, type JsonLoggerOptions, type LogLevel } from "./telemetry/json-logger.ts";
