/** Definitions in requests and answers. */
import type { DefinitionRecord } from "@oxbow/declared/client";
import { type Static, Type } from "typebox";
import { Instant, Json, Nullable, oneOf, WorkflowName } from "../../http/schemas.ts";

export const Named = Type.Object({ name: WorkflowName });

/** Any object: the checker reports what is wrong with it, each problem with its place. */
export const DocumentBody = Type.Record(Type.String(), Type.Unknown(), {
  description: "The document: a graph of nodes.",
});

export const State = oneOf(
  ["draft", "published", "paused", "archived"],
  "`draft` until it is first published.",
);

export const Revision = Type.Integer({ minimum: 1, description: "Number of the draft." });
const VersionState = oneOf(["published", "archived"]);
export const Folder = Type.String({ maxLength: 512, description: "Where lists show it." });
export const Scope = Type.Object(
  {},
  {
    additionalProperties: true,
    description: "Members that the events which start its runs must contain.",
  },
);
export const Note = Type.String({ maxLength: 10_000, description: "Shown with the version." });

export const ShownProblem = Type.Object({
  code: Type.String(),
  severity: oneOf(["error", "warning"]),
  node: Type.Optional(Type.String({ description: "Id of the node, if it belongs to one." })),
  pointer: Type.String({ description: "Where it is in the document, as a JSON Pointer." }),
  range: Type.Optional(Type.Object({ start: Type.Integer(), end: Type.Integer() })),
  message: Type.String(),
  hint: Type.String({ description: "The remedy." }),
});

export const ShownChange = Type.Object({
  kind: oneOf(["added", "removed", "changed"]),
  node: Type.Optional(Type.String({ description: "Id of the node, if it belongs to one." })),
  pointer: Type.String({
    description: "JSON Pointer: into the old document if removed, else into the new one.",
  }),
  from: Type.Optional(Json),
  to: Type.Optional(Json),
});

export const ShownSummary = Type.Object({
  name: Type.String(),
  title: Nullable(Type.String()),
  folder: Nullable(Type.String()),
  pool: Type.String(),
  scope: Json,
  state: State,
  revision: Revision,
  draftBy: Type.String({ description: "Author of the draft." }),
  draftedAt: Instant,
  hasChanges: Type.Boolean({ description: "Whether the draft differs from what is published." }),
  publishedVersion: Nullable(Type.Integer()),
  publishedAt: Nullable(Instant),
  publishedBy: Nullable(Type.String()),
  createdAt: Instant,
  pausedAt: Nullable(Instant),
  pauseReason: Nullable(Type.String()),
  archivedAt: Nullable(Instant),
  isProtected: Type.Boolean({
    description: "Whether the authors of a draft since the last version may not publish it.",
  }),
});

export const ShownDefinition = Type.Object({
  ...ShownSummary.properties,
  draft: Json,
  layout: Json,
});

export const ShownDraft = Type.Object({
  document: Json,
  layout: Json,
  revision: Revision,
  savedBy: Type.String(),
  savedAt: Instant,
});

export const ShownVersion = Type.Object({
  version: Type.Integer(),
  state: VersionState,
  hash: Type.String({ description: "Equal for equal documents." }),
  publishedAt: Instant,
  publishedBy: Type.String(),
  note: Nullable(Type.String()),
});

export const ShownDocument = Type.Object({
  name: Type.String(),
  version: Type.Integer(),
  state: Type.Union([...VersionState.anyOf, Type.Literal("test")], {
    description: "test: the version of a test run.",
  }),
  pool: Type.String(),
  hash: Type.String(),
  document: Json,
  compiled: Json,
  layout: Json,
});

export const toDraft = (definition: DefinitionRecord): Static<typeof ShownDraft> => ({
  document: definition.draft,
  layout: definition.layout,
  revision: definition.revision,
  savedBy: definition.draftBy,
  savedAt: definition.draftedAt,
});
