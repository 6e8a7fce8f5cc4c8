/** The client for HTTP requests: Node's own, or `fetch` where it is missing. `imports` of package.json chooses. */

interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** Ends the request, and the reading of its response. */
  readonly signal: AbortSignal;
}

export interface HttpResponse {
  readonly status: number;
  /** The whole body. */
  readonly text: () => Promise<string>;
  /** The body in pieces, as they arrive. A reader that stops closes the connection. */
  readonly pieces: AsyncIterable<string>;
}

/** There is no response, or only a part of one. */
export interface NoResponse {
  readonly cause: Error;
  /** A connection may have been made, so the request may have been carried out. */
  readonly sent: boolean;
}

export interface HttpClient {
  /** @throws TypeError if HTTP can't carry the token. */
  readonly send: (request: HttpRequest) => Promise<HttpResponse | NoResponse>;
  /** Closes idle connections. */
  readonly close: () => void;
}

/** The reason of an abort, or the first of the failures to connect to the addresses of a name. */
export function reasonOf(error: unknown, signal: AbortSignal): Error {
  if (signal.aborted && signal.reason instanceof Error) return signal.reason;
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return error.errors[0];
  return error instanceof Error ? error : new Error(String(error));
}
