/** Parameters of built-in nodes: each is bound on its own, since some are read before the node runs and some after. */
import type { Binding } from "../document/binding.ts";
import type { Node } from "../document/document.ts";
import { isObject, type Json } from "../document/json.ts";
import {
  type BoundValue,
  parseBoundValue,
  resolve,
  SecretHandle,
} from "../expression/bound-value.ts";
import { BUDGET } from "../expression/budget.ts";
import { evaluateGuard, type Scope } from "../expression/evaluate.ts";
import { parseExpression } from "../expression/expression.ts";
import type { Variables } from "./behaviour.ts";

/** Parameters that can't be what a node needs. */
export class InvalidParameters extends Error {
  readonly code = "INVALID_PARAMETERS";

  constructor(message: string) {
    super(message);
    this.name = "InvalidParameters";
  }
}

/** A secret where its name would be used as a value. */
export class MisplacedSecret extends InvalidParameters {
  constructor(name: string, pointer?: string) {
    const place = pointer === undefined ? "here" : `at ${pointer} of the parameters`;
    super(
      `The secret "${name}" can't be opened ${place}: name it in a parameter that takes secrets.`,
    );
  }
}

export type Read = (variables: Variables) => Json;

/** Reads the parameters of one use of a built-in node. */
export class Parameters {
  readonly #id: string;
  readonly #params: Readonly<Record<string, unknown>>;

  constructor(id: string, { params = {} }: Node) {
    if (!isObject(params)) {
      throw new InvalidParameters(`The parameters of node "${id}" are no object.`);
    }
    this.#id = id;
    this.#params = params;
  }

  /** A parameter as it stands in the document. */
  literal(name: string): unknown {
    return this.#params[name];
  }

  /** A parameter with bindings; undefined if it is absent. */
  bound(name: string): Read | undefined {
    if (!Object.hasOwn(this.#params, name)) return undefined;
    return reader(this.#params[name] as Binding);
  }

  /** Those of some parameters that are present, with bindings. */
  boundOf(names: readonly string[]): (variables: Variables) => Readonly<Record<string, Json>> {
    const reads = names.map((name) => [name, this.bound(name)] as const);
    return (variables) =>
      Object.fromEntries(reads.flatMap(([name, read]) => (read ? [[name, read(variables)]] : [])));
  }

  /** A parameter that can't be absent. */
  required(name: string): Read {
    return this.bound(name) ?? this.#refuse(`has no parameter "${name}"`);
  }

  /** A condition in CEL. */
  guard(name: string): (variables: Variables) => boolean {
    const text = this.#params[name];
    if (typeof text !== "string") return this.#refuse(`has no condition "${name}"`);
    return guardOf(text);
  }

  /** @throws InvalidParameters */
  #refuse(problem: string): never {
    throw new InvalidParameters(`Node "${this.#id}" ${problem}.`);
  }
}

const scopeOf = (variables: Variables): Scope => ({ variables, budget: variables[BUDGET] });

/** A condition in CEL, read once. */
export function guardOf(text: string): (variables: Variables) => boolean {
  const expression = parseExpression(text);
  return (variables) => evaluateGuard(expression, scopeOf(variables));
}

/** A value with bindings, read once. Nothing opens secrets in it. */
export function reader(value: Binding): Read {
  const bound = parseBoundValue(value);
  if (bound.kind === "literal") return () => bound.value;
  return (variables) => {
    refuseSecrets(bound);
    return resolve(bound, scopeOf(variables)) as Json;
  };
}

/** A value with bindings for a handler, which opens secrets by their names. */
export function handlerReader(value: Binding): Read {
  const bound = parseBoundValue(value);
  const hasSecrets = secretsIn(bound).length > 0;
  return (variables) => {
    const resolved = resolve(bound, scopeOf(variables));
    return (hasSecrets ? withNames(resolved) : resolved) as Json;
  };
}

/** @throws InvalidParameters if a value has secrets where nothing opens them. */
export function refuseSecrets(bound: BoundValue): void {
  const [name] = secretsIn(bound);
  if (name !== undefined) throw new MisplacedSecret(name);
}

/** The names of the secrets that a value with bindings mentions. */
export const secretsNamedIn = (value: Binding): readonly string[] =>
  secretsIn(parseBoundValue(value));

function secretsIn(bound: BoundValue): readonly string[] {
  if (bound.kind === "list") return bound.items.flatMap((item) => secretsIn(item));
  if (bound.kind === "object") return bound.members.flatMap(([, member]) => secretsIn(member));
  return bound.kind === "secret" ? [bound.name] : [];
}

function withNames(value: unknown): unknown {
  if (value instanceof SecretHandle) return value.name;
  if (Array.isArray(value)) return value.map((item) => withNames(item));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withNames(each)]));
}
