/** The sockets of connections, to close them by force: a server that is gone doesn't answer a regular close. */
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { TargetedSocket, UnansweredSockets } from "./unanswered-sockets.ts";
import type pg from "pg";

/** A TCP or a TLS socket. */
export type Stream = Duplex & { readonly bytesRead?: number; readonly bytesWritten?: number };

export class Sockets {
  readonly #open = new Set<Socket>();
  readonly #unanswered = new UnansweredSockets();

  /** One more, for the driver to connect. */
  readonly make = (): Socket => {
    const socket = new TargetedSocket();
    this.#open.add(socket);
    this.#unanswered.add(socket);
    socket.once("close", () => void this.#open.delete(socket));
    return socket;
  };

  /** Closes them all immediately; calls that wait for an answer fail. */
  destroy(): void {
    for (const socket of this.#open) socket.destroy();
  }
}

/** With an error, so that the driver notices immediately. */
export const cut = (stream: Stream | undefined): void =>
  void stream?.destroy(new Error("Connection terminated: it has fallen silent"));

export const cutConnection = (client: pg.ClientBase): void => cut(streamOf(client));

/** The driver keeps it, and its types don't say so. */
export function streamOf(client: pg.ClientBase): Stream | undefined {
  const connection: unknown = Reflect.get(client, "connection");
  if (typeof connection !== "object" || connection === null) return undefined;
  return Reflect.get(connection, "stream") as Stream | undefined;
}
