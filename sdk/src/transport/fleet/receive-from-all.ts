/**
 * One receive over all shards of a fleet.
 *
 * Promises:
 *   A1  It returns at most as many messages as were asked for: a shard's surplus is given back as if not received.
 *   A2  A shard that can't be reached holds up no messages of others; without an answer of any, the receive rejects.
 */
import { withLinkedSignal } from "../../async/linked-signal.ts";
import type { MessageDelivery, ReceiveMessagesRequest } from "../../protocol/queues.ts";
import type { Fleet, Lane } from "./fleet.ts";

export async function receiveFromAll(
  fleet: Fleet,
  request: ReceiveMessagesRequest,
): Promise<MessageDelivery[]> {
  await fleet.map();
  const lanes = fleet.inTurn();
  const ready = await receiveReady(fleet, lanes, request);
  if (ready.length > 0 || request.waitMs <= 0) return ready;
  request.signal?.throwIfAborted();
  return withLinkedSignal([request.signal], (signal) =>
    receiveFirst(fleet, lanes, { ...request, signal }),
  );
}

/** Receives ready messages, from one shard after the other. */
async function receiveReady(
  fleet: Fleet,
  lanes: readonly Lane[],
  request: ReceiveMessagesRequest,
): Promise<MessageDelivery[]> {
  const found: MessageDelivery[] = [];
  const failures: unknown[] = [];
  for (const { name } of lanes) {
    const max = request.max - found.length;
    if (max === 0) break;
    const suspects = found.some(({ isSuspect }) => isSuspect) ? 0 : request.suspects;
    try {
      const { transport } = await fleet.named(name);
      found.push(...(await transport.queues.receive({ ...request, max, suspects, waitMs: 0 })));
    } catch (error) {
      fleet.isAway(name);
      failures.push(error);
    }
  }
  if (failures.length === lanes.length) throw failures[0];
  return found;
}

/** Waits at all shards until one of them has messages. */
async function receiveFirst(
  fleet: Fleet,
  lanes: readonly Lane[],
  request: ReceiveMessagesRequest,
): Promise<MessageDelivery[]> {
  const arrived = new AbortController();
  const [first] = lanes;
  return withLinkedSignal([request.signal, arrived.signal], async (signal) => {
    const answers = await Promise.allSettled(
      lanes.map(async (lane) => {
        const { transport } = await fleet.named(lane.name);
        // Several shards may answer at once: only one may bring a suspect.
        const suspects = lane === first ? request.suspects : 0;
        const found = await transport.queues.receive({ ...request, suspects, signal });
        if (found.length > 0) arrived.abort();
        return { lane, found };
      }),
    );
    const all = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
    const failures = answers.flatMap(({ status }, index) =>
      status === "rejected" ? [answers[index]] : [],
    );
    if (all.length === 0) throw (failures[0] as PromiseRejectedResult).reason;
    const messages = all.flatMap(({ found }) => found);
    await giveBackSurplus(request, all);
    return messages.slice(0, request.max);
  });
}

async function giveBackSurplus(
  { queue, max }: ReceiveMessagesRequest,
  all: readonly { readonly lane: Lane; readonly found: readonly MessageDelivery[] }[],
): Promise<void> {
  let room = max;
  for (const { lane, found } of all) {
    const surplus = found.slice(room);
    room = Math.max(0, room - found.length);
    if (surplus.length === 0) continue;
    const receipts = surplus.map(({ receipt }) => receipt);
    // If it fails, their leases end, and they are received again.
    await lane.transport.queues.giveBack(queue, receipts, 0).catch(() => {});
  }
}
