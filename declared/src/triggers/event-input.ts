/** The input that a trigger of a document would give a run for an event that was kept. */
import { InvalidArgument } from "@oxbow/sdk";
import type { EventFacts } from "../protocol/triggers.ts";
import { isObject, own } from "../document/json.ts";
import { ExpressionCache } from "../expression/expression-cache.ts";
import { scopeOfEvent } from "./event-scope.ts";
import { isTrigger, TriggerProgram } from "./trigger-program.ts";

/** What `inputOfEvent` reads of an event. */
type KeptEvent = Pick<EventFacts, "eventId" | "topic" | "message" | "loaded" | "triggers">;

/**
 * Computes the input of a run. The guard is not asked.
 *
 * @param document Need not be published: its own triggers count.
 * @param wanted Name of the trigger. Default: the only one that wants the topic of the event.
 * @throws InvalidArgument if it isn't clear which trigger, or if its input can't be computed
 */
export function inputOfEvent(
  document: Readonly<Record<string, unknown>>,
  event: KeptEvent,
  wanted?: string,
): unknown {
  const { triggers } = document;
  const named = isObject(triggers) ? triggers : {};
  const name = wanted ?? triggerFor(event, Object.keys(named));
  const spec = own(named, name);
  if (!isTrigger(spec)) {
    throw new InvalidArgument(`The document has no trigger "${name}". It has ${listOf(named)}.`);
  }
  try {
    const program = new TriggerProgram(spec, new ExpressionCache());
    return program.input(scopeOfEvent(event, program.on)) ?? null;
  } catch (error) {
    throw new InvalidArgument(
      `Trigger "${name}" has no input for event ${event.eventId}: ${(error as Error).message}`,
      { cause: error },
    );
  }
}

function triggerFor({ eventId, topic, triggers }: KeptEvent, names: readonly string[]): string {
  const wanting = names.filter((name) =>
    triggers.some((each) => each.name === name && (each.match !== null || each.matchesTopic)),
  );
  const [first, second] = wanting.length === 0 ? names : wanting;
  if (first !== undefined && second === undefined) return first;
  throw new InvalidArgument(
    first === undefined
      ? "The document has no trigger, so an event gives it no input. Pass the input."
      : `Several triggers may want event ${eventId} of topic "${topic}": ${names.join(", ")}. Name one of them.`,
  );
}

const listOf = (triggers: Readonly<Record<string, unknown>>): string =>
  Object.keys(triggers).join(", ") || "none";
