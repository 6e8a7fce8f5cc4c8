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
  DeleteOptions,
  FifoItem,
  MessageDelivery,
  QueueSamplingTransport,
  QueueTransport,
  ReceiveMessagesRequest,
  SendBatchRequest,
  SendFifoRequest,
  SendRequest,
  SettleOptions,
  VisibilityOptions,
} from "../../../protocol/queues.ts";
import { isLockTimeout } from "../../../protocol/sqlstate.ts";
import type { Call, MessageWaits } from "../../../protocol/rooms.ts";
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

export interface DatabaseQueues extends QueueTransport, QueueSamplingTransport, MessageWaits {
  /** Another transport has made messages of it receivable. */
  noteChange(queue: string): void;
  /** Waits for messages end. */
  close(): void;
}

export function queuesOverPostgres(
  queries: Queries,
  reads: Queries,
  contended: ContendedCalls,
  listener: Listening | undefined,
): DatabaseQueues {
  const watches = new Map<string, QueueWatch>();
  const knownAsFifo = new Map<string, boolean>();

  const noteChange = (queue: string): void => watches.get(queue)?.changed();

  const nextVisible = new Batcher<string, number | null>({
    maxItems: MAX_ITEMS,
    maxInFlight: 1,
    isShared: (error) => !(error instanceof QueueNotFound),
    send: async (queues) => {
      const rows = await queries.query(nextVisibleIn, [queues], { isPrompt: true });
      return rows.map(({ delay }) => delay);
    },
  });

  const watchOf = (queue: string): QueueWatch => {
    const existing = watches.get(queue);
    if (existing !== undefined) return existing;
    const watch = new QueueWatch({
      queue,
      listener,
      nextVisibleIn: () => nextVisible.submit(queue),
      onIdle: () => void watches.delete(queue),
    });
    watches.set(queue, watch);
    return watch;
  };

  const awaitMessages: MessageWaits["await"] = async (
    { queue, max, matching, waitMs, signal },
    receiveOnce,
  ) => {
    signal?.throwIfAborted();
    if (waitMs === 0) return receiveOnce();
    const endsAt = performance.now() + waitMs;
    const waiter = watchOf(queue).join(matching ?? "");
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
        queries.closing.throwIfAborted();
      }
    } finally {
      waiter.leave();
    }
  };

  const receiveNow = async (request: ReceiveMessagesRequest): Promise<MessageDelivery[]> => {
    const { queue, max, visibilityTimeoutMs, matching, suspects, maxPerGroup = 1 } = request;
    const values = [
      queue,
      max,
      toSeconds(visibilityTimeoutMs),
      matching ?? null,
      suspects ?? null,
      maxPerGroup,
    ] as const;
    const options = { isPrompt: true, giveUp: request.signal };
    const deliveries = toDeliveries(await queries.queryOne(receive, values, options));
    const [first] = deliveries;
    if (first !== undefined) knownAsFifo.set(queue, first.groupId !== null);
    return deliveries;
  };

  const sendMany: QueueTransport["sendBatch"] = async (request, tx) => {
    const { queue, messages, headers, delayMs } = request;
    const delays = typeof delayMs === "object" ? delayMs.map(toSeconds) : null;
    const delay = typeof delayMs === "object" ? null : toSeconds(delayMs);
    const values = [queue, messages, delay, listOf(headers), delays] as const;
    const rows = await queries.query(sendBatch, values, { tx });
    if (tx === undefined) noteChange(queue);
    return rows.map(({ value }) => value);
  };

  /** Only sends to one group wait for another transaction that has locked it. */
  const sendFifoTogether = async (
    requests: readonly [SendFifoRequest, ...SendFifoRequest[]],
    onWait: () => void,
  ): Promise<string[]> => {
    const [first] = requests;
    const { queue, groupId } = first;
    const isOneGroup = requests.every((request) => request.groupId === groupId);
    const key = isOneGroup ? `${queue} ${groupId}` : undefined;
    if (requests.length === 1) {
      const sent = await contended.query(key, sendFifo, fifoArguments(first), { onWait });
      noteChange(queue);
      return sent.map(({ value }) => value);
    }
    const values = fifoBatchArguments(queue, requests);
    const sent = await contended.query(key, sendFifoBatch, values, { onWait });
    noteChange(queue);
    return sent.map(({ id }) => id);
  };

  /** Receipts of one queue, which are also what the call may wait for. */
  const settle = async <Parameters extends readonly unknown[]>(
    call: Call<Parameters, SettledReceiptsRow>,
    values: NoInfer<Parameters>,
    queue: string,
    receipts: readonly string[],
    { isPatient = true, ...options }: SettleOptions,
  ): Promise<string[]> => {
    const asked = { ...options, isPrompt: true };
    const key = receipts.length === 1 ? `${queue} ${receipts[0]}` : undefined;
    const [row] = isPatient
      ? await queries.query(call, values, asked)
      : await contended.query(key, call, values, asked);
    if (row === undefined) throw new Error(`${call.name} returned no row.`);
    return aliveOf(row, receipts);
  };

  const deleteMany = async (
    queue: string,
    receipts: readonly string[],
    { isInFlightOnly = false, ...options }: DeleteOptions = {},
  ): Promise<string[]> => {
    const values = [queue, plainArrayText(receipts), isInFlightOnly] as const;
    const alive = await settle(deleteBatch, values, queue, receipts, options);
    if (options.tx === undefined && knownAsFifo.get(queue) !== false) noteChange(queue);
    return alive;
  };

  const changeMany = async (
    queue: string,
    receipts: readonly string[],
    timeoutMs: number,
    { isHeartbeat = false, isInFlightOnly = false, ...options }: VisibilityOptions,
  ): Promise<string[]> => {
    const kept = plainArrayText(receipts);
    const values = [queue, kept, timeoutMs / 1000, isHeartbeat, isInFlightOnly] as const;
    const alive = await settle(changeVisibilityBatch, values, queue, receipts, options);
    if (options.tx === undefined && timeoutMs === 0) noteChange(queue);
    return alive;
  };

  const group = { maxItems: MAX_ITEMS, maxInFlight: 2, isShared, isLocked: isLockTimeout };
  const weighed = {
    weigh: ({ message, headers }: SendRequest) => message.length + (headers?.length ?? 0),
    maxWeight: MAX_CHARACTERS,
  };
  const sends = new Batchers<SendRequest, string>({
    ...group,
    ...weighed,
    keyOf: ({ queue, delayMs }) => `${queue} ${delayMs}`,
    send: (requests) => sendMany(joined(requests)),
  });
  const fifoSends = new LinedBatchers<SendFifoRequest, string>({
    ...group,
    ...weighed,
    keyOf: ({ queue }) => queue,
    lineOf: ({ groupId }) => groupId,
    send: sendFifoTogether,
  });
  const deletes = new Batchers<Settlement, boolean>({
    ...group,
    keyOf: ({ queue, repeatable, isInFlightOnly }) => `${queue} ${repeatable} ${isInFlightOnly}`,
    send: async (items, onWait) => {
      const [{ queue, repeatable, isInFlightOnly }] = items;
      const options = { repeatable, isInFlightOnly, isPatient: false, onWait };
      return areAmong(await deleteMany(queue, receiptsOf(items), options), items);
    },
  });
  const changes = new Batchers<VisibilityChange, boolean>({
    ...group,
    keyOf: ({ queue, repeatable, timeoutMs, isHeartbeat, isInFlightOnly }) =>
      `${queue} ${repeatable} ${timeoutMs} ${isHeartbeat} ${isInFlightOnly}`,
    send: async (items, onWait) => {
      const [{ queue, timeoutMs, repeatable, isHeartbeat, isInFlightOnly }] = items;
      const options = { repeatable, isHeartbeat, isInFlightOnly, isPatient: false, onWait };
      return areAmong(await changeMany(queue, receiptsOf(items), timeoutMs, options), items);
    },
  });

  return {
    create: async (request) => {
      const { name, fifo, visibilityTimeoutMs, maxReceives, deadLetterQueue } = request;
      const created = await queries.value(createQueue, [
        name,
        fifo,
        visibilityTimeoutMs / 1000,
        maxReceives ?? null,
        deadLetterQueue ?? null,
        toSeconds(request.retentionMs),
        request.delayMs / 1000,
        request.deduplicationScope,
      ]);
      knownAsFifo.set(name, fifo);
      return created;
    },

    alter: (queue, request) => {
      const { visibilityTimeoutMs, maxReceives, deadLetterQueue, retentionMs, delayMs } = request;
      const changed = {
        visibility_timeout: toSeconds(visibilityTimeoutMs) ?? undefined,
        max_receives: maxReceives,
        dead_letter_queue: deadLetterQueue,
        retention_seconds: retentionMs === null ? null : (toSeconds(retentionMs) ?? undefined),
        delay_seconds: toSeconds(delayMs) ?? undefined,
        deduplication_scope: request.deduplicationScope,
      };
      return queries.queryOne(alterQueue, [queue, JSON.stringify(changed)]);
    },

    drop: async (queue) => {
      knownAsFifo.delete(queue);
      await queries.query(dropQueue, [queue]);
    },

    purge: (queue) => queries.value(purgeQueue, [queue]),

    list: () => queries.query(listQueues, []),

    get: (queue) => queries.queryOne(getQueue, [queue]),

    depths: (queue, since) => reads.query(queueDepths, [queue, since?.toISOString() ?? null]),

    sampleDepths: () => queries.value(queueDepthsSample, []),

    stats: (queue) => reads.queryOne(queueStats, [queue]),

    deadLetterQueues: (max, after) => reads.query(deadLetterQueues, [max, after ?? null]),

    peek: ({ queue, max, after, matching }) =>
      reads.query(peek, [queue, max, after ?? null, matching ?? null]),

    send: async (request, tx) => {
      if (tx === undefined) return sends.submit(request);
      const [id] = await sendMany(joined([request]), tx);
      if (id === undefined) throw new Error("send_batch() returned no row.");
      return id;
    },

    sendBatch: sendMany,

    sendFifo: async (request, tx) =>
      tx === undefined
        ? fifoSends.submit(request)
        : queries.value(sendFifo, fifoArguments(request), { tx }),

    sendFifoBatch: async (queue, items, tx) => {
      const sent = await queries.query(sendFifoBatch, fifoBatchArguments(queue, items), { tx });
      if (tx === undefined) noteChange(queue);
      return sent;
    },

    receive: (request) => awaitMessages(request, () => receiveNow(request)),

    await: awaitMessages,

    changeVisibility: async (queue, receipt, timeoutMs, options = {}) => {
      const { tx, repeatable = false, isHeartbeat = false, isInFlightOnly = false } = options;
      const kind = { isHeartbeat, isInFlightOnly };
      if (tx === undefined) {
        return changes.submit({ queue, receipt, timeoutMs, repeatable, ...kind });
      }
      return (await changeMany(queue, [receipt], timeoutMs, { tx, ...kind })).length > 0;
    },

    delete: async (queue, receipt, { tx, repeatable = false, isInFlightOnly = false } = {}) => {
      if (tx === undefined) return deletes.submit({ queue, receipt, repeatable, isInFlightOnly });
      return (await deleteMany(queue, [receipt], { tx, isInFlightOnly })).length > 0;
    },

    deleteBatch: deleteMany,

    giveBack: async (queue, receipts, delayMs) => {
      const values = [queue, plainArrayText(receipts), delayMs / 1000] as const;
      const alive = await settle(giveBackBatch, values, queue, receipts, {});
      if (delayMs === 0) noteChange(queue);
      return alive;
    },

    redrive: (deadLetterQueue, max, ids) =>
      queries.value(redrive, [deadLetterQueue, max, ids ?? null]),

    moveMessages: async (source, target, max) => {
      const moved = await queries.value(moveMessages, [source, target, max]);
      if (moved > 0) noteChange(target);
      return moved;
    },

    noteChange,

    close: () => {
      for (const watch of watches.values()) watch.close();
      watches.clear();
    },
  };
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
