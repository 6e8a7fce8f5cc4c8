/** Fields of rows in answers. Made by `npm run build:seam` of extension-sql: change the sources there. */
import { Type } from "typebox";
import { about, Id, Instant, Json, Nullable, RunStatus } from "../../http/schemas.ts";

export const RunStateFields = {
  runId: Id,
  name: Type.String(),
  version: Type.Integer(),
  status: RunStatus,
  activity: Nullable(
    Type.String({
      description:
        "The current activity of a running run; null once it has ended. queued: it waits for its turn by the flow control of its workflow. pausing: it was paused, and its worker finishes the running callbacks. paused: it executes nothing.",
    }),
  ),
  input: Json,
  output: Json,
  error: Json,
  idempotencyKey: Nullable(Type.String()),
  tags: Json,
  attempt: Nullable(
    Type.Integer({
      description:
        "Deliveries since the last progress of a running run; more than one means that workers have crashed with it.",
    }),
  ),
  waits: about(Json, "Sleeps and events that the run waits for, with their deadlines."),
  retries: about(
    Json,
    "Failed steps that will be retried: attempts so far, the time of the next one, the last error, and all errors (`failures`).",
  ),
  startedAt: Instant,
  completedAt: Nullable(Instant),
  deadline: Nullable(
    about(Instant, "When the run fails unless it has ended before; null for never."),
  ),
  resumesAt: Nullable(
    about(
      Instant,
      "When a blocked run resumes by itself; null if it is not blocked, or only a signal or a resume wakes it.",
    ),
  ),
  pausedAt: Nullable(about(Instant, "When the run was paused; null if it is not paused.")),
  pauseReason: Nullable(Type.String()),
  rerunOf: Nullable(about(Id, "The run that this one repeats; null unless it is a rerun.")),
  supersededBy: Nullable(about(Id, "The run that has taken over its idempotency key.")),
  scheduledAt: Nullable(
    about(
      Instant,
      "The tick that started the run, whose tag `schedule` names the schedule; null if no schedule did.",
    ),
  ),
  inProgress: about(
    Json,
    "Steps whose current call has taken longer than a second, as workers report them.",
  ),
  failureOf: Nullable(
    about(Id, "The run whose failure this one handles; null unless it is a failure handler."),
  ),
  retried: Type.Integer({
    description: "The number of retries by the `runRetry` policy of its workflow.",
  }),
  failures: about(Json, "The errors before these retries."),
  generation: Type.Integer({
    description:
      "The number of the current generation: 1 until the run continues as new by `ctx.continueAsNew`.",
  }),
  parent: Nullable(
    about(Id, "The run whose step started this one; null if it was started from outside."),
  ),
  isItem: Type.Boolean({
    description:
      "Whether the run executes the body of a loop once, as an item of another run of its definition or as a rerun of one.",
  }),
};

export const RunSummaryFields = {
  runId: Id,
  name: Type.String(),
  version: Type.Integer(),
  status: RunStatus,
  startedAt: Instant,
  completedAt: Nullable(Instant),
  deadline: RunStateFields.deadline,
  pausedAt: RunStateFields.pausedAt,
  idempotencyKey: Nullable(Type.String()),
  tags: Json,
  error: Json,
  rerunOf: RunStateFields.rerunOf,
  supersededBy: RunStateFields.supersededBy,
  failureOf: RunStateFields.failureOf,
  activity: RunStateFields.activity,
  parent: RunStateFields.parent,
};

export const ChildRunFields = {
  runId: Id,
  name: Type.String(),
  version: Type.Integer(),
  status: RunStatus,
  step: Type.String({ description: "The step of the parent that started the run." }),
  isDetached: Type.Boolean({
    description: "Whether the parent does not wait for the end of the run.",
  }),
  startedAt: Instant,
  completedAt: Nullable(Instant),
};

export const RunGenerationFields = {
  generation: RunStateFields.generation,
  version: Type.Integer(),
  startedAt: Instant,
  endedAt: Nullable(
    about(
      Instant,
      "When the run continued as new, or ended; null for the generation of a run in progress.",
    ),
  ),
  steps: Type.Integer({
    description:
      "The number of rows of its journal. Those of an ended generation are deleted, unless the run ended with it.",
  }),
  input: about(Json, "Only if the list was requested with values."),
};
