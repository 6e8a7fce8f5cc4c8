/** What guards and inputs of triggers read of an event that was kept. */
import type { EventFacts } from "../protocol/triggers.ts";
import { isObject } from "../document/json.ts";
import { Budget } from "../expression/budget.ts";
import type { Scope } from "../expression/evaluate.ts";
import { resourceIn, RESOURCES } from "./resources-of-event.ts";
import { eventWith } from "./trigger-type.ts";

/** @param on The trigger type or topic that the trigger names. */
export function scopeOfEvent(
  { message, loaded }: Pick<EventFacts, "message" | "loaded">,
  on: string,
): Scope {
  const members = isObject(loaded) ? loaded : {};
  return {
    variables: { event: eventWith(message, members[on]) },
    resource: resourceIn(members[RESOURCES]),
    budget: new Budget(),
  };
}
