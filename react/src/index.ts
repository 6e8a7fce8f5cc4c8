/** Door `@oxbow/react`: hooks and components that show one run, by a run token. */
export { OxbowProvider, type OxbowProviderProps, type RunAccess } from "./run-access.ts";
export { RunProgress, type RunProgressProps, type RunText } from "./run-progress.tsx";
export {
  type InitialRun,
  type LiveRun,
  type RunDetails,
  type RunEnding,
  useRun,
  type UseRunOptions,
} from "./use-run.ts";
export { type RunStream, useRunStream } from "./use-run-stream.ts";
export { type RunSignal, useSignal } from "./use-signal.ts";
