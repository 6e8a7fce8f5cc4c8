/** Webhooks of definitions, straight to the database. */
import { toStorableText, type RoomQueries } from "@oxbow/sdk/internal/rooms";
import type { TriggerHook, TriggerHookTransport } from "../../../protocol/triggers.ts";
import { triggerHookReceive, triggerHooks } from "./functions.ts";

export class PostgresTriggerHookTransport implements TriggerHookTransport {
  readonly #queries: RoomQueries;

  constructor(queries: RoomQueries) {
    this.#queries = queries;
  }

  ofDefinition(name: string): Promise<TriggerHook[]> {
    return this.#queries.query(triggerHooks, [name, null]);
  }

  async find(hookId: string): Promise<TriggerHook | undefined> {
    const [hook] = await this.#queries.query(triggerHooks, [null, hookId]);
    return hook;
  }

  async receive(
    hookId: string,
    message: unknown,
    deliveryId: string | null,
  ): Promise<{ readonly eventId: string; readonly isNew: boolean } | undefined> {
    const [received] = await this.#queries.query(
      triggerHookReceive,
      [hookId, toStorableText(message, "the delivery") ?? null, deliveryId],
      { repeatable: deliveryId !== null },
    );
    return received;
  }
}
