/** Conditions on runs, as bodies give them: of searches, counts, exports and changes. */
import { Type } from "typebox";
import {
  about,
  Closed,
  Cursor,
  Id,
  nonEmpty,
  RunActivity,
  RunStatus,
  Version,
  WorkflowName,
} from "../../http/schemas.ts";

export const Conditions = Closed(
  {
    name: Type.Optional(WorkflowName),
    version: Type.Optional(Version),
    status: Type.Optional(Type.Array(RunStatus, { minItems: 1, maxItems: 4 })),
    paused: Type.Optional(Type.Boolean({ description: "Whether the run is paused." })),
    startedAfter: Type.Optional(Type.String({ format: "date-time" })),
    startedBefore: Type.Optional(Type.String({ format: "date-time" })),
    completedAfter: Type.Optional(Type.String({ format: "date-time" })),
    completedBefore: Type.Optional(Type.String({ format: "date-time" })),
    tags: Type.Optional(Type.Unknown({ description: "JSON that the tags must contain." })),
    input: Type.Optional(Type.Unknown({ description: "JSON that the input must contain." })),
    errorCode: Type.Optional(
      Type.String({ maxLength: 200, description: "Code of the error that the run failed with." }),
    ),
    idempotencyKey: Type.Optional(Type.String({ maxLength: 512 })),
    activity: Type.Optional(
      Type.Array(RunActivity, {
        minItems: 1,
        maxItems: 9,
        description: "The current activity of a running run; ended runs do not match.",
      }),
    ),
    parent: Type.Optional(about(Id, "The run whose step started the run.")),
    errorText: Type.Optional(
      nonEmpty(
        200,
        "A part of the name or message of the run's error, or of its cause, in upper or lower case.",
      ),
    ),
  },
  { description: "A run matches if it meets all conditions." },
);

export const Page = {
  before: Type.Optional(Cursor),
  maxRuns: Type.Integer({
    minimum: 1,
    maximum: 10_000,
    default: 100,
    description: "Most runs of a page.",
  }),
};
