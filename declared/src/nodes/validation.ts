/** Validates parameters and outputs of node types at their calls, by whatever kind of schema the type has. */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { JsonSchema } from "../document/document.ts";
import { isObject, type Json } from "../document/json.ts";
import { coded } from "./failure.ts";
import { isStandard, namesResource, type Schema, type StandardSchema } from "./json-schema.ts";
import { whenThere } from "./maybe-async.ts";

/** Returns the value as the schema yields it. Throws if it does not accept the value. */
export type Validate = (value: unknown) => unknown;

const invalid = (what: string, problems: readonly string[]): Error =>
  coded("InvalidValue", "INVALID_VALUE", `Invalid ${what}: ${problems.join("; ")}.`);

const MOST_PROBLEMS = 10;

/** @param what Names the value in errors, such as `parameters of node "page"`. */
export function validatorOf(schema: Schema | undefined, what: string): Validate {
  if (schema === undefined || typeof schema === "boolean") {
    if (schema !== false) return (value) => value;
    return () => {
      throw invalid(what, ["the schema accepts no value"]);
    };
  }
  return isStandard(schema) ? byStandard(schema, what) : byJsonSchema(schema, what);
}

function byStandard(schema: StandardSchema<unknown>, what: string): Validate {
  return (value) =>
    whenThere(schema["~standard"].validate(value), (result) => {
      if (result.issues === undefined) return result.value;
      const problems = result.issues.slice(0, MOST_PROBLEMS).map(({ path = [], message }) => {
        const keys = path.map((part) => String(typeof part === "object" ? part.key : part));
        return `${["$", ...keys].join(".")} ${message}`;
      });
      throw invalid(what, problems);
    });
}

/** The checker compares with the schemas of resources; a worker doesn't have them. */
function withoutResources(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map((item: Json) => withoutResources(item));
  if (!isObject(schema)) return schema;
  if (namesResource(schema)) return true;
  return Object.fromEntries(
    Object.entries(schema).map(([name, member]) => [name, withoutResources(member)]),
  );
}

/** Validators by schema: all uses of a node type share one, and compiling it takes milliseconds. */
const COMPILED = new WeakMap<object, ValidateFunction>();

function compiled(schema: Exclude<JsonSchema, boolean>): ValidateFunction {
  const known = COMPILED.get(schema);
  if (known !== undefined) return known;
  // Schemas come from the code of node types, and carry annotations for editors that ajv doesn't know.
  const ajv = new Ajv2020({ allErrors: true, strict: false, validateFormats: false });
  const validate = ajv.compile(withoutResources(schema) as JsonSchema);
  COMPILED.set(schema, validate);
  return validate;
}

function byJsonSchema(schema: Exclude<JsonSchema, boolean>, what: string): Validate {
  const validate = compiled(schema);
  return (value) => {
    if (validate(value)) return value;
    const problems = (validate.errors ?? [])
      .slice(0, MOST_PROBLEMS)
      .map(({ instancePath, message = "is invalid" }) => `$${instancePath} ${message}`);
    throw invalid(what, problems);
  };
}
