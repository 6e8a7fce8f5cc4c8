import type { Json } from "../document/json.ts";
import { type Path, showPath } from "../expression/reads.ts";
import type { Environment, TypeProblem } from "./environment.ts";
import type { TypedExpression } from "./expression-type.ts";
import { typeOfJson } from "./from-schema.ts";
import { type Step, type StepFault, stepIntoItem, stepIntoMember, stepToName } from "./stepping.ts";
import { type Type, unionOf } from "./type.ts";

/**
 * Returns the type of a `$path`, and its mistakes, whose range is the whole path.
 *
 * @param otherwise - The default: a step that leads nowhere is no mistake then.
 */
export function typeOfPath(
  path: Path,
  otherwise: { readonly value: Json } | undefined,
  environment: Environment,
): TypedExpression {
  const [name, ...steps] = path;
  const hasDefault = otherwise !== undefined;
  let { type, fault }: { type: Type; fault?: StepFault | undefined } = stepToName(
    name,
    environment,
    hasDefault,
  );
  for (const [at, step] of steps.entries()) {
    if (fault !== undefined) break;
    const shown = showPath(path.slice(0, at + 2));
    const next: Step =
      typeof step === "number"
        ? stepIntoItem(type, shown)
        : stepIntoMember(type, step, shown, hasDefault);
    // Null on the way leads nowhere, and so to the default.
    const isHarmless = hasDefault && next.fault?.code === "MAY_BE_NULL";
    ({ type } = next);
    fault = isHarmless ? undefined : next.fault;
  }
  const problems: readonly TypeProblem[] =
    fault === undefined ? [] : [{ ...fault, start: 0, end: showPath(path).length }];
  return {
    type: otherwise === undefined ? type : unionOf([type, typeOfJson(otherwise.value, true)]),
    problems,
  };
}
