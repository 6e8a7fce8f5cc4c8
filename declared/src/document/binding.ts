/**
 * Bindings: how a parameter gets its value. They may stand at any depth of parameters; every other JSON is a literal.
 * An object is a binding if one of its members is named like a binding, so that JSON Schemas with `$ref` and `$defs`
 * are literals.
 */
import { isObject, type Json, type JsonObject } from "./json.ts";

/** A value in the document that may contain bindings at any depth. */
export type Binding = Json;

/** `{"$path": "nodes.fetch.output.body.id", "default": 0}`: a typed value of the scope. */
export interface PathBinding {
  readonly $path: string;
  /** The value if the path leads nowhere. */
  readonly default?: Json;
}

/** `{"$cel": "size(input.lines) * 2"}`: a computed value. */
export interface CelBinding {
  readonly $cel: string;
}

/** `{"$text": "Hello {{ input.name }}"}`: always text. */
export interface TextBinding {
  readonly $text: string;
}

/** `{"$secret": "pagerduty"}`: a handle that only the handler of a node opens. */
export interface SecretBinding {
  readonly $secret: string;
}

/** `{"$config": "slack.channel"}`: a value of the environment. */
export interface ConfigBinding {
  readonly $config: string;
}

/** `{"$resource": {"type": "Severity", "id": "01FD"}}`: the id of a resource, recorded as a reference. */
export interface ResourceBinding {
  readonly $resource: { readonly type: string; readonly id: string };
}

/** `{"$literal": …}`: JSON that is not read as a binding. */
export interface LiteralBinding {
  readonly $literal: Json;
}

/** A binding, discriminated by the member that it has. */
export type ReadBinding =
  | ({ readonly kind: "path" } & PathBinding)
  | ({ readonly kind: "cel" } & CelBinding)
  | ({ readonly kind: "text" } & TextBinding)
  | ({ readonly kind: "secret" } & SecretBinding)
  | ({ readonly kind: "config" } & ConfigBinding)
  | ({ readonly kind: "resource" } & ResourceBinding)
  | ({ readonly kind: "literal" } & LiteralBinding);

export type BindingKind = ReadBinding["kind"];

const KINDS = new Map<string, BindingKind>([
  ["$path", "path"],
  ["$cel", "cel"],
  ["$text", "text"],
  ["$secret", "secret"],
  ["$config", "config"],
  ["$resource", "resource"],
  ["$literal", "literal"],
]);

/** The members that make an object a binding. */
export const BINDING_MEMBERS: readonly string[] = [...KINDS.keys()];

/**
 * Reads a value as a binding, without the bindings nested in it. Returns undefined for a literal.
 *
 * @param value - Of a document that `readDocument` has accepted; a malformed binding is read as it is.
 */
export function readBinding(value: Json | undefined): ReadBinding | undefined {
  if (!isObject(value)) return undefined;
  const member = Object.keys(value).find((name) => KINDS.has(name));
  if (member === undefined) return undefined;
  return { kind: KINDS.get(member), ...value } as ReadBinding;
}

/** Returns what is wrong with the form of the binding that a value is; undefined if nothing is, or if it is a literal. */
export function bindingFault(value: JsonObject): string | undefined {
  const binding = readBinding(value);
  if (binding === undefined) return undefined;
  const member = `$${binding.kind}`;
  const others = Object.keys(value).filter(
    (name) => name !== member && !(binding.kind === "path" && name === "default"),
  );
  if (others.length > 0) {
    return `has "${others.join('", "')}" next to "${member}"`;
  }
  const given = value[member];
  if (binding.kind === "literal") return undefined;
  if (binding.kind !== "resource") {
    return typeof given === "string" && given !== ""
      ? undefined
      : `needs text in "${member}", and has ${shown(given)}`;
  }
  return isObject(given) &&
    typeof given["type"] === "string" &&
    typeof given["id"] === "string" &&
    Object.keys(given).length === 2
    ? undefined
    : `needs {"type": …, "id": …} in "$resource", and has ${shown(given)}`;
}

const shown = (value: unknown): string => (JSON.stringify(value) ?? "nothing").slice(0, 60);
