/**
 * Limits of expressions. Guards are evaluated for every event and every replay, so the limits depend on the expression
 * and its values, never on time.
 */
export const EXPRESSION_LIMITS = {
  /** UTF-8 bytes of the text. */
  bytes: 4096,
  /** Nodes of the syntax tree. */
  nodes: 500,
  /** Parentheses, lists, maps and calls in each other. */
  depth: 64,
  /** Macros such as `map` in each other. */
  folds: 2,
  /** Evaluated nodes, list items and groups of 16 characters that are compared, copied or searched. */
  cost: 1_000_000,
  /** The same for all expressions that a run evaluates between its steps, and for those of a call or a trigger. */
  together: 50_000_000,
  /** Characters of a pattern of `matches()`. */
  pattern: 500,
  /** Instructions of a compiled pattern: the characters of the text times this is the longest search. */
  patternSize: 2000,
  /** Characters of JSON of a result, and of a text that is put together. */
  result: 1024 * 1024,
} as const;
