/** The sockets of connections, to close them by force: a server that is gone doesn't answer a regular close. */
import { Socket } from "node:net";

export class Sockets {
  readonly #open = new Set<Socket>();

  /** One more, for the driver to connect. */
  readonly make = (): Socket => {
    const socket = new Socket();
    this.#open.add(socket);
    socket.once("close", () => void this.#open.delete(socket));
    return socket;
  };

  /** Closes them all at once; calls that wait for an answer fail. */
  destroy(): void {
    for (const socket of this.#open) socket.destroy();
  }
}
