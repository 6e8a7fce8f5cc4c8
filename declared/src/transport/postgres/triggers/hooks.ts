/** Webhooks of definitions, straight to the database. */
import { toStorableText, type RoomQueries } from "@oxbow/sdk/internal/rooms";
import type { TriggerHookTransport } from "../../../protocol/triggers.ts";
import { triggerHookReceive, triggerHooks } from "./functions.ts";

export const triggerHooksOverPostgres = (queries: RoomQueries): TriggerHookTransport => ({
  ofDefinition: (name) => queries.query(triggerHooks, [name, null]),

  find: async (hookId) => {
    const [hook] = await queries.query(triggerHooks, [null, hookId]);
    return hook;
  },

  receive: async (hookId, message, deliveryId) => {
    const [received] = await queries.query(
      triggerHookReceive,
      [hookId, toStorableText(message, "the delivery") ?? null, deliveryId],
      { repeatable: deliveryId !== null },
    );
    return received;
  },
});
