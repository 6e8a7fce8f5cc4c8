/**
 * Values with bindings at any depth, read once as a plan and resolved in each scope. Literals without a binding in them
 * are shared rather than copied. Secrets stay handles: only the handler opens the value.
 */
import { type Binding, readBinding, type ReadBinding } from "../document/binding.ts";
import { isList, type Json } from "../document/json.ts";
import { readPath } from "../document/path.ts";
import { evaluate, type Scope } from "./evaluate.ts";
import { ExpressionFailed, InvalidExpression } from "./expression-errors.ts";
import { type Expression, parseExpression } from "./expression.ts";
import { type Path, showPath } from "./reads.ts";
import { parseTemplate, renderTemplate, type Template } from "./template.ts";
import { fromOutside, shown, toJson } from "./value.ts";

/** A secret by name, as it stands in resolved parameters. Its value isn't in it. */
export class SecretHandle {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }

  /** Serialized parameters contain the name, never the value. */
  toJSON(): { readonly $secret: string } {
    return { $secret: this.name };
  }
}

/** JSON in which secrets are handles. */
export type Resolved =
  | Json
  | SecretHandle
  | readonly Resolved[]
  | { readonly [member: string]: Resolved };

/** How a value with bindings is resolved. */
export type BoundValue =
  | { readonly kind: "literal"; readonly value: Json }
  | { readonly kind: "list"; readonly items: readonly BoundValue[] }
  | { readonly kind: "object"; readonly members: readonly (readonly [string, BoundValue])[] }
  | { readonly kind: "path"; readonly path: Path; readonly otherwise?: { readonly value: Json } }
  | { readonly kind: "cel"; readonly expression: Expression }
  | { readonly kind: "text"; readonly template: Template }
  | { readonly kind: "secret"; readonly name: string }
  | { readonly kind: "config"; readonly name: string };

/** Reads a value with bindings. Throws InvalidExpression. */
export function parseBoundValue(
  value: Binding,
  parse: (text: string) => Expression = parseExpression,
): BoundValue {
  const binding = readBinding(value);
  if (binding !== undefined) return parseBinding(binding, parse);
  if (isList(value)) {
    const items = value.map((item) => parseBoundValue(item, parse));
    return items.every((item, at) => isUnchanged(item, value[at]))
      ? { kind: "literal", value }
      : { kind: "list", items };
  }
  if (typeof value !== "object" || value === null) return { kind: "literal", value };
  const members = Object.entries(value).map(
    ([name, member]) => [name, parseBoundValue(member, parse)] as const,
  );
  return members.every(([name, member]) => isUnchanged(member, value[name]))
    ? { kind: "literal", value }
    : { kind: "object", members };
}

const isUnchanged = (bound: BoundValue, value: Json | undefined): boolean =>
  bound.kind === "literal" && bound.value === value;

function parseBinding(binding: ReadBinding, parse: (text: string) => Expression): BoundValue {
  switch (binding.kind) {
    case "path": {
      const path = parsePath(binding.$path);
      return binding.default === undefined
        ? { kind: "path", path }
        : { kind: "path", path, otherwise: { value: binding.default } };
    }
    case "cel":
      return { kind: "cel", expression: parse(binding.$cel) };
    case "text":
      return { kind: "text", template: parseTemplate(binding.$text, parse) };
    case "secret":
      return { kind: "secret", name: binding.$secret };
    case "config":
      return { kind: "config", name: binding.$config };
    case "resource":
      return { kind: "literal", value: binding.$resource.id };
    case "literal":
      return { kind: "literal", value: binding.$literal };
    default:
      return binding satisfies never;
  }
}

/** Reads the text of a `$path`. Throws InvalidExpression. */
function parsePath(text: string): Path {
  const [variable, ...steps] = readPath(text) ?? [];
  if (typeof variable === "string") return [variable, ...steps];
  const hint =
    'Write names with dots between them, like nodes.fetch.output.items[0].id or input["a b"].';
  throw new InvalidExpression(text, { start: 0, end: text.length }, "this isn't a path", hint);
}

/** Returns a value with its bindings replaced by what they stand for. Throws ExpressionFailed. */
export function resolve(bound: BoundValue, scope: Scope): Resolved {
  switch (bound.kind) {
    case "literal":
      return bound.value;
    case "list":
      return bound.items.map((item) => resolve(item, scope));
    case "object":
      return Object.fromEntries(
        bound.members.map(([name, member]) => [name, resolve(member, scope)]),
      );
    case "path":
      return follow(bound.path, bound.otherwise, scope);
    case "cel":
      return evaluate(bound.expression, scope);
    case "text":
      return renderTemplate(bound.template, scope);
    case "secret":
      return new SecretHandle(bound.name);
    case "config":
      return follow(["config", bound.name], undefined, scope);
    default:
      return bound satisfies never;
  }
}

/** Follows a path without an expression; a step that leads nowhere gives the default. */
function follow(
  path: Path,
  otherwise: { readonly value: Json } | undefined,
  { variables }: Scope,
): Json {
  let value: unknown = variables;
  for (const [at, step] of path.entries()) {
    const found = stepInto(value, step);
    if (found !== undefined) {
      value = found;
      continue;
    }
    if (otherwise !== undefined) return otherwise.value;
    const text = showPath(path);
    const range = { start: 0, end: text.length };
    throw new ExpressionFailed(text, range, absence(path, at, value), {});
  }
  // JSON is handed over as it is; times become text.
  return value instanceof Date ? toJson(fromOutside(value)) : (value as Json);
}

function stepInto(value: unknown, step: string | number): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  if (Array.isArray(value)) return typeof step === "number" ? value[step] : undefined;
  return Object.hasOwn(value, step) ? (value as Record<string | number, unknown>)[step] : undefined;
}

function absence(path: Path, at: number, value: unknown): string {
  const [variable] = path;
  if (at === 0) return `there is no ${variable} here`;
  const before = showPath(path.slice(0, at));
  const isContainer = typeof value === "object" && value !== null;
  const given = isContainer ? "" : `, since ${before} is ${shown(fromOutside(value))}`;
  return `${before} has no ${JSON.stringify(path[at])}${given}; give the binding a default`;
}
