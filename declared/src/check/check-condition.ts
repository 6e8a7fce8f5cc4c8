/** The checker of conditions outside of workflows, such as the policies of an application. It does no I/O. */
import type { Problem } from "../document/problem.ts";
import { ExpressionCache } from "../expression/expression-cache.ts";
import { typeOfSchema } from "../types/from-schema.ts";
import { Bindings } from "./bindings.ts";
import type { Catalog } from "./catalog.ts";
import { type ConditionScope, variablesOf } from "./condition-scope.ts";
import { Findings } from "./findings.ts";
import { ReferenceCollector, type ResourceReference } from "./references.ts";
import { resourceSchemas } from "./resource-schemas.ts";

/** The result of `checkCondition`. */
export interface CheckedCondition {
  /** Errors first. Their pointer is that of the whole text, `""`. */
  readonly problems: readonly Problem[];
  /** The resources that it names, for `definitions.references.set`. */
  readonly references: readonly ResourceReference[];
}

/**
 * Checks a condition: its syntax, its types and the resources that it names.
 *
 * @param text - A guard in CEL.
 */
export function checkCondition(
  text: string,
  scope: ConditionScope,
  catalog: Pick<Catalog, "resourceType" | "resourceTypes" | "hasResource"> = {},
): CheckedCondition {
  const resolve = resourceSchemas(catalog);
  const findings = new Findings();
  const references = new ReferenceCollector();
  const bindings = new Bindings(
    {
      catalog: { nodeType: (): undefined => {}, ...catalog },
      expressions: new ExpressionCache(),
      references,
      resolve,
    },
    {
      variables: variablesOf(scope, resolve),
      resource: (type) => typeOfSchema(catalog.resourceType?.(type)?.schema, resolve),
    },
    findings,
    false,
  );
  bindings.guard(text, "");
  return { problems: findings.all(), references: references.collected().resources };
}
