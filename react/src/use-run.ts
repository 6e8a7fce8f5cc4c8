"use client";
import type { WatchedError, WatchedRun } from "@oxbow/sdk/browser";
import type { Journaled, OutputOf, Workflow } from "@oxbow/sdk/runtime";
import { useMemo } from "react";
import type { RunAccess } from "./run-access.ts";
import { useWatch } from "./use-watch.ts";

/** The status of a run, and what it ends with. */
export type RunEnding<Output = unknown> =
  | { readonly status: undefined; readonly output: undefined; readonly error: null }
  | { readonly status: "running"; readonly output: undefined; readonly error: null }
  | { readonly status: "completed"; readonly output: Output; readonly error: null }
  | {
      readonly status: "failed" | "cancelled";
      readonly output: undefined;
      readonly error: WatchedError | null;
    };

/** The facts of a run besides its status. */
export interface RunDetails extends Omit<
  WatchedRun,
  "runId" | "status" | "output" | "error" | "chunks"
> {
  /** Absent if no run is followed. */
  readonly runId: string | undefined;
  /** Whether the connection was lost and is made again. The page keeps its last state. */
  readonly isReconnecting: boolean;
}

/**
 * A run as a page shows it. The types of `output` and `error` follow from `status`, which is undefined until the first
 * answer, and without a run.
 */
export type LiveRun<Definition extends Workflow = Workflow> = RunDetails &
  RunEnding<Journaled<OutputOf<Definition>>>;

/** The part of a run that is known before the first answer, such as a server has read it. */
export type InitialRun = Partial<Omit<WatchedRun, "runId" | "chunks" | "isLive" | "refusal">>;

export interface UseRunOptions extends RunAccess {
  /** Shown until the first answer of the server, and in what a server renders. Changes of it have no effect. */
  readonly initial?: InitialRun | undefined;
}

const BLANK = {
  status: undefined,
  activity: null,
  state: {},
  steps: [],
  inProgress: [],
  output: undefined,
  error: null,
  startedAt: null,
  completedAt: null,
  isLive: false,
  isReconnecting: false,
  refusal: null,
} satisfies Omit<LiveRun, "runId">;

/**
 * Follows a run while the component is mounted. All hooks of a page that follow the same run share one connection, which is
 * made again after it was lost.
 *
 * @param runId Without one there is no connection.
 * @throws Error without a url or a token.
 * @example
 * const { status, state, output } = useRun<typeof onboardUser>(runId, { url, token });
 */
export function useRun<Definition extends Workflow = Workflow>(
  runId: string | undefined,
  options: UseRunOptions = {},
): LiveRun<Definition> {
  const { initial } = options;
  const run = useWatch("useRun", runId, options, false, (watch) => watch.run);
  return useMemo(() => {
    const first = runId === undefined ? BLANK : { ...BLANK, ...initial };
    if (run === undefined) return { ...first, runId };
    const { isLive, refusal } = run;
    // The first events of a connection are steps that `initial` may have.
    const isBehind = run.status === undefined && initial !== undefined;
    const known = isBehind ? { ...first, runId, isLive, refusal } : run;
    const { status = "running", output } = known;
    return {
      ...known,
      isReconnecting: status === "running" && !isLive && refusal === null,
      output: status === "completed" ? output : undefined,
    };
    // oxlint-disable-next-line react/exhaustive-deps
  }, [runId, run]) as LiveRun<Definition>;
}
