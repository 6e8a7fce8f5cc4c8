/** The sockets beneath connections, for the end: a server that is gone without a word answers no goodbye either. */
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

  /** Ends them all at once; whoever waits for an answer learns that none will come. */
  destroy(): void {
    for (const socket of this.#open) socket.destroy();
  }
}
