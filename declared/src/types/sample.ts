/** Values that schemas accept, for tests that don't call what would produce them. */
import { isObject, type Json } from "../document/json.ts";
import { follow } from "./from-schema.ts";

/** Schemas that contain themselves end here. */
const DEEPEST = 8;
/** As far as schemas that contain themselves several times are followed. */
const MOST_VALUES = 10_000;

/**
 * Returns a value that a schema accepts, as far as its type goes: an example, a default, or the simplest value.
 *
 * @param params Parameters of the node, for the parts of a schema that they give.
 */
export function sampleOf(schema: Json | undefined, params: Json = null): Json {
  return sample(schema, { root: schema ?? true, params, left: MOST_VALUES }, 0);
}

interface Source {
  readonly root: Json;
  readonly params: Json;
  /** Values that may still be made. */
  left: number;
}

function sample(schema: Json | undefined, source: Source, depth: number): Json {
  if (!isObject(schema) || depth > DEEPEST || source.left === 0) return null;
  source.left -= 1;
  const { $from: from, $ref: reference, examples, anyOf, oneOf, allOf } = schema;
  if (typeof from === "string") return sample(at(source.params, from), source, depth + 1);
  if (typeof schema["$typeOf"] === "string") return at(source.params, schema["$typeOf"]) ?? null;
  if (Array.isArray(examples) && examples.length > 0) return examples[0] as Json;
  for (const known of ["default", "const"] as const) {
    if (known in schema) return schema[known] as Json;
  }
  if (Array.isArray(schema["enum"])) return (schema["enum"][0] ?? null) as Json;
  if (typeof reference === "string") {
    return reference.startsWith("#")
      ? sample(follow(source.root, reference), source, depth + 1)
      : "sample";
  }
  const [choice] = [anyOf, oneOf].flatMap((each) => (Array.isArray(each) ? (each as Json[]) : []));
  if (choice !== undefined) return sample(choice, source, depth + 1);
  if (Array.isArray(allOf)) {
    const parts = (allOf as Json[]).map((part) => sample(part, source, depth + 1));
    return parts.every((part) => isObject(part))
      ? Object.fromEntries(parts.flatMap((part) => Object.entries(part)))
      : (parts[0] ?? null);
  }
  return ofType(schema, source, depth);
}

function ofType(schema: Readonly<Record<string, unknown>>, source: Source, depth: number): Json {
  const { properties, minimum = 0, format } = schema;
  const { type = properties === undefined ? "null" : "object" } = schema;
  const [name] = Array.isArray(type) ? (type as unknown[]) : [type];
  switch (String(name)) {
    case "object":
      return Object.fromEntries(
        Object.entries(isObject(properties) ? properties : {}).map(([key, member]) => [
          key,
          sample(member as Json, source, depth + 1),
        ]),
      );
    case "array":
      return schema["items"] === undefined
        ? []
        : [sample(schema["items"] as Json, source, depth + 1)];
    case "string":
      return format === "date-time" ? "2026-01-01T00:00:00Z" : "sample";
    case "integer":
    case "number":
      return typeof minimum === "number" ? minimum : 0;
    case "boolean":
      return true;
    default:
      return null;
  }
}

/** The part of the parameters that a path such as `params.response` names. */
const at = (params: Json, path: string): Json | undefined =>
  follow(params, `#/${path.split(".").slice(1).join("/")}`);
