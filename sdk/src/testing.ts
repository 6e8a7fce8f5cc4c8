/** Door `@oxbow/sdk/testing`: workflows in tests, with a clock that skips, and an embedded Postgres. */
export type { RecordedRetry, RecordedWait, RunRecording } from "./protocol/run-recording.ts";
export { RunBlocked } from "./core/errors.ts";
export {
  failTimes,
  type ReplacedCall,
  type Replacement,
  type Replacements,
  timesOut,
} from "./testing/behaviour.ts";
export type { RecordedCall } from "./testing/call-log.ts";
export {
  Cluster,
  startPostgres,
  type PostgresOptions,
  type StopMode,
} from "./testing/embedded/cluster.ts";
export type { CreateDatabaseOptions } from "./testing/embedded/databases.ts";
export { createTestEnvironment } from "./testing/create-environment.ts";
export type {
  AwaitOptions,
  NodePin,
  RunDefinitionOptions,
  SkipOptions,
  TestableDefinitions,
  TestEnvironmentOptions,
  TestRunOptions,
} from "./testing/environment-options.ts";
export type { TestEnvironment } from "./testing/environment.ts";
export {
  type NextStep,
  type ReplayedRun,
  replayRecording,
  type ReplayOptions,
} from "./testing/replay-recording.ts";
