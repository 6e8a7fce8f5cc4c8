/** The variables that a condition outside of workflows can read. */
import type { JsonSchema } from "../document/document.ts";
import { type ResolveReference, typeOfSchema } from "../types/from-schema.ts";
import { ALWAYS, type Member } from "../types/type.ts";

/** The schemas of a condition's variables, by name: `{"$ref": "resource:Incident"}` names a type of resources. */
export type ConditionScope = Readonly<Record<string, JsonSchema>>;

/** The types of all variables, each of which has a value. */
export const variablesOf = (
  scope: ConditionScope,
  resolve: ResolveReference,
): ReadonlyMap<string, Member> =>
  new Map(
    Object.entries(scope).map(([name, schema]) => [
      name,
      { type: typeOfSchema(schema, resolve), presence: ALWAYS },
    ]),
  );
