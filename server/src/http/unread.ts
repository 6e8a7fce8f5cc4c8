/** Connections whose clients don't read what was sent to them (C5 in slow-clients.ts). */
import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { FastifyBaseLogger } from "fastify";

const LONGEST_CHECK_MS = 1_000;

interface Unread {
  /** Bytes of the write under way that the client has not accepted. */
  readonly left: number;
  readonly since: number;
}

/** Ends connections, WebSockets included, that have accepted nothing of what waits for them for `unreadMs`. */
export function endUnread(server: Server, unreadMs: number, log: FastifyBaseLogger): void {
  const sockets = new Map<Socket, Unread | undefined>();
  server.on("connection", (socket: Socket) => {
    sockets.set(socket, undefined);
    socket.once("close", () => void sockets.delete(socket));
  });
  const timer = setInterval(
    () => {
      const now = performance.now();
      for (const [socket, known] of sockets) {
        if (socket.writableLength === 0) {
          if (known !== undefined) sockets.set(socket, undefined);
          continue;
        }
        const left = leftOf(socket);
        if (known === undefined || known.left !== left) {
          sockets.set(socket, { left, since: now });
        } else if (now - known.since >= unreadMs) {
          log.info(
            { unsentBytes: socket.writableLength, address: socket.remoteAddress },
            "ended a connection whose client reads nothing",
          );
          // A normal end would wait for the client to read.
          socket.resetAndDestroy();
        }
      }
    },
    Math.min(LONGEST_CHECK_MS, unreadMs / 4),
  ).unref();
  server.once("close", () => clearInterval(timer));
}

/** Node has one write under way at a time, so that this changes only when the client accepts bytes. */
function leftOf(socket: Socket): number {
  const handle = Reflect.get(socket, "_handle") as { readonly writeQueueSize?: number } | null;
  return handle?.writeQueueSize ?? socket.writableLength;
}
