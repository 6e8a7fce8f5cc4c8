import { DOCUMENT_SCHEMA } from "./document-schema.ts";
import type { Document } from "./document.ts";
import { isDeeperThan, MAX_DEPTH } from "./json.ts";
import { errorAt, type Problem } from "./problem.ts";
import { checkShape } from "./shape.ts";

/** Largest document, as UTF-8 text of its JSON. */
export const MAX_DOCUMENT_BYTES = 1024 * 1024;

/** A document, or the problems that keep the value from being one. */
export type ReadDocument =
  | { readonly document: Document; readonly problems: readonly [] }
  | { readonly document?: undefined; readonly problems: readonly [Problem, ...Problem[]] };

/**
 * Reads unknown JSON as a document. Checks its shape and the form of its bindings; whether nodes, edges and expressions
 * fit together is for the checker.
 */
export function readDocument(value: unknown): ReadDocument {
  const problems: Problem[] = [];
  checkSize(value, problems);
  if (problems.length === 0) checkShape(DOCUMENT_SCHEMA, value, "", problems);
  const [first, ...others] = problems;
  return first === undefined
    ? { document: value as Document, problems: [] }
    : { problems: [first, ...others] };
}

function checkSize(value: unknown, problems: Problem[]): void {
  if (isDeeperThan(value, MAX_DEPTH)) {
    const message = `the document is nested more than ${MAX_DEPTH} levels deep`;
    problems.push(errorAt("", "TOO_DEEP", message, "Nest it less deeply."));
    return;
  }
  const text = JSON.stringify(value) ?? "";
  // A UTF-16 unit is at most three bytes.
  if (text.length * 3 <= MAX_DOCUMENT_BYTES) return;
  const bytes = new TextEncoder().encode(text).length;
  if (bytes <= MAX_DOCUMENT_BYTES) return;
  const message = `the document has ${bytes} bytes of JSON`;
  const hint = `Use at most ${MAX_DOCUMENT_BYTES} bytes: move a part into a separate workflow.`;
  problems.push(errorAt("", "DOCUMENT_TOO_LARGE", message, hint));
}
