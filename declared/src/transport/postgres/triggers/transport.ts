/** Triggers, straight to the database. An event is a message, so waiting for one is waiting for messages of a queue. */
import type { RoomQueries, MessageWaits } from "@oxbow/sdk/internal/rooms";
import type {
  TriggerBatch,
  TriggerRetentionTransport,
  TriggerTransport,
} from "../../../protocol/triggers.ts";
import {
  onceForget,
  onceGet,
  triggerCommit,
  triggerDeclare,
  triggerEvents,
  triggerExplain,
  triggerHooks,
  triggerReceive,
  triggerSweep,
  triggerTypes,
} from "./functions.ts";

export const triggersOverPostgres = (
  queries: RoomQueries,
  queues: MessageWaits,
): TriggerTransport => ({
  declare: ({ pool, types, replace }) =>
    queries.value(triggerDeclare, [pool, JSON.stringify(types), replace]),

  types: ({ pool, definition }) => queries.query(triggerTypes, [pool ?? null, definition ?? null]),

  receive: async ({ pool, max, leaseMs, waitMs, knownEpoch, signal }) => {
    let batch: TriggerBatch = { epoch: knownEpoch ?? "0", triggers: [], events: [] };
    await queues.await({ queue: `__tr_${pool}`, max, waitMs, signal }, async () => {
      const row = await queries.queryOne(
        triggerReceive,
        [pool, max, leaseMs / 1_000, knownEpoch ?? null],
        { isPrompt: true, giveUp: signal },
      );
      batch = { ...row, triggers: row.triggers ?? [] };
      return [...row.events];
    });
    return batch;
  },

  commit: async (pool, events, matches) => {
    const rows = await queries.query(
      triggerCommit,
      [pool, JSON.stringify(events), JSON.stringify(matches)],
      // The second time the leases are lost, or the runs exist.
      { repeatable: true },
    );
    return rows.map(({ value }) => value);
  },

  events: ({ name, topic, state, before, maxEvents }) =>
    queries.query(triggerEvents, [
      name ?? null,
      topic ?? null,
      state ?? null,
      before ?? null,
      maxEvents,
    ]),

  facts: (name, eventId, version) =>
    queries.queryOne(triggerExplain, [name, eventId, version ?? null]),

  once: async (name, key) => {
    const [holder] = await queries.query(onceGet, [name, key]);
    return holder;
  },

  forgetOnce: (name, key, tx) => queries.value(onceForget, [name, key], { tx }),

  hooks: async (name) => {
    const hooks = await queries.query(triggerHooks, [name, null]);
    return hooks.map(({ hookId, trigger, verify }) => ({
      trigger,
      path: `/v1/hooks/${hookId}`,
      verify,
      secrets: [],
    }));
  },
});

export const triggerRetentionOverPostgres = (queries: RoomQueries): TriggerRetentionTransport => ({
  sweep: (maxEvents) => queries.value(triggerSweep, [maxEvents]),
});
