/**
 * The calls of a worker that carry many runs, over one WebSocket to the server.
 *
 * Promises:
 *   K1  Calls share the WebSocket, and are answered in any order.
 *   K2  One that is lost, or that a stopping server has closed, fails the calls under way as a lost request does; the next
 *       call opens another one.
 *   K3  Without a WebSocket, because the server is older, a proxy blocks it, or the server is away, calls are
 *       requests, like those of other clients. Pauses between attempts to open one double, up to five minutes.
 *   K4  While a call waits, the server is pinged. A WebSocket on which nothing comes for two intervals is lost: a machine
 *       that is gone, or a firewall that forgets, sends no error.
 */
import type { WebSocket } from "ws";
import { startTimer } from "../../../async/timer.ts";
import {
  RELAY_PATH,
  RELAY_PROTOCOL,
  type RelayedAnswer,
  type RelayedCall,
} from "../../../protocol/relay.ts";
import type { RequestOptions } from "../../../protocol/rooms.ts";
import { ANSWER_WITHIN_MS, type HttpConnection, notWithin } from "../connection.ts";
import type { NoResponse } from "../http-client.ts";
import { readProblem } from "../problems.ts";

interface Answered {
  /** Undefined if the call was not made. */
  readonly answer: unknown;
}

type CallOptions = Pick<RequestOptions, "repeatable" | "onSent" | "giveUp">;

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 5 * 60_000;
const PING_EVERY_MS = 5_000;

export class RelayLine {
  readonly #connection: HttpConnection;
  #line: Promise<Line | undefined> | undefined;
  /** K3. */
  #pauseMs = 0;
  #pausedUntil = 0;

  constructor(connection: HttpConnection) {
    this.#connection = connection;
  }

  /**
   * The answer; undefined if it has to be a request.
   *
   * @param makeBody Called only if there is a WebSocket. Returns undefined for a call that has to be a request in any
   *   case.
   */
  async ask<Answer>(
    call: RelayedCall["call"],
    makeBody: () => RelayedCall["body"] | undefined,
    options: CallOptions,
  ): Promise<Answer | undefined> {
    const { answer } = await this.#connection.untilAnswered<Answered>(options, () =>
      this.#askOnce(call, makeBody, options),
    );
    return answer as Answer | undefined;
  }

  async #askOnce(
    call: RelayedCall["call"],
    makeBody: () => RelayedCall["body"] | undefined,
    { onSent }: CallOptions,
  ): Promise<Answered | NoResponse> {
    const line = await (this.#line ?? this.#open());
    const body = line && makeBody();
    if (line === undefined || body === undefined) return { answer: undefined };
    onSent?.();
    return line.ask(call, body);
  }

  #open(): Promise<Line | undefined> | undefined {
    if (performance.now() < this.#pausedUntil) return undefined;
    this.#line = this.#tryToOpen();
    return this.#line;
  }

  async #tryToOpen(): Promise<Line | undefined> {
    const socket = await this.#connection.openSocket(RELAY_PATH, RELAY_PROTOCOL);
    const forget = (): void => {
      this.#line = undefined;
    };
    if (socket === undefined) {
      forget();
      this.#pauseMs = Math.min(Math.max(FIRST_PAUSE_MS, 2 * this.#pauseMs), LONGEST_PAUSE_MS);
      this.#pausedUntil = performance.now() + this.#pauseMs;
      return undefined;
    }
    this.#pauseMs = 0;
    return new Line(socket, this.#connection, forget);
  }
}

/** One WebSocket. */
class Line {
  readonly #socket: WebSocket;
  readonly #connection: HttpConnection;
  readonly #calls = new Map<number, (answer: RelayedAnswer | NoResponse) => void>();
  #lastId = 0;
  #lostBecause: Error | undefined;
  /** K4. */
  #isWatched = false;
  #isHeard = true;

  constructor(socket: WebSocket, connection: HttpConnection, onEnd: () => void) {
    this.#socket = socket;
    this.#connection = connection;
    socket.on("message", (data: Buffer) => this.#read(data));
    socket.on("pong", () => {
      this.#isHeard = true;
    });
    socket.on("error", (error) => {
      this.#lostBecause ??= error;
    });
    socket.once("close", () => {
      onEnd();
      const cause = this.#lostBecause ?? new Error("The server has closed the WebSocket");
      for (const settle of this.#calls.values()) settle({ cause, sent: true });
      this.#calls.clear();
    });
  }

  async ask(call: RelayedCall["call"], body: RelayedCall["body"]): Promise<Answered | NoResponse> {
    if (this.#socket.readyState !== this.#socket.OPEN) {
      return { cause: new Error("The WebSocket is closing"), sent: false };
    }
    this.#lastId += 1;
    const id = this.#lastId;
    const stopTimer = startTimer(ANSWER_WITHIN_MS, () => this.#lose(notWithin(ANSWER_WITHIN_MS)), {
      keepsAlive: false,
    });
    const answer = await new Promise<RelayedAnswer | NoResponse>((resolve) => {
      this.#calls.set(id, resolve);
      this.#socket.send(JSON.stringify({ id, call, body } satisfies RelayedCall));
      this.#watch();
    });
    stopTimer();
    return this.#toAnswered(answer);
  }

  #toAnswered(answer: RelayedAnswer | NoResponse): Answered | NoResponse {
    if ("cause" in answer) return answer;
    if (answer.problem === undefined) return { answer: answer.answer };
    const { status } = answer.problem as { readonly status: number };
    return this.#connection.refused(readProblem(status, JSON.stringify(answer.problem)));
  }

  #watch(): void {
    if (this.#isWatched) return;
    this.#isWatched = true;
    // What this process had no time to read yet is read before the immediate.
    startTimer(PING_EVERY_MS, () => void setImmediate(() => this.#look()), { keepsAlive: false });
  }

  #look(): void {
    this.#isWatched = false;
    if (this.#calls.size === 0 || this.#socket.readyState !== this.#socket.OPEN) return;
    if (!this.#isHeard) {
      this.#lose(notWithin(PING_EVERY_MS));
      return;
    }
    this.#isHeard = false;
    this.#socket.ping();
    this.#watch();
  }

  #read(data: Buffer): void {
    this.#isHeard = true;
    let answer: RelayedAnswer;
    try {
      answer = JSON.parse(data.toString()) as RelayedAnswer;
    } catch (error) {
      this.#lose(error as Error);
      return;
    }
    const settle = this.#calls.get(answer.id);
    this.#calls.delete(answer.id);
    settle?.(answer);
  }

  #lose(because: Error): void {
    this.#lostBecause ??= because;
    this.#socket.terminate();
  }
}
