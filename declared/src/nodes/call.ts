/** Nodes that call a handler: in a step, or in a transaction that commits with the step. */
import {
  NonRetriableError,
  RetryAfterError,
  type RetryOptions,
  type RunStepOptions,
  type StepTransaction,
} from "@oxbow/sdk/runtime";
import type { Node, NodeRetry } from "../document/document.ts";
import { isObject, type Json, type JsonObject, present } from "../document/json.ts";
import { Budget, BUDGET } from "../expression/budget.ts";
import type { Behaviour, Finished, Place, Variables } from "./behaviour.ts";
import { codeOf } from "./failure.ts";
import { whenThere, withFailure } from "./maybe-async.ts";
import { HandledOutput, type NodeCall, type NodeHandler, type NodeType } from "./node-type.ts";
import {
  handlerReader,
  InvalidParameters,
  MisplacedSecret,
  type Read,
  secretsNamedIn,
} from "./parameters.ts";
import { misplacedSecrets, type NamedSecret } from "./secret-places.ts";
import { OpenedSecrets } from "./secrets.ts";
import { type Validate, validatorOf } from "./validation.ts";

export function callBehaviour(
  id: string,
  node: Node,
  type: NodeType,
  typeOf: (name: string) => NodeType | undefined,
): Behaviour {
  const call = new Call(id, node.params ?? {}, type);
  const isTransaction = call.handler.kind === "tx";
  if (isTransaction && node.rollback !== undefined) {
    throw new InvalidParameters(`Node "${id}" of ${type.id} can't have a rollback.`);
  }
  const undo = undoOf(id, node, type, typeOf);
  const { timeout = type.descriptor.timeout } = node;
  const retry = retryOf(node.retry, type.descriptor.retry);
  const choose = chooserOf(node.retry);
  const limits = present({ retry, timeout });
  const ask = (place: Place): Promise<unknown> => {
    const { path, services } = place;
    if (isTransaction) {
      return services.step.tx(
        path,
        (tx, signal) => choose(() => call.carryOut(place, signal, tx)),
        limits,
      );
    }
    const rollback: RunStepOptions<Json>["rollback"] =
      undo && ((value, { signal }) => undo(place, value, signal));
    const attempt = (signal: AbortSignal): unknown => choose(() => call.carryOut(place, signal));
    return services.step.run(path, attempt, present({ ...limits, rollback }) as RunStepOptions);
  };
  return {
    kind: "step",
    isCall: true,
    ask: (place) => ask(place).then((value) => call.finished(value as Json)),
  };
}

/** Validates the parameters of a use, as before a call. */
export function parameterCheckOf(
  id: string,
  { params = {} }: Node,
  type: NodeType,
): (variables: Variables) => unknown {
  const call = new Call(id, params, type);
  return (variables) => call.parameters(variables);
}

/** Calls a handler with resolved parameters. */
class Call {
  readonly handler: NodeHandler;
  readonly #id: string;
  readonly #type: NodeType;
  readonly #params: Read;
  readonly #checkParams: Validate;
  readonly #checkOutput: Validate;
  readonly #hasHandles: boolean;
  readonly #misplaced: NamedSecret | undefined;
  /** Names that the handler may open. */
  readonly #secrets: ReadonlySet<string>;

  constructor(id: string, params: Json, type: NodeType) {
    this.#id = id;
    this.#type = type;
    this.handler = type.handlerOf(params);
    this.#params = handlerReader(params);
    [this.#misplaced] = misplacedSecrets(params, type.descriptor);
    this.#checkParams = validatorOf(type.params, `parameters of node "${id}"`);
    this.#checkOutput = validatorOf(type.output, `output of node "${id}"`);
    const { handles, secrets = [] } = type.descriptor;
    this.#hasHandles = handles.length !== 1 || handles[0] !== "out";
    this.#secrets = new Set([...secrets, ...secretsNamedIn(params)]);
  }

  /** The value to journal. Bindings are resolved here, so that their failure is that of the step. */
  carryOut(place: Place, signal: AbortSignal, tx?: StepTransaction): unknown {
    const variables: Variables = { ...place.variables, now: new Date() };
    const secrets = this.openedSecrets(place);
    const { handler } = this;
    return guarded(secrets, () =>
      whenThere(this.parameters(variables), (params) => {
        const call = nodeCall(params, place, signal, secrets);
        const returned =
          handler.kind === "tx" ? handler.tx(transactionOf(tx), call) : handler.run(call);
        return whenThere(returned, (value) => this.#toJournal(value, secrets));
      }),
    );
  }

  openedSecrets({ services }: Place): OpenedSecrets {
    return new OpenedSecrets(services.secrets, this.#secrets);
  }

  parameters(variables: Variables): unknown {
    return permanent(() => {
      const misplaced = this.#misplaced;
      if (misplaced !== undefined) throw new MisplacedSecret(misplaced.name, misplaced.pointer);
      // Apart from that of the run, which a replay spends without calls.
      return this.#checkParams(this.#params({ ...variables, [BUDGET]: new Budget() }));
    });
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
    const { handles } = this.#type.descriptor;
    if (!handles.includes(handle)) {
      throw new NonRetriableError(
        `Node "${this.#id}" took the handle "${handle}", and ${this.#type.id} has ${handles.join(", ")}.`,
      );
    }
    const own = isHandled ? returned.output : returned;
    return whenThere(
      permanent(() => this.#checkOutput(own)),
      (output) => {
        const clean = secrets.scrub(output ?? null);
        return this.#hasHandles ? { handle, output: clean } : clean;
      },
    );
  }
}

function nodeCall(
  params: unknown,
  { path, services: { runId, log, isTest, capture } }: Place,
  signal: AbortSignal,
  secrets: OpenedSecrets,
): NodeCall {
  return {
    params,
    secret: secrets.open,
    idempotencyKey: `${runId}:${path}`,
    signal,
    log: secrets.logger(log),
    isTest,
    ...present({ capture }),
  };
}

function transactionOf(tx: StepTransaction | undefined): StepTransaction {
  if (tx === undefined) throw new Error("The step has no transaction.");
  return tx;
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
    if (call.handler.kind === "tx") {
      throw new InvalidParameters(`Node "${id}" can't be undone by ${other.id}.`);
    }
    const own = new Call(id, params, type);
    return (place, value, signal) => {
      const { nodes } = place.variables;
      const self = { [id]: { output: own.finished(value).output } };
      const variables = { ...place.variables, nodes: { ...(nodes as object), ...self } };
      return call.carryOut({ ...rollbackOf(place), variables }, signal);
    };
  }
  const own = new Call(id, params, type);
  const undo = own.handler.kind === "run" ? own.handler.rollback : undefined;
  if (undo === undefined) return undefined;
  return (place, value, signal) => {
    const secrets = own.openedSecrets(place);
    const { output } = own.finished(value);
    return guarded(secrets, () =>
      whenThere(own.parameters({ ...place.variables, now: new Date() }), (given) =>
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

/** A failure that each attempt would have isn't tried again. */
const permanent = <Value>(action: () => Value): Value => withFailure(action, refuse);

function refuse(cause: unknown): never {
  throw new NonRetriableError(cause instanceof Error ? cause.message : String(cause), { cause });
}

/** Removes secrets from the errors of an action. */
function guarded(secrets: OpenedSecrets, action: () => unknown): unknown {
  return withFailure(action, (error) => {
    throw secrets.scrubError(error);
  });
}

function retryOf(
  own: NodeRetry | undefined,
  ofType: RetryOptions | undefined,
): RetryOptions | undefined {
  if (own === undefined) return ofType;
  const { attempts = ofType?.attempts, backoff = ofType?.backoff } = own;
  return present({ attempts, backoff });
}

/** Lets only those errors be retried that the document wants retried. */
function chooserOf(retry: NodeRetry | undefined): (action: () => unknown) => unknown {
  const { only, never = [] } = retry ?? {};
  if (only === undefined && never.length === 0) return (action) => action();
  const decide = (error: unknown): never => {
    const code = codeOf(error);
    const isRetried = !never.includes(code) && (only === undefined || only.includes(code));
    const isOfHandler = error instanceof RetryAfterError && code === error.code;
    if (isRetried || isOfHandler || error instanceof NonRetriableError) throw error;
    return refuse(error);
  };
  return (action) => withFailure(action, decide);
}
