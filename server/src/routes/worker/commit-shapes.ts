/** Commits of workers: steps, effects and transitions. */
import { Type } from "typebox";
import { Closed, Id, nonEmpty, oneOf, Positive, WorkflowName } from "../../http/schemas.ts";
import { Trace } from "../runs/start-request.ts";

const JsonText = Type.String({ description: "A JSON text." });
const ErrorRecord = Type.Object(
  { name: Type.String(), message: Type.String() },
  { additionalProperties: true },
);
const Continuation = Type.Object(
  {
    waits: Type.Array(Type.Object({}, { additionalProperties: true })),
    retries: Type.Array(Type.Object({}, { additionalProperties: true })),
  },
  { additionalProperties: true },
);

const Transition = Type.Union([
  Closed({ kind: Type.Literal("keep"), continuation: Type.Optional(Continuation) }),
  Closed({
    kind: Type.Literal("suspend"),
    continuation: Continuation,
    resumeAt: Type.Optional(Type.Number({ minimum: 0, maximum: 8.64e15 })),
  }),
  Closed({ kind: Type.Literal("complete"), output: Type.Optional(JsonText) }),
  Closed({ kind: Type.Literal("fail"), error: ErrorRecord }),
  Closed({
    kind: Type.Literal("retry"),
    error: ErrorRecord,
    resumeAt: Type.Number({ minimum: 0, maximum: 8.64e15 }),
  }),
  Closed({ kind: Type.Literal("cancel"), error: ErrorRecord }),
  Closed({
    kind: Type.Literal("continue"),
    input: Type.Optional(JsonText),
    version: Type.Optional(Positive),
  }),
  Closed({
    kind: Type.Literal("release"),
    resumeAt: Type.Optional(Type.Number({ minimum: 0, maximum: 8.64e15 })),
    reason: Type.Optional(
      Type.String({ maxLength: 10_000, description: "Why this worker can't execute the run." }),
    ),
  }),
]);

/** A name of up to 256 characters, with the prefix "rollback:". */
export const StepName = nonEmpty(265);
export const Count = Type.Integer({ minimum: 0, maximum: 2_147_483_647 });

const Effect = Closed({
  kind: oneOf([
    "invoke",
    "item",
    "detach",
    "cancel",
    "signal",
    "subscribe",
    "publish",
    "approval",
    "withdraw",
  ]),
  step: StepName,
  workflow: Type.Optional(WorkflowName),
  version: Type.Optional(Positive),
  retentionDays: Type.Optional(Count),
  input: Type.Optional(JsonText),
  route: Type.Optional(nonEmpty(512)),
  runId: Type.Optional(Id),
  event: Type.Optional(Type.String({ maxLength: 512 })),
  payload: Type.Optional(JsonText),
  topic: Type.Optional(Type.String({ maxLength: 512 })),
  message: Type.Optional(JsonText),
  match: Type.Optional(JsonText),
  request: Type.Optional(JsonText),
  trace: Type.Optional(Trace),
});

export const Known = Closed(
  {
    step: Type.Optional(StepName),
    revision: Type.Optional(Count),
    chunk: Type.Optional(
      Closed({ step: Type.String({ maxLength: 265 }), attempt: Count, number: Count }),
    ),
  },
  {
    description:
      "Something that the last commit of this delivery with the outcome ok has written; empty before the first. " +
      "If the database doesn't have it, the outcome is lost, and the run is replayed from the journal.",
  },
);

export const Commit = Closed({
  workflow: WorkflowName,
  runId: Id,
  receipt: Id,
  journaled: Count,
  steps: Type.Array(
    Closed({
      name: StepName,
      kind: Type.String({ maxLength: 40 }),
      output: Type.Optional(JsonText),
      error: Type.Optional(ErrorRecord),
      attempts: Count,
      durationMs: Type.Number({ minimum: 0, maximum: 1e13 }),
      effect: Type.Optional(Effect),
      decisions: Type.Optional(JsonText),
    }),
  ),
  transition: Transition,
  known: Type.Optional(Known),
  revision: Type.Optional(Count),
  state: Type.Optional(Type.Array(Closed({ key: Type.String(), value: Type.Optional(JsonText) }))),
  stream: Type.Optional(
    Type.Array(
      Closed({
        step: Type.String({ maxLength: 265 }),
        attempt: Count,
        number: Count,
        value: Type.Optional(JsonText),
      }),
    ),
  ),
  effects: Type.Optional(Type.Array(Effect)),
  restartsCount: Type.Boolean({ default: false }),
});
