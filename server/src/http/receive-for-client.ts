/** Receives messages on behalf of a client, which may be gone before it gets them. */
import type {
  MessageDelivery,
  ReceiveMessagesRequest,
  Transport,
} from "@oxbow/sdk/internal/server";
import type { FastifyReply } from "fastify";
import { isThere, whileClientWaits } from "./long-poll.ts";

/**
 * Resolves with the messages; empty if the server is stopping, or the client has disconnected. Messages that the client would
 * have got are visible again.
 */
export async function receiveForClient(
  queues: Transport["queues"],
  request: Omit<ReceiveMessagesRequest, "signal">,
  reply: FastifyReply,
): Promise<MessageDelivery[]> {
  const signal = whileClientWaits(reply);
  const deliveries = await queues.receive({ ...request, signal }).catch((error: unknown) => {
    if (signal.aborted) return [];
    throw error;
  });
  if (!isThere(reply) && deliveries.length > 0) {
    const receipts = deliveries.map(({ receipt }) => receipt);
    await queues.giveBack(request.queue, receipts, 0);
  }
  return deliveries;
}
