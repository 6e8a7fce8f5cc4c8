/** Names that clients of SQS give and get: urls and ARNs of queues, ids of messages, receipt handles. */
import { createHash } from "node:crypto";
import { SqsError } from "./errors.ts";

export interface Addresses {
  /** Begins the urls of queues, without a slash at the end. */
  readonly origin: string;
  readonly account: string;
  readonly region: string;
}

export const urlOf = (sqsName: string, { origin, account }: Addresses): string =>
  `${origin}/${account}/${sqsName}`;

/** The name is the last segment of a url; its host is ignored, since proxies and containers have others. */
export function nameInUrl(url: string): string {
  const name = url.split(/[?#]/, 1)[0]?.split("/").at(-1) ?? "";
  if (/^[\w.-]+$/.test(name)) return name;
  throw new SqsError(
    "InvalidAddress",
    `The address ${url.slice(0, 200)} is not valid for this endpoint.`,
  );
}

export const arnOf = (sqsName: string, { account, region }: Addresses): string =>
  `arn:aws:sqs:${region}:${account}:${sqsName}`;

/** Undefined for a text that is no ARN of a queue. */
export const nameInArn = (arn: string): string | undefined =>
  /^arn:[\w-]+:sqs:[\w-]*:\d*:([\w.-]+)$/.exec(arn)?.[1];

/**
 * The id of a message for clients: a UUID of version 8, made of the queue and the id there, so that it needs no place. A
 * dead letter keeps that of the message that it was.
 */
export function messageIdOf(
  queue: string,
  id: string,
  headers: Readonly<Record<string, unknown>> | null,
): string {
  let origin = { queue, msg_id: id } as DeadLetter;
  for (
    let letter = headers?.["dead_letter"] as DeadLetter | undefined;
    letter?.msg_id !== undefined;
    letter = letter.previous
  ) {
    origin = letter;
  }
  const bytes = createHash("sha256").update(`${origin.queue}/${origin.msg_id}`).digest();
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString("hex", 0, 16);
  return [
    [0, 8],
    [8, 12],
    [12, 16],
    [16, 20],
    [20, 32],
  ]
    .map(([from, to]) => hex.slice(from, to))
    .join("-");
}

/** The history of a dead letter in its headers, newest first. */
interface DeadLetter {
  readonly queue: string;
  readonly msg_id: string | number;
  readonly previous?: DeadLetter;
}

/** The queue that a dead letter comes from. */
export const sourceOf = (headers: Readonly<Record<string, unknown>> | null): string | undefined =>
  (headers?.["dead_letter"] as DeadLetter | undefined)?.queue;

/** Digits of a position in a FIFO queue. */
export const sequenceNumberOf = (id: string): string => id.padStart(20, "0");

/** A task that moves messages, as clients name it. */
export interface TaskHandle {
  readonly source: string;
  readonly taskId: string;
}

export const toTaskHandle = ({ source, taskId }: TaskHandle): string =>
  Buffer.from(`1 ${source} ${taskId}`).toString("base64");

/** Undefined for a text that is no handle of a task. */
export function parseTaskHandle(text: string): TaskHandle | undefined {
  const decoded = Buffer.from(text, "base64").toString("latin1");
  const [, source, taskId] = /^1 ([\w.-]+) (\d{1,18})$/.exec(decoded) ?? [];
  return source === undefined || taskId === undefined ? undefined : { source, taskId };
}

export interface Handle {
  readonly queue: string;
  readonly messageId: string;
  readonly receipt: string;
  readonly receivedAt: number;
}

/** Clients tell handles from ids by their length. */
const HANDLE_BYTES = 96;

export const toHandle = ({ queue, messageId, receipt, receivedAt }: Handle): string =>
  Buffer.from(`1 ${queue} ${messageId} ${receipt} ${receivedAt}`.padEnd(HANDLE_BYTES)).toString(
    "base64",
  );

/** @throws SqsError for a text that is no handle of this queue. */
export function parseHandle(text: string, queue: string): Handle {
  const [, name, messageId, receipt, receivedAt] =
    /^1 (\S+) (\d{1,19}) (-?\d{1,19}) (\d{1,15}) *$/.exec(
      Buffer.from(text, "base64").toString("latin1"),
    ) ?? [];
  if (name === queue && messageId !== undefined && receipt !== undefined) {
    return { queue, messageId, receipt, receivedAt: Number(receivedAt) };
  }
  const reason = name === undefined ? "" : " It belongs to another queue.";
  throw new SqsError(
    "ReceiptHandleIsInvalid",
    `The input receipt handle "${text.slice(0, 120)}" is not a valid receipt handle.${reason}`,
  );
}
