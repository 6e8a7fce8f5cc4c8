/**
 * The functions of the profile: those of standard CEL over values of JSON, its string extension, and the parts of its
 * math extension and of Kubernetes' lists that automations need.
 */
import { CONVERSIONS } from "./conversions.ts";
import { NUMBER_FUNCTIONS } from "./number-functions.ts";
import type { Overload } from "./overload.ts";
import { TEXT_FUNCTIONS } from "./text-functions.ts";
import { TIME_FUNCTIONS } from "./time-functions.ts";

/** All ways to call a function, by its name. */
export const FUNCTIONS: ReadonlyMap<string, readonly Overload[]> = grouped([
  ...CONVERSIONS,
  ...TEXT_FUNCTIONS,
  ...TIME_FUNCTIONS,
  ...NUMBER_FUNCTIONS,
]);

function grouped(overloads: readonly Overload[]): ReadonlyMap<string, readonly Overload[]> {
  const groups = new Map<string, Overload[]>();
  for (const overload of overloads) {
    const group = groups.get(overload.name);
    if (group === undefined) groups.set(overload.name, [overload]);
    else group.push(overload);
  }
  return groups;
}
