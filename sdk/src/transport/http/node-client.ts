/**
 * Requests over kept connections, by Node's own client: a request takes a quarter of the CPU that `fetch` takes on Node 20,
 * most of which goes into web streams and copies of signals.
 */
import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import type { Socket } from "node:net";
import { urlToHttpOptions } from "node:url";
import { startTimer } from "../../async/timer.ts";
import { type HttpClient, reasonOf } from "./http-client.ts";

/** Servers and proxies close idle connections after 5 seconds or later: before that, this end does. */
const IDLE_MS = 4_000;

/** As browsers and `fetch` on Node have it. */
const CONNECT_WITHIN_MS = 10_000;

/** @param origin `http://…` or `https://…`. */
export function makeHttpClient(origin: string): HttpClient {
  const url = new URL(origin);
  const { hostname, port } = urlToHttpOptions(url);
  const library = url.protocol === "https:" ? https : http;
  const agent = new library.Agent({ keepAlive: true, timeout: IDLE_MS });
  return {
    close: () => agent.destroy(),
    send: ({ method, path, headers, body, signal }) =>
      new Promise((resolve) => {
        const connection = new Connection();
        const options = { hostname, port, agent, method, path, headers, signal };
        const request = library.request(options);
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
          resolve({ cause: reasonOf(error, signal), sent: connection.isMade });
        });
        request.end(body);
      }),
  };
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
