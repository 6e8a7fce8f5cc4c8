/** Types of JSON Schemas. Keywords that types don't have are left to the validation of the value. */
import type { JsonSchema } from "../document/document.ts";
import { isList, isObject, type Json } from "../document/json.ts";
import {
  ALWAYS,
  BOOLEAN,
  INTEGER,
  listOf,
  type Member,
  NEVER,
  NULL,
  NUMBER,
  SOMETIMES,
  TEXT,
  type Type,
  unionOf,
  UNKNOWN,
} from "./type.ts";

/** Returns the schema that a reference names, such as `resource:Incident`; undefined if it does not exist. */
export type ResolveReference = (reference: string) => JsonSchema | undefined;

/** Schemas and types that the output of a node type takes from the node's parameters. */
export interface ByParameters {
  readonly schemaAt: (path: string) => Json | undefined;
  readonly typeAt: (path: string) => Type;
}

/** Deeper schemas, which are mostly recursive, are unknown from here on. */
const DEEPEST = 24;

/**
 * Maximum number of schemas of one type. A schema that refers to itself several times doubles with each level: what is
 * beyond this many is unknown, as what is too deep is.
 */
export const MOST_SCHEMAS = 20_000;

/** Schemas that may still be read. */
export interface Allowance {
  left: number;
}

/** Returns the type of the values that a schema accepts. */
export function typeOfSchema(
  schema: Json | undefined,
  resolve: ResolveReference,
  byParameters?: ByParameters,
): Type {
  const allowance = { left: MOST_SCHEMAS };
  return schema === undefined
    ? UNKNOWN
    : new Reader(schema, resolve, byParameters, allowance).read(schema, 0);
}

const SIMPLE: ReadonlyMap<string, Type> = new Map([
  ["null", NULL],
  ["boolean", BOOLEAN],
  ["integer", INTEGER],
  ["number", NUMBER],
  ["string", TEXT],
]);

class Reader {
  private readonly root: Json;
  private readonly resolve: ResolveReference;
  private readonly byParameters: ByParameters | undefined;
  private readonly allowance: Allowance;

  constructor(
    root: Json,
    resolve: ResolveReference,
    byParameters: ByParameters | undefined,
    allowance: Allowance,
  ) {
    this.root = root;
    this.resolve = resolve;
    this.byParameters = byParameters;
    this.allowance = allowance;
  }

  read(schema: Json | undefined, depth: number): Type {
    if (schema === false) return NEVER;
    if (!isObject(schema) || depth > DEEPEST || this.allowance.left === 0) return UNKNOWN;
    this.allowance.left -= 1;
    const from = schema["$from"];
    if (typeof from === "string") return this.read(this.byParameters?.schemaAt(from), depth + 1);
    const typeOf = schema["$typeOf"];
    if (typeof typeOf === "string") return this.byParameters?.typeAt(typeOf) ?? UNKNOWN;
    const reference = schema["$ref"];
    if (typeof reference === "string") return this.reference(reference, depth);
    if ("const" in schema) return typeOfJson(schema["const"], true);
    if (Array.isArray(schema["enum"])) {
      return unionOf(schema["enum"].map((value: Json) => typeOfJson(value, true)));
    }
    const choices = schema["anyOf"] ?? schema["oneOf"];
    if (Array.isArray(choices)) {
      return unionOf(choices.map((choice: Json) => this.read(choice, depth + 1)));
    }
    if (Array.isArray(schema["allOf"])) return this.all(schema, schema["allOf"], depth);
    const names = typesIn(schema);
    return names === undefined
      ? UNKNOWN
      : unionOf(names.map((name) => this.named(name, schema, depth)));
  }

  private reference(reference: string, depth: number): Type {
    const local = reference.startsWith("#") ? follow(this.root, reference) : undefined;
    if (local !== undefined) return this.read(local, depth + 1);
    const other = reference.startsWith("#") ? undefined : this.resolve(reference);
    return other === undefined
      ? UNKNOWN
      : new Reader(other, this.resolve, undefined, this.allowance).read(other, depth + 1);
  }

  private named(name: string, schema: Readonly<Record<string, unknown>>, depth: number): Type {
    if (name === "array") return listOf(this.read(schema["items"] as Json | undefined, depth + 1));
    return name === "object" ? this.object(schema, depth) : (SIMPLE.get(name) ?? UNKNOWN);
  }

  private object(schema: Readonly<Record<string, unknown>>, depth: number): Type {
    const required = Array.isArray(schema["required"]) ? (schema["required"] as unknown[]) : [];
    const properties = isObject(schema["properties"]) ? schema["properties"] : {};
    const members = new Map<string, Member>();
    for (const [name, property] of Object.entries(properties)) {
      const presence = required.includes(name) ? ALWAYS : SOMETIMES;
      members.set(name, { type: this.read(property as Json, depth + 1), presence });
    }
    const additional = schema["additionalProperties"] as Json | undefined;
    const isClosed = additional === false && schema["patternProperties"] === undefined;
    const others = isClosed ? undefined : this.read(additional, depth + 1);
    return { kind: "object", members, others };
  }

  /** The members of all parts, if these are objects. */
  private all(
    schema: Readonly<Record<string, unknown>>,
    parts: readonly Json[],
    depth: number,
  ): Type {
    const { allOf: _, ...rest } = schema;
    const types = [rest as Json, ...parts].map((part) => this.read(part, depth + 1));
    const known = types.filter(({ kind }) => kind !== "unknown");
    const members = new Map<string, Member>();
    for (const type of known) {
      if (type.kind !== "object") return known.length === 1 ? type : UNKNOWN;
      for (const [name, member] of type.members) {
        const other = members.get(name);
        const isRequired = [member, other].some((each) => each?.presence.kind === "always");
        members.set(name, { ...member, presence: isRequired ? ALWAYS : SOMETIMES });
      }
    }
    return known.length === 0 ? UNKNOWN : { kind: "object", members, others: UNKNOWN };
  }
}

function typesIn(schema: Readonly<Record<string, unknown>>): readonly string[] | undefined {
  const { type } = schema;
  if (typeof type === "string") return [type];
  if (Array.isArray(type)) return type.filter((name): name is string => typeof name === "string");
  if (isObject(schema["properties"])) return ["object"];
  return "items" in schema ? ["array"] : undefined;
}

/** Follows a JSON Pointer after `#`. */
export function follow(root: Json, reference: string): Json | undefined {
  let at: unknown = root;
  for (const step of reference.split("/").slice(1)) {
    const name = decoded(step)?.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof at !== "object" || at === null) return undefined;
    if (name === undefined || !Object.hasOwn(at, name)) return undefined;
    at = (at as Readonly<Record<string, unknown>>)[name];
  }
  return at as Json;
}

/** Undefined for a text such as "%", which is no step of a pointer. */
function decoded(step: string): string | undefined {
  try {
    return decodeURIComponent(step);
  } catch {
    return undefined;
  }
}

/** The type of a value of JSON. @param isExact - Texts are of the type that has them as its only values. */
export function typeOfJson(value: Json, isExact = false): Type {
  if (value === null) return NULL;
  if (typeof value === "boolean") return BOOLEAN;
  if (typeof value === "string") return isExact ? { kind: "text", values: [value] } : TEXT;
  if (typeof value === "number") return Number.isInteger(value) ? INTEGER : NUMBER;
  if (isList(value)) return listOf(unionOf(value.map((item) => typeOfJson(item, isExact))));
  return {
    kind: "object",
    members: new Map(
      Object.entries(value).map(([name, member]) => [
        name,
        { type: typeOfJson(member, isExact), presence: ALWAYS },
      ]),
    ),
    others: undefined,
  };
}
