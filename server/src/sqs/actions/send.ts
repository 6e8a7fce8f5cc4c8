/** Sending messages. */
import { type Action, type SqsContext, withQueue } from "../action.ts";
import { inBatch } from "../batch.ts";
import {
  checkBatchSize,
  prepare,
  type PreparedMessage,
  shownSent,
  toFifoItem,
} from "../messages.ts";
import type { SqsQueue } from "../queues.ts";

/** Sends to one standard queue that are under way at the same time share a statement. */
export const sendMessage: Action<"SendMessage"> = {
  scope: "produce",
  handle: (input, context) =>
    withQueue(input, context, async (queue) => {
      const message = prepare(input, queue, context.sender);
      const { name } = queue;
      const { body, headers, delayMs } = message;
      const id = queue.fifo
        ? await context.queues.sendFifo({ queue: name, ...toFifoItem(message) })
        : await context.queues.send({ queue: name, message: body, headers, delayMs });
      return shownSent(message, id, queue);
    }),
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
          const ids = await sendAll(queue, messages, context);
          return messages.map((message, index) => shownSent(message, ids[index] ?? "", queue));
        },
      ),
    ),
};

async function sendAll(
  queue: SqsQueue,
  messages: readonly PreparedMessage[],
  { queues }: SqsContext,
): Promise<string[]> {
  if (queue.fifo) {
    const sent = await queues.sendFifoBatch(queue.name, messages.map(toFifoItem));
    return sent.map(({ id }) => id);
  }
  const delays = messages.map(({ delayMs }) => delayMs);
  return queues.sendBatch({
    queue: queue.name,
    messages: messages.map(({ body }) => body),
    headers: messages.map(({ headers }) => headers),
    delayMs: new Set(delays).size === 1 ? delays[0] : delays,
  });
}
