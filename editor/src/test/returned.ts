/** The result of a step, from the journal of a test or of any other run. */
export interface Returned {
  readonly input?: unknown;
  readonly output?: unknown;
  readonly error?: { readonly code?: string; readonly message?: string };
  readonly handle?: string;
  readonly log?: readonly { readonly level: string; readonly message: string }[];
  /** `pin` or `sample`: the work was not done. */
  readonly standIn?: "pin" | "sample";
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export function readReturned({
  output,
  error,
  handle: way,
}: {
  readonly output?: unknown;
  readonly error?: unknown;
  readonly handle?: string;
}): Returned {
  if (isRecord(error)) {
    const { cause, message } = error;
    // The error that a handler threw is the cause of the one that is not retried.
    const { code = error["code"] } = isRecord(cause) ? cause : {};
    return {
      error: {
        ...(typeof code === "string" ? { code } : {}),
        message: typeof message === "string" ? message : JSON.stringify(error),
      },
    };
  }
  const kind = isRecord(output) ? output["$test"] : undefined;
  if (isRecord(output) && (kind === "pin" || kind === "sample")) {
    const { input, output: returned, handle } = output;
    return {
      input,
      output: returned,
      ...(typeof handle === "string" ? { handle } : {}),
      standIn: kind,
    };
  }
  return way === undefined ? { output } : { output, handle: way };
}
