/** Door `@oxbow/sdk/browser`, for pages: follows a run by a run token. It loads nothing but itself. */
export {
  type StepUnderWay,
  type WatchedChunk,
  type WatchedError,
  type WatchedRun,
  type WatchedStep,
  type WatchRunOptions,
  watchRun,
} from "./browser/watch-run.ts";
