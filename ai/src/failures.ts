/**
 * Errors of models, as steps take them and as the AI SDK expects them.
 *
 *   F1  What the provider marks as retriable is retried, after the delay of its `Retry-After`. An error that no retry
 *       can help fails the step immediately, if every model has failed with one; any other has the attempts of the step.
 *   F2  A failed call rejects with an `APICallError` again, with message and status: the journal keeps no more. It is not
 *       retriable, since the step has had its attempts.
 */
import { NonRetriableError, RetryAfterError, StepFailed } from "@oxbow/sdk/runtime";
import { APICallError } from "ai";

/** The model ended its answer without a finish part: the connection was cut, or the provider is broken. */
export class IncompleteAnswer extends Error {
  override readonly name: string = "IncompleteAnswer";
}

/** The model sent nothing for longer than `silence`. */
export class SilentModel extends Error {
  override readonly name: string = "SilentModel";
}

/** A run has used up its budget, and people have refused more, or not decided in time. */
export class BudgetExceeded extends NonRetriableError {
  override readonly name: string = "BudgetExceeded";
}

/** Errors of the program or its settings. */
const PERMANENT = new Set([
  "AI_InvalidArgumentError",
  "AI_InvalidPromptError",
  "AI_LoadAPIKeyError",
  "AI_LoadSettingError",
  "AI_NoSuchModelError",
  "AI_TooManyEmbeddingValuesForCallError",
  "AI_UnsupportedFunctionalityError",
]);

/**
 * Returns the error that a callback throws for the last one of a round, in which each model is asked once.
 *
 * @param round The errors of this round that are known: those before the death of a worker are not.
 * @param models How many models the round has.
 * @param next Whether another one of them is tried immediately.
 */
export function toThrown(round: readonly unknown[], models: number, next: boolean): unknown {
  const error = round.at(-1);
  const cause = withStatus(error);
  const message = cause instanceof Error ? cause.message : String(error);
  if (next) return new RetryAfterError(0, message, { cause });
  if (round.length === models && round.every(isPermanent)) {
    return new NonRetriableError(message, { cause });
  }
  const delaysMs = round.map(retryAfterMs).filter((delayMs) => delayMs !== undefined);
  return delaysMs.length === 0
    ? cause
    : new RetryAfterError(Math.max(...delaysMs), message, { cause });
}

function isPermanent(error: unknown): boolean {
  const { name = "", isRetryable } = (error ?? {}) as Partial<APICallError>;
  return isRetryable === false || PERMANENT.has(name);
}

/** The journal keeps the code of an error, and no other field: the status becomes the code. */
function withStatus(error: unknown): unknown {
  const { statusCode } = (error ?? {}) as Partial<APICallError>;
  if (!(error instanceof Error) || typeof statusCode !== "number") return error;
  const { name, message, stack, cause } = error;
  return Object.assign(new Error(message, { cause }), { name, stack, code: String(statusCode) });
}

const LONGEST_DELAY_MS = 24 * 60 * 60 * 1_000;

function retryAfterMs(error: unknown): number | undefined {
  const { responseHeaders: headers } = (error ?? {}) as Partial<APICallError>;
  const ms = Number(headers?.["retry-after-ms"]);
  const after = headers?.["retry-after"] ?? "";
  const seconds = /^[\d.]+$/.test(after) ? Number(after) * 1_000 : Number.NaN;
  const delay = [ms, seconds, Date.parse(after) - Date.now()].find((each) => each >= 0);
  return delay === undefined ? undefined : Math.min(Math.ceil(delay), LONGEST_DELAY_MS);
}

/** The error that the callback of a step threw, from the one that the step rejects with. */
export function causeOf(error: unknown): unknown {
  if (!(error instanceof StepFailed)) return error;
  const thrown = error.cause as Error & { readonly code?: string };
  const isWrapped = thrown.code === "NON_RETRIABLE" || thrown.code === "RETRY_AFTER";
  const cause = (isWrapped ? (thrown.cause ?? thrown) : thrown) as typeof thrown;
  if (cause.name !== "AI_APICallError") return cause;
  const status = Number(cause.code);
  return new APICallError({
    message: cause.message,
    url: "",
    requestBodyValues: {},
    isRetryable: false,
    cause: error,
    ...(Number.isInteger(status) ? { statusCode: status } : {}),
  });
}
