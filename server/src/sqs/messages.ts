/** Messages as clients of SQS send them ↔ as queues keep them: a JSON string, with the rest in the header `sqs`. */
import type { FifoItem, MessageDelivery } from "@oxbow/sdk/internal/server";
import { createHash } from "node:crypto";
import { invalid, invalidValue, SqsError } from "./errors.ts";
import {
  asked,
  attributesIn,
  checkCharacters,
  checkMessageAttributes,
  chosen,
  digestOf,
  md5,
  type MessageAttributes,
  sizeOf,
} from "./message-attributes.ts";
import type { GivenMessage } from "./model.ts";
import {
  type Addresses,
  arnOf,
  messageIdOf,
  sequenceNumberOf,
  sourceOf,
  toHandle,
} from "./names.ts";
import { numberIn, LARGEST_MESSAGE } from "./queue-attributes.ts";
import type { SqsQueue } from "./queues.ts";
import { defined } from "../defined.ts";

const LONGEST_DELAY = 900;
/** Letters, digits and punctuation. */
const ID = /^[!-~]{1,128}$/;
const TRACE = "AWSTraceHeader";

/** The header `sqs` of a message. */
interface SqsHeader {
  readonly attributes?: MessageAttributes;
  readonly trace?: string;
  readonly sender?: string;
  readonly deduplicationId?: string;
  /** In a standard queue, which keeps no order of groups. */
  readonly groupId?: string;
}

export interface PreparedMessage {
  readonly body: string;
  readonly headers: string;
  readonly delayMs: number | undefined;
  readonly groupId: string | undefined;
  readonly deduplicationId: string | undefined;
  /** Bytes of body and attributes. */
  readonly size: number;
  readonly digests: {
    readonly MD5OfMessageBody: string;
    readonly MD5OfMessageAttributes?: string;
    readonly MD5OfMessageSystemAttributes?: string;
  };
}

/** @throws SqsError for a message that the queue doesn't take. */
export function prepare(given: GivenMessage, queue: SqsQueue, sender: string): PreparedMessage {
  const { MessageBody: body, MessageAttributes: attributes = {} } = given;
  const { MessageSystemAttributes: system = {}, DelaySeconds: delay } = given;
  if (body === "") {
    throw new SqsError(
      "MissingRequiredParameterException",
      "The request must contain the parameter MessageBody.",
    );
  }
  checkCharacters(body, "the message body");
  checkMessageAttributes(attributes);
  checkSystemAttributes(system);
  const size = Buffer.byteLength(body) + sizeOf(attributes);
  checkSize(size, numberIn(queue, "MaximumMessageSize"));
  checkDelay(delay, queue.fifo);
  const groupId = checkId(given.MessageGroupId, "MessageGroupId");
  const givenId = checkId(given.MessageDeduplicationId, "MessageDeduplicationId");
  if (queue.fifo && groupId === undefined) {
    throw new SqsError(
      "MissingRequiredParameterException",
      "The request must contain the parameter MessageGroupId.",
    );
  }
  if (!queue.fifo && givenId !== undefined) {
    throw invalidValue(
      givenId,
      "MessageDeduplicationId",
      "The request include parameter that is not valid for this queue type",
    );
  }
  const deduplicationId = queue.fifo ? (givenId ?? contentId(body, queue)) : undefined;
  const trace = system[TRACE]?.StringValue;
  const header: SqsHeader = {
    sender,
    ...(Object.keys(attributes).length === 0 ? {} : { attributes }),
    ...defined({ trace, deduplicationId, groupId: queue.fifo ? undefined : groupId }),
  };
  return {
    body: JSON.stringify(body),
    headers: JSON.stringify({ sqs: header }),
    delayMs: delay === undefined || queue.fifo ? undefined : delay * 1_000,
    groupId,
    deduplicationId,
    size,
    digests: defined({
      MD5OfMessageBody: md5(body),
      MD5OfMessageAttributes: digestOf(attributes),
      MD5OfMessageSystemAttributes: digestOf(system),
    }),
  };
}

function checkSize(bytes: number, most: number): void {
  if (bytes <= most) return;
  throw invalid(
    `One or more parameters are invalid. Reason: Message must be shorter than ${most} bytes; it has ${bytes}.`,
  );
}

/** @throws SqsError if the messages of a batch are too large together. */
export function checkBatchSize(messages: readonly PreparedMessage[]): void {
  const bytes = messages.reduce((sum, { size }) => sum + size, 0);
  if (bytes <= LARGEST_MESSAGE) return;
  throw new SqsError(
    "BatchRequestTooLong",
    `Batch requests cannot be longer than ${LARGEST_MESSAGE} bytes. You have sent ${bytes} bytes.`,
  );
}

function checkSystemAttributes(system: MessageAttributes): void {
  for (const [name, { DataType: type, StringValue: value }] of Object.entries(system)) {
    if (name !== TRACE)
      throw invalid(`Message system attribute name '${name.slice(0, 100)}' is invalid.`);
    if (type !== "String" || value === undefined || value === "") {
      throw invalid(`The message system attribute '${TRACE}' must be a non-empty String.`);
    }
    checkCharacters(value, `the message system attribute '${TRACE}'`);
  }
}

function checkDelay(delay: number | undefined, isFifo: boolean): void {
  if (delay === undefined) return;
  if (delay < 0 || delay > LONGEST_DELAY) {
    throw invalidValue(delay, "DelaySeconds", `DelaySeconds must be >= 0 and <= ${LONGEST_DELAY}`);
  }
  if (isFifo && delay > 0) {
    throw invalidValue(
      delay,
      "DelaySeconds",
      "The request include parameter that is not valid for this queue type",
    );
  }
}

function checkId(id: string | undefined, parameter: string): string | undefined {
  if (id === undefined || ID.test(id)) return id;
  throw invalidValue(
    id.slice(0, 150),
    parameter,
    `${parameter} can only include alphanumeric and punctuation characters. 1 to 128 in length`,
  );
}

function contentId(body: string, { attributes }: SqsQueue): string {
  if (attributes["ContentBasedDeduplication"] === "true") {
    return createHash("sha256").update(body).digest("hex");
  }
  throw invalid(
    "The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly",
  );
}

export const toFifoItem = (message: PreparedMessage): FifoItem => ({
  message: message.body,
  headers: message.headers,
  delayMs: message.delayMs,
  groupId: message.groupId ?? "",
  deduplicationId: message.deduplicationId,
});

/** The answer for a message that was sent. */
export const shownSent = (message: PreparedMessage, id: string, queue: SqsQueue): object => ({
  MessageId: messageIdOf(queue.name, id, null),
  ...(queue.fifo ? { SequenceNumber: sequenceNumberOf(id) } : {}),
  ...message.digests,
});

interface Shown {
  readonly queue: SqsQueue;
  readonly attributeNames: readonly string[];
  readonly messageAttributeNames: readonly string[];
  readonly addresses: Addresses;
  readonly receivedAt: number;
  /** The names for clients of SQS of the queues whose dead letters these are. */
  readonly sources: ReadonlyMap<string, string>;
}

const textIn = (value: unknown): string | undefined =>
  typeof value === "string" ? value : undefined;

/** The header, without what has another form: SQL may have written it. */
function headerIn(given: unknown): SqsHeader {
  if (typeof given !== "object" || given === null) return {};
  const members = given as Readonly<Record<keyof SqsHeader, unknown>>;
  return defined({
    attributes: attributesIn(members.attributes),
    trace: textIn(members.trace),
    sender: textIn(members.sender),
    deduplicationId: textIn(members.deduplicationId),
    groupId: textIn(members.groupId),
  });
}

/** A message that was received. What was sent by other means than SQS is received as JSON text. */
export function shownDelivery(delivery: MessageDelivery, shown: Shown): object {
  const { id, receipt, body, headers } = delivery;
  const { queue, receivedAt } = shown;
  const header = headerIn(headers?.["sqs"]);
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const attributes = chosen(header.attributes ?? {}, shown.messageAttributeNames);
  const system = systemAttributesOf(delivery, header, shown);
  const digest = digestOf(attributes);
  return {
    MessageId: messageIdOf(queue.name, id, headers),
    ReceiptHandle: toHandle({ queue: queue.name, messageId: id, receipt, receivedAt }),
    MD5OfBody: md5(text),
    Body: text,
    ...(Object.keys(system).length === 0 ? {} : { Attributes: system }),
    ...(digest === undefined
      ? {}
      : { MD5OfMessageAttributes: digest, MessageAttributes: attributes }),
  };
}

function systemAttributesOf(
  { id, headers, receiveCount, groupId, enqueuedAt }: MessageDelivery,
  header: SqsHeader,
  { queue, attributeNames, addresses, receivedAt, sources }: Shown,
): Record<string, string> {
  if (attributeNames.length === 0) return {};
  const source = sources.get(sourceOf(headers) ?? "");
  const group = groupId ?? header.groupId;
  const all: Record<string, string | undefined> = {
    SenderId: header.sender,
    SentTimestamp: String(enqueuedAt.getTime()),
    ApproximateReceiveCount: String(receiveCount),
    // Queues don't keep when a message was first received; it was not before it was sent.
    ApproximateFirstReceiveTimestamp: String(receiveCount > 1 ? enqueuedAt.getTime() : receivedAt),
    MessageGroupId: group,
    MessageDeduplicationId: header.deduplicationId,
    SequenceNumber: queue.fifo ? sequenceNumberOf(id) : undefined,
    AWSTraceHeader: header.trace,
    DeadLetterQueueSourceArn: source === undefined ? undefined : arnOf(source, addresses),
  };
  return asked(all, attributeNames);
}
