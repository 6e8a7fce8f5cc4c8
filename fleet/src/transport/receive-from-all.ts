/**
 * One receive over all shards of a fleet.
 *
 * Promises:
 *   A1  It returns at most as many messages as were asked for: a shard's surplus is given back as if not received.
 *   A2  A shard that can't be reached holds up no messages of others for long; without an answer of any, the receive
 *       rejects.
 *   A3  A refusal, such as that of a queue that a shard lacks, rejects the receive unless another shard has messages, which
 *       would otherwise wait for the end of their leases.
 */
import { ConnectionFailed } from "@oxbow/sdk";
import {
  type MessageDelivery,
  type ReceiveMessagesRequest,
  within,
  withLinkedSignal,
} from "@oxbow/sdk/internal/fleet";
import type { Fleet, Lane } from "./fleet.ts";

/** How long the other shards may take to answer when one has messages. */
const GRACE_MS = 500;

export async function receiveFromAll(
  fleet: Fleet,
  request: ReceiveMessagesRequest,
): Promise<MessageDelivery[]> {
  await fleet.map();
  const lanes = fleet.inTurn();
  if (request.waitMs <= 0) return receiveReady(fleet, lanes, request);
  // One that failed last is only waited for.
  const reached = lanes.filter((lane) => !fleet.hasFailed(lane));
  const ready = reached.length === 0 ? [] : await receiveReady(fleet, reached, request);
  if (ready.length > 0) return ready;
  request.signal?.throwIfAborted();
  return receiveFirst(fleet, lanes, request);
}

/** Messages and failures of the shards that have answered so far. */
class Received {
  readonly found: MessageDelivery[] = [];
  readonly failures: unknown[] = [];
  /** Messages that come later are given back. */
  isOver = false;
  readonly #fleet: Fleet;
  readonly #max: number;

  constructor(fleet: Fleet, max: number) {
    this.#fleet = fleet;
    this.#max = max;
  }

  async add(lane: Lane, request: ReceiveMessagesRequest, onFound = (): void => {}): Promise<void> {
    try {
      const messages = await receiveFrom(this.#fleet, lane, request);
      const room = this.isOver ? 0 : this.#max - this.found.length;
      this.found.push(...messages.slice(0, room));
      if (messages.length > 0) onFound();
      await giveBack(lane, request.queue, messages.slice(room));
    } catch (error) {
      this.failures.push(error);
    }
  }
}

/** Receives ready messages, from one shard after the other; one that doesn't answer soon holds up no others. */
async function receiveReady(
  fleet: Fleet,
  lanes: readonly Lane[],
  request: ReceiveMessagesRequest,
): Promise<MessageDelivery[]> {
  const received = new Received(fleet, request.max);
  const { found, failures } = received;
  const late: Promise<void>[] = [];
  for (const lane of lanes) {
    const max = request.max - found.length;
    if (max === 0) break;
    const mayHaveSuspect = late.length > 0 || found.some(({ isSuspect }) => isSuspect);
    const suspects = mayHaveSuspect ? 0 : request.suspects;
    const answer = received.add(lane, { ...request, max, suspects, waitMs: 0 });
    if (!(await within(GRACE_MS, answer))) late.push(answer);
  }
  if (found.length === 0) await Promise.all(late);
  received.isOver = true;
  if (found.length === 0) throwFailures(failures, lanes);
  return found;
}

/** Waits at all shards until one of them has messages. */
async function receiveFirst(
  fleet: Fleet,
  lanes: readonly Lane[],
  request: ReceiveMessagesRequest,
): Promise<MessageDelivery[]> {
  const arrived = new AbortController();
  const received = new Received(fleet, request.max);
  await withLinkedSignal([request.signal, arrived.signal], async (signal) => {
    const all = Promise.all(
      lanes.map((lane) => {
        // Several shards may answer, but only one may bring a suspect.
        const suspects = lane === lanes[0] ? request.suspects : 0;
        return received.add(lane, { ...request, suspects, signal }, () => arrived.abort());
      }),
    );
    await Promise.race([within(request.waitMs + GRACE_MS, all), untilAborted(signal)]);
    await within(GRACE_MS, all);
  });
  received.isOver = true;
  const { found, failures } = received;
  if (found.length > 0) return found;
  request.signal?.throwIfAborted();
  throwFailures(failures, lanes);
  return [];
}

function throwFailures(failures: readonly unknown[], lanes: readonly Lane[]): void {
  const refusals = failures.filter((failure) => !isAway(failure));
  if (refusals.length > 0) throw refusals[0];
  if (failures.length === lanes.length) throw failures[0];
}

const isAway = (failure: unknown): boolean => failure instanceof ConnectionFailed;

async function receiveFrom(
  fleet: Fleet,
  { name }: Lane,
  request: ReceiveMessagesRequest,
): Promise<MessageDelivery[]> {
  try {
    const { transport } = await fleet.named(name);
    const messages = await transport.queues.receive(request);
    fleet.noteAnswer(name);
    return messages;
  } catch (error) {
    if (request.signal?.aborted !== true && isAway(error)) fleet.noteFailure(name);
    throw error;
  }
}

async function giveBack(
  { transport }: Lane,
  queue: string,
  messages: readonly MessageDelivery[],
): Promise<void> {
  if (messages.length === 0) return;
  const receipts = messages.map(({ receipt }) => receipt);
  // If it fails, their leases end, and they are received again.
  await transport.queues.giveBack(queue, receipts, 0).catch(() => {});
}

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
