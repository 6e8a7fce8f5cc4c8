/** JSON Schemas of node types, from whatever kind of schema the type has. */
import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";
import type { JsonSchema } from "../document/document.ts";
import { isObject, type Json } from "../document/json.ts";

/** A schema of a library (zod, valibot, arktype, …) that validates and converts to JSON Schema, or JSON Schema itself. */
export type Schema<Value = unknown> = StandardSchema<Value> | JsonSchema;

/** A schema of a library, by Standard Schema and Standard JSON Schema. */
export interface StandardSchema<Value> {
  readonly "~standard": StandardSchemaV1.Props<unknown, Value> &
    StandardJSONSchemaV1.Props<unknown, Value>;
}

/** The values that a schema yields; unknown for JSON Schema. */
export type ValueOf<Given> = Given extends StandardSchema<infer Value> ? Value : unknown;

/** Schemas of libraries are asked for this draft. */
const TARGET = "draft-2020-12";

/**
 * Returns the JSON Schema of a schema.
 *
 * @param side A schema that converts values has one of what it accepts, and one of what it yields.
 * @param what Names the schema in errors.
 * @throws RangeError if it is no schema, or its library can't convert it.
 */
export function jsonSchemaOf(schema: Schema, side: "input" | "output", what: string): JsonSchema {
  if (typeof schema === "boolean") return schema;
  if (!isObject(schema) && typeof schema !== "function") {
    throw new RangeError(`The ${what} have no schema: give JSON Schema, or one of a library.`);
  }
  if (!isStandard(schema)) return schema;
  const { jsonSchema } = schema["~standard"];
  if (typeof jsonSchema?.[side] !== "function") {
    throw new RangeError(
      `The schema of the ${what} can't be converted: give JSON Schema, or a schema of a library with Standard JSON Schema.`,
    );
  }
  try {
    const { $schema: _, ...converted } = jsonSchema[side]({ target: TARGET });
    // Its annotations may be of any kind, and a descriptor is JSON.
    return JSON.parse(JSON.stringify(converted)) as JsonSchema;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new RangeError(`The schema of the ${what} can't be converted: ${reason}`, { cause });
  }
}

export const isStandard = (schema: Exclude<Schema, boolean>): schema is StandardSchema<unknown> =>
  "~standard" in schema;

/** Whether a schema names one of a resource type, which only the catalog has. */
export const namesResource = (schema: Json): boolean =>
  isObject(schema) && typeof schema["$ref"] === "string" && schema["$ref"].startsWith("resource:");
