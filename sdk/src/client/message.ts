import { InvalidArgument } from "../core/errors.ts";
import { toStorableText } from "../core/json.ts";
import type { MessageDelivery } from "../protocol/queues.ts";

/** A message received from a queue. */
export interface ReceivedMessage<Body = unknown> extends Omit<
  MessageDelivery,
  "body" | "isSuspect"
> {
  readonly queue: string;
  /** The value that was sent, as parsed from JSON. */
  readonly body: Body;
}

/** Proof of a delivery: the received message, or only its receipt. */
export type Receipt = string | Pick<ReceivedMessage, "receipt">;

/** Metadata of a message: a JSON object. */
export type Headers = Readonly<Record<string, unknown>>;

export const toReceivedMessage = <Body>(
  queue: string,
  delivery: MessageDelivery,
): ReceivedMessage<Body> => ({
  id: delivery.id,
  queue,
  receipt: delivery.receipt,
  body: delivery.body as Body,
  headers: delivery.headers,
  receiveCount: delivery.receiveCount,
  groupId: delivery.groupId,
  enqueuedAt: delivery.enqueuedAt,
  visibleAt: delivery.visibleAt,
});

const MAX_INT8 = 9_223_372_036_854_775_807n;

/** Ids and receipts are int8 in the database, and text here. */
export const isInt8 = (text: string): boolean =>
  /^\d{1,19}$/.test(text) && (text.length < 19 || BigInt(text) <= MAX_INT8);

export function receiptOf(message: Receipt): string {
  const receipt: unknown = typeof message === "string" ? message : message.receipt;
  if (typeof receipt === "string" && isInt8(receipt)) return receipt;
  throw new InvalidArgument(
    `Invalid receipt ${JSON.stringify(receipt)?.slice(0, 40)}: give a message as receive() returns it, or its receipt.`,
  );
}

/** @throws SerializationError, PayloadTooLarge, InvalidArgument */
export function messageText(body: unknown, where: string): string {
  const text = toStorableText(body, `a message for ${where}`);
  if (text !== undefined) return text;
  throw new InvalidArgument(
    `Cannot send undefined to ${where}: for a message without content, send null or {}.`,
  );
}

export function headersText(
  headers: Headers | null | undefined,
  where: string,
): string | undefined {
  if (headers === undefined || headers === null) return undefined;
  if (typeof headers !== "object" || Array.isArray(headers)) {
    throw new InvalidArgument(`Invalid headers of a message for ${where}: give an object.`);
  }
  return toStorableText(headers, `the headers of a message for ${where}`);
}
