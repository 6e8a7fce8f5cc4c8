/** A refusal by the server, as RFC 9457 has it. */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  /** All members of the answer. */
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(
    status: number,
    code: string,
    detail: string,
    facts: Readonly<Record<string, unknown>>,
  ) {
    super(detail);
    this.facts = facts;
    this.name = "Problem";
    this.status = status;
    this.code = code;
  }
}

/** @param body The parsed answer, which may come from a proxy rather than from the server. */
export function toProblem({ status, statusText }: Response, body: unknown): Problem {
  const facts = (typeof body === "object" && body !== null ? body : {}) as Readonly<
    Record<string, unknown>
  >;
  const { code, detail } = facts;
  return new Problem(
    status,
    typeof code === "string" ? code : "UNKNOWN",
    typeof detail === "string" ? detail : `The server answered ${status} ${statusText}`.trim(),
    facts,
  );
}

/** The server has several databases, and what was asked is of one. The answer is always the same. */
export const isRefusedOverShards = (error: unknown): boolean =>
  error instanceof Problem && error.code === "WRONG_SHARD";

export const messageOf = (error: unknown): string =>
  error instanceof TypeError
    ? "The server can't be reached. Check that it runs, and that this machine has a connection."
    : error instanceof Error
      ? error.message
      : String(error);
