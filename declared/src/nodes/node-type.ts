/**
 * Node types: code with schemas, which documents use by name and version. From one object come the handler, its
 * validation, and what editors and documentation show.
 */
import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";
import type { Duration, Logger, RetryOptions } from "@oxbow/sdk/runtime";
import type { JsonSchema } from "../document/document.ts";

/** A schema of a library (zod, valibot, arktype, …) that validates and converts to JSON Schema, or JSON Schema itself. */
export type Schema<Value = unknown> = StandardSchema<Value> | JsonSchema;

/** A schema of a library, by Standard Schema and Standard JSON Schema. */
export interface StandardSchema<Value> {
  readonly "~standard": StandardSchemaV1.Props<unknown, Value> &
    StandardJSONSchemaV1.Props<unknown, Value>;
}

/** The values that a schema yields; unknown for JSON Schema. */
export type ValueOf<Given> = Given extends StandardSchema<infer Value> ? Value : unknown;

/** The argument of a node's handler. */
export interface NodeCall<Params = unknown> {
  /** Resolved and validated. A secret is its name here. */
  readonly params: Params;
  /** Opens a secret by its name. Its value is removed from the output and the error of the call. */
  readonly secret: (name: string) => Promise<string>;
  /** The same in every attempt of this node in this run. */
  readonly idempotencyKey: string;
  /** Aborts at the timeout, when the run is cancelled, and when the node is abandoned. */
  readonly signal: AbortSignal;
  readonly log: Logger;
}

/** The argument of a node type's rollback. */
export interface RollbackCall<Params = unknown, Output = unknown> extends NodeCall<Params> {
  /** The output of the node. */
  readonly output: Output;
}

/** The argument of `defineNode`. */
export interface NodeTypeOptions<ParamsSchema extends Schema, OutputSchema extends Schema> {
  /** Name: lower case words separated by dots, such as `slack.post`. */
  readonly type: string;
  /** A whole number from 1; it rises with incompatible changes. Default: 1. */
  readonly version?: number;
  readonly title?: string;
  readonly description?: string;
  readonly category?: string;
  readonly icon?: string;
  readonly params: ParamsSchema;
  readonly output?: OutputSchema;
  /** Names of secrets that the handler opens besides those in its parameters. */
  readonly secrets?: readonly string[];
  /** `writes`: test runs replace the call by a sample. Default: `writes`. */
  readonly effects?: "writes" | "reads";
  /** Time limit of an attempt. A document may set another. */
  readonly timeout?: Duration;
  /** Attempts. A document may set others. Default: 3, with exponential backoff. */
  readonly retry?: RetryOptions;
  /**
   * Handles besides `error`. A handler of several returns `takeHandle(handle, output)`.
   * Default: `out` alone.
   */
  readonly handles?: readonly string[];
  /** The handler. It may be called more than once, because a worker can die between the call and the commit. */
  readonly run: (call: NodeCall<ValueOf<ParamsSchema>>) => unknown;
  /** Undoes a call when its run fails. */
  readonly rollback?: (call: RollbackCall<ValueOf<ParamsSchema>, ValueOf<OutputSchema>>) => unknown;
}

/** A node type that a worker knows. Immutable. */
export interface NodeType {
  /** Name and version, such as `slack.post@2`. */
  readonly id: string;
  readonly type: string;
  readonly version: number;
  readonly title: string;
  readonly description: string | undefined;
  readonly category: string | undefined;
  readonly icon: string | undefined;
  readonly params: Schema;
  readonly output: Schema | undefined;
  readonly secrets: readonly string[];
  readonly effects: "writes" | "reads";
  readonly timeout: Duration | undefined;
  readonly retry: RetryOptions | undefined;
  readonly handles: readonly string[];
  readonly run: (call: NodeCall) => unknown;
  readonly rollback: ((call: RollbackCall) => unknown) | undefined;
}

const TYPE = /^[a-z][a-z0-9_]*(?:\.[a-z0-9_]+)*$/;
const HANDLE = /^[a-zA-Z][a-zA-Z0-9_-]{0,62}$/;

/**
 * Defines a node type.
 *
 * @throws RangeError if the name, the version or a handle is invalid.
 * @example
 * const post = defineNode({
 *   type: "slack.post",
 *   params: z.object({ channel: z.string(), text: z.string() }),
 *   secrets: ["slack"],
 *   run: async ({ params, secret, signal }) => slack.post(await secret("slack"), params, signal),
 * });
 */
export function defineNode<ParamsSchema extends Schema, OutputSchema extends Schema = JsonSchema>(
  options: NodeTypeOptions<ParamsSchema, OutputSchema>,
): NodeType {
  const { type, version = 1, title = type, handles = ["out"], run, rollback } = options;
  if (!TYPE.test(type)) {
    throw new RangeError(
      `Invalid node type "${type}": use words of a-z, 0-9 and "_" separated by dots, the first beginning with a letter.`,
    );
  }
  if (!Number.isSafeInteger(version) || version < 1) {
    throw new RangeError(
      `Invalid version ${version} of node type "${type}": give a whole number from 1.`,
    );
  }
  const wrong = handles.find((handle) => !HANDLE.test(handle) || handle === "error");
  if (wrong !== undefined || handles.length === 0) {
    throw new RangeError(
      `Invalid handle "${wrong ?? ""}" of node type "${type}": use letters, digits, "_" and "-", and not "error", which every node has.`,
    );
  }
  return Object.freeze({
    id: `${type}@${version}`,
    type,
    version,
    title,
    description: options.description,
    category: options.category,
    icon: options.icon,
    params: options.params,
    output: options.output,
    secrets: options.secrets ?? [],
    effects: options.effects ?? "writes",
    timeout: options.timeout,
    retry: options.retry,
    handles,
    run: run as NodeType["run"],
    rollback: rollback as NodeType["rollback"],
  });
}

/** An output that leaves its node by a handle. */
export class HandledOutput {
  readonly handle: string;
  readonly output: unknown;

  constructor(handle: string, output: unknown) {
    this.handle = handle;
    this.output = output;
  }
}

/** Returns what a handler returns to leave its node by one of several handles. */
export function takeHandle(handle: string, output?: unknown): HandledOutput {
  return new HandledOutput(handle, output);
}
