/**
 * Requests to a server, and what to do when they fail.
 *
 * Promises:
 *   H1  A request that may be repeated is asked again after a lost connection, or while the server can't reach its
 *       database, with backoff, until an answer comes or the connection closes: a server that restarts is only a pause.
 *   H2  One that may not is asked again only while it is certain that it never arrived, and for a while; so is one
 *       that only reads.
 *   H3  A server that was never reached is reported without a retry.
 */
import type { WebSocket } from "ws";
import { makeHttpClient } from "#http-client";
import { ERROR_CATALOGUE } from "../../core/error-catalogue.ts";
import { type LinkedSignal, linkSignals } from "../../async/linked-signal.ts";
import type { RequestOptions, ServerRequests } from "../../protocol/rooms.ts";
import { ServerUnavailable } from "../../protocol/server-unavailable.ts";
import { Attempts } from "../attempts.ts";
import { type HttpClient, type HttpResponse, type NoResponse, reasonOf } from "./http-client.ts";
import { type Problem, readProblem, toOxbowError } from "./problems.ts";
import { openWebSocket } from "./web-socket.ts";

/** Longer than any answer takes, long polls aside. */
export const ANSWER_WITHIN_MS = 60_000;

/** The same of a request that may be asked again. */
const ASKED_AGAIN_AFTER_MS = 30_000;

/** For as long as a stream is open. */
const ENDLESS_MS = 2 ** 30;

/** The server, or its database, is stopping or starting. */
const AWAY = new Set([502, 503, 504]);

/** The server rejects the token. */
const REFUSED = new Set([401, 403]);

export const notWithin = (ms: number): Error =>
  Object.assign(new Error(`No answer within ${Math.ceil(ms / 1_000)} s`), { code: "ETIMEDOUT" });

interface OpenAnswer extends LinkedSignal {
  readonly response: HttpResponse;
}

export class HttpConnection implements ServerRequests {
  readonly #client: HttpClient;
  /** Origin of the server's url. */
  readonly #origin: string;
  readonly #path: string;
  readonly #target: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #closing = new AbortController();
  #everConnected = false;

  constructor(url: string, token: string | undefined) {
    const { origin, pathname, host } = new URL(url);
    this.#client = makeHttpClient(origin);
    this.#origin = origin;
    this.#path = pathname.replace(/\/$/, "");
    this.#target = `the server at ${host}`;
    this.#headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  }

  /** Aborts when the connection closes. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  close(): void {
    this.#closing.abort(new Error("The client was closed."));
    this.#client.close();
  }

  /** The answer's JSON. */
  async ask<Answer>(path: string, options: RequestOptions = {}): Promise<Answer> {
    return (await this.askWithStatus(path, options)).answer as Answer;
  }

  /** The answer's JSON, and its status. */
  async askWithStatus(
    path: string,
    options: RequestOptions = {},
  ): Promise<{ status: number; answer: unknown }> {
    const { status, text } = await this.untilAnswered(options, () => this.#read(path, options));
    return { status, answer: text === "" ? undefined : JSON.parse(text) };
  }

  /** The answer's text, in pieces as they arrive; ends with the connection. */
  async stream(path: string, options: RequestOptions = {}): Promise<AsyncIterable<string>> {
    const endless = { ...options, waitMs: ENDLESS_MS };
    return piecesOf(await this.untilAnswered(endless, () => this.#open(path, endless)));
  }

  /** A WebSocket; undefined if the server, or a proxy, refuses it. */
  async openSocket(path: string, protocol: string): Promise<WebSocket | undefined> {
    const socket = await openWebSocket(`${this.#origin}${this.#path}${path}`, {
      protocol,
      headers: this.#headers,
      closing: this.closing,
    });
    if (socket !== undefined) this.#everConnected = true;
    return socket;
  }

  /** Repeats a request as H1 to H3 say. */
  async untilAnswered<Answer extends object>(
    options: RequestOptions,
    send: () => Promise<Answer | NoResponse>,
  ): Promise<Answer> {
    const attempts = new Attempts({
      target: this.#target,
      isRepeatable: options.repeatable === true,
      signals: [this.closing, options.giveUp],
    });
    for (;;) {
      const answer = await send();
      if (!("cause" in answer)) return answer;
      const { cause, sent } = answer;
      options.signal?.throwIfAborted();
      const isRefused = cause instanceof ServerUnavailable && cause.why === "refused";
      await attempts.next({
        cause,
        sent,
        isHarmless: !sent || options.isRead === true || options.method === "GET",
        isFinal: isRefused || !this.#everConnected,
      });
    }
  }

  /** The whole answer, which may break off. */
  async #read(
    path: string,
    options: RequestOptions,
  ): Promise<{ readonly status: number; readonly text: string } | NoResponse> {
    const opened = await this.#open(path, options);
    if ("cause" in opened) return opened;
    const { response, signal, unlink } = opened;
    try {
      return { status: response.status, text: await response.text() };
    } catch (error) {
      return { cause: reasonOf(error, signal), sent: true };
    } finally {
      unlink();
    }
  }

  /** The answer, once it is known to be a good one; it is unlinked when it has been read. */
  async #open(path: string, options: RequestOptions): Promise<OpenAnswer | NoResponse> {
    const { method = "POST", body, headers, signal, waitMs = 0, onSent } = options;
    const mayBeRepeated = options.repeatable === true || options.isRead === true;
    const withinMs = (mayBeRepeated ? ASKED_AGAIN_AFTER_MS : ANSWER_WITHIN_MS) + waitMs;
    const linked = linkSignals([this.closing, signal], {
      ms: withinMs,
      reason: notWithin(withinMs),
      keepsAlive: false,
    });
    onSent?.();
    let response: HttpResponse | NoResponse;
    try {
      response = await this.#client.send({
        method,
        path: `${this.#path}${path}`,
        headers: {
          ...this.#headers,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        body,
        signal: linked.signal,
      });
    } catch (error) {
      linked.unlink();
      throw error;
    }
    if ("cause" in response) {
      linked.unlink();
      return response;
    }
    this.#everConnected = true;
    if (response.status >= 200 && response.status < 300) return { response, ...linked };
    let text: string;
    try {
      text = await response.text();
    } catch (error) {
      return { cause: reasonOf(error, linked.signal), sent: true };
    } finally {
      linked.unlink();
    }
    return this.refused(readProblem(response.status, text));
  }

  /** A problem that may pass. @throws The error of any other one. */
  refused(problem: Problem): NoResponse {
    const isAway = AWAY.has(problem.status) && problem.code !== "NOT_INSTALLED";
    if (isAway && problem.sqlstate === undefined) {
      return { cause: new ServerUnavailable("busy", problem), sent: true };
    }
    // Not if the caller may ask, and it is the request that is refused.
    if (REFUSED.has(problem.status) && !Object.hasOwn(ERROR_CATALOGUE, problem.code)) {
      return { cause: new ServerUnavailable("refused", problem), sent: false };
    }
    throw toOxbowError(problem, this.#target);
  }
}

async function* piecesOf({ response, signal, unlink }: OpenAnswer): AsyncGenerator<string, void> {
  try {
    yield* response.pieces;
  } catch (error) {
    throw reasonOf(error, signal);
  } finally {
    unlink();
  }
}
