import type { StandardSchemaV1 } from "@standard-schema/spec";

/**
 * The events that a workflow waits for, by name, each with the schema of its payload. As it stands, it is that of
 * a workflow that declares none: any event, of unknown payload.
 */
export type EventSchemas = Readonly<Record<string, StandardSchemaV1>>;

/** The events that may be waited for. */
export type EventName<Events extends EventSchemas> = keyof Events & string;

/** What a body gets as the payload of an event. */
export type EventPayload<
  Events extends EventSchemas,
  Name extends string,
> = Name extends keyof Events ? StandardSchemaV1.InferOutput<Events[Name]> : unknown;
