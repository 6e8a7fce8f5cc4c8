/** Schemas that several routes share. Validation, types and the OpenAPI document derive from them. */
import { RUN_ACTIVITIES, RUN_STATUSES } from "../run-states.ts";
import { LONGEST_WAIT_MS } from "./long-poll.ts";
import {
  type Static,
  type TLiteral,
  type TNull,
  type TObject,
  type TObjectOptions,
  type TProperties,
  type TSchema,
  type TString,
  type TUnion,
  Type,
} from "typebox";

/** int8 as text, because numbers of JavaScript are smaller. */
export const Id = Type.String({ pattern: "^[0-9]{1,18}$", description: "A 64-bit id, as text." });

export const Cursor = Type.String({
  pattern: "^[0-9]{1,18}(-[0-9]{1,18})?$",
  description: "An opaque cursor from an earlier response.",
});

export const WorkflowName = Type.String({
  pattern: "^[a-z0-9][a-z0-9_-]{0,42}$",
  description: "1 to 43 characters of a-z, 0-9, _ and -.",
});

export const QueueName = Type.String({
  pattern: "^[a-z0-9_][a-z0-9_-]{0,47}$",
  description: "1 to 48 characters of a-z, 0-9, _ and -.",
});

/** A schema with another description. */
export const about = <Schema extends TSchema>(
  schema: Schema,
  description: string,
): Schema & { readonly description: string } =>
  Type.With(schema, { description }) as unknown as Schema & { readonly description: string };

/** One of these words. */
export const oneOf = <const Words extends readonly string[]>(
  words: Words,
  description?: string,
): TUnion<{ -readonly [Index in keyof Words]: TLiteral<Words[Index]> }> =>
  Type.Union(
    words.map((word) => Type.Literal(word)),
    description === undefined ? {} : { description },
  ) as never;

/** A text that is not empty. */
export const nonEmpty = (maxLength: number, description?: string): TString =>
  Type.String({ minLength: 1, maxLength, ...(description === undefined ? {} : { description }) });

/** As the integers of the database. */
export const Positive = Type.Integer({ minimum: 1, maximum: 2_147_483_647 });

export const Pool = nonEmpty(256, "Workers that serve the same definitions.");

export const Json = Type.Unknown({ description: "Any JSON." });

/** What an answer has for a schema: its lists and objects may be read-only. */
export type Shown<Schema extends TSchema> = ReadOnly<Static<Schema>>;

type ReadOnly<Value> = Value extends Date
  ? Value
  : Value extends object
    ? { readonly [Key in keyof Value]: ReadOnly<Value[Key]> }
    : Value;

/** In requests. */
export const GivenInstant = Type.String({ format: "date-time", description: "ISO 8601." });

/** In answers, which are made of dates. */
export const Instant = Type.Unsafe<Date>(GivenInstant);

/** A duration in requests. */
export const Length = Type.Union(
  [Type.Number({ minimum: 0, maximum: 3_155_760_000 }), Type.String({ maxLength: 40 })],
  { description: 'Seconds, or a string with a unit: "30s", "5m", "7d".' },
);

export const Nullable = <Schema extends TSchema>(schema: Schema): TUnion<[Schema, TNull]> =>
  Type.Union([schema, Type.Null()]);

export const RunStatus = oneOf(RUN_STATUSES);
export const RunActivity = oneOf(RUN_ACTIVITIES);

export const ProblemBody = Type.Object(
  {
    type: Type.String(),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    code: Type.String({ description: "Stable code, for programs." }),
    instance: Type.String(),
    errors: Type.Optional(Type.Array(Type.Object({ path: Type.String(), message: Type.String() }))),
    revision: Type.Optional(
      Type.Integer({ description: "Revision of the draft, if it has another one." }),
    ),
    savedBy: Type.Optional(Type.String({ description: "Author of the draft." })),
    savedAt: Type.Optional(Type.String({ description: "When the draft was saved." })),
    changes: Type.Optional(
      Type.Array(Type.Object({ kind: Type.String(), pointer: Type.String() }), {
        description: "Changes to the draft that were refused.",
      }),
    ),
    problems: Type.Optional(
      Type.Array(
        Type.Object({ code: Type.String(), pointer: Type.String(), message: Type.String() }),
        { description: "Problems of a document that can't be published." },
      ),
    ),
    owners: Type.Optional(
      Type.Array(
        Type.Object({ ownerType: Type.String(), ownerId: Type.String(), pointer: Type.String() }),
        { description: "Places that name a resource which can't be deleted." },
      ),
    ),
    users: Type.Optional(
      Type.Array(Type.String(), { description: "Users of a definition that can't be deleted." }),
    ),
  },
  { description: "RFC 9457, application/problem+json." },
);

/** An object that has no other properties, so that misspelt ones are reported. */
export const Closed = <Properties extends TProperties>(
  properties: Properties,
  options: TObjectOptions = {},
): TObject<Properties> => Type.Object(properties, { additionalProperties: false, ...options });

/** How long a request waits for the end of a run. */
export const Wait = Type.String({
  maxLength: 40,
  description: 'How long to wait for the end of the run: "30s", at most "60s". Default: no wait.',
});

export const Version = about(Positive, "Version of the workflow.");

export const Reason = Type.String({ maxLength: 1_000, description: "Shown with the change." });

export const Tags = Type.Object(
  {},
  { additionalProperties: true, description: "An object, by which runs can be found." },
);

export const Retention = Type.Integer({
  minimum: 0,
  maximum: 36_500,
  description: "Days until a run that has ended may be deleted.",
});

export const WaitSeconds = Type.Number({
  minimum: 0,
  maximum: LONGEST_WAIT_MS / 1_000,
  default: 0,
  description: "How long to wait if there is nothing to return.",
});

/** Query of requests that combine the items of several callers. */
export const Independent = Type.Object({
  independent: Type.Optional(
    Type.Boolean({
      description:
        "Whether the items come from independent callers. If another transaction has locked one of them for long, " +
        "several items fail together instead of waiting, and can be sent again one by one.",
    }),
  ),
});
