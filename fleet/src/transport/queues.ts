/**
 * Queues over shards: each queue exists on all. Messages stay where they are sent, a group is in one shard, and consumers
 * receive from all.
 */
import { QueueNotFound } from "@oxbow/sdk";
import type {
  DeadLetterQueue,
  QueueTransport,
  SentMessage,
  TransactionClient,
} from "@oxbow/sdk/internal/fleet";
import type { Fleet, Lane } from "./fleet.ts";
import { mergedDepths } from "./merged-depths.ts";
import { byName, sum } from "./merging.ts";
import { atPlace } from "./places.ts";
import { receiveFromAll } from "./receive-from-all.ts";
import { routeOf } from "./shard-map.ts";

export function fleetQueues(fleet: Fleet): QueueTransport {
  const { byTurns, anywhere, settle } = waysThrough(fleet);
  return {
    create: async (request) => {
      const created = await fleet.all(({ queues }) => queues.create(request));
      return created.includes(true);
    },

    /** May be repeated if it failed for some shards. */
    alter: async (queue, request) => {
      const [settings] = await fleet.all(({ queues }) => queues.alter(queue, request));
      return settings;
    },

    /** May be repeated if it failed for some shards. */
    drop: async (queue) => {
      let isDropped = false;
      let missing: QueueNotFound | undefined;
      await fleet.all(async ({ queues }) => {
        try {
          await queues.drop(queue);
          isDropped = true;
        } catch (error) {
          if (!(error instanceof QueueNotFound)) throw error;
          missing = error;
        }
      });
      if (missing !== undefined && !isDropped) throw missing;
    },

    purge: async (queue) => sum(await fleet.all(({ queues }) => queues.purge(queue))),

    list: async () => {
      const found = await fleet.all(({ queues }) => queues.list());
      const merged = new Map(found.flat().map((queue) => [queue.name, queue]));
      return [...merged.values()].toSorted(byName);
    },

    get: async (queue) => (await fleet.all(({ queues }) => queues.get(queue)))[0],

    stats: async (queue) => {
      const all = await fleet.all(({ queues }) => queues.stats(queue));
      const groups = all.flatMap((one) => one.groups ?? []);
      const ages = all.flatMap((one) => one.oldestMessageAgeMs ?? []);
      return {
        visible: sum(all.map((one) => one.visible)),
        inFlight: sum(all.map((one) => one.inFlight)),
        delayed: sum(all.map((one) => one.delayed)),
        groups: groups.length === 0 ? null : sum(groups),
        totalSent: sum(all.map((one) => one.totalSent)),
        oldestMessageAgeMs: ages.length === 0 ? null : Math.max(...ages),
      };
    },

    deadLetterQueues: async (max, after) => {
      const found = await fleet.all(({ queues }) => queues.deadLetterQueues(max, after));
      const merged = new Map<string, DeadLetterQueue>();
      for (const { name, messages, hasMore } of found.flat()) {
        const before = merged.get(name);
        merged.set(name, {
          name,
          messages: messages + (before?.messages ?? 0),
          hasMore: hasMore || before?.hasMore === true,
        });
      }
      return [...merged.values()].toSorted(byName).slice(0, max);
    },

    depths: async (queue, since) =>
      mergedDepths(await fleet.all(({ queues }) => queues.depths(queue, since))),

    /** In the order of ids, and so one shard after the other. */
    peek: async (request) => {
      const found = await fleet.all(({ queues }) => queues.peek(request));
      return found
        .flat()
        .toSorted((one, other) => Number(BigInt(one.id) - BigInt(other.id)))
        .slice(0, request.max);
    },

    send: (request, tx) => anywhere(tx, (queues) => queues.send(request, tx)),

    sendBatch: (request, tx) => anywhere(tx, (queues) => queues.sendBatch(request, tx)),

    sendFifo: (request, tx) =>
      atPlace({
        fleet,
        name: request.groupId,
        tx,
        call: ({ queues }) => queues.sendFifo(request, tx),
      }),

    /** Groups of one route are in one shard, and so are sent by one call. */
    sendFifoBatch: async (queue, items, tx) => {
      const parts = new Map<string, number[]>();
      for (const [index, { groupId }] of items.entries()) {
        const part = tx !== undefined || typeof groupId !== "string" ? "" : routeOf(groupId);
        parts.set(part, [...(parts.get(part) ?? []), index]);
      }
      const sent: SentMessage[] = [];
      for (const indexes of parts.values()) {
        const some = indexes.flatMap((index) => items[index] ?? []);
        const answers = await atPlace({
          fleet,
          name: some[0]?.groupId ?? "",
          tx,
          call: ({ queues }) => queues.sendFifoBatch(queue, some, tx),
        });
        for (const [n, index] of indexes.entries()) {
          const answer = answers[n];
          if (answer !== undefined) sent[index] = answer;
        }
      }
      return sent;
    },

    receive: (request) => receiveFromAll(fleet, request),

    changeVisibility: async (queue, receipt, timeoutMs, options) => {
      const { transport } = await fleet.ofReceipt(receipt, options?.tx);
      return transport.queues.changeVisibility(queue, receipt, timeoutMs, options);
    },

    delete: async (queue, receipt, options) => {
      const { transport } = await fleet.ofReceipt(receipt, options?.tx);
      return transport.queues.delete(queue, receipt, options);
    },

    deleteBatch: (queue, receipts, options) =>
      settle(receipts, options?.tx, (queues, some) => queues.deleteBatch(queue, some, options)),

    giveBack: (queue, receipts, delayMs) =>
      settle(receipts, undefined, (queues, some) => queues.giveBack(queue, some, delayMs)),

    redrive: (deadLetterQueue, max, ids) =>
      byTurns(max, (queues, most) => queues.redrive(deadLetterQueue, most, ids)),

    moveMessages: (source, target, max) =>
      byTurns(max, (queues, most) => queues.moveMessages(source, target, most)),
  };
}

const waysThrough = (fleet: Fleet) => ({
  /** Calls one shard after the other until `max` messages have been moved. Returns how many were. */
  byTurns: async (
    max: number,
    move: (queues: QueueTransport, max: number) => Promise<number>,
  ): Promise<number> => {
    const { shards } = await fleet.map();
    let moved = 0;
    for (const { name } of shards) {
      if (moved >= max) break;
      const { transport } = await fleet.named(name);
      moved += await move(transport.queues, max - moved);
    }
    return moved;
  },

  anywhere: async <Value>(
    tx: TransactionClient | undefined,
    call: (queues: QueueTransport) => Promise<Value>,
  ): Promise<Value> => {
    if (tx === undefined) return fleet.byTurns(({ queues }) => call(queues));
    return call((await fleet.ofTx(tx)).transport.queues);
  },

  /** Returns the receipts that were alive, in the order of the arguments. */
  settle: async (
    receipts: readonly string[],
    tx: TransactionClient | undefined,
    call: (queues: QueueTransport, receipts: readonly string[]) => Promise<string[]>,
  ): Promise<string[]> => {
    const byLane = new Map<Lane, string[]>();
    for (const receipt of receipts) {
      const lane = await fleet.ofReceipt(receipt, tx);
      byLane.set(lane, [...(byLane.get(lane) ?? []), receipt]);
    }
    const settled = await Promise.all(
      [...byLane].map(([{ transport }, some]) => call(transport.queues, some)),
    );
    const alive = new Set(settled.flat());
    return receipts.filter((receipt) => alive.has(receipt));
  },
});
