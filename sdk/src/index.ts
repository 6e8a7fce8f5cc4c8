/** Door `@oxbow/sdk`: the client. Loads no replay engine. */
export {
  type ClientOptions,
  createWorkflowClient,
  type SignalOptions,
  type StartOptions,
  type WorkflowClient,
} from "./client/client.ts";
export type { ResultOptions, RunHandle } from "./client/run-handle.ts";
export type { Runs, RunState } from "./client/runs.ts";
export type { Codec } from "./core/codec.ts";
export type { Duration } from "./core/duration.ts";
export type { ErrorRecord } from "./core/error-record.ts";
export * from "./core/errors.ts";
export type { JournalEntry, RunStatus, StepKind, TimedJournalEntry } from "./protocol/messages.ts";
export type { RunActivity, SignalOutcome, TransactionClient } from "./protocol/transport.ts";
