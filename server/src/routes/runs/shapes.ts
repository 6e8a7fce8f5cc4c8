/** Runs, steps and children, as answers show them. */
import type {
  ChildListing,
  FailedAttempt,
  RunListing,
  RunRecord,
  TimedJournalEntry,
} from "@oxbow/sdk/internal";
import { type Static, Type } from "typebox";
import { Cursor, Id, Instant, Json, Nullable, RunStatus } from "../../http/schemas.ts";

const Summary = {
  runId: Id,
  name: Type.String(),
  version: Type.Integer(),
  status: RunStatus,
  error: Json,
  idempotencyKey: Nullable(Type.String()),
  tags: Json,
  startedAt: Instant,
  completedAt: Nullable(Instant),
  deadline: Nullable(Instant),
  pausedAt: Nullable(Instant),
  rerunOf: Nullable(Id),
  supersededBy: Nullable(Id),
  failureOf: Nullable(Id),
};

export const Listed = Type.Object({ ...Summary, cursor: Cursor });

const Failures = Type.Array(
  Type.Object({ attempt: Type.Integer(), failedAt: Instant, error: Json }),
  { description: "Errors of earlier attempts; of a step, the first 10 and the last 90." },
);

export const Run = Type.Object({
  ...Summary,
  activity: Nullable(Type.String({ description: "Current activity of a running run." })),
  input: Json,
  hasInput: Type.Boolean({
    description: "False if the run was started without an input; null is an input.",
  }),
  output: Json,
  hasOutput: Type.Boolean({
    description: "False if there is no output, or not yet; null is an output.",
  }),
  attempt: Nullable(Type.Integer()),
  waits: Json,
  retries: Json,
  resumesAt: Nullable(Instant),
  pauseReason: Nullable(Type.String()),
  scheduledAt: Nullable(Instant),
  retried: Type.Integer({
    description: "How many times the retry policy of the workflow has retried the run.",
  }),
  failures: Failures,
  inProgress: Type.Array(
    Type.Object({
      step: Type.String(),
      attempt: Type.Integer(),
      since: Instant,
      worker: Type.String({ description: "Host and process id of the worker." }),
    }),
    { description: "Steps that have been executing for more than a second." },
  ),
});

export const Step = Type.Object({
  position: Type.Integer(),
  name: Type.String(),
  kind: Type.String(),
  attempts: Type.Integer(),
  output: Type.Optional(Json),
  error: Type.Optional(Json),
  startedAt: Instant,
  completedAt: Instant,
  durationMs: Type.Number(),
  failures: Type.Optional(Failures),
});

export const Child = Type.Object({
  runId: Id,
  name: Type.String(),
  version: Type.Integer(),
  status: RunStatus,
  step: Type.String({ description: "The step that started the run." }),
  isDetached: Type.Boolean({ description: "True if the parent does not wait for the run." }),
  startedAt: Instant,
  completedAt: Nullable(Instant),
  cursor: Cursor,
});

const iso = (date: Date | null): string | null => date?.toISOString() ?? null;

export const listed = (run: RunListing): Static<typeof Listed> => ({
  ...summaryOf(run),
  cursor: run.cursor,
});

const summaryOf = (run: Omit<RunListing, "cursor">) => ({
  runId: run.runId,
  name: run.name,
  version: run.version,
  status: run.status,
  error: run.error ?? null,
  idempotencyKey: run.idempotencyKey,
  tags: run.tags ?? null,
  startedAt: run.startedAt.toISOString(),
  completedAt: iso(run.completedAt),
  deadline: iso(run.deadline),
  pausedAt: iso(run.pausedAt),
  rerunOf: run.rerunOf,
  supersededBy: run.supersededBy,
  failureOf: run.failureOf,
});

export const shown = (run: RunRecord): Static<typeof Run> => ({
  ...summaryOf(run),
  activity: run.activity,
  input: run.input ?? null,
  hasInput: run.hasInput,
  output: run.output ?? null,
  hasOutput: run.hasOutput,
  attempt: run.attempt,
  waits: run.waits ?? null,
  retries: run.retries ?? null,
  // Null if only an event resumes the run.
  resumesAt: run.resumesAt instanceof Date ? run.resumesAt.toISOString() : null,
  pauseReason: run.pauseReason,
  scheduledAt: iso(run.scheduledAt),
  retried: run.retried,
  failures: run.failures.map(shownFailure),
  inProgress: run.inProgress.map((call) => ({ ...call, since: call.since.toISOString() })),
});

const shownFailure = (failure: FailedAttempt) => ({
  ...failure,
  failedAt: failure.failedAt.toISOString(),
});

export const shownStep = (step: TimedJournalEntry): Static<typeof Step> => ({
  position: step.position,
  name: step.name,
  kind: step.kind,
  attempts: step.attempts,
  ...(step.output === undefined ? {} : { output: step.output }),
  ...(step.error === undefined ? {} : { error: step.error }),
  startedAt: step.startedAt.toISOString(),
  completedAt: step.completedAt.toISOString(),
  durationMs: step.completedAt.getTime() - step.startedAt.getTime(),
  ...(step.failures === undefined ? {} : { failures: step.failures.map(shownFailure) }),
});

export const shownChild = (child: ChildListing): Static<typeof Child> => ({
  ...child,
  startedAt: child.startedAt.toISOString(),
  completedAt: iso(child.completedAt),
});
