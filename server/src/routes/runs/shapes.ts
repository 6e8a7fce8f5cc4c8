/** Runs, steps and children, as answers show them. The fields of runs derive from SQL: `fields.ts`. */
import { type RunRecord, type TimedJournalEntry, withoutStack } from "@oxbow/sdk/internal/server";
import { Type } from "typebox";
import { Cursor, Instant, Json, type Shown } from "../../http/schemas.ts";
import { ChildRunFields, RunGenerationFields, RunStateFields, RunSummaryFields } from "./fields.ts";

export const Listed = Type.Object({ ...RunSummaryFields, cursor: Cursor });

const Failures = Type.Array(
  Type.Object({ attempt: Type.Integer(), failedAt: Instant, error: Json }),
  {
    description:
      "Errors of earlier attempts, without the last one, which is the error; of a step, the first 10 and the last 90.",
  },
);

export const Run = Type.Object({
  ...RunStateFields,
  hasInput: Type.Boolean({
    description: "False if the run was started without an input; null is an input.",
  }),
  hasOutput: Type.Boolean({
    description: "False if there is no output, or not yet; null is an output.",
  }),
  failures: Failures,
  inProgress: Type.Array(
    Type.Object({
      step: Type.String(),
      attempt: Type.Integer(),
      since: Instant,
      worker: Type.String({ description: "Host and process id of the worker." }),
    }),
    { description: RunStateFields.inProgress.description },
  ),
});

const Decisions = Type.Array(
  Type.Object({
    name: Type.String(),
    output: Type.Optional(Json),
    before: Type.Optional(
      Type.Literal(true, {
        description:
          "The body decided before it got the outcome of the journal row, rather than after.",
      }),
    ),
  }),
  { description: "Decisions of the body of a declared workflow around this row, in order." },
);

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
  decisions: Type.Optional(Decisions),
});

export const Child = Type.Object({ ...ChildRunFields, cursor: Cursor });

export const Generation = Type.Object(RunGenerationFields);

/** A run as the holder of a run token sees it: what a page shows to its user, and nothing of how the run works. */
export const shownToHolder = (run: RunRecord): Shown<typeof Run> => ({
  ...run,
  input: null,
  hasInput: false,
  idempotencyKey: null,
  tags: {},
  error: run.error === null ? null : withoutStack(run.error),
  waits: [],
  retries: [],
  failures: [],
  inProgress: run.inProgress.map((call) => ({ ...call, worker: "" })),
});

export const shownStep = (step: TimedJournalEntry): Shown<typeof Step> => ({
  position: step.position,
  name: step.name,
  kind: step.kind,
  attempts: step.attempts,
  ...(step.output === undefined ? {} : { output: step.output }),
  ...(step.error === undefined ? {} : { error: step.error }),
  startedAt: step.startedAt,
  completedAt: step.completedAt,
  durationMs: step.completedAt.getTime() - step.startedAt.getTime(),
  ...(step.failures === undefined ? {} : { failures: step.failures }),
  ...(step.decisions === undefined ? {} : { decisions: step.decisions }),
});
