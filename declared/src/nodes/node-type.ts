/**
 * Node types: code with schemas, which documents use by name and version. From one object come the handler, its
 * validation, and what editors and documentation show.
 */
import type { CapturedRequest } from "../protocol/definitions.ts";
import type { Duration, Logger, RetryOptions, StepTransaction } from "@oxbow/sdk/runtime";
import type { JsonSchema } from "../document/document.ts";
import { type Json, present } from "../document/json.ts";
import type { NodeDescriptor } from "./descriptor.ts";
import { jsonSchemaOf, type Schema, type ValueOf } from "./json-schema.ts";

/** Lists a request that a node has not sent. */
export type Capture = (request: Omit<CapturedRequest, "runId">) => Promise<unknown>;

/** The argument of a node's handler. */
export interface NodeCall<Params = unknown> {
  /** Resolved and validated. A secret is its name here. */
  readonly params: Params;
  /**
   * Opens a secret by its name: one that the type declares, or that a `$secret` of its parameters names. Its value is
   * removed from the output, the error and the log of the call.
   */
  readonly secret: (name: string) => Promise<string>;
  /** The same in every attempt of this node in this run. */
  readonly idempotencyKey: string;
  /** Aborts at the timeout, when the run is cancelled, and when the node is abandoned. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** Whether this is a test run with its effects. */
  readonly isTest: boolean;
  /**
   * Lists a request that is not sent, if the database is a sandbox. Known only to definitions with nodes of
   * `http.request@1`.
   *
   * @internal
   */
  readonly capture?: Capture;
}

/** The argument of a node type's rollback. */
export interface RollbackCall<Params = unknown, Output = unknown> extends NodeCall<Params> {
  /** The output of the node. */
  readonly output: Output;
}

/** The argument of `defineNode`. */
export type NodeTypeOptions<
  ParamsSchema extends Schema,
  OutputSchema extends Schema,
> = NodeTypeFacts<ParamsSchema, OutputSchema> &
  (
    | {
        /** The handler. It may be called more than once, because a worker can die between the call and the commit. */
        readonly run: (call: NodeCall<ValueOf<ParamsSchema>>) => unknown;
        readonly tx?: never;
        /** Undoes a call when its run fails. */
        readonly rollback?: (
          call: RollbackCall<ValueOf<ParamsSchema>, ValueOf<OutputSchema>>,
        ) => unknown;
      }
    | {
        /**
         * The handler of a type that writes to the database of Oxbow: it is called with a transaction that commits together
         * with the journal, so its SQL takes effect exactly once. It must not end the transaction. Requires workers that are
         * connected to Postgres.
         */
        readonly tx: (tx: StepTransaction, call: NodeCall<ValueOf<ParamsSchema>>) => unknown;
        readonly run?: never;
        readonly rollback?: never;
      }
  );

/** The members of `NodeTypeOptions` besides handlers. */
interface NodeTypeFacts<ParamsSchema extends Schema, OutputSchema extends Schema> {
  /** Name: lower case words separated by dots, such as `slack.post`. */
  readonly type: string;
  /** A whole number from 1; it rises with incompatible changes. Default: 1. */
  readonly version?: number;
  /** Default: the name. */
  readonly title?: string;
  readonly description?: string;
  /** Where palettes show it, such as `Messages`. */
  readonly category?: string;
  /** Name of an icon. */
  readonly icon?: string;
  /** Validates the parameters, and makes the form. */
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
   * Default: only `out`.
   */
  readonly handles?: readonly string[];
}

/** A node type that a worker knows. Immutable. */
export interface NodeType {
  /** Name and version, such as `slack.post@2`. */
  readonly id: string;
  /** The type as JSON: for the catalog, editors and documentation. */
  readonly descriptor: NodeDescriptor;
  /** Validates parameters at the call. */
  readonly params: Schema;
  /** Validates what the handler returns. */
  readonly output: Schema | undefined;
  readonly handlerOf: HandlerOf;
}

/** The action of a node type at a call. */
export type NodeHandler =
  | {
      readonly kind: "run";
      readonly run: (call: NodeCall) => unknown;
      readonly rollback?: (call: RollbackCall) => unknown;
    }
  | { readonly kind: "tx"; readonly tx: (tx: StepTransaction, call: NodeCall) => unknown };

/**
 * Returns the handler of a use of the type. It depends only on the parameters as they are in the document, since the
 * journal has different rows for steps and transactions.
 */
export type HandlerOf = (params: Json) => NodeHandler;

const TYPE = /^[a-z][a-z0-9_]*(?:\.[a-z0-9_]+)*$/;
const HANDLE = /^[a-zA-Z][a-zA-Z0-9_-]{0,62}$/;

/**
 * Defines a node type.
 *
 * @throws RangeError if the name, the version, a handle or a schema is invalid, or the handler is missing.
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
  const { type, version = 1, handles = ["out"] } = options;
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
  const { params, output } = options;
  const schemas = present({ params, output });
  return nodeTypeOf(describe(options as AnyOptions), handlerIn(options as AnyOptions), schemas);
}

type AnyOptions = NodeTypeOptions<Schema, Schema>;

/** Puts a descriptor and a handler together. */
export function nodeTypeOf(
  descriptor: NodeDescriptor,
  handler: NodeHandler | HandlerOf,
  schemas: { readonly params?: Schema; readonly output?: Schema } = {},
): NodeType {
  const { params = descriptor.params, output } = schemas;
  const handlerOf = typeof handler === "function" ? handler : () => handler;
  return Object.freeze({ id: descriptor.type, descriptor, params, output, handlerOf });
}

/** @throws RangeError if neither handler is given, or both. */
function handlerIn({ type, run, tx, rollback }: AnyOptions): NodeHandler {
  if (run !== undefined && tx === undefined) {
    return { kind: "run", run, ...(rollback === undefined ? {} : { rollback }) };
  }
  if (tx !== undefined && run === undefined && rollback === undefined) return { kind: "tx", tx };
  throw new RangeError(
    `Node type "${String(type)}" must have a handler: either \`run\`, which may have a \`rollback\`, or \`tx\`.`,
  );
}

function describe(options: AnyOptions): NodeDescriptor {
  const { type, version = 1, title = type, description, category, icon } = options;
  const { output, secrets = [], effects = "writes", timeout, retry, handles = ["out"] } = options;
  const { rollback, tx } = options;
  return present({
    type: `${type}@${version}`,
    title,
    description,
    category,
    icon,
    params: jsonSchemaOf(options.params, "input", `parameters of node type "${type}"`),
    output:
      output === undefined
        ? undefined
        : jsonSchemaOf(output, "output", `output of node type "${type}"`),
    handles,
    effects,
    secrets: secrets.length === 0 ? undefined : secrets,
    timeout,
    retry,
    hasRollback: rollback && true,
    isTransaction: tx && true,
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
