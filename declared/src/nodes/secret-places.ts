/** Where the parameters of a node may name secrets: anywhere else their names would be used as values. */
import { readBinding } from "../document/binding.ts";
import { isObject, type Json } from "../document/json.ts";
import { childPointer } from "../document/pointer.ts";
import { follow } from "../types/from-schema.ts";
import type { NodeTypeDescription } from "./descriptor.ts";

export interface NamedSecret {
  readonly name: string;
  /** Where it is in the parameters. */
  readonly pointer: string;
}

/**
 * Returns the secrets in parameters where the type doesn't take them. A type whose schema marks no place takes them
 * anywhere.
 */
export function misplacedSecrets(
  params: Json,
  { isCall = true, takesSecrets = isCall, params: schema = true }: NodeTypeDescription,
): readonly NamedSecret[] {
  const root = schema as Json;
  const isMarked = JSON.stringify(root).includes('"widget":"secret"');
  if (takesSecrets && !isMarked) return [];
  return [...secretsIn(params, "", takesSecrets ? variantsOf(root, root) : [], root)];
}

function* secretsIn(
  value: Json,
  pointer: string,
  schemas: readonly Json[],
  root: Json,
): Generator<NamedSecret> {
  const binding = readBinding(value);
  if (binding?.kind === "secret" && !schemas.some(isMarkedPlace)) {
    yield { name: binding.$secret, pointer };
  }
  if (binding !== undefined || typeof value !== "object" || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    const own = schemas.flatMap((schema) => variantsOf(memberOf(schema, name), root));
    yield* secretsIn(member, childPointer(pointer, name), own, root);
  }
}

const isMarkedPlace = (schema: Json): boolean => isObject(schema) && schema["widget"] === "secret";

function memberOf(schema: Json, name: string): Json | undefined {
  if (!isObject(schema)) return undefined;
  const { properties, additionalProperties, prefixItems, items } = schema;
  if (isObject(properties) && Object.hasOwn(properties, name)) return properties[name];
  if (Array.isArray(prefixItems) && Object.hasOwn(prefixItems, name))
    return prefixItems[+name] as Json;
  return additionalProperties ?? items;
}

const COMBINED = ["allOf", "anyOf", "oneOf"];
const DEEPEST = 10;

/** A schema with those that it is combined of, and refers to. */
function variantsOf(schema: Json | undefined, root: Json, depth = 0): readonly Json[] {
  if (!isObject(schema) || depth > DEEPEST) return [];
  const { $ref: reference } = schema;
  const parts = COMBINED.flatMap((name) => schema[name] ?? []) as Json[];
  if (typeof reference === "string") parts.push(follow(root, reference) ?? true);
  return [schema, ...parts.flatMap((part) => variantsOf(part, root, depth + 1))];
}
