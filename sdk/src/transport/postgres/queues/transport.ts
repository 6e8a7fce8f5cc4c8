/**
 * Queues, straight to the database: each method one call of one SQL function, over pool and listener. Sends and
 * settlements of single messages that are under way at the same time share a call. Calls about one message or group that
 * another transaction has locked never use up the pool: see contended-calls.ts.
 */
import { Batcher } from "../../../async/batcher.ts";
import { Batchers } from "../../../async/batchers.ts";
import { LinedBatchers } from "../../../async/lined-batchers.ts";
import { QueueNotFound } from "../../../core/errors.ts";
import { blameFor } from "../../../protocol/blame.ts";
import type {
  AlterQueueRequest,
  CreateQueueRequest,
  DeadLetterQueue,
  DeleteOptions,
  FifoItem,
  MessageDelivery,
  PeekRequest,
  PeekedMessage,
  QueueDepth,
  QueueSamplingTransport,
  QueueSettings,
  QueueStatistics,
  QueueTransport,
  ReceiveMessagesRequest,
  SendBatchRequest,
  SendFifoRequest,
  SendRequest,
  SentMessage,
  SettleOptions,
  VisibilityOptions,
} from "../../../protocol/queues.ts";
import { isLockTimeout } from "../../../protocol/sqlstate.ts";
import type { TransactionClient } from "../../../protocol/transaction.ts";
import type { AwaitRequest, Call } from "../../../protocol/rooms.ts";
import type { ParametersOf } from "../connection/call.ts";
import type { ContendedCalls } from "../connection/contended-calls.ts";
import type { Listening } from "../connection/listener.ts";
import { plainArrayText, toSeconds } from "../connection/arguments.ts";
import type { Queries } from "../connection/queries.ts";
import { nextVisibleIn, receive } from "./calls.ts";
import {
  alterQueue,
  changeVisibilityBatch,
  createQueue,
  deadLetterQueues,
  deleteBatch,
  dropQueue,
  getQueue,
  giveBackBatch,
  listQueues,
  moveMessages,
  peek,
  purgeQueue,
  queueDepths,
  queueDepthsSample,
  queueStats,
  redrive,
  sendBatch,
  sendFifo,
  sendFifoBatch,
  type SettledReceiptsRow,
} from "./functions.ts";
import { aliveOf, toDeliveries } from "./rows.ts";
import { QueueWatch } from "./queue-watch.ts";

/** Most items of one statement, and characters of one statement's messages. */
const MAX_ITEMS = 500;
const MAX_CHARACTERS = 4_000_000;

interface Settlement {
  readonly queue: string;
  readonly receipt: string;
  readonly repeatable: boolean;
  readonly isInFlightOnly: boolean;
}

interface VisibilityChange extends Settlement {
  readonly timeoutMs: number;
  readonly isHeartbeat: boolean;
}

/** Only what one item can be blamed for, by its arguments or by who holds it, is worth halving a batch. */
const isShared = (error: unknown): boolean => !isLockTimeout(error) && blameFor(error) !== "data";

export class PostgresQueueTransport implements QueueTransport, QueueSamplingTransport {
  readonly #queries: Queries;
  readonly #reads: Queries;
  readonly #contended: ContendedCalls;
  readonly #listener: Listening | undefined;
  readonly #watches = new Map<string, QueueWatch>();
  readonly #isFifo = new Map<string, boolean>();
  readonly #sends: Batchers<SendRequest, string>;
  readonly #fifoSends: LinedBatchers<SendFifoRequest, string>;
  readonly #deletes: Batchers<Settlement, boolean>;
  readonly #changes: Batchers<VisibilityChange, boolean>;
  readonly #nextVisible: Batcher<string, number | null>;

  constructor(
    queries: Queries,
    reads: Queries,
    contended: ContendedCalls,
    listener: Listening | undefined,
  ) {
    this.#queries = queries;
    this.#reads = reads;
    this.#contended = contended;
    this.#listener = listener;
    const group = { maxItems: MAX_ITEMS, maxInFlight: 2, isShared, isLocked: isLockTimeout };
    const weighed = {
      weigh: ({ message, headers }: SendRequest) => message.length + (headers?.length ?? 0),
      maxWeight: MAX_CHARACTERS,
    };
    this.#sends = new Batchers<SendRequest, string>({
      ...group,
      ...weighed,
      keyOf: ({ queue, delayMs }) => `${queue} ${delayMs}`,
      send: (requests) => this.sendBatch(joined(requests)),
    });
    this.#fifoSends = new LinedBatchers<SendFifoRequest, string>({
      ...group,
      ...weighed,
      keyOf: ({ queue }) => queue,
      lineOf: ({ groupId }) => groupId,
      send: (requests, onWait) => this.#sendFifoTogether(requests, onWait),
    });
    this.#deletes = new Batchers<Settlement, boolean>({
      ...group,
      keyOf: ({ queue, repeatable, isInFlightOnly }) => `${queue} ${repeatable} ${isInFlightOnly}`,
      send: async (items, onWait) => {
        const [{ queue, repeatable, isInFlightOnly }] = items;
        const options = { repeatable, isInFlightOnly, isPatient: false, onWait };
        return areAmong(await this.deleteBatch(queue, receiptsOf(items), options), items);
      },
    });
    this.#changes = new Batchers<VisibilityChange, boolean>({
      ...group,
      keyOf: ({ queue, repeatable, timeoutMs, isHeartbeat, isInFlightOnly }) =>
        `${queue} ${repeatable} ${timeoutMs} ${isHeartbeat} ${isInFlightOnly}`,
      send: async (items, onWait) => {
        const [{ queue, timeoutMs, repeatable, isHeartbeat, isInFlightOnly }] = items;
        const options = { repeatable, isHeartbeat, isInFlightOnly, isPatient: false, onWait };
        const receipts = receiptsOf(items);
        return areAmong(await this.#changeVisibility(queue, receipts, timeoutMs, options), items);
      },
    });
    this.#nextVisible = new Batcher<string, number | null>({
      maxItems: MAX_ITEMS,
      maxInFlight: 1,
      isShared: (error) => !(error instanceof QueueNotFound),
      send: async (queues) => {
        const rows = await queries.query(nextVisibleIn, [queues], { isPrompt: true });
        return rows.map(({ delay }) => delay);
      },
    });
  }

  async create(request: CreateQueueRequest): Promise<boolean> {
    const { name, fifo, visibilityTimeoutMs, maxReceives, deadLetterQueue, retentionMs, delayMs } =
      request;
    const created = await this.#queries.value(createQueue, [
      name,
      fifo,
      visibilityTimeoutMs / 1000,
      maxReceives ?? null,
      deadLetterQueue ?? null,
      toSeconds(retentionMs),
      delayMs / 1000,
      request.deduplicationScope,
    ]);
    this.#isFifo.set(name, fifo);
    return created;
  }

  alter(queue: string, request: AlterQueueRequest): Promise<QueueSettings> {
    const { visibilityTimeoutMs, maxReceives, deadLetterQueue, retentionMs, delayMs } = request;
    const changes = {
      visibility_timeout: toSeconds(visibilityTimeoutMs) ?? undefined,
      max_receives: maxReceives,
      dead_letter_queue: deadLetterQueue,
      retention_seconds: retentionMs === null ? null : (toSeconds(retentionMs) ?? undefined),
      delay_seconds: toSeconds(delayMs) ?? undefined,
      deduplication_scope: request.deduplicationScope,
    };
    return this.#queries.queryOne(alterQueue, [queue, JSON.stringify(changes)]);
  }

  async drop(queue: string): Promise<void> {
    this.#isFifo.delete(queue);
    await this.#queries.query(dropQueue, [queue]);
  }

  purge(queue: string): Promise<number> {
    return this.#queries.value(purgeQueue, [queue]);
  }

  list(): Promise<QueueSettings[]> {
    return this.#queries.query(listQueues, []);
  }

  get(queue: string): Promise<QueueSettings> {
    return this.#queries.queryOne(getQueue, [queue]);
  }

  depths(queue: string, since: Date | undefined): Promise<QueueDepth[]> {
    return this.#reads.query(queueDepths, [queue, since?.toISOString() ?? null]);
  }

  sampleDepths(): Promise<number> {
    return this.#queries.value(queueDepthsSample, []);
  }

  stats(queue: string): Promise<QueueStatistics> {
    return this.#reads.queryOne(queueStats, [queue]);
  }

  deadLetterQueues(max: number, after: string | undefined): Promise<DeadLetterQueue[]> {
    return this.#reads.query(deadLetterQueues, [max, after ?? null]);
  }

  peek({ queue, max, after, matching }: PeekRequest): Promise<PeekedMessage[]> {
    return this.#reads.query(peek, [queue, max, after ?? null, matching ?? null]);
  }

  async send(request: SendRequest, tx?: TransactionClient): Promise<string> {
    if (tx === undefined) return this.#sends.submit(request);
    const [id] = await this.sendBatch(joined([request]), tx);
    if (id === undefined) throw new Error("send_batch() returned no row.");
    return id;
  }

  async sendBatch(request: SendBatchRequest, tx?: TransactionClient): Promise<string[]> {
    const { queue, messages, headers, delayMs } = request;
    const delays = typeof delayMs === "object" ? delayMs.map(toSeconds) : null;
    const delay = typeof delayMs === "object" ? null : toSeconds(delayMs);
    const rows = await this.#queries.query(
      sendBatch,
      [queue, messages, delay, listOf(headers), delays],
      { tx },
    );
    if (tx === undefined) this.#changed(queue);
    return rows.map(({ value }) => value);
  }

  async sendFifo(request: SendFifoRequest, tx?: TransactionClient): Promise<string> {
    if (tx === undefined) return this.#fifoSends.submit(request);
    return this.#queries.value(sendFifo, fifoArguments(request), { tx });
  }

  /** Only sends to one group wait for another transaction that has locked it. */
  async #sendFifoTogether(
    requests: readonly [SendFifoRequest, ...SendFifoRequest[]],
    onWait: () => void,
  ): Promise<string[]> {
    const [first] = requests;
    const { queue, groupId } = first;
    const isOneGroup = requests.every((request) => request.groupId === groupId);
    const key = isOneGroup ? `${queue} ${groupId}` : undefined;
    if (requests.length === 1) {
      const sent = await this.#contended.query(key, sendFifo, fifoArguments(first), { onWait });
      this.#changed(queue);
      return sent.map(({ value }) => value);
    }
    const values = fifoBatchArguments(queue, requests);
    const sent = await this.#contended.query(key, sendFifoBatch, values, { onWait });
    this.#changed(queue);
    return sent.map(({ id }) => id);
  }

  async sendFifoBatch(
    queue: string,
    items: readonly FifoItem[],
    tx?: TransactionClient,
  ): Promise<SentMessage[]> {
    const sent = await this.#queries.query(sendFifoBatch, fifoBatchArguments(queue, items), { tx });
    if (tx === undefined) this.#changed(queue);
    return sent;
  }

  /** Receipts of one queue, which are also what the call may wait for. */
  async #settle<Parameters extends readonly unknown[]>(
    call: Call<Parameters, SettledReceiptsRow>,
    values: NoInfer<Parameters>,
    queue: string,
    receipts: readonly string[],
    { isPatient = true, ...options }: SettleOptions,
  ): Promise<string[]> {
    const asked = { ...options, isPrompt: true };
    const key = receipts.length === 1 ? `${queue} ${receipts[0]}` : undefined;
    const [row] = isPatient
      ? await this.#queries.query(call, values, asked)
      : await this.#contended.query(key, call, values, asked);
    if (row === undefined) throw new Error(`${call.name} returned no row.`);
    return aliveOf(row, receipts);
  }

  async receive(request: ReceiveMessagesRequest): Promise<MessageDelivery[]> {
    return this.await(request, () => this.#receiveOnce(request));
  }

  /** Receives, by whatever function owns the queue, as soon as a message is available; empty after `waitMs`. */
  async await<Delivery>(
    { queue, max, matching, waitMs, signal }: AwaitRequest,
    receiveOnce: () => Promise<Delivery[]>,
  ): Promise<Delivery[]> {
    signal?.throwIfAborted();
    if (waitMs === 0) return receiveOnce();
    const endsAt = performance.now() + waitMs;
    const waiter = this.#watchOf(queue).join(matching ?? "");
    try {
      for (;;) {
        waiter.look();
        const deliveries = await receiveOnce();
        if (deliveries.length > 0) {
          waiter.received(deliveries.length === max);
          return deliveries;
        }
        signal?.throwIfAborted();
        const leftMs = endsAt - performance.now();
        if (leftMs <= 0) return [];
        await waiter.sleep(leftMs, signal);
        signal?.throwIfAborted();
        this.#queries.closing.throwIfAborted();
      }
    } finally {
      waiter.leave();
    }
  }

  async changeVisibility(
    queue: string,
    receipt: string,
    timeoutMs: number,
    options: VisibilityOptions = {},
  ): Promise<boolean> {
    const { tx, repeatable = false, isHeartbeat = false, isInFlightOnly = false } = options;
    const kind = { isHeartbeat, isInFlightOnly };
    if (tx === undefined) {
      return this.#changes.submit({ queue, receipt, timeoutMs, repeatable, ...kind });
    }
    const alive = await this.#changeVisibility(queue, [receipt], timeoutMs, { tx, ...kind });
    return alive.length > 0;
  }

  async delete(
    queue: string,
    receipt: string,
    { tx, repeatable = false, isInFlightOnly = false }: DeleteOptions = {},
  ): Promise<boolean> {
    if (tx === undefined) {
      return this.#deletes.submit({ queue, receipt, repeatable, isInFlightOnly });
    }
    return (await this.deleteBatch(queue, [receipt], { tx, isInFlightOnly })).length > 0;
  }

  async deleteBatch(
    queue: string,
    receipts: readonly string[],
    options: DeleteOptions = {},
  ): Promise<string[]> {
    const isInFlightOnly = options.isInFlightOnly ?? false;
    const values = [queue, plainArrayText(receipts), isInFlightOnly] as const;
    const alive = await this.#settle(deleteBatch, values, queue, receipts, options);
    if (options.tx === undefined && this.#isFifo.get(queue) !== false) this.#changed(queue);
    return alive;
  }

  async giveBack(queue: string, receipts: readonly string[], delayMs: number): Promise<string[]> {
    const values = [queue, plainArrayText(receipts), delayMs / 1000] as const;
    const alive = await this.#settle(giveBackBatch, values, queue, receipts, {});
    if (delayMs === 0) this.#changed(queue);
    return alive;
  }

  redrive(
    deadLetterQueue: string,
    max: number,
    ids: readonly string[] | undefined,
  ): Promise<number> {
    return this.#queries.value(redrive, [deadLetterQueue, max, ids ?? null]);
  }

  async moveMessages(source: string, target: string, max: number): Promise<number> {
    const moved = await this.#queries.value(moveMessages, [source, target, max]);
    if (moved > 0) this.#changed(target);
    return moved;
  }

  /** Waits for messages end. */
  close(): void {
    for (const watch of this.#watches.values()) watch.close();
    this.#watches.clear();
  }

  async #receiveOnce(request: ReceiveMessagesRequest): Promise<MessageDelivery[]> {
    const { queue, max, visibilityTimeoutMs, matching, suspects, maxPerGroup = 1 } = request;
    const values = [
      queue,
      max,
      toSeconds(visibilityTimeoutMs),
      matching ?? null,
      suspects ?? null,
      maxPerGroup,
    ] as const;
    const row = await this.#queries.queryOne(receive, values, {
      isPrompt: true,
      giveUp: request.signal,
    });
    const deliveries = toDeliveries(row);
    const [first] = deliveries;
    if (first !== undefined) this.#isFifo.set(queue, first.groupId !== null);
    return deliveries;
  }

  async #changeVisibility(
    queue: string,
    receipts: readonly string[],
    timeoutMs: number,
    { isHeartbeat = false, isInFlightOnly = false, ...options }: VisibilityOptions,
  ): Promise<string[]> {
    const kept = plainArrayText(receipts);
    const values = [queue, kept, timeoutMs / 1000, isHeartbeat, isInFlightOnly] as const;
    const alive = await this.#settle(changeVisibilityBatch, values, queue, receipts, options);
    if (options.tx === undefined && timeoutMs === 0) this.#changed(queue);
    return alive;
  }

  /** Another transport has made messages of it receivable. */
  noteChange(queue: string): void {
    this.#changed(queue);
  }

  #changed(queue: string): void {
    this.#watches.get(queue)?.changed();
  }

  #watchOf(queue: string): QueueWatch {
    const existing = this.#watches.get(queue);
    if (existing !== undefined) return existing;
    const watch = new QueueWatch({
      queue,
      listener: this.#listener,
      nextVisibleIn: () => this.#nextVisible.submit(queue),
      onIdle: () => void this.#watches.delete(queue),
    });
    this.#watches.set(queue, watch);
    return watch;
  }
}

const fifoArguments = (request: SendFifoRequest): ParametersOf<typeof sendFifo> => [
  request.queue,
  request.message,
  request.groupId,
  request.deduplicationId ?? null,
  toSeconds(request.delayMs),
  request.headers ?? null,
];

const fifoBatchArguments = (
  queue: string,
  items: readonly FifoItem[],
): ParametersOf<typeof sendFifoBatch> => [
  queue,
  items.map(({ message }) => message),
  items.map(({ groupId }) => groupId),
  listOf(items.map(({ deduplicationId }) => deduplicationId)),
  null,
  listOf(items.map(({ headers }) => headers)),
  listOf(items.map(({ delayMs }) => toSeconds(delayMs) ?? undefined)),
];

const joined = (requests: readonly [SendRequest, ...SendRequest[]]): SendBatchRequest => ({
  queue: requests[0].queue,
  delayMs: requests[0].delayMs,
  messages: requests.map(({ message }) => message),
  headers: requests.map(({ headers }) => headers),
});

/** Null in place of a list without values, which the database then need not read. */
const listOf = <Value>(values: readonly (Value | undefined)[]): (Value | null)[] | null =>
  values.some((value) => value !== undefined) ? values.map((value) => value ?? null) : null;

const receiptsOf = (items: readonly Settlement[]): string[] => items.map(({ receipt }) => receipt);

function areAmong(alive: readonly string[], items: readonly Settlement[]): boolean[] {
  if (alive.length === items.length) return items.map(() => true);
  const receipts = new Set(alive);
  return items.map(({ receipt }) => receipts.has(receipt));
}
