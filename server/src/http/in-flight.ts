/** The requests in flight, for which a stopping server waits. */
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

export class InFlight {
  /** A response that waits behind another one of its connection reports no end if the connection is lost. */
  readonly #responses = new Map<Socket, Set<ServerResponse>>();
  #onEmpty: (() => void) | undefined;

  add(response: ServerResponse): void {
    const { socket } = response.req;
    const responses = this.#responses.get(socket) ?? this.#watch(socket);
    responses.add(response);
    response.once("close", () => {
      responses.delete(response);
      this.#check();
    });
  }

  /** Resolves when no request is in flight, or after a time. */
  async drained(withinMs: number): Promise<void> {
    if (this.#isEmpty()) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, withinMs);
      this.#onEmpty = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #watch(socket: Socket): Set<ServerResponse> {
    const responses = new Set<ServerResponse>();
    this.#responses.set(socket, responses);
    socket.once("close", () => {
      this.#responses.delete(socket);
      this.#check();
    });
    return responses;
  }

  #check(): void {
    if (this.#onEmpty !== undefined && this.#isEmpty()) this.#onEmpty();
  }

  #isEmpty(): boolean {
    return [...this.#responses.values()].every(({ size }) => size === 0);
  }
}
