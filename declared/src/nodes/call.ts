/** Nodes whose type is defined by `defineNode`: their handlers are called in a step. */
import {
  NonRetriableError,
  RetryAfterError,
  type RetryOptions,
  type RunStepOptions,
} from "@oxbow/sdk/runtime";
import type { Node, NodeRetry } from "../document/document.ts";
import { isObject, type Json, type JsonObject } from "../document/json.ts";
import type { Behaviour, Finished, Place, Variables } from "./behaviour.ts";
import { codeOf } from "./failure.ts";
import { whenThere } from "./maybe-async.ts";
import { HandledOutput, type NodeCall, type NodeType } from "./node-type.ts";
import { type Read, reader } from "./parameters.ts";
import { OpenedSecrets } from "./secrets.ts";
import { type Validate, validatorOf } from "./validation.ts";

/** The behaviour of a use of a node type. */
export function callBehaviour(
  id: string,
  node: Node,
  type: NodeType,
  typeOf: (name: string) => NodeType | undefined,
): Behaviour {
  const call = new Call(id, node.params ?? {}, type);
  const undo = undoOf(id, node, type, typeOf);
  const { timeout = type.timeout } = node;
  const retry = retryOf(node.retry, type.retry);
  const choose = chooserOf(node.retry);
  return {
    kind: "step",
    isCall: true,
    ask: (place) => {
      const options: RunStepOptions<Json> = {
        ...(retry === undefined ? {} : { retry }),
        ...(timeout === undefined ? {} : { timeout }),
        ...(undo === undefined
          ? {}
          : { rollback: (value, { signal }) => undo(place, value, signal) }),
      };
      const attempt = (signal: AbortSignal): unknown => choose(() => call.carryOut(place, signal));
      return place.services.step
        .run(place.path, attempt, options as RunStepOptions)
        .then((value) => call.finished(value as Json));
    },
  };
}

/** Calls a handler with resolved parameters. */
class Call {
  readonly #id: string;
  readonly #type: NodeType;
  readonly #params: Read;
  readonly #checkParams: Validate;
  readonly #checkOutput: Validate;
  readonly #hasHandles: boolean;

  constructor(id: string, params: Json, type: NodeType) {
    this.#id = id;
    this.#type = type;
    this.#params = reader(params);
    this.#checkParams = validatorOf(type.params, `parameters of node "${id}"`);
    this.#checkOutput = validatorOf(type.output, `output of node "${id}"`);
    this.#hasHandles = type.handles.length !== 1 || type.handles[0] !== "out";
  }

  /** The value to journal. Bindings are resolved here, so that their failure is that of the step. */
  carryOut(place: Place, signal: AbortSignal): unknown {
    const variables: Variables = { ...place.variables, now: new Date() };
    const secrets = new OpenedSecrets(place.services.secrets);
    return guarded(secrets, () =>
      whenThere(this.parameters(variables), (params) =>
        whenThere(this.#type.run(nodeCall(params, place, signal, secrets)), (returned) =>
          this.#toJournal(returned, secrets),
        ),
      ),
    );
  }

  parameters(variables: Variables): unknown {
    return permanent(() => this.#checkParams(this.#params(variables)));
  }

  /** The outcome that a journaled value stands for. */
  finished(value: Json): Finished {
    if (!this.#hasHandles) return { handle: "out", output: value };
    const { handle, output = null } = isObject(value) ? value : ({} as JsonObject);
    return { handle: typeof handle === "string" ? handle : "out", output };
  }

  #toJournal(returned: unknown, secrets: OpenedSecrets): unknown {
    const isHandled = returned instanceof HandledOutput;
    const handle = isHandled ? returned.handle : "out";
    if (!this.#type.handles.includes(handle)) {
      throw new NonRetriableError(
        `Node "${this.#id}" took the handle "${handle}", and ${this.#type.id} has ${this.#type.handles.join(", ")}.`,
      );
    }
    const given = isHandled ? returned.output : returned;
    return whenThere(
      permanent(() => this.#checkOutput(given)),
      (output) => {
        const clean = secrets.scrub(output ?? null);
        return this.#hasHandles ? { handle, output: clean } : clean;
      },
    );
  }
}

function nodeCall(
  params: unknown,
  { path, services: { runId, log } }: Place,
  signal: AbortSignal,
  secrets: OpenedSecrets,
): NodeCall {
  return { params, secret: secrets.open, idempotencyKey: `${runId}:${path}`, signal, log };
}

type Undo = (place: Place, value: Json, signal: AbortSignal) => unknown;

/** The rollback of the node, else of its type. */
function undoOf(
  id: string,
  { params = {}, rollback }: Node,
  type: NodeType,
  typeOf: (name: string) => NodeType | undefined,
): Undo | undefined {
  if (rollback !== undefined) {
    const other = typeOf(rollback.type);
    if (other === undefined) throw new UnknownNodeType(rollback.type, id);
    const call = new Call(id, rollback.params ?? {}, other);
    const own = new Call(id, params, type);
    return (place, value, signal) => {
      const { nodes } = place.variables;
      const self = { [id]: { output: own.finished(value).output } };
      const variables = { ...place.variables, nodes: { ...(nodes as object), ...self } };
      return call.carryOut({ ...rollbackOf(place), variables }, signal);
    };
  }
  const undo = type.rollback;
  if (undo === undefined) return undefined;
  const own = new Call(id, params, type);
  return (place, value, signal) => {
    const secrets = new OpenedSecrets(place.services.secrets);
    const { output } = own.finished(value);
    return guarded(secrets, () =>
      whenThere(own.parameters(place.variables), (given) =>
        undo({ ...nodeCall(given, rollbackOf(place), signal, secrets), output }),
      ),
    );
  };
}

const rollbackOf = (place: Place): Place => ({ ...place, path: `rollback:${place.path}` });

/** A node type that this worker doesn't know. */
export class UnknownNodeType extends Error {
  readonly code = "UNKNOWN_NODE_TYPE";
  readonly type: string;

  constructor(type: string, node: string) {
    super(
      `Node "${node}" is of type ${type}, which this worker doesn't know: give it to the worker.`,
    );
    this.name = "UnknownNodeType";
    this.type = type;
  }
}

/** What fails the same way in each attempt isn't tried again. */
function permanent<Value>(action: () => Value): Value {
  try {
    const value = action();
    return value instanceof Promise ? (value.catch(refuse) as Value) : value;
  } catch (error) {
    return refuse(error);
  }
}

function refuse(cause: unknown): never {
  throw new NonRetriableError(cause instanceof Error ? cause.message : String(cause), { cause });
}

/** Removes secrets from the errors of an action. */
function guarded(secrets: OpenedSecrets, action: () => unknown): unknown {
  const fail = (error: unknown): never => {
    throw cleaned(error, secrets);
  };
  try {
    const value = action();
    return value instanceof Promise ? value.catch(fail) : value;
  } catch (error) {
    return fail(error);
  }
}

function cleaned(error: unknown, secrets: OpenedSecrets, depth = 0): unknown {
  if (!(error instanceof Error) || depth > 5) {
    return typeof error === "string" ? secrets.scrubText(error) : error;
  }
  const message = secrets.scrubText(error.message);
  const stack = error.stack === undefined ? undefined : secrets.scrubText(error.stack);
  if (message !== error.message) error.message = message;
  if (stack !== undefined && stack !== error.stack) error.stack = stack;
  if (error.cause !== undefined) error.cause = cleaned(error.cause, secrets, depth + 1);
  return error;
}

function retryOf(
  own: NodeRetry | undefined,
  ofType: RetryOptions | undefined,
): RetryOptions | undefined {
  if (own === undefined) return ofType;
  const { attempts = ofType?.attempts, backoff = ofType?.backoff } = own;
  return {
    ...(attempts === undefined ? {} : { attempts }),
    ...(backoff === undefined ? {} : { backoff }),
  };
}

/** Lets only those errors be retried that the document wants retried. */
function chooserOf(retry: NodeRetry | undefined): (action: () => unknown) => unknown {
  const { only, never = [] } = retry ?? {};
  if (only === undefined && never.length === 0) return (action) => action();
  const decide = (error: unknown): never => {
    const code = codeOf(error);
    const isRetried = !never.includes(code) && (only === undefined || only.includes(code));
    if (isRetried || error instanceof RetryAfterError || error instanceof NonRetriableError) {
      throw error;
    }
    return refuse(error);
  };
  return (action) => {
    try {
      const value = action();
      return value instanceof Promise ? value.catch(decide) : value;
    } catch (error) {
      return decide(error);
    }
  };
}
