import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { RetryPolicy } from "../core/retry-policy.ts";
import type { EventSchemas } from "./events.ts";
import type { FlowSettings } from "./flow-control.ts";

/** A workflow: a name, a version and a body. Immutable. Pass it to workers and clients. */
export interface Workflow<
  Input = unknown,
  Output = unknown,
  Events extends EventSchemas = EventSchemas,
> {
  readonly name: string;
  readonly version: number;
  /** Days until an ended run is deleted; undefined for the setting of the database. */
  readonly retentionDays: number | undefined;
  /** Milliseconds from the start of a run to its deadline; undefined for no deadline. */
  readonly deadlineMs: number | undefined;
  /** The workflow that handles failed runs. */
  readonly onFailure: Workflow<never> | undefined;
  readonly input: StandardSchemaV1<Input, unknown> | undefined;
  readonly events: EventSchemas;
  readonly retry: RetryPolicy;
  /** How failed runs are retried; undefined for no retries. */
  readonly runRetry: RetryPolicy | undefined;
  /** New settings; undefined keeps the current ones. */
  readonly flowControl: FlowSettings | null | undefined;
  /** Path into the input; undefined for workflows without a route. */
  readonly route: string | undefined;
  /** A run fails by a step that its body has never awaited. */
  readonly strict: boolean;
  /** How it is offered as a tool to language models; undefined if it is not. */
  readonly expose: { readonly description: string | undefined } | undefined;
  /** Called by the replay engine. */
  readonly run: (ctx: never, input: never) => unknown;
  /** For type inference only; never set. */
  readonly types?: { readonly input: Input; readonly output: Output; readonly events: Events };
}

/** The input that `client.start` requires for a workflow. */
export type InputOf<Definition extends Workflow> = NonNullable<Definition["types"]>["input"];

/** The return type of a workflow's body. */
export type OutputOf<Definition extends Workflow> = NonNullable<Definition["types"]>["output"];

/** The events that a workflow declares. */
export type EventsOf<Definition extends Workflow> = NonNullable<Definition["types"]>["events"];
