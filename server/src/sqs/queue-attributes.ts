/** The attributes of queues: their limits, and the settings of queues that they stand for. */
import type { QueueStatistics } from "@oxbow/sdk/internal/server";
import { invalidValue, SqsError } from "./errors.ts";
import { type Addresses, arnOf, nameInArn } from "./names.ts";
import type { Settings, SqsQueue } from "./queues.ts";
import { asked } from "./message-attributes.ts";

/** Bytes of a message. */
export const LARGEST_MESSAGE = 1_048_576;
/** Seconds. */
export const LONGEST_VISIBILITY = 43_200;
const MOST_RECEIVES = 1_000;

interface NumberAttribute {
  readonly least: number;
  readonly most: number;
  /** The setting that it is; without one it is kept as an attribute. */
  readonly setting?: string;
  readonly preset: number;
}

const NUMBERS: Readonly<Record<string, NumberAttribute>> = {
  DelaySeconds: { least: 0, most: 900, setting: "delay_seconds", preset: 0 },
  MaximumMessageSize: { least: 1_024, most: LARGEST_MESSAGE, preset: LARGEST_MESSAGE },
  MessageRetentionPeriod: {
    least: 60,
    most: 1_209_600,
    setting: "retention_seconds",
    preset: 345_600,
  },
  ReceiveMessageWaitTimeSeconds: { least: 0, most: 20, preset: 0 },
  VisibilityTimeout: {
    least: 0,
    most: LONGEST_VISIBILITY,
    setting: "visibility_timeout",
    preset: 30,
  },
};

/** The attributes that only FIFO queues have. */
const CHOICES: Readonly<Record<string, readonly string[]>> = {
  ContentBasedDeduplication: ["true", "false"],
  DeduplicationScope: ["messageGroup", "queue"],
  FifoThroughputLimit: ["perQueue", "perMessageGroupId"],
};

/** Refused unless they are empty, or off, which they always are. */
const REFUSED: Readonly<Record<string, string>> = {
  Policy: "access is in OXBOW_ACCESS_KEYS",
  KmsMasterKeyId: "the database encrypts its disk",
  KmsDataKeyReusePeriodSeconds: "the database encrypts its disk",
  SqsManagedSseEnabled: "the database encrypts its disk",
};

/** Attributes that are only read. */
const READ_ONLY = [
  "QueueArn",
  "ApproximateNumberOfMessages",
  "ApproximateNumberOfMessagesNotVisible",
  "ApproximateNumberOfMessagesDelayed",
  "CreatedTimestamp",
  "LastModifiedTimestamp",
];

const WRITTEN = [
  ...Object.keys(NUMBERS),
  ...Object.keys(CHOICES),
  "RedrivePolicy",
  "RedriveAllowPolicy",
];

/** The number of an attribute that queues have no setting for. */
export const numberIn = ({ attributes }: SqsQueue, name: keyof typeof NUMBERS): number =>
  Number(attributes[name] ?? NUMBERS[name]?.preset);

export interface ParsedAttributes {
  readonly settings: Settings;
  /** Null removes one. */
  readonly attributes: Readonly<Record<string, string | null>>;
}

/**
 * The attributes that a client sets.
 *
 * @param find Finds the queue of dead letters.
 * @throws SqsError naming the attribute and its value.
 */
export async function parseAttributes(
  given: Readonly<Record<string, string>>,
  target: { readonly sqsName: string; readonly isNew: boolean },
  find: (name: string) => Promise<SqsQueue>,
): Promise<ParsedAttributes> {
  const isFifo = target.sqsName.endsWith(".fifo");
  const settings: Record<string, string | number | null> = {};
  const attributes: Record<string, string | null> = {};
  for (const [name, value] of Object.entries(given)) {
    const number = NUMBERS[name];
    const choices = CHOICES[name];
    if (name === "FifoQueue") {
      checkKind(value, isFifo, target.isNew);
    } else if (name in REFUSED) {
      if (!["", "false"].includes(value)) {
        throw new SqsError(
          "UnsupportedOperation",
          `${name} ${value.slice(0, 100)} is not supported: ${REFUSED[name] ?? ""}.`,
        );
      }
    } else if (number !== undefined) {
      const parsed = parseNumber(name, value, number);
      if (number.setting === undefined) attributes[name] = String(parsed);
      else settings[number.setting] = parsed;
    } else if (choices !== undefined) {
      if (!isFifo)
        throw new SqsError("InvalidAttributeName", `${name} can only be set for FIFO queues.`);
      if (!choices.includes(value)) throw wrong(name, value, `Must be ${choices.join(" or ")}`);
      if (name !== "DeduplicationScope") attributes[name] = value;
      else settings["deduplication_scope"] = value === "queue" ? "queue" : "group";
    } else if (name === "RedrivePolicy") {
      Object.assign(settings, await parseRedrivePolicy(value, target.sqsName, find));
    } else if (name === "RedriveAllowPolicy") {
      attributes[name] = value === "" ? null : parseRedriveAllowPolicy(value);
    } else {
      throw unknownAttribute(name);
    }
  }
  return { settings, attributes };
}

const wrong = (name: string, value: string, reason: string): SqsError =>
  new SqsError(
    "InvalidAttributeValue",
    `Invalid value for the parameter ${name}: ${value.slice(0, 100)}. Reason: ${reason}.`,
  );

const unknownAttribute = (name: string): SqsError =>
  new SqsError("InvalidAttributeName", `Unknown Attribute ${name.slice(0, 100)}.`);

function checkKind(value: string, isFifo: boolean, isNew: boolean): void {
  if (value === String(isFifo)) return;
  if (!isNew)
    throw new SqsError("InvalidAttributeName", "FifoQueue can only be set by CreateQueue.");
  throw isFifo
    ? wrong("FifoQueue", value, "Must be true for a name that ends with .fifo")
    : invalidValue(value, "FifoQueue", "The name of a FIFO queue must end with .fifo");
}

function parseNumber(name: string, value: string, { least, most }: NumberAttribute): number {
  const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw wrong(name, value, `Must be between ${least} and ${most}`);
}

function objectIn(name: string, value: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(value);
    if (typeof parsed === "object" && parsed !== null) return parsed as never;
  } catch {
    // Refused below.
  }
  throw wrong(name, value, "Must be a JSON object");
}

async function parseRedrivePolicy(
  value: string,
  sqsName: string,
  find: (name: string) => Promise<SqsQueue>,
): Promise<Settings> {
  if (value === "") return { max_receives: null, dead_letter_queue: null };
  const { deadLetterTargetArn, maxReceiveCount } = objectIn("RedrivePolicy", value);
  const receives = Number(maxReceiveCount);
  if (!Number.isInteger(receives) || receives < 1 || receives > MOST_RECEIVES) {
    throw invalidValue(
      value,
      "RedrivePolicy",
      `maxReceiveCount must be between 1 and ${MOST_RECEIVES}`,
    );
  }
  const name = nameInArn(String(deadLetterTargetArn));
  if (name === undefined) {
    throw invalidValue(value, "RedrivePolicy", "deadLetterTargetArn must be the ARN of a queue");
  }
  const target = await find(name).catch(() => {
    throw invalidValue(value, "RedrivePolicy", "Dead letter target does not exist");
  });
  if (target.fifo !== sqsName.endsWith(".fifo")) {
    throw invalidValue(
      value,
      "RedrivePolicy",
      "Dead-letter queue must be of the same type as the source queue",
    );
  }
  if (!admits(target, sqsName)) {
    throw invalidValue(
      value,
      "RedrivePolicy",
      "The RedriveAllowPolicy of the dead-letter queue forbids it",
    );
  }
  return { max_receives: receives, dead_letter_queue: target.name };
}

const PERMISSIONS = ["allowAll", "denyAll", "byQueue"];
const MOST_SOURCES = 10;

function parseRedriveAllowPolicy(value: string): string {
  const { redrivePermission, sourceQueueArns } = objectIn("RedriveAllowPolicy", value);
  const isList = Array.isArray(sourceQueueArns) && sourceQueueArns.length <= MOST_SOURCES;
  if (!PERMISSIONS.includes(String(redrivePermission))) {
    throw invalidValue(
      value,
      "RedriveAllowPolicy",
      `redrivePermission must be ${PERMISSIONS.join(", ")}`,
    );
  }
  if ((redrivePermission === "byQueue") !== isList) {
    throw invalidValue(
      value,
      "RedriveAllowPolicy",
      `sourceQueueArns must be given with byQueue, and at most ${MOST_SOURCES}`,
    );
  }
  return value;
}

/** Whether a queue takes the dead letters of another. */
function admits({ attributes }: SqsQueue, source: string): boolean {
  const policy = attributes["RedriveAllowPolicy"];
  if (policy === undefined) return true;
  const { redrivePermission, sourceQueueArns } = objectIn("RedriveAllowPolicy", policy);
  if (redrivePermission !== "byQueue") return redrivePermission === "allowAll";
  return (sourceQueueArns as readonly unknown[]).some((arn) => nameInArn(String(arn)) === source);
}

/** Whether these names ask for counts of messages. */
export const asksForCounts = (names: readonly string[]): boolean =>
  names.some((name) => name === "All" || name.startsWith("Approximate"));

const KNOWN: ReadonlySet<string> = new Set([
  ...WRITTEN,
  ...READ_ONLY,
  ...Object.keys(REFUSED),
  "FifoQueue",
  "All",
]);

/** @throws SqsError for a name that no queue has. */
export function checkAttributeNames(names: readonly string[]): void {
  const unknown = names.find((name) => !KNOWN.has(name));
  if (unknown !== undefined) throw unknownAttribute(unknown);
}

const seconds = (date: Date): string => String(Math.floor(date.getTime() / 1_000));

/** The attributes that a client reads, of these names. */
export function shownAttributes(
  queue: SqsQueue,
  names: readonly string[],
  counts: Pick<QueueStatistics, "visible" | "inFlight" | "delayed"> | undefined,
  addresses: Addresses,
): Record<string, string> {
  const { attributes, deadLetterQueue, fifo } = queue;
  const all: Record<string, string | undefined> = {
    QueueArn: arnOf(queue.sqsName, addresses),
    ApproximateNumberOfMessages: counts && String(counts.visible),
    ApproximateNumberOfMessagesNotVisible: counts && String(counts.inFlight),
    ApproximateNumberOfMessagesDelayed: counts && String(counts.delayed),
    CreatedTimestamp: seconds(queue.createdAt),
    LastModifiedTimestamp: seconds(queue.changedAt),
    VisibilityTimeout: String(queue.visibilityTimeout),
    MaximumMessageSize: String(numberIn(queue, "MaximumMessageSize")),
    // A queue that keeps messages for ever shows the longest time that SQS has.
    MessageRetentionPeriod: String(
      queue.retentionSeconds ?? NUMBERS["MessageRetentionPeriod"]?.most,
    ),
    DelaySeconds: String(queue.delaySeconds),
    ReceiveMessageWaitTimeSeconds: String(numberIn(queue, "ReceiveMessageWaitTimeSeconds")),
    SqsManagedSseEnabled: "false",
    RedriveAllowPolicy: attributes["RedriveAllowPolicy"],
    RedrivePolicy:
      deadLetterQueue === null
        ? undefined
        : JSON.stringify({
            deadLetterTargetArn: arnOf(deadLetterQueue, addresses),
            maxReceiveCount: queue.maxReceives,
          }),
    ...(fifo
      ? {
          FifoQueue: "true",
          ContentBasedDeduplication: attributes["ContentBasedDeduplication"] ?? "false",
          DeduplicationScope: queue.deduplicationScope === "group" ? "messageGroup" : "queue",
          FifoThroughputLimit: attributes["FifoThroughputLimit"] ?? "perQueue",
        }
      : {}),
  };
  return asked(all, names);
}
