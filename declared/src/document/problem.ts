import { present } from "./json.ts";

/** A place in the text of an expression, in UTF-16 units; `end` is exclusive. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** Something in a document that is wrong (`error`) or suspicious (`warning`). Only errors prevent publishing. */
export interface Problem {
  /** Upper case with underscores, such as `UNKNOWN_NODE`. Stable. */
  readonly code: string;
  readonly severity: "error" | "warning";
  /** Id of the node that has the problem, if it belongs to one. */
  readonly node?: string;
  /** Where it is in the document, as a JSON Pointer (RFC 6901). */
  readonly pointer: string;
  /** The part of the text at `pointer`. Absent for the whole value. */
  readonly range?: TextRange;
  /** Describes the problem, and names the value. */
  readonly message: string;
  /** Describes the remedy. */
  readonly hint: string;
}

/** Returns the id of the node that a pointer leads into. */
export function nodeAt(pointer: string): string | undefined {
  return /^\/nodes\/([^/]+)/.exec(pointer)?.[1];
}

/** Makes a problem of severity `error`, whose node is that of the pointer. */
export function errorAt(pointer: string, code: string, message: string, hint: string): Problem {
  return { code, severity: "error", ...present({ node: nodeAt(pointer) }), pointer, message, hint };
}
