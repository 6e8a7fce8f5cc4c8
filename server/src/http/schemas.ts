/** Schemas that several routes share. Validation, types and the OpenAPI document come from them. */
import { type TNull, type TSchema, type TUnion, Type } from "typebox";

/** int8 as text: JavaScript's numbers end before it does. */
export const Id = Type.String({ pattern: "^[0-9]{1,18}$", description: "A 64-bit id, as text." });

export const Cursor = Type.String({
  pattern: "^[0-9]{1,18}(-[0-9]{1,18})?$",
  description: "A place in a list of runs, as an earlier answer has it. Opaque.",
});

export const WorkflowName = Type.String({
  pattern: "^[a-z0-9][a-z0-9_-]{0,42}$",
  description: "1 to 43 characters of a-z, 0-9, _ and -.",
});

export const QueueName = Type.String({
  pattern: "^[a-z0-9_][a-z0-9_-]{0,47}$",
  description: "1 to 48 characters of a-z, 0-9, _ and -.",
});

/** Any JSON. */
export const Json = Type.Unknown({ description: "Any JSON." });

export const Instant = Type.String({ format: "date-time", description: "ISO 8601." });

/** A length of time in requests. */
export const Length = Type.Union(
  [Type.Number({ minimum: 0, maximum: 3_155_760_000 }), Type.String({ maxLength: 40 })],
  { description: 'Seconds, or text with a unit: "30s", "5m", "7d".' },
);

export const Nullable = <Schema extends TSchema>(schema: Schema): TUnion<[Schema, TNull]> =>
  Type.Union([schema, Type.Null()]);

export const RunStatus = Type.Union([
  Type.Literal("running"),
  Type.Literal("completed"),
  Type.Literal("failed"),
  Type.Literal("cancelled"),
]);

export const ProblemBody = Type.Object(
  {
    type: Type.String(),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    code: Type.String({ description: "Stable: for programs." }),
    instance: Type.String(),
    errors: Type.Optional(Type.Array(Type.Object({ path: Type.String(), message: Type.String() }))),
  },
  { description: "RFC 9457, application/problem+json." },
);

/** Bodies are closed: a misspelt property is named rather than left out. */
export const closed = { additionalProperties: false } as const;

/** Of a request with several items that different callers have made. */
export const Independent = Type.Object({
  independent: Type.Optional(
    Type.Boolean({
      description:
        "The items have nothing to do with each other: rather than wait for long for what another transaction has " +
        "locked of one of them, several fail together, so that they can be sent again one by one.",
    }),
  ),
});
