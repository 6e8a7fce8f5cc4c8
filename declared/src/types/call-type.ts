/** Types of calls: which overloads of a function may be meant, and what they return. */
import { FUNCTIONS } from "../expression/functions.ts";
import type { Overload, ResultKind } from "../expression/overload.ts";
import type { CallSyntax } from "../expression/syntax.ts";
import { runtimeKind } from "./operators.ts";
import {
  BOOLEAN,
  DURATION,
  INTEGER,
  listOf,
  NUMBER,
  TEXT,
  TIME,
  type Type,
  unionOf,
  UNKNOWN,
} from "./type.ts";

/** Returns the overloads with as many parameters as a call has arguments. */
export function overloadsOf({
  name,
  target: of,
  arguments: given,
}: CallSyntax): readonly Overload[] {
  return (FUNCTIONS.get(name) ?? []).filter(
    ({ target, parameters }) =>
      (target !== undefined) === (of !== undefined) && parameters.length === given.length,
  );
}

/** Returns what the overloads that take these types return; undefined if no overload takes them. */
export function typeOfCall(
  overloads: readonly Overload[],
  types: readonly Type[],
): Type | undefined {
  const possible = overloads.filter((overload) => isPossible(overload, types));
  if (possible.length === 0) return undefined;
  return unionOf(possible.map(({ result }) => RESULTS[result]));
}

function isPossible({ target, parameters }: Overload, types: readonly Type[]): boolean {
  const kinds = target === undefined ? parameters : [target, ...parameters];
  return types.every((type, at) => {
    const kind = runtimeKind(type);
    return kind === "unknown" || kinds[at] === "any" || kinds[at] === kind;
  });
}

const RESULTS: Readonly<Record<ResultKind, Type>> = {
  any: UNKNOWN,
  boolean: BOOLEAN,
  integer: INTEGER,
  number: NUMBER,
  text: TEXT,
  time: TIME,
  duration: DURATION,
  "list of text": listOf(TEXT),
};
