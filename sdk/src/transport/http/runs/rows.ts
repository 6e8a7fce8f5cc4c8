/** Runs, steps and children as the server shows them ↔ `protocol/runs.ts` and `protocol/journal.ts`. */
import type {
  FailedAttempt,
  StepInProgress,
  TimedJournalEntry,
} from "../../../protocol/journal.ts";
import {
  CHILD_RUN_INSTANTS,
  RUN_GENERATION_INSTANTS,
  RUN_STATE_INSTANTS,
  RUN_SUMMARY_INSTANTS,
  type RunGeneration,
} from "../../../protocol/run-shapes.ts";
import type { ChildListing, RunListing, RunRecord } from "../../../protocol/runs.ts";
import { type Shown, toDates } from "../shown.ts";

/** A server of the release before has no cursors but ids. */
export type ShownListing = Shown<Omit<RunListing, "cursor">> & { readonly cursor?: string };
export type ShownChild = Shown<Omit<ChildListing, "cursor">> & { readonly cursor?: string };
export type ShownStep = Shown<Omit<TimedJournalEntry, "failures">> & {
  readonly failures?: readonly Shown<FailedAttempt>[];
};
export type ShownRun = Shown<Omit<RunRecord, "inProgress" | "failures" | "waits" | "retries">> & {
  readonly failures: readonly Shown<FailedAttempt>[];
  readonly inProgress: readonly Shown<StepInProgress>[];
  /** Null from a server of the release before, if the list is empty. */
  readonly waits: readonly unknown[] | null;
  readonly retries: readonly unknown[] | null;
};

export const toListing = ({ cursor, ...run }: ShownListing): RunListing => ({
  ...toDates<Omit<RunListing, "cursor">>(run, RUN_SUMMARY_INSTANTS),
  cursor: cursor ?? run.runId,
});

export const toChild = ({ cursor, ...run }: ShownChild): ChildListing => ({
  ...toDates<Omit<ChildListing, "cursor">>(run, CHILD_RUN_INSTANTS),
  cursor: cursor ?? run.runId,
});

export type ShownGeneration = Shown<RunGeneration>;
export const toGeneration = (generation: ShownGeneration): RunGeneration =>
  toDates<RunGeneration>(generation, RUN_GENERATION_INSTANTS);

export const toRunRecord = ({
  inProgress,
  failures,
  waits,
  retries,
  ...run
}: ShownRun): RunRecord => ({
  ...toDates<Omit<RunRecord, "inProgress" | "failures" | "waits" | "retries">>(
    run,
    RUN_STATE_INSTANTS,
  ),
  // Absent from a server of the release before.
  generation: run.generation ?? 1,
  waits: waits ?? [],
  retries: retries ?? [],
  failures: failures.map(toFailedAttempt),
  inProgress: inProgress.map((call) => ({ ...call, since: new Date(call.since) })),
});

export const toJournalEntry = ({
  name,
  kind,
  position,
  attempts,
  output,
  error,
  startedAt,
  completedAt,
  failures,
  decisions,
}: ShownStep): TimedJournalEntry => ({
  name,
  kind,
  position,
  attempts,
  ...(output === undefined ? {} : { output }),
  ...(error === undefined ? {} : { error }),
  startedAt: new Date(startedAt),
  completedAt: new Date(completedAt),
  ...(failures === undefined ? {} : { failures: failures.map(toFailedAttempt) }),
  ...(decisions === undefined ? {} : { decisions }),
});

const toFailedAttempt = (failure: Shown<FailedAttempt>): FailedAttempt => ({
  ...failure,
  failedAt: new Date(failure.failedAt),
});
