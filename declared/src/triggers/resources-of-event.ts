/** The resources that guards have read for an event. They are kept with it, so that an explanation evaluates alike. */
import type { Scope } from "../expression/evaluate.ts";
import { isObject, type Json, own } from "../document/json.ts";

/** Among the members that were loaded, by trigger type, which can't have such a name. */
export const RESOURCES = "resource()";

/** Returns the function `resource()` over resources by type and id, in which null is one that doesn't exist. */
export function resourceIn(resources: unknown): NonNullable<Scope["resource"]> {
  return (type, id) => {
    const ofType = memberOf(resources, type);
    return memberOf(ofType, id) ?? undefined;
  };
}

function memberOf(value: unknown, name: string): unknown {
  const json = value as Json | undefined;
  return isObject(json) ? own(json, name) : undefined;
}
