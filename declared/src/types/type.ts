/**
 * Types of values, as a lattice made from JSON Schema: `unknown` is above all others, and accepted everywhere, since
 * schemas say more than types can, and are checked when the value exists.
 */
export type Type =
  | { readonly kind: "unknown" | "null" | "boolean" | "integer" | "number" | "time" | "duration" }
  | TextType
  | ListType
  | ObjectType
  | UnionType;

export interface TextType {
  readonly kind: "text";
  /** The only texts that are possible. */
  readonly values?: readonly string[];
}

export interface ListType {
  readonly kind: "list";
  readonly of: Type;
}

export interface ObjectType {
  readonly kind: "object";
  readonly members: ReadonlyMap<string, Member>;
  /** The type of members that have no name here; undefined if they can't exist. */
  readonly others: Type | undefined;
}

export interface Member {
  readonly type: Type;
  readonly presence: Presence;
}

/** Whether a member exists. Where it may not, the reason and the remedy are for the author of the document. */
export type Presence =
  | { readonly kind: "always" }
  | {
      readonly kind: "sometimes" | "never";
      /** Code for a name that doesn't exist at all. */
      readonly code?: "UNKNOWN_NODE" | "UNKNOWN_CONFIG";
      readonly reason?: string;
      readonly hint?: string;
    };

/** A union of at least two types, or an empty one, which has no value. */
export interface UnionType {
  readonly kind: "union";
  readonly of: readonly Type[];
}

export const UNKNOWN: Type = { kind: "unknown" };
export const NULL: Type = { kind: "null" };
export const BOOLEAN: Type = { kind: "boolean" };
export const INTEGER: Type = { kind: "integer" };
export const NUMBER: Type = { kind: "number" };
export const TEXT: TextType = { kind: "text" };
export const TIME: Type = { kind: "time" };
export const DURATION: Type = { kind: "duration" };
/** The type of items that don't exist. */
export const NEVER: UnionType = { kind: "union", of: [] };
export const ALWAYS: Presence = { kind: "always" };
export const SOMETIMES: Presence = { kind: "sometimes" };

export const listOf = (of: Type): ListType => ({ kind: "list", of });

/** An object whose members all exist, and no others. */
export function objectOf(members: Readonly<Record<string, Type>>): ObjectType {
  return {
    kind: "object",
    members: new Map(
      Object.entries(members).map(([name, type]) => [name, { type, presence: ALWAYS }]),
    ),
    others: undefined,
  };
}

/** The alternatives of a type; a type that is no union is its only one. */
export function alternativesOf(type: Type): readonly Type[] {
  return type.kind === "union" ? type.of : [type];
}

/** The smallest type of the lattice above some types. */
export function unionOf(types: readonly Type[]): Type {
  const [first] = types;
  if (types.length === 1 && first !== undefined && first.kind !== "union") return first;
  const all = types.flatMap(alternativesOf);
  if (all.some(({ kind }) => kind === "unknown")) return UNKNOWN;
  const hasNumber = all.some(({ kind }) => kind === "number");
  const simple = new Map<string, Type>();
  const lists: Type[] = [];
  const objects: Type[] = [];
  for (const type of all) {
    if (type.kind === "list") lists.push(type.of);
    else if (type.kind === "object") objects.push(type);
    else if (type.kind === "text") simple.set("text", mergedText(simple.get("text"), type));
    else if (type.kind !== "integer" || !hasNumber) simple.set(type.kind, type);
  }
  const merged = [
    ...simple.values(),
    ...(lists.length === 0 ? [] : [listOf(unionOf(lists))]),
    ...distinct(objects),
  ];
  const [only] = merged;
  return merged.length === 1 && only !== undefined ? only : { kind: "union", of: merged };
}

function mergedText(known: Type | undefined, more: TextType): TextType {
  if (known?.kind !== "text") return more;
  if (known.values === undefined || more.values === undefined) return TEXT;
  return { kind: "text", values: [...new Set([...known.values, ...more.values])] };
}

/** Equal objects are one; many different ones are any object. */
function distinct(objects: readonly Type[]): readonly Type[] {
  if (objects.length < 2) return objects;
  const unique = new Map(objects.map((type) => [describe(type), type]));
  return unique.size <= MOST_OBJECTS ? [...unique.values()] : [anyObject()];
}

const MOST_OBJECTS = 8;

const anyObject = (): ObjectType => ({ kind: "object", members: new Map(), others: UNKNOWN });

/** Without the alternative null. */
export function withoutNull(type: Type): Type {
  if (type.kind !== "union") return type;
  return unionOf(type.of.filter(({ kind }) => kind !== "null"));
}

/** Plain English, for messages: `a list of text`, `a number or null`. */
export function describe(type: Type, depth = 0): string {
  switch (type.kind) {
    case "unknown":
      return "any value";
    case "null":
    case "time":
    case "duration":
    case "boolean":
    case "number":
      return type.kind === "null" ? "null" : `a ${type.kind}`;
    case "integer":
      return "a whole number";
    case "text":
      return type.values === undefined ? "text" : describeValues(type.values);
    case "list":
      return describeList(type, depth);
    case "object":
      return describeObject(type, depth);
    case "union":
      return type.of.length === 0
        ? "no value"
        : type.of.map((each) => describe(each, depth + 1)).join(" or ");
    default:
      return type satisfies never;
  }
}

function describeValues(values: readonly string[]): string {
  const shown = values.slice(0, 5).map((value) => JSON.stringify(value.slice(0, 40)));
  return `${shown.join(" or ")}${values.length > 5 ? " or others" : ""}`;
}

function describeList({ of }: ListType, depth: number): string {
  if (of.kind === "unknown" || depth > 1) return "a list";
  if (of.kind === "union" && of.of.length === 0) return "an empty list";
  if (of.kind === "number" || of.kind === "boolean" || of.kind === "time") {
    return `a list of ${of.kind}s`;
  }
  return of.kind === "integer" ? "a list of whole numbers" : `a list of ${describe(of, depth + 1)}`;
}

function describeObject({ members }: ObjectType, depth: number): string {
  if (members.size === 0 || depth > 1) return "an object";
  const names = [...members].map(([name, { presence }]) =>
    presence.kind === "always" ? name : `${name}?`,
  );
  return `an object with ${names.slice(0, 6).join(", ")}${names.length > 6 ? ", …" : ""}`;
}
