import type { StandardSchemaV1 } from "@standard-schema/spec";

/**
 * The events that a workflow waits for: payload schemas by event name. This type itself stands for a workflow that
 * declares no events, which may wait for any event, with a payload of type `unknown`.
 */
export type EventSchemas = Readonly<Record<string, StandardSchemaV1>>;

/** Names of the declared events. */
export type EventName<Events extends EventSchemas> = keyof Events & string;

/** The payload that `step.waitForEvent` returns for an event. */
export type EventPayload<
  Events extends EventSchemas,
  Name extends string,
> = Name extends keyof Events ? StandardSchemaV1.InferOutput<Events[Name]> : unknown;
