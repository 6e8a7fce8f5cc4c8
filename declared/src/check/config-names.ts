/** Which values of the environment a document names. */
import { readBinding } from "../document/binding.ts";
import type { Document } from "../document/document.ts";
import { isObject, type Json } from "../document/json.ts";

export interface ConfigNames {
  readonly names: ReadonlySet<string>;
  /** Whether an expression computes a name, or takes all values. */
  readonly isComputed: boolean;
}

/**
 * In texts that are no expressions, it may find more names than are read, which does no harm. A name ends at the first
 * quote: a search for a later one would take the square of the length of a text.
 */
const READ = /(?<![.\w$])config\b(?:\.([_a-zA-Z]\w*)|\[\s*(["'])((?:(?!\2).)*)\2\s*\])?/g;

/** Lists the names, of which the environment need not have values. */
export function configNamesOf(document: Document): ConfigNames {
  const names = new Set<string>();
  let isComputed = false;
  const visit = (value: Json | undefined): void => {
    if (typeof value === "string") {
      for (const [, member, , index] of value.matchAll(READ)) {
        const name = member ?? index;
        if (name === undefined) isComputed = true;
        else names.add(name);
      }
      return;
    }
    if (typeof value !== "object" || value === null) return;
    const binding = isObject(value) ? readBinding(value) : undefined;
    if (binding?.kind === "literal") return;
    if (binding?.kind === "config") {
      names.add(binding.$config);
      return;
    }
    for (const part of Object.values(value)) visit(part);
  };
  visit(document.nodes as unknown as Json);
  return { names, isComputed };
}
