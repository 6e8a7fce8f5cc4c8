/** Sending messages. */
import { type Action, type SqsContext, withQueue } from "../action.ts";
import { inBatch } from "../batch.ts";
import { SqsError, toSqsError } from "../errors.ts";
import {
  checkBatchSize,
  prepare,
  type PreparedMessage,
  shownSent,
  toFifoItem,
} from "../messages.ts";
import type { SqsQueue } from "../queues.ts";

export const sendMessage: Action<"SendMessage"> = {
  scope: "produce",
  handle: (input, context) =>
    withQueue(input, context, async (queue) => {
      const message = prepare(input, queue, context.sender);
      return shownSent(message, await send(queue, message, context), queue);
    }),
};

/** Sends to one queue that are under way at the same time share a statement, those of batches to FIFO queues included. */
const send = (
  { name, fifo }: SqsQueue,
  message: PreparedMessage,
  { queues }: SqsContext,
): Promise<string> => {
  const { body, headers, delayMs } = message;
  return fifo
    ? queues.sendFifo({ queue: name, ...toFifoItem(message) })
    : queues.send({ queue: name, message: body, headers, delayMs });
};

export const sendMessageBatch: Action<"SendMessageBatch"> = {
  scope: "produce",
  handle: (input, context) =>
    withQueue(input, context, (queue) =>
      inBatch(
        input.Entries,
        (entry) => prepare(entry, queue, context.sender),
        async (messages) => {
          checkBatchSize(messages);
          const sent = await sendAll(queue, messages, context);
          return messages.map((message, index) => {
            const id = sent[index] ?? "";
            return id instanceof SqsError ? id : shownSent(message, id, queue);
          });
        },
      ),
    ),
};

/** The ids, or why a message was not sent. Messages to a FIFO queue go behind those of requests that arrived earlier. */
async function sendAll(
  queue: SqsQueue,
  messages: readonly PreparedMessage[],
  context: SqsContext,
): Promise<(string | SqsError)[]> {
  if (queue.fifo) {
    const sent = await Promise.allSettled(messages.map((one) => send(queue, one, context)));
    const [first] = sent;
    // Clients repeat a request that fails, and not its entries.
    if (first?.status === "rejected" && sent.every(({ status }) => status === "rejected")) {
      throw first.reason;
    }
    return sent.map((one) => (one.status === "fulfilled" ? one.value : toSqsError(one.reason)));
  }
  const delays = messages.map(({ delayMs }) => delayMs);
  return context.queues.sendBatch({
    queue: queue.name,
    messages: messages.map(({ body }) => body),
    headers: messages.map(({ headers }) => headers),
    delayMs: new Set(delays).size === 1 ? delays[0] : delays,
  });
}
