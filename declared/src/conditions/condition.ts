/**
 * Conditions outside of workflows: the guards of triggers, for policies, filters and rights of the application. The
 * application keeps the text where it keeps the policy; `definitions.references.set` keeps the resources that it names from
 * being deleted.
 */
import { InvalidArgument } from "@oxbow/sdk";
import { checkCondition } from "../check/check-condition.ts";
import type { ConditionScope } from "../check/condition-scope.ts";
import type { ResourceReference } from "../check/references.ts";
import type { Problem } from "../document/problem.ts";
import { evaluateGuard } from "../expression/evaluate.ts";
import { type Explanation, explainGuard } from "../expression/explain.ts";
import { type Expression, parseExpression } from "../expression/expression.ts";
import type { DefinedResource } from "../resources/resource-type.ts";
import { readResources } from "../triggers/resource-reading.ts";
import { resourceIn } from "../triggers/resources-of-event.ts";

/** Options of `compileCondition`. */
export interface ConditionOptions {
  /** The variables that it reads, by name, each with its JSON Schema. */
  readonly scope: ConditionScope;
  /**
   * Types of the resources that it may name by `resource(type, id)`, and that its scope may refer to. Default: no
   * types.
   */
  readonly resources?: readonly DefinedResource[];
}

/** Variables by name, as JSON. */
export type ConditionVariables = Readonly<Record<string, unknown>>;

/** A condition that was checked. Immutable. */
export interface Condition {
  readonly text: string;
  /** What may go wrong for some values, with a remedy each. Errors reject the condition. */
  readonly warnings: readonly Problem[];
  /** The resources that it names: pass them to `definitions.references.set` when the condition is saved. */
  readonly references: readonly ResourceReference[];
  /**
   * Returns whether the condition holds. Rejects with ExpressionFailed if it fails for these values, and with the error of
   * `get` if a resource can't be read: a failure is never false.
   */
  evaluate(variables: ConditionVariables, options?: EvaluateOptions): Promise<boolean>;
  /** Returns why the condition holds, or doesn't: each part that `&&` joins, with the values that it read. */
  explain(variables: ConditionVariables, options?: EvaluateOptions): Promise<Explanation>;
}

/** Options of an evaluation. */
export interface EvaluateOptions {
  readonly signal?: AbortSignal;
}

/**
 * Checks a condition, and prepares it for evaluation.
 *
 * @param text - A guard in CEL, as in triggers.
 * @throws InvalidArgument with all problems in `facts.problems`, if it can't be evaluated.
 * @example
 * const policy = compileCondition("incident.severity.rank >= resource('Severity', '01FD7').rank", {
 *   scope: { incident: { $ref: "resource:Incident" } },
 *   resources: [incident, severity],
 * });
 * await definitions.references.set({ type: "policy", id: "17" }, policy.references, { tx });
 * if (await policy.evaluate({ incident: changed })) await page(changed);
 */
export function compileCondition(
  text: string,
  { scope, resources = [] }: ConditionOptions,
): Condition {
  const types = new Map(resources.map((each) => [each.type, each]));
  const { problems, references } = checkCondition(text, scope, {
    resourceType: (type) => types.get(type),
    resourceTypes: [...types.keys()],
  });
  const [first] = problems;
  if (first?.severity === "error") {
    const more = problems.filter(({ severity }) => severity === "error").length - 1;
    throw new InvalidArgument(
      `The condition ${JSON.stringify(text.slice(0, 200))} is invalid: ${first.message}. ${first.hint}` +
        (more === 0 ? "" : ` (${more} more in facts.problems)`),
      { facts: { problems } },
    );
  }
  const expression = parseExpression(text);
  const prepared = (
    variables: ConditionVariables,
    options: EvaluateOptions = {},
  ): Promise<Parameters<typeof explainGuard>[1]> =>
    scopeOf(expression, types, variables, options.signal);
  return Object.freeze({
    text,
    warnings: problems,
    references,
    evaluate: async (variables: ConditionVariables, options?: EvaluateOptions) =>
      evaluateGuard(expression, await prepared(variables, options)),
    explain: async (variables: ConditionVariables, options?: EvaluateOptions) =>
      explainGuard(expression, await prepared(variables, options)),
  });
}

const NEVER = new AbortController().signal;

async function scopeOf(
  { resources }: Expression,
  types: ReadonlyMap<string, DefinedResource>,
  variables: ConditionVariables,
  signal = NEVER,
): Promise<{
  readonly variables: ConditionVariables;
  readonly resource: ReturnType<typeof resourceIn>;
}> {
  signal.throwIfAborted();
  const read = await readResources(resources, async (type, ids) => {
    const known = types.get(type);
    if (known === undefined) throw new Error("There is no such type.");
    return known.get(ids, { signal });
  });
  signal.throwIfAborted();
  const failure = read.failureOf(resources);
  if (failure !== undefined) throw new Error(failure);
  return { variables, resource: resourceIn(read.found) };
}
