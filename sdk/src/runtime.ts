/** Door `@oxbow/sdk/runtime`: define workflows and serve them. */
export type { BackoffOptions, RetryOptions } from "./core/retry-policy.ts";
export type { Codec } from "./core/codec.ts";
export type { Duration } from "./core/duration.ts";
export type { ErrorCode } from "./core/error-catalogue.ts";
export type { ErrorRecord } from "./core/error-record.ts";
export type { Journaled } from "./core/journaled.ts";
export * from "./core/errors.ts";
export { NonRetriableError, RetryAfterError } from "./core/retry-errors.ts";
export type { FlowControl, RateLimit } from "./definition/flow-control.ts";
export type { ContinueAsNew, ContinueAsNewOptions } from "./definition/continue-as-new.ts";
export type { Context, Logger, OutputStream, RunSchedule } from "./definition/context.ts";
export type { EventSchemas } from "./definition/events.ts";
export type {
  InvokeOptions,
  MapOptions,
  RollbackContext,
  StepTransaction,
  RunStepOptions,
  Step,
  WaitOptions,
} from "./definition/step.ts";
export type { EventsOf, InputOf, OutputOf, Workflow } from "./definition/workflow.ts";
export type { FailedRun, FailureHandler, WorkflowOptions } from "./definition/define-workflow.ts";
export type { RunFacts, WorkerEvents } from "./worker/events.ts";
export { drain, type Drained } from "./worker/drain.ts";
export type { DrainOptions, DrainServeOptions } from "./worker/drain-options.ts";
export { type ServableWorkflow, workflow } from "./worker/serve.ts";
export type { ServeOptions, WorkerOptions } from "./worker/serve-options.ts";
export type { SourceConnection, SourceWork, WorkflowSource } from "./worker/workflow-source.ts";
export { createWorker, type Worker } from "./worker/worker.ts";
export { jsonLogger, type JsonLoggerOptions, type LogLevel } from "./telemetry/json-logger.ts";
