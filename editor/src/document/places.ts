/** Values in a document by JSON Pointer, read and replaced without changing the document. */
import type { Document, Json } from "@oxbow/declared/check";

/** The steps of a pointer, unescaped. */
export function stepsOf(pointer: string): readonly string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Extends a pointer by a member or an index. */
export function pointerTo(pointer: string, step: string | number): string {
  return `${pointer}/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** The value at a pointer; undefined if it does not exist. */
export function valueAt(document: Document, pointer: string): Json | undefined {
  let at: unknown = document;
  for (const step of stepsOf(pointer)) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, step)) return undefined;
    at = (at as Readonly<Record<string, unknown>>)[step];
  }
  return at as Json | undefined;
}

/** A document with another value at a pointer; undefined removes it. Objects on the way are made. */
export function withValueAt(
  document: Document,
  pointer: string,
  value: Json | undefined,
): Document {
  return replaced(document, stepsOf(pointer), value) as Document;
}

function replaced(at: unknown, [step, ...rest]: readonly string[], value: unknown): unknown {
  if (step === undefined) return value;
  if (Array.isArray(at)) {
    const items = [...(at as readonly unknown[])];
    const index = Number(step);
    if (rest.length === 0 && value === undefined) items.splice(index, 1);
    else items[index] = replaced(items[index], rest, value);
    return items;
  }
  const members = (typeof at === "object" && at !== null ? at : {}) as Record<string, unknown>;
  const { [step]: old, ...others } = members;
  const next = replaced(old, rest, value);
  // A known member keeps its place: documents are read by people as well.
  return next === undefined ? others : { ...members, [step]: next };
}
