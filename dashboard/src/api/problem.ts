/** A refusal by the server, as RFC 9457 has it. */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, detail: string) {
    super(detail);
    this.name = "Problem";
    this.status = status;
    this.code = code;
  }
}

/** @param body The parsed answer, which may come from a proxy rather than from the server. */
export function toProblem({ status, statusText }: Response, body: unknown): Problem {
  const { code, detail } = (typeof body === "object" && body !== null ? body : {}) as {
    readonly code?: unknown;
    readonly detail?: unknown;
  };
  return new Problem(
    status,
    typeof code === "string" ? code : "UNKNOWN",
    typeof detail === "string" ? detail : `The server answered ${status} ${statusText}`.trim(),
  );
}

export const messageOf = (error: unknown): string =>
  error instanceof TypeError
    ? "The server can't be reached. Check that it runs, and that this machine has a connection."
    : error instanceof Error
      ? error.message
      : String(error);
