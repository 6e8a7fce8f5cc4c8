/** Receiving messages. */
import type { MessageDelivery, ReceiveMessagesRequest } from "@oxbow/sdk/internal/server";
import { type Action, type SqsContext, withQueue } from "../action.ts";
import { checkRange, invalid } from "../errors.ts";
import { shownDelivery } from "../messages.ts";
import { sourceOf } from "../names.ts";
import type { Input } from "../model.ts";
import { LONGEST_VISIBILITY, numberIn } from "../queue-attributes.ts";
import type { SqsQueue } from "../queues.ts";

const MOST_MESSAGES = 10;
const LONGEST_WAIT = 20;

const SYSTEM_ATTRIBUTES: ReadonlySet<string> = new Set([
  "All",
  "SenderId",
  "SentTimestamp",
  "ApproximateReceiveCount",
  "ApproximateFirstReceiveTimestamp",
  "SequenceNumber",
  "MessageDeduplicationId",
  "MessageGroupId",
  "AWSTraceHeader",
  "DeadLetterQueueSourceArn",
]);

const systemAttributesIn = (input: Input<"ReceiveMessage">): string[] => [
  ...(input.AttributeNames ?? []),
  ...(input.MessageSystemAttributeNames ?? []),
];

/** Asks only for dead letters, and only if the client wants to know. */
async function sourcesOf(
  { sqsName }: SqsQueue,
  names: readonly string[],
  deliveries: readonly MessageDelivery[],
  { calls }: SqsContext,
): Promise<ReadonlyMap<string, string>> {
  const isAsked = names.includes("All") || names.includes("DeadLetterQueueSourceArn");
  if (!isAsked || !deliveries.some(({ headers }) => sourceOf(headers) !== undefined)) {
    return new Map();
  }
  const queues = await calls.list(undefined, sqsName, 1_000, undefined);
  return new Map(queues.map((queue) => [queue.name, queue.sqsName]));
}

function check(input: Input<"ReceiveMessage">): void {
  checkRange(input.MaxNumberOfMessages, "MaxNumberOfMessages", 1, MOST_MESSAGES);
  checkRange(input.VisibilityTimeout, "VisibilityTimeout", 0, LONGEST_VISIBILITY);
  checkRange(input.WaitTimeSeconds, "WaitTimeSeconds", 0, LONGEST_WAIT);
  const unknown = systemAttributesIn(input).find((name) => !SYSTEM_ATTRIBUTES.has(name));
  if (unknown !== undefined) throw invalid(`Unknown Attribute ${unknown.slice(0, 100)}.`);
}

export const receiveMessage: Action<"ReceiveMessage"> = {
  scope: "work",
  handle: (input, context) => {
    check(input);
    return withQueue(input, context, async (queue) => {
      const deliveries = await context.receive(requestOf(input, queue));
      if (deliveries.length === 0) return {};
      const attributeNames = systemAttributesIn(input);
      const shown = {
        queue,
        attributeNames,
        sources: await sourcesOf(queue, attributeNames, deliveries, context),
        messageAttributeNames: input.MessageAttributeNames ?? [],
        addresses: context.addresses,
        receivedAt: Date.now(),
      };
      return { Messages: deliveries.map((delivery) => shownDelivery(delivery, shown)) };
    });
  },
};

function requestOf(
  input: Input<"ReceiveMessage">,
  queue: SqsQueue,
): Omit<ReceiveMessagesRequest, "signal"> {
  const waitSeconds = input.WaitTimeSeconds ?? numberIn(queue, "ReceiveMessageWaitTimeSeconds");
  const visibility = input.VisibilityTimeout;
  return {
    queue: queue.name,
    max: input.MaxNumberOfMessages ?? 1,
    visibilityTimeoutMs: visibility === undefined ? undefined : visibility * 1_000,
    matching: undefined,
    suspects: 2,
    ...(queue.fifo ? { maxPerGroup: MOST_MESSAGES } : {}),
    waitMs: waitSeconds * 1_000,
  };
}
