/** The cause of a `ConnectionFailed` if the server has answered: it is away for a while, or rejects the token. */
export class ServerUnavailable extends Error {
  override readonly name = "ServerUnavailable";
  /** The HTTP status of the answer. */
  readonly status: number;
  /** The code of the server's problem; `NOT_OXBOW` if something in between has answered. */
  readonly code: string;
  readonly why: "busy" | "refused";

  constructor(
    why: "busy" | "refused",
    { status, code, detail }: { status: number; code: string; detail: string },
  ) {
    super(detail.replace(/\.$/, ""));
    this.why = why;
    this.status = status;
    this.code = code;
  }
}
