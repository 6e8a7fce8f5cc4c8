/** The attributes of messages: what they may be, how large they are, and their digest. */
import { createHash } from "node:crypto";
import { Type, type Static } from "typebox";
import { invalid, SqsError } from "./errors.ts";

export const AttributeValue = Type.Object({
  DataType: Type.Optional(Type.String()),
  StringValue: Type.Optional(Type.String()),
  /** Base64. */
  BinaryValue: Type.Optional(Type.String()),
});
type Value = Static<typeof AttributeValue>;
export type MessageAttributes = Readonly<Record<string, Value>>;

const MOST_ATTRIBUTES = 10;
const LONGEST_NAME = 256;
/** Letters, digits, "_", "-" and ".", without a dot at an end or two together. */
const NAME = /^(?!\.)(?!.*\.\.)[\w.-]+(?<!\.)$/;
const RESERVED = /^(aws|amazon)\./i;
const DATA_TYPE = /^(String|Number|Binary)(\..+)?$/;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** Neither in XML nor in JSON of the database. */
const NO_CHARACTER = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;

/** @throws SqsError for a text with characters that SQS doesn't take. */
export function checkCharacters(text: string, of: string): void {
  const at = text.search(NO_CHARACTER);
  if (at === -1) return;
  const code = (text.codePointAt(at) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  throw new SqsError(
    "InvalidMessageContents",
    `Invalid character U+${code} was found in ${of}, the set of allowed characters is #x9 | #xA | #xD | [#x20 to #xD7FF] | [#xE000 to #xFFFD] | [#x10000 to #x10FFFF].`,
  );
}

/** @throws SqsError naming the attribute. */
export function checkMessageAttributes(attributes: MessageAttributes): void {
  const entries = Object.entries(attributes);
  if (entries.length > MOST_ATTRIBUTES) {
    throw invalid(
      `Number of message attributes [${entries.length}] exceeds the allowed maximum [${MOST_ATTRIBUTES}].`,
    );
  }
  for (const [name, value] of entries) {
    const shown = name.slice(0, LONGEST_NAME);
    if (!NAME.test(name) || RESERVED.test(name) || name.length > LONGEST_NAME) {
      throw invalid(`The message attribute name '${shown}' is invalid.`);
    }
    checkValue(shown, value);
  }
}

/** The attributes in a header that SQL may have written, without those that no client could have sent. */
export const attributesIn = (given: unknown): MessageAttributes =>
  Object.fromEntries(
    Object.entries(given ?? {}).filter((entry): entry is [string, Value] => isAttribute(...entry)),
  );

function isAttribute(name: string, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (Object.values(value).some((member) => typeof member !== "string")) return false;
  try {
    checkMessageAttributes({ [name]: value });
    return true;
  } catch {
    return false;
  }
}

function checkValue(
  name: string,
  { DataType: type, StringValue: text, BinaryValue: binary }: Value,
): void {
  if (type === undefined || type === "") {
    throw invalid(`The message attribute '${name}' must contain non-empty message attribute type.`);
  }
  const kind = type.length <= LONGEST_NAME ? DATA_TYPE.exec(type)?.[1] : undefined;
  if (kind === undefined) {
    throw invalid(
      `The message attribute '${name}' has an invalid message attribute type, the set of supported type prefixes is Binary, Number, and String.`,
    );
  }
  const value = kind === "Binary" ? binary : text;
  const other = kind === "Binary" ? text : binary;
  if (value === undefined || value === "" || other !== undefined) {
    throw invalid(
      `The message attribute '${name}' must contain non-empty message attribute value for message attribute type '${kind}'.`,
    );
  }
  if (kind !== "Binary") checkCharacters(value, `the message attribute '${name}'`);
  if (kind === "Number" && !NUMBER.test(value)) {
    throw invalid(`Can't cast the value of message (user) attribute '${name}' to a number.`);
  }
}

const bytesOf = ({ DataType: type = "", StringValue: text, BinaryValue: binary }: Value): Buffer =>
  type.startsWith("Binary") ? Buffer.from(binary ?? "", "base64") : Buffer.from(text ?? "");

/** Bytes that count towards the size of a message. */
export const sizeOf = (attributes: MessageAttributes): number =>
  Object.entries(attributes)
    .map(
      ([name, value]) =>
        Buffer.byteLength(name) + Buffer.byteLength(value.DataType ?? "") + bytesOf(value).length,
    )
    .reduce((sum, one) => sum + one, 0);

export const md5 = (text: string): string => createHash("md5").update(text).digest("hex");

/**
 * The digest that clients compare, of names in order, types and values, each behind its length.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-message-metadata.html
 *
 * @returns Undefined without attributes.
 */
export function digestOf(attributes: MessageAttributes): string | undefined {
  const names = Object.keys(attributes).toSorted();
  if (names.length === 0) return undefined;
  const hash = createHash("md5");
  const add = (bytes: Buffer): void => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    hash.update(length).update(bytes);
  };
  for (const name of names) {
    const value = attributes[name] ?? {};
    add(Buffer.from(name));
    add(Buffer.from(value.DataType ?? ""));
    hash.update(Buffer.of(value.DataType?.startsWith("Binary") === true ? 2 : 1));
    add(bytesOf(value));
  }
  return hash.digest("hex");
}

/** Those of the attributes that a client asks for by their names, or by `All`, that are defined. */
export const asked = (
  all: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(all).filter(
      (entry): entry is [string, string] =>
        entry[1] !== undefined && (names.includes("All") || names.includes(entry[0])),
    ),
  );

/** The attributes that a client asks for, by name, by the beginning of names (`trace.*`), or `All`. */
export function chosen(attributes: MessageAttributes, names: readonly string[]): MessageAttributes {
  const isChosen = (name: string): boolean =>
    names.some(
      (one) =>
        one === "All" ||
        one === ".*" ||
        (one.endsWith(".*") ? name.startsWith(one.slice(0, -1)) : one === name),
    );
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => isChosen(name)));
}
