/** The requests in flight, for which a stopping server waits. */
import type { ServerResponse } from "node:http";

export class InFlight {
  readonly #responses = new Set<ServerResponse>();
  #onEmpty: (() => void) | undefined;

  add(response: ServerResponse): void {
    this.#responses.add(response);
    response.once("close", () => {
      this.#responses.delete(response);
      if (this.#responses.size === 0) this.#onEmpty?.();
    });
  }

  /** Resolves when no request is in flight, or after a time. */
  async drained(withinMs: number): Promise<void> {
    if (this.#responses.size === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, withinMs);
      this.#onEmpty = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
