/** Combinations of the alternatives of several types, as the operands of an operator have. */
import { alternativesOf, type Type, UNKNOWN } from "./type.ts";

const MOST_COMBINATIONS = 64;

/** One alternative of each type, in every way; of too many, the types as they are. */
export function combinations(types: readonly Type[]): readonly (readonly Type[])[] {
  const count = types.reduce((product, type) => product * alternativesOf(type).length, 1);
  if (count > MOST_COMBINATIONS) return [types.map(() => UNKNOWN)];
  let all: readonly (readonly Type[])[] = [[]];
  for (const type of types) {
    all = all.flatMap((start) => alternativesOf(type).map((each) => [...start, each]));
  }
  return all;
}
