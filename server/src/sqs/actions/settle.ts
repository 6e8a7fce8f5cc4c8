/** Settling messages that were received: delete them, or change how long they are in flight. */
import { type Action, type SqsContext, withQueue } from "../action.ts";
import { inBatch } from "../batch.ts";
import { invalid, invalidValue, SqsError } from "../errors.ts";
import { type Handle, parseHandle } from "../names.ts";
import { LONGEST_VISIBILITY } from "../queue-attributes.ts";
import type { SqsQueue } from "../queues.ts";

export const deleteMessage: Action<"DeleteMessage"> = {
  scope: "work",
  handle: (input, context) =>
    withQueue(input, context, async (queue) => {
      const handle = parseHandle(input.ReceiptHandle, queue.name);
      return unlessFailed(await deleteOne(handle, queue, context));
    }),
};

export const deleteMessageBatch: Action<"DeleteMessageBatch"> = {
  scope: "work",
  handle: (input, context) =>
    withQueue(input, context, (queue) =>
      inBatch(
        input.Entries,
        ({ ReceiptHandle }) => parseHandle(ReceiptHandle, queue.name),
        (handles) => deleteAll(handles, queue, context),
      ),
    ),
};

/**
 * Deletes messages; of a standard queue, also after their visibility timeout, until they are received again. The
 * deletes of a queue that are under way at the same time share a statement.
 */
const deleteAll = (
  handles: readonly Handle[],
  queue: SqsQueue,
  context: SqsContext,
): Promise<(object | SqsError)[]> =>
  Promise.all(handles.map((handle) => deleteOne(handle, queue, context)));

async function deleteOne(
  handle: Handle,
  queue: SqsQueue,
  context: SqsContext,
): Promise<object | SqsError> {
  const options = { isInFlightOnly: queue.fifo };
  if (await context.queues.delete(queue.name, handle.receipt, options)) return {};
  // Where the message is gone, it is as the client wants it.
  if (!queue.fifo || !(await exists(handle, queue, context))) return {};
  return invalidValue("", "ReceiptHandle", "The receipt handle has expired");
}

export const changeMessageVisibility: Action<"ChangeMessageVisibility"> = {
  scope: "work",
  handle: (input, context) =>
    withQueue(input, context, async (queue) => {
      const { VisibilityTimeout: timeout, ReceiptHandle } = input;
      const change = checkChange(parseHandle(ReceiptHandle, queue.name), timeout);
      return unlessFailed(await changeOne(change, queue, context));
    }),
};

export const changeMessageVisibilityBatch: Action<"ChangeMessageVisibilityBatch"> = {
  scope: "work",
  handle: (input, context) =>
    withQueue(input, context, (queue) =>
      inBatch(
        input.Entries,
        ({ ReceiptHandle, VisibilityTimeout = queue.visibilityTimeout }) =>
          checkChange(parseHandle(ReceiptHandle, queue.name), VisibilityTimeout),
        (changes) => Promise.all(changes.map((change) => changeOne(change, queue, context))),
      ),
    ),
};

interface Change {
  readonly handle: Handle;
  readonly timeout: number;
}

function checkChange(handle: Handle, timeout: number): Change {
  if (timeout < 0 || timeout > LONGEST_VISIBILITY) {
    throw invalidValue(timeout, "VisibilityTimeout", `Must be >= 0 and <= ${LONGEST_VISIBILITY}`);
  }
  const past = Math.max(0, Date.now() - handle.receivedAt) / 1_000;
  if (timeout > 0 && past + timeout > LONGEST_VISIBILITY + 1) {
    throw invalidValue(
      timeout,
      "VisibilityTimeout",
      `Total VisibilityTimeout for the message is beyond the limit [${LONGEST_VISIBILITY} seconds]`,
    );
  }
  return { handle, timeout };
}

async function changeOne(
  { handle, timeout }: Change,
  queue: SqsQueue,
  context: SqsContext,
): Promise<object | SqsError> {
  const { queues } = context;
  const options = { isInFlightOnly: true };
  if (await queues.changeVisibility(queue.name, handle.receipt, timeout * 1_000, options))
    return {};
  return (await exists(handle, queue, context))
    ? new SqsError("MessageNotInflight", "The message is not in flight by this receipt handle.")
    : invalid(
        `Value ${handle.receipt} for parameter ReceiptHandle is invalid. Reason: Message does not exist or is not available for visibility timeout change.`,
      );
}

/** Whether the queue still has the message of a handle. */
async function exists(
  { messageId }: Handle,
  { name }: SqsQueue,
  { queues }: SqsContext,
): Promise<boolean> {
  const after = String(BigInt(messageId) - 1n);
  const [found] = await queues.peek({ queue: name, max: 1, after, matching: undefined });
  return found?.id === messageId;
}

function unlessFailed(outcome: object | SqsError): object {
  if (outcome instanceof SqsError) throw outcome;
  return outcome;
}
