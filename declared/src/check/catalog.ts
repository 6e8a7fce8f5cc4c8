/** The things that a document may refer to. Everything is in memory: the checker does no I/O. */
import type { JsonSchema } from "../document/document.ts";
import type { Json } from "../document/json.ts";

/** A node type, as workers describe it. */
export interface NodeTypeDescription {
  /** With its version: `slack.post@2`. */
  readonly type: string;
  /** Schema of the parameters, after their bindings are resolved. Default: any. */
  readonly params?: JsonSchema;
  /** Default: any. */
  readonly output?: OutputSchema;
  /** Handles by which it succeeds. Default: `out`. */
  readonly handles?: readonly string[];
  /** Recomputed at each replay rather than journaled: its parameters can't read `now`. */
  readonly isPure?: boolean;
  /** May wait for hours: for a signal, an approval, a time. */
  readonly waits?: boolean;
}

/**
 * A JSON Schema, in which at any depth `{"$from": "params.response"}` stands for the schema that is given as a parameter,
 * and `{"$typeOf": "params.value"}` for the type of a parameter's value.
 */
export type OutputSchema = Json;

export interface TriggerDescription {
  /** Schema of the event. Default: any. */
  readonly event?: JsonSchema;
  /** Members of the event that are loaded after delivery, so that topics can't filter by them. */
  readonly loaded?: readonly string[];
}

export interface WorkflowDescription {
  readonly input?: JsonSchema;
  readonly output?: JsonSchema;
  /** Names of the workflows that it runs. */
  readonly runs?: readonly string[];
}

/** Undefined means that there is no such thing. Members that are absent aren't checked. */
export interface Catalog {
  readonly nodeType: (type: string) => NodeTypeDescription | undefined;
  /** Names of all node types, for suggestions. */
  readonly nodeTypes?: readonly string[];
  readonly resourceType?: (name: string) => { readonly schema?: JsonSchema } | undefined;
  /** Whether a resource exists; undefined if that isn't known. */
  readonly hasResource?: (type: string, id: string) => boolean | undefined;
  readonly config?: (name: string) => { readonly schema?: JsonSchema } | undefined;
  readonly hasSecret?: (name: string) => boolean | undefined;
  readonly workflow?: (name: string) => WorkflowDescription | undefined;
  readonly trigger?: (on: string) => TriggerDescription | undefined;
}
