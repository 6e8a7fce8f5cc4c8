/** Events of triggers in requests and answers. */
import { Type } from "typebox";
import { Id, Instant, Json, Nullable, oneOf } from "../../http/schemas.ts";

export const Pool = Type.String({
  pattern: "^[a-z0-9][a-z0-9_-]{0,41}$",
  description: "As in the settings of documents.",
});

export const EventState = oneOf(
  ["evaluated", "retrying", "failed", "refused"],
  "`retrying` after a failed load, `failed` for the last time, `refused` because too many runs led to it.",
);

const Outcome = oneOf(["started", "once", "delayed", "withdrawn", "paused", "failed"]);

const Match = Type.Object({
  definition: Type.String(),
  trigger: Type.String({ description: "Id of the trigger in the document." }),
  version: Type.Integer(),
  outcome: Outcome,
  error: Nullable(Type.String()),
  runId: Nullable(Type.String()),
  dueAt: Nullable(Type.String({ description: "When the guard is asked again." })),
  onceKey: Nullable(Type.String({ description: "The values of once_for, as canonical JSON." })),
});

const EVENT = {
  eventId: Type.String(),
  publishedAt: Instant,
  evaluatedAt: Instant,
  topic: Type.String(),
  state: EventState,
  error: Nullable(Type.String()),
  depth: Type.Integer({ description: "How many runs that triggers started led to it." }),
  message: Json,
};

export const ShownEvent = Type.Object({
  ...EVENT,
  pool: Type.String(),
  attempts: Type.Integer(),
  matches: Type.Array(Match, { description: "Up to 100." }),
});

export const ShownHolder = Type.Object({
  eventId: Type.String(),
  runId: Nullable(Type.String({ description: "It may have been deleted since." })),
  startedAt: Instant,
  trigger: Type.String(),
});

const DefinitionState = oneOf(["draft", "published", "paused", "archived"]);

const OF_DEFINITION = {
  version: Nullable(Type.Integer({ description: "Whose triggers they are." })),
  definitionState: DefinitionState,
  pauseReason: Nullable(Type.String()),
};

export const ShownFacts = Type.Object({
  ...EVENT,
  ...OF_DEFINITION,
  loaded: Json,
  triggers: Type.Array(Json),
});

export const ShownExplanation = Type.Object({
  ...EVENT,
  ...OF_DEFINITION,
  triggers: Type.Array(
    Type.Object({
      name: Type.String(),
      on: Type.String(),
      verdict: Type.Union(
        [
          ...Outcome.anyOf,
          Type.Literal("other-topic"),
          Type.Literal("filtered"),
          Type.Literal("refused"),
          Type.Literal("not-listening"),
          Type.Literal("guard"),
          Type.Literal("waiting"),
          Type.Literal("matches"),
        ],
        { description: "The outcome, or the first reason for which nothing happened." },
      ),
      reason: Type.String({ description: "A sentence." }),
      runId: Nullable(Type.String()),
      pattern: Nullable(Type.String({ description: "Topics of its events." })),
      filter: Json,
      guardHolds: Nullable(Type.Boolean({ description: "Null if it failed." })),
      guardError: Type.Optional(Type.String()),
      conditions: Type.Array(
        Type.Object({
          text: Type.String(),
          holds: Nullable(Type.Boolean({ description: "Null if it failed." })),
          error: Type.Optional(Type.String()),
          values: Type.Record(Type.String(), Type.String(), {
            description: "The values that it read, by path.",
          }),
        }),
        { description: "The conditions that the guard joins by &&." },
      ),
      onceKey: Nullable(Type.String()),
      onceHolder: Nullable(ShownHolder),
    }),
  ),
});

export const EventId = Id;
