/** Failures of nodes, as bindings read them: `nodes.<id>.error`. */
import type { JsonObject } from "../document/json.ts";
import { storable } from "../document/storable.ts";

export interface NodeFailure extends JsonObject {
  /** Stable, such as `EXPRESSION_FAILED`; `ERROR` for an error without a code. */
  readonly code: string;
  readonly message: string;
}

interface ErrorFacts {
  readonly name?: unknown;
  readonly message?: unknown;
  readonly code?: unknown;
  readonly cause?: unknown;
}

/** Errors that only carry another one: of the step that failed, and of the decision whether and when to retry it. */
const WRAPPERS = new Set<unknown>(["STEP_FAILED", "NON_RETRIABLE", "RETRY_AFTER"]);

/**
 * Returns what bindings see of an error.
 *
 * @param carriers Codes of further errors that only carry another one.
 */
export function failureOf(error: unknown, carriers: readonly string[] = []): NodeFailure {
  const { code, message } = factsOf(unwrapped(error, carriers));
  return {
    code: typeof code === "string" && code !== "" ? code : "ERROR",
    // Decisions journal it, and it may show the beginning of a text of any characters.
    message: storable(typeof message === "string" ? message : String(error)),
  };
}

/** An error with the code by which documents name it. */
export const coded = (name: string, code: string, message: string, options?: ErrorOptions): Error =>
  Object.assign(new Error(message, options), { name, code });

/** The code by which `retry.only` and `retry.never` choose. */
export function codeOf(error: unknown): string {
  return failureOf(error).code;
}

function unwrapped(error: unknown, carriers: readonly string[]): unknown {
  const { code, cause } = factsOf(error);
  const carries = WRAPPERS.has(code) || carriers.includes(String(code));
  return carries && cause !== undefined ? unwrapped(cause, carriers) : error;
}

const factsOf = (error: unknown): ErrorFacts =>
  typeof error === "object" && error !== null ? error : {};

/** A run whose graph failed by a node. */
export class NodeFailed extends Error {
  readonly code = "NODE_FAILED";
  /** Path of the node, such as `pack.17.reserve`. */
  readonly node: string;
  readonly failure: NodeFailure;

  /** @param step The step that failed: a retry of the run repeats it. Undefined if an expression failed. */
  constructor(node: string, failure: NodeFailure, step?: { runId: string; path: string }) {
    super(`Node "${node}" failed: ${failure.message}`, { cause: errorOf(failure, step) });
    this.name = "NodeFailed";
    this.node = node;
    this.failure = failure;
  }
}

/** As code that throws the error of a step again, so that the run names the step alike. */
function errorOf(
  { code, message }: NodeFailure,
  step?: { readonly runId: string; readonly path: string },
): Error {
  if (step === undefined) return Object.assign(new Error(message), { code });
  const cause = new Error(`Step "${step.path}" of run ${step.runId} failed.`);
  Object.assign(cause, { name: "StepFailed", code: "STEP_FAILED" });
  return Object.assign(new Error(message, { cause }), { code });
}
