/** Door `@oxbow/sdk/browser`, for pages: follows a run by a run token, and sends it events. It loads nothing else. */
export type { RunRefusal, RunTokenSource } from "./browser/run-request.ts";
export {
  SignalFailed,
  signalRun,
  type SignalRunOptions,
  type SignalRunOutcome,
} from "./browser/signal-run.ts";
export {
  type StepUnderWay,
  type WatchedChunk,
  type WatchedError,
  type WatchedRun,
  type WatchedStep,
  type WatchRunOptions,
  watchRun,
} from "./browser/watch-run.ts";
