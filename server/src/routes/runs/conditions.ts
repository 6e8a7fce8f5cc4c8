/** Conditions on runs, as bodies give them: of searches, counts, exports and changes. */
import { Type } from "typebox";
import { closed, Cursor, Json, RunStatus, WorkflowName } from "../../http/schemas.ts";

export const Conditions = Type.Object(
  {
    name: Type.Optional(WorkflowName),
    version: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647 })),
    status: Type.Optional(Type.Array(RunStatus, { minItems: 1, maxItems: 4 })),
    paused: Type.Optional(Type.Boolean()),
    startedAfter: Type.Optional(Type.String({ format: "date-time" })),
    startedBefore: Type.Optional(Type.String({ format: "date-time" })),
    completedAfter: Type.Optional(Type.String({ format: "date-time" })),
    completedBefore: Type.Optional(Type.String({ format: "date-time" })),
    tags: Type.Optional(Json),
    input: Type.Optional(Json),
    errorCode: Type.Optional(Type.String({ maxLength: 200 })),
    idempotencyKey: Type.Optional(Type.String({ maxLength: 512 })),
  },
  { ...closed, description: "A run matches if it meets all conditions." },
);

export const Page = {
  before: Type.Optional(Cursor),
  maxRuns: Type.Integer({ minimum: 1, maximum: 10_000, default: 100 }),
};
