/** Trigger types: events of a user's domain, by which documents start runs. */
import type { JsonSchema } from "../document/document.ts";
import { isObject, type JsonObject, present } from "../document/json.ts";
import type { TriggerDescription } from "../check/catalog.ts";
import { jsonSchemaOf, type Schema } from "../nodes/json-schema.ts";

/** The argument of a trigger type's `load`. */
export interface LoadCall {
  /** The message, as published. */
  readonly event: unknown;
  readonly topic: string;
  /** Aborts after 10 seconds, and when the worker stops. */
  readonly signal: AbortSignal;
}

/** The argument of `defineTrigger`. */
export interface TriggerTypeOptions {
  /** Name, by which triggers refer to it: lower case words separated by dots, such as `incident.updated`. */
  readonly name: string;
  /** Topic of its events, or a pattern of topics. Default: the name. */
  readonly topic?: string;
  /** The event with what is loaded, for the checker and for editors. Default: any. */
  readonly schema?: Schema;
  /** Members that `load` adds to the event. Guards can ask for them, but topics can't filter by them. */
  readonly loads?: readonly string[];
  /**
   * Returns members to add to the event, once an event however many definitions want it. If it throws, the event is
   * evaluated again later for the triggers of this type, at most 12 times.
   */
  readonly load?: (call: LoadCall) => Promise<Readonly<Record<string, unknown>>>;
}

/** A trigger type that a worker knows. Immutable. */
export interface TriggerType {
  readonly name: string;
  readonly topic: string;
  readonly schema: JsonSchema | undefined;
  readonly loads: readonly string[];
  readonly load: TriggerTypeOptions["load"];
}

const NAME = /^[a-z][a-z0-9_]*(?:\.[a-z0-9_]+)*$/;
/** Words of a topic, of which wildcards stand for others; the database checks the rest. */
const TOPIC = /^[^\s.]+(?:\.[^\s.]+){0,31}$/;
/** Names of other kinds of triggers. */
const RESERVED: ReadonlySet<string> = new Set(["webhook", "run.ended", "schedule", "manual"]);

/**
 * Defines a trigger type. Publish its events with `client.topics.publish()`.
 *
 * @throws RangeError if the name, the topic or the schema is invalid, or one of `loads` and `load` is missing.
 * @example
 * const incidentUpdated = defineTrigger({
 *   name: "incident.updated",
 *   schema: z.object({ id: z.string(), severity: z.object({ rank: z.number() }) }),
 *   loads: ["severity"],
 *   load: async ({ event }) => ({ severity: await severities.get(event.severity_id) }),
 * });
 */
export function defineTrigger(options: TriggerTypeOptions): TriggerType {
  const { name, topic = name, schema, loads = [], load } = options;
  if (!isText(name, NAME) || RESERVED.has(name)) {
    throw new RangeError(
      `Invalid trigger type "${name}": use words of a-z, 0-9 and "_" separated by dots, except ${[...RESERVED].join(", ")}.`,
    );
  }
  if (!isText(topic, TOPIC)) {
    throw new RangeError(
      `Invalid topic "${topic}" of trigger type "${name}": use up to 32 words separated by dots, of which * stands for one and # for any number.`,
    );
  }
  if ((load === undefined) !== (loads.length === 0)) {
    throw new RangeError(
      `Trigger type "${name}" must have both \`load\` and the names of the members that it \`loads\`, or neither.`,
    );
  }
  return Object.freeze({
    name,
    topic,
    schema:
      schema === undefined
        ? undefined
        : jsonSchemaOf(schema, "output", `events of trigger type "${name}"`),
    loads,
    load,
  });
}

/** Without types, an absent name would match as "undefined". */
const isText = (value: unknown, pattern: RegExp): boolean =>
  typeof value === "string" && pattern.test(value);

/** The trigger type as the checker knows it. */
export function describeTrigger({ schema, loads }: TriggerType): TriggerDescription {
  return { ...present({ event: schema }), loaded: loads };
}

/** The event that guards read: the message, with the members that were loaded. */
export function eventWith(message: unknown, loaded: unknown): unknown {
  return isObject(message) && isObject(loaded)
    ? { ...message, ...(loaded as JsonObject) }
    : message;
}
