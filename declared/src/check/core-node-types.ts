/** The built-in node types, as far as the checker needs them. The catalog may describe them in more detail. */
import type { JsonSchema } from "../document/document.ts";
import type { Catalog, NodeTypeDescription } from "./catalog.ts";

const text: JsonSchema = { type: "string" };
const duration: JsonSchema = { type: ["string", "number"] };
const approval: JsonSchema = { type: "array", items: text };

/** Schema of an object whose members are all known. */
function object(
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = [],
): JsonSchema {
  return { type: "object", properties, required, additionalProperties: false };
}

const branchCase = object({ id: text, title: text, when: text }, ["id", "when"]);

const DESCRIPTIONS: readonly NodeTypeDescription[] = [
  {
    type: "branch@1",
    params: object(
      { cases: { type: "array", items: branchCase }, mode: { enum: ["first", "every"] } },
      ["cases"],
    ),
    output: {},
    isPure: true,
  },
  { type: "set@1", output: { $typeOf: "params" }, isPure: true },
  {
    type: "delay@1",
    params: object({ for: duration, until: text }),
    output: {},
    waits: true,
  },
  { type: "wait@1", handles: ["received", "timeout"], waits: true },
  {
    type: "approve@1",
    params: object(
      {
        title: text,
        description: text,
        form: {},
        approvers: approval,
        quorum: { type: "integer" },
        excludeStarter: { type: "boolean" },
        timeout: duration,
      },
      ["title"],
    ),
    handles: ["approved", "rejected", "timeout"],
    waits: true,
  },
  {
    type: "run@1",
    params: object(
      {
        workflow: text,
        input: {},
        version: { type: ["integer", "string"] },
        detach: { type: "boolean" },
      },
      ["workflow"],
    ),
    waits: true,
  },
  {
    type: "for_each@1",
    params: object(
      {
        items: { type: "array" },
        concurrency: { type: "integer" },
        collect: {},
        failures: { type: ["string", "number"] },
        as: { enum: ["inline", "runs"] },
      },
      ["items"],
    ),
  },
  {
    type: "repeat@1",
    params: object({ until: text, collect: {}, pause: duration, max: { type: "integer" } }, [
      "until",
    ]),
  },
  {
    type: "end@1",
    params: object({ output: {}, terminate: { type: "boolean" } }),
    output: {},
    handles: [],
    isPure: true,
  },
];

const CORE = new Map(DESCRIPTIONS.map((description) => [description.type, description]));

/** Whether a type is built in: its parameters are read by the interpreter rather than by a handler. */
export function isBuiltIn(type: string): boolean {
  return CORE.has(type);
}

/** Describes a node type by the catalog, or as a built-in one. */
export function describeNodeType(catalog: Catalog, type: string): NodeTypeDescription | undefined {
  return catalog.nodeType(type) ?? CORE.get(type);
}

/** Names of all node types that are known. */
export function knownNodeTypes({ nodeTypes = [] }: Catalog): readonly string[] {
  return [...CORE.keys(), ...nodeTypes];
}
