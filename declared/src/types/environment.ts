import type { TextRange } from "../document/problem.ts";
import type { Member, Type } from "./type.ts";

/** The names that an expression can read, with their types. */
export interface Environment {
  readonly variables: ReadonlyMap<string, Member>;
  /** The type of a resource by its type's name; undefined for an unknown name. Absent outside of triggers. */
  readonly resource?: (type: string) => Type | undefined;
}

/** A mistake in an expression or path, before its place in the document is known. */
export interface TypeProblem extends TextRange {
  readonly code: TypeProblemCode;
  /** Only a mistake that fails for all values is an error. */
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly hint: string;
}

export type TypeProblemCode =
  | "UNKNOWN_NAME"
  | "UNKNOWN_NODE"
  | "UNKNOWN_CONFIG"
  | "UNKNOWN_MEMBER"
  | "NEVER_PRESENT"
  | "MAY_BE_MISSING"
  | "MAY_BE_NULL"
  | "TYPE_MISMATCH"
  | "MAY_MISMATCH"
  | "NEVER_EQUAL";
