/** The events with which replaced waits are answered: sent from outside the body, and known until they have arrived. */
import type { WorkflowClient } from "../client/client.ts";
import { outsideBody } from "./chance.ts";

export class ReplacedEvents {
  readonly #client: Pick<WorkflowClient, "signal">;
  readonly #onTheWay = new Set<Promise<void>>();
  #failure: { readonly error: unknown } | undefined;

  constructor(client: Pick<WorkflowClient, "signal">) {
    this.#client = client;
  }

  get areOnTheWay(): boolean {
    return this.#onTheWay.size > 0;
  }

  send(runId: string, generation: number, step: string, event: string, payload: unknown): void {
    const deduplicationId = `oxbow-test ${generation} ${step}`;
    const sent = outsideBody(async () => {
      try {
        await this.#client.signal(runId, event, payload, { deduplicationId });
      } catch (error) {
        this.#failure ??= { error };
      }
    });
    this.#onTheWay.add(sent);
    void sent.then(() => this.#onTheWay.delete(sent));
  }

  async arrived(): Promise<void> {
    await Promise.all(this.#onTheWay);
  }

  /** Throws once if an event could not be sent. */
  check(): void {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure.error;
  }
}
