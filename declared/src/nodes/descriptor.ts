/**
 * Descriptions of node types, as JSON: what the checker, the catalog, editors and the documentation know of a type. A
 * built-in type has its descriptor in `descriptors/`, apart from its behaviour, so that a browser can load it; that of
 * any other type derives from the object that `defineNode` gets.
 */
import type { DocumentDuration, JsonSchema, NodeRetry } from "../document/document.ts";
import type { Json } from "../document/json.ts";

/** A node type, as the checker needs it. */
export interface NodeTypeDescription {
  /** With its version: `slack.post@2`. */
  readonly type: string;
  /** Schema of the parameters, after their bindings are resolved. Default: any. */
  readonly params?: JsonSchema;
  /** Default: any. */
  readonly output?: OutputSchema;
  /** Handles by which it succeeds. Default: `out`. */
  readonly handles?: readonly string[];
  /** The parameter whose items have an `id` each, which is a further handle: `cases`. */
  readonly handlesFrom?: string;
  /** Recomputed at each replay rather than journaled: its parameters can't read `now`. */
  readonly isPure?: boolean;
  /** May wait for hours: for a signal, an approval, a time. */
  readonly waits?: boolean;
  /** Whether a handler is called with the parameters, so that the type can be a rollback. Default: true. */
  readonly isCall?: boolean;
  /** Whether its parameters may name secrets, which only handlers open. Default: as `isCall`. */
  readonly takesSecrets?: boolean;
  /** Whether its handler takes part in the commit of its step, so that it neither can be undone nor undoes. */
  readonly isTransaction?: boolean;
}

/**
 * A JSON Schema, in which at any depth `{"$from": "params.response"}` stands for the schema that is given as a parameter,
 * and `{"$typeOf": "params.value"}` for the type of a parameter's value.
 */
export type OutputSchema = Json;

/**
 * A node type, as the catalog has it. The schema of the parameters is also that of the form: besides the keywords of JSON
 * Schema it may have
 *
 * - `title`, `description`, `examples`, `default`: as in JSON Schema, shown to people;
 * - `widget`: the control of the form: `textarea`, `code`, `expression` (a text in CEL), `schema`, `duration`, `secret`;
 * - `order`: of an object, the names of its members in the order of their fields; for schemas in documents, which are
 *   stored without the order of `properties`;
 * - `group`: members with the same group are shown together, folded at first;
 * - `showIf`: shows a member while others have given values: `{"mode": "every"}`;
 * - `bindable`: false, if the member is read as it is written, so that it takes neither references nor expressions;
 * - `scope`: `body`, if the member is evaluated at the end of an iteration rather than before the node begins.
 */
export interface NodeDescriptor extends NodeTypeDescription {
  readonly title: string;
  readonly description?: string;
  /** Where palettes show it. */
  readonly category?: string;
  /** Name of an icon. */
  readonly icon?: string;
  readonly params: JsonSchema;
  readonly handles: readonly string[];
  /** `none`: nothing outside of the run. Test runs replace calls that write by a sample. */
  readonly effects: "none" | "reads" | "writes";
  /** Names of secrets that the handler opens besides those in its parameters. */
  readonly secrets?: readonly string[];
  /** Time limit of an attempt, unless the document sets another. */
  readonly timeout?: DocumentDuration;
  /** Attempts, unless the document sets others. */
  readonly retry?: Omit<NodeRetry, "only" | "never">;
  /** Whether the type undoes its calls when the run fails later. */
  readonly hasRollback?: boolean;
}
