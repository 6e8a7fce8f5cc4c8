/**
 * Queues over shards: each queue exists on all. Messages stay where they are sent, a group is in one shard, and consumers
 * receive from all.
 */
import { QueueNotFound } from "@oxbow/sdk";
import type {
  AlterQueueRequest,
  CreateQueueRequest,
  DeadLetterQueue,
  DeleteOptions,
  FifoItem,
  MessageDelivery,
  PeekedMessage,
  PeekRequest,
  QueueDepth,
  QueueSettings,
  QueueStatistics,
  QueueTransport,
  ReceiveMessagesRequest,
  SendBatchRequest,
  SendFifoRequest,
  SendRequest,
  SentMessage,
  TransactionClient,
  VisibilityOptions,
} from "@oxbow/sdk/internal/fleet";
import type { Fleet, Lane } from "./fleet.ts";
import { mergedDepths } from "./merged-depths.ts";
import { byName, sum } from "./merging.ts";
import { atPlace } from "./places.ts";
import { receiveFromAll } from "./receive-from-all.ts";
import { routeOf } from "./shard-map.ts";

export class FleetQueueTransport implements QueueTransport {
  readonly #fleet: Fleet;

  constructor(fleet: Fleet) {
    this.#fleet = fleet;
  }

  async create(request: CreateQueueRequest): Promise<boolean> {
    const created = await this.#fleet.all(({ queues }) => queues.create(request));
    return created.includes(true);
  }

  /** May be repeated if it failed for some shards. */
  async alter(queue: string, request: AlterQueueRequest): Promise<QueueSettings> {
    const [settings] = await this.#fleet.all(({ queues }) => queues.alter(queue, request));
    return settings;
  }

  /** May be repeated if it failed for some shards. */
  async drop(queue: string): Promise<void> {
    let isDropped = false;
    let missing: QueueNotFound | undefined;
    await this.#fleet.all(async ({ queues }) => {
      try {
        await queues.drop(queue);
        isDropped = true;
      } catch (error) {
        if (!(error instanceof QueueNotFound)) throw error;
        missing = error;
      }
    });
    if (missing !== undefined && !isDropped) throw missing;
  }

  async purge(queue: string): Promise<number> {
    return sum(await this.#fleet.all(({ queues }) => queues.purge(queue)));
  }

  async list(): Promise<QueueSettings[]> {
    const found = await this.#fleet.all(({ queues }) => queues.list());
    const merged = new Map(found.flat().map((queue) => [queue.name, queue]));
    return [...merged.values()].toSorted(byName);
  }

  async get(queue: string): Promise<QueueSettings> {
    const [settings] = await this.#fleet.all(({ queues }) => queues.get(queue));
    return settings;
  }

  async stats(queue: string): Promise<QueueStatistics> {
    const all = await this.#fleet.all(({ queues }) => queues.stats(queue));
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
  }

  async deadLetterQueues(max: number, after: string | undefined): Promise<DeadLetterQueue[]> {
    const found = await this.#fleet.all(({ queues }) => queues.deadLetterQueues(max, after));
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
  }

  async depths(queue: string, since: Date | undefined): Promise<QueueDepth[]> {
    return mergedDepths(await this.#fleet.all(({ queues }) => queues.depths(queue, since)));
  }

  /** In the order of ids, and so one shard after the other. */
  async peek(request: PeekRequest): Promise<PeekedMessage[]> {
    const found = await this.#fleet.all(({ queues }) => queues.peek(request));
    return found
      .flat()
      .toSorted((one, other) => Number(BigInt(one.id) - BigInt(other.id)))
      .slice(0, request.max);
  }

  async send(request: SendRequest, tx?: TransactionClient): Promise<string> {
    return this.#anywhere(tx, (queues) => queues.send(request, tx));
  }

  async sendBatch(request: SendBatchRequest, tx?: TransactionClient): Promise<string[]> {
    return this.#anywhere(tx, (queues) => queues.sendBatch(request, tx));
  }

  async sendFifo(request: SendFifoRequest, tx?: TransactionClient): Promise<string> {
    return atPlace({
      fleet: this.#fleet,
      name: request.groupId,
      tx,
      call: ({ queues }) => queues.sendFifo(request, tx),
    });
  }

  /** Groups of one route are in one shard, and so are sent by one call. */
  async sendFifoBatch(
    queue: string,
    items: readonly FifoItem[],
    tx?: TransactionClient,
  ): Promise<SentMessage[]> {
    const parts = new Map<string, number[]>();
    for (const [index, { groupId }] of items.entries()) {
      const part = tx !== undefined || typeof groupId !== "string" ? "" : routeOf(groupId);
      parts.set(part, [...(parts.get(part) ?? []), index]);
    }
    const sent: SentMessage[] = [];
    for (const indexes of parts.values()) {
      const some = indexes.flatMap((index) => items[index] ?? []);
      const answers = await atPlace({
        fleet: this.#fleet,
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
  }

  receive(request: ReceiveMessagesRequest): Promise<MessageDelivery[]> {
    return receiveFromAll(this.#fleet, request);
  }

  async changeVisibility(
    queue: string,
    receipt: string,
    timeoutMs: number,
    options?: VisibilityOptions,
  ): Promise<boolean> {
    const { transport } = await this.#fleet.ofReceipt(receipt, options?.tx);
    return transport.queues.changeVisibility(queue, receipt, timeoutMs, options);
  }

  async delete(queue: string, receipt: string, options?: DeleteOptions): Promise<boolean> {
    const { transport } = await this.#fleet.ofReceipt(receipt, options?.tx);
    return transport.queues.delete(queue, receipt, options);
  }

  deleteBatch(
    queue: string,
    receipts: readonly string[],
    options?: DeleteOptions,
  ): Promise<string[]> {
    return this.#settle(receipts, options?.tx, (queues, some) =>
      queues.deleteBatch(queue, some, options),
    );
  }

  giveBack(queue: string, receipts: readonly string[], delayMs: number): Promise<string[]> {
    return this.#settle(receipts, undefined, (queues, some) =>
      queues.giveBack(queue, some, delayMs),
    );
  }

  redrive(
    deadLetterQueue: string,
    max: number,
    ids: readonly string[] | undefined,
  ): Promise<number> {
    return this.#byTurns(max, (queues, most) => queues.redrive(deadLetterQueue, most, ids));
  }

  moveMessages(source: string, target: string, max: number): Promise<number> {
    return this.#byTurns(max, (queues, most) => queues.moveMessages(source, target, most));
  }

  /** Calls one shard after the other until `max` messages have been moved. Returns how many were. */
  async #byTurns(
    max: number,
    move: (queues: QueueTransport, max: number) => Promise<number>,
  ): Promise<number> {
    const { shards } = await this.#fleet.map();
    let moved = 0;
    for (const { name } of shards) {
      if (moved >= max) break;
      const { transport } = await this.#fleet.named(name);
      moved += await move(transport.queues, max - moved);
    }
    return moved;
  }

  async #anywhere<Value>(
    tx: TransactionClient | undefined,
    call: (queues: QueueTransport) => Promise<Value>,
  ): Promise<Value> {
    if (tx === undefined) return this.#fleet.byTurns(({ queues }) => call(queues));
    return call((await this.#fleet.ofTx(tx)).transport.queues);
  }

  /** Returns the receipts that were alive, in the order of the arguments. */
  async #settle(
    receipts: readonly string[],
    tx: TransactionClient | undefined,
    call: (queues: QueueTransport, receipts: readonly string[]) => Promise<string[]>,
  ): Promise<string[]> {
    const byLane = new Map<Lane, string[]>();
    for (const receipt of receipts) {
      const lane = await this.#fleet.ofReceipt(receipt, tx);
      byLane.set(lane, [...(byLane.get(lane) ?? []), receipt]);
    }
    const settled = await Promise.all(
      [...byLane].map(([{ transport }, some]) => call(transport.queues, some)),
    );
    const alive = new Set(settled.flat());
    return receipts.filter((receipt) => alive.has(receipt));
  }
}
