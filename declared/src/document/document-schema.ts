/** The form of a document as JSON Schema, for editors of JSON and for `readDocument`. */
import { present } from "./json.ts";
import type { ShapeSchema } from "./shape.ts";

/** An object whose members are all known. */
const closed = (
  properties: Readonly<Record<string, ShapeSchema>>,
  required?: readonly string[],
): ShapeSchema => ({
  type: "object",
  ...present({ required }),
  additionalProperties: false,
  properties,
});

const text: ShapeSchema = { type: "string", maxLength: 10_000 };
const title: ShapeSchema = { type: "string", maxLength: 200 };
const cel: ShapeSchema = { type: "string", minLength: 1, maxLength: 4096 };
const handle: ShapeSchema = { type: "string", pattern: "^[a-zA-Z][a-zA-Z0-9_-]{0,62}$" };
const nodeId: ShapeSchema = { type: "string", pattern: "^[a-z][a-z0-9_]{0,31}$" };
const nodeType: ShapeSchema = { type: "string", pattern: "^[a-z][a-z0-9_.]*@[1-9][0-9]{0,8}$" };
const jsonSchema: ShapeSchema = { type: ["object", "boolean"] };
const binding: ShapeSchema = { format: "binding" };
const duration: ShapeSchema = { format: "duration" };
const codes: ShapeSchema = { type: "array", maxItems: 100, items: { type: "string" } };

const retry = closed({
  attempts: { type: "integer", minimum: 1, maximum: 1000 },
  backoff: closed({
    kind: { enum: ["fixed", "linear", "exp"] },
    base: duration,
    max: duration,
    jitter: { type: "number", minimum: 0, maximum: 1 },
  }),
  only: codes,
  never: codes,
});

const trigger = closed(
  {
    on: { type: "string", minLength: 1, maxLength: 256 },
    when: cel,
    once_for: { type: "array", maxItems: 10, items: cel },
    input: binding,
    delay: duration,
    recheck: { type: "boolean" },
    cron: { type: "string", minLength: 1, maxLength: 256 },
    every: duration,
    time_zone: { type: "string", minLength: 1, maxLength: 100 },
    verify: { enum: ["signature", "github", "token"] },
    identical: { enum: ["once", "each"] },
  },
  ["on"],
);

const node = closed(
  {
    type: nodeType,
    title,
    params: binding,
    parent: nodeId,
    when: cel,
    join: {
      anyOf: [
        { enum: ["all", "any"] },
        closed({ count: { type: "integer", minimum: 1, maximum: 3000 } }, ["count"]),
      ],
    },
    losers: { enum: ["abandon", "finish"] },
    retry,
    timeout: duration,
    onError: { enum: ["fail", "continue"] },
    fallback: binding,
    rollback: closed({ type: nodeType, params: binding }, ["type"]),
  },
  ["type"],
);

const settings = closed({
  retention: duration,
  deadline: duration,
  flowControl: { type: "object" },
  maxParallel: { type: "integer", minimum: 1, maximum: 1000 },
  failFast: { type: "boolean" },
  pauseAfterFailures: { type: "integer", minimum: 1, maximum: 1000 },
  pool: { type: "string", pattern: "^[a-z0-9][a-z0-9_-]{0,41}$" },
  expose: { anyOf: [{ type: "boolean" }, closed({ description: text })] },
});

export const DOCUMENT_SCHEMA: ShapeSchema = {
  $id: "oxbow:definition:1",
  type: "object",
  required: ["format", "name", "nodes"],
  additionalProperties: false,
  properties: {
    format: { const: 1 },
    name: { type: "string", pattern: "^[a-z0-9][a-z0-9_-]{0,42}$" },
    title,
    description: text,
    input: jsonSchema,
    output: jsonSchema,
    triggers: {
      type: "object",
      maxProperties: 20,
      propertyNames: nodeId,
      additionalProperties: trigger,
    },
    nodes: {
      type: "object",
      minProperties: 1,
      maxProperties: 1000,
      propertyNames: nodeId,
      additionalProperties: node,
    },
    edges: {
      type: "array",
      maxItems: 3000,
      uniqueItems: true,
      items: closed({ from: nodeId, on: handle, to: nodeId }, ["from", "to"]),
    },
    settings,
  },
};
