/**
 * Requests that ask for another protocol. Those for WebSockets go through the same hooks and routes as all others, and are
 * answered like them if there is no WebSocket. Any other upgrade may be ignored (RFC 9110, 7.8), which keeps clients working
 * that offer HTTP/2 with their first request.
 */
import { type IncomingMessage, type Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

export interface Upgradable {
  readonly socket: Socket;
  /** What came after the request. */
  readonly head: Buffer;
}

const upgradable = new WeakMap<IncomingMessage, Upgradable>();

/** The connection of a request for a WebSocket; undefined for other requests. */
export const upgradableOf = (request: IncomingMessage): Upgradable | undefined =>
  upgradable.get(request);

const asksForWebSocket = ({ method, headers }: IncomingMessage): boolean =>
  method === "GET" && headers.upgrade?.toLowerCase() === "websocket";

/** Option of Node's server, from version 24.9 on, which then reads other requests as if they asked for nothing. */
export const upgradeOptions = { shouldUpgradeCallback: asksForWebSocket };

/** @param answer Handles a request. */
export function acceptUpgrades(
  server: Server,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): void {
  server.on("upgrade", (request: IncomingMessage, socket: Socket, head: Buffer) => {
    // Without a listener, an error of the connection would end the process.
    socket.on("error", () => void socket.destroy());
    afterAnswers(socket, () => {
      if (!asksForWebSocket(request)) {
        readAgain(server, request, socket, head);
        return;
      }
      upgradable.set(request, { socket, head });
      const response = new ServerResponse(request);
      response.assignSocket(socket);
      // Node reads no more requests from this connection.
      response.shouldKeepAlive = false;
      // Its client may keep its own side open, and no time limit applies to the connection any more.
      response.once("finish", () => socket.resume().destroySoon());
      answer(request, response);
    });
  });
}

/** Requests before this one may not have been answered yet. */
function afterAnswers(socket: Socket, then: () => void): void {
  if (socket.destroyed) return;
  const answer = Reflect.get(socket, "_httpMessage") as ServerResponse | null | undefined;
  if (answer === null || answer === undefined) then();
  else answer.once("close", () => afterAnswers(socket, then));
}

/** As a connection whose first request asks for nothing. */
function readAgain(server: Server, request: IncomingMessage, socket: Socket, head: Buffer): void {
  const { method, url, httpVersion, rawHeaders } = request;
  const lines = rawHeaders.flatMap((name, index) => {
    const isName = index % 2 === 0;
    return isName && !/^(?:upgrade|connection|http2-settings)$/i.test(name)
      ? [`${name}: ${rawHeaders[index + 1] ?? ""}`]
      : [];
  });
  const isLast = /\bclose\b/i.test(request.headers.connection ?? "");
  const start = [
    `${method} ${url} HTTP/${httpVersion}`,
    ...lines,
    ...(isLast ? ["connection: close"] : []),
    "",
    "",
  ];
  socket.unshift(Buffer.concat([Buffer.from(start.join("\r\n"), "latin1"), head]));
  server.emit("connection", socket);
}
