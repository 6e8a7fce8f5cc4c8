/**
 * Requests over kept connections, by Node's own client: a request takes a quarter of the CPU that `fetch` takes on Node 20,
 * most of which goes into web streams and copies of signals.
 */
import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import type { Socket } from "node:net";
import { urlToHttpOptions } from "node:url";
import { startTimer } from "../../async/timer.ts";

/** Servers and proxies close idle connections after 5 seconds or later: before that, this end does. */
const IDLE_MS = 4_000;

/** As browsers and `fetch` on Node have it. */
const CONNECT_WITHIN_MS = 10_000;

export interface HttpRequest {
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

/** There is no response. */
export class NoResponse extends Error {
  override readonly name = "NoResponse";
  override readonly cause: Error;
  /** A connection had been made, so the request may have been carried out. */
  readonly sent: boolean;

  constructor(cause: Error, sent: boolean) {
    super(cause.message);
    this.cause = cause;
    this.sent = sent;
  }
}

export class HttpClient {
  readonly #library: typeof http | typeof https;
  readonly #agent: http.Agent;
  readonly #server: Pick<http.RequestOptions, "hostname" | "port">;

  /** @param origin `http://…` or `https://…`. */
  constructor(origin: string) {
    const url = new URL(origin);
    const { hostname, port } = urlToHttpOptions(url);
    this.#server = { hostname, port };
    this.#library = url.protocol === "https:" ? https : http;
    this.#agent = new this.#library.Agent({ keepAlive: true, timeout: IDLE_MS });
  }

  /** Closes idle connections. */
  close(): void {
    this.#agent.destroy();
  }

  /** @throws NoResponse */
  send({ method, path, headers, body, signal }: HttpRequest): Promise<HttpResponse> {
    return new Promise((resolve, reject) => {
      const connection = new Connection();
      const request = this.#library.request({
        ...this.#server,
        agent: this.#agent,
        method,
        path,
        headers,
        signal,
      });
      request.once("socket", (socket) =>
        connection.follow(socket, (error) => void request.destroy(error)),
      );
      request.once("response", (response: IncomingMessage) => {
        response.setEncoding("utf8");
        resolve({
          status: response.statusCode ?? 0,
          text: () => textOf(response),
          pieces: response as unknown as AsyncIterable<string>,
        });
      });
      // Also after the response has begun: its reader is told by the response.
      request.on("error", (error) => {
        connection.end();
        reject(new NoResponse(reasonOf(error, signal), connection.isMade));
      });
      request.end(body);
    });
  }
}

/** Whether the connection of a request has been made, within its time. */
class Connection {
  isMade = false;
  #stopTimer: (() => void) | undefined;

  follow(socket: Socket, giveUp: (error: Error) => void): void {
    if (!socket.connecting) {
      this.isMade = true;
      return;
    }
    this.#stopTimer = startTimer(
      CONNECT_WITHIN_MS,
      () => giveUp(new Error(`No connection within ${CONNECT_WITHIN_MS / 1_000} s`)),
      { keepsAlive: false },
    );
    socket.once("encrypted" in socket ? "secureConnect" : "connect", () => {
      this.end();
      this.isMade = true;
    });
  }

  end(): void {
    this.#stopTimer?.();
  }
}

/** Reads by events, which cost less than iterating. */
function textOf(response: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    response.on("data", (piece: string) => {
      text += piece;
    });
    response.once("end", () => resolve(text));
    response.once("error", reject);
  });
}

/** The reason of an abort, or the first of the failures to connect to the addresses of a name. */
export function reasonOf(error: unknown, signal: AbortSignal): Error {
  if (signal.aborted && signal.reason instanceof Error) return signal.reason;
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return error.errors[0];
  return error instanceof Error ? error : new Error(String(error));
}
