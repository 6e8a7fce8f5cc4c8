/**
 * Time limits of connections.
 *
 * Promises, with or without a token:
 *   C1  A request whose headers are not complete within `headersMs`, or that is not complete within `requestMs`, is
 *       answered 408, and the connection is closed. A connection that sends nothing counts as a request.
 *   C2  A request that is answered before its body is complete has `lateBodyMs` for the rest.
 *   C3  A connection without a request is closed after `idleMs`.
 *   C4  Responses have no time limit, because long polls and streams are responses.
 *   C5  A client that reads nothing of what waits for it for `unreadMs` is disconnected. Slow ones are not.
 */
import type { ServerOptions, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { STATUS_CODES } from "node:http";
import type { FastifyRequest } from "fastify";
import { type Described, toProblem } from "./problems.ts";

export interface RequestTimeouts {
  /** Default 10 s. */
  readonly headersMs?: number;
  /** Headers and body. Default 60 s. */
  readonly requestMs?: number;
  /** For the rest of a body whose request has been answered. Default 5 s. */
  readonly lateBodyMs?: number;
  /** Between two requests; longer than proxies keep connections. Default 65 s. */
  readonly idleMs?: number;
  /** Without reading anything of what was sent. Default 10 s. */
  readonly unreadMs?: number;
}

const DEFAULTS: Required<RequestTimeouts> = {
  headersMs: 10_000,
  requestMs: 60_000,
  lateBodyMs: 5_000,
  idleMs: 65_000,
  unreadMs: 10_000,
};
const LONGEST_CHECK_MS = 1_000;

export const withDefaults = (given: RequestTimeouts): Required<RequestTimeouts> => ({
  ...DEFAULTS,
  ...given,
});

/** Options of Fastify. */
export function serverTimeouts({ headersMs, requestMs, idleMs }: Required<RequestTimeouts>): {
  readonly requestTimeout: number;
  readonly keepAliveTimeout: number;
  readonly http: ServerOptions;
} {
  return {
    requestTimeout: requestMs,
    keepAliveTimeout: idleMs,
    http: {
      requestTimeout: requestMs,
      headersTimeout: Math.min(headersMs, requestMs),
      connectionsCheckingInterval: Math.min(LONGEST_CHECK_MS, headersMs),
    },
  };
}

/** C2. Called after the response. */
export function limitLateBody({ raw }: FastifyRequest, lateBodyMs: number): void {
  if (raw.complete || raw.destroyed) return;
  const timer = setTimeout(() => void raw.socket.destroy(), lateBodyMs);
  const clear = (): void => clearTimeout(timer);
  // A request whose connection is lost closes too; one that was injected only ends.
  raw.once("end", clear).once("close", clear).resume();
}

/** Answers bytes that Node can't parse as a request. */
export function answerClientError(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || socket.destroyed) return;
  // During a response, a second one would be read as part of it.
  const answer = Reflect.get(socket, "_httpMessage") as ServerResponse | null | undefined;
  const isAnswering = answer?.headersSent === true;
  if (socket.writable && !isAnswering) {
    const problem = toProblem(describe(error.code ?? ""), "");
    const body = JSON.stringify(problem);
    socket.write(
      [
        `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status] ?? ""}`,
        "content-type: application/problem+json",
        `content-length: ${Buffer.byteLength(body)}`,
        "connection: close",
        "",
        body,
      ].join("\r\n"),
    );
  }
  socket.destroySoon();
}

function describe(code: string): Described {
  switch (code) {
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return {
        code: "REQUEST_TIMEOUT",
        detail: "The request was not complete in time.",
      };
    case "HPE_HEADER_OVERFLOW":
      return {
        code: "HEADERS_TOO_LARGE",
        detail: "Path, query and headers together are longer than 16 KiB.",
      };
    default:
      return { code: "INVALID_REQUEST", detail: "This is not a request of HTTP/1.1." };
  }
}
