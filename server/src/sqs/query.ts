/**
 * The query protocol, which clients of SQS used before the JSON protocol: a form in, XML out. Parameters are read into the
 * shapes of the model, and answers written from those of the actions.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-making-api-requests-xml.html
 */
import type { SqsError } from "./errors.ts";

/** How a parameter of the model is spelled in a form: `Attribute.1.Name`, `AttributeName.1`. */
interface Spelling {
  readonly as: string;
  /** The parts of an entry that are its name and its value; without them, it is a list. */
  readonly pair?: readonly [name: string, value: string];
}

const NAME_AND_VALUE = ["Name", "Value"] as const;
const KEY_AND_VALUE = ["Key", "Value"] as const;

const SPELLINGS: Readonly<Record<string, Spelling>> = {
  Attributes: { as: "Attribute", pair: NAME_AND_VALUE },
  AttributeNames: { as: "AttributeName" },
  MessageAttributes: { as: "MessageAttribute", pair: NAME_AND_VALUE },
  MessageAttributeNames: { as: "MessageAttributeName" },
  MessageSystemAttributes: { as: "MessageSystemAttribute", pair: NAME_AND_VALUE },
  MessageSystemAttributeNames: { as: "MessageSystemAttributeName" },
  Tags: { as: "Tag", pair: KEY_AND_VALUE },
  tags: { as: "Tag", pair: KEY_AND_VALUE },
  TagKeys: { as: "TagKey" },
};

/** A text, or the parts of what is written with dots. */
type Tree = string | { [part: string]: Tree };

/** @param action Names the entries of a batch: `SendMessageBatchRequestEntry.1`. */
export function parametersIn(form: URLSearchParams, action: string): object {
  const tree = emptyTree();
  for (const [path, value] of form) place(tree, path.split("."), value);
  return membersOf(tree, action);
}

/** Without a prototype, since clients choose the names. */
const emptyTree = (): Record<string, Tree> => Object.create(null) as Record<string, Tree>;

/** Deeper than any parameter. */
const DEEPEST = 8;

function place(tree: Tree, path: readonly string[], value: string): void {
  let at = tree;
  for (const [index, part] of path.slice(0, DEEPEST).entries()) {
    if (typeof at === "string") return;
    if (index === path.length - 1) {
      at[part] ??= value;
      return;
    }
    at = at[part] ??= emptyTree();
  }
}

function membersOf(tree: Record<string, Tree>, action: string): object {
  const members = Object.create(null) as Record<string, unknown>;
  for (const [name, value] of Object.entries(tree)) {
    if (typeof value === "string" && SPELLINGS[name] === undefined) members[name] = value;
  }
  // So clients write a list without entries.
  if (members["Entries"] === "") members["Entries"] = [];
  const entries = tree[`${action}RequestEntry`];
  if (entries !== undefined) {
    members["Entries"] = listed(entries).map((entry) =>
      typeof entry === "string" ? entry : membersOf(entry, ""),
    );
  }
  for (const [name, { as, pair }] of Object.entries(SPELLINGS)) {
    const found = tree[as];
    if (found === undefined) continue;
    members[name] = pair === undefined ? listed(found) : pairsIn(found, pair);
  }
  return members;
}

/** In the order of their numbers. A single one may have no number, and an empty text is an empty list. */
const listed = (tree: Tree): Tree[] =>
  typeof tree === "string"
    ? [tree].filter((text) => text !== "")
    : Object.keys(tree)
        .toSorted((a, b) => Number(a) - Number(b))
        .flatMap((number) => tree[number] ?? []);

function pairsIn(tree: Tree, [name, value]: readonly [string, string]): object {
  const entries = typeof tree !== "string" && name in tree ? [tree] : listed(tree);
  return Object.fromEntries(
    entries.flatMap((entry) =>
      typeof entry === "string" || typeof entry[name] !== "string"
        ? []
        : [[entry[name], entry[value] ?? ""]],
    ),
  );
}

/** Elements of lists in answers. */
const ELEMENTS: Readonly<Record<string, string>> = {
  Messages: "Message",
  QueueUrls: "QueueUrl",
  queueUrls: "QueueUrl",
  Failed: "BatchResultErrorEntry",
  Results: "ListMessageMoveTasksResultEntry",
};

export function shownAnswer(action: string, answer: object, requestId: string): string {
  const members = Object.entries(answer).map(([name, value]) => memberOf(name, value, action));
  const result = `<${action}Result>${members.join("")}</${action}Result>`;
  return documentOf(
    `${action}Response`,
    `${result}<ResponseMetadata><RequestId>${requestId}</RequestId></ResponseMetadata>`,
  );
}

export function shownError({ code, message, isSender }: SqsError, requestId: string): string {
  const error =
    element("Type", isSender ? "Sender" : "Receiver") +
    element("Code", code) +
    element("Message", message) +
    "<Detail/>";
  return documentOf("ErrorResponse", `<Error>${error}</Error>${element("RequestId", requestId)}`);
}

const documentOf = (name: string, content: string): string =>
  `<?xml version="1.0"?><${name} xmlns="http://queue.amazonaws.com/doc/2012-11-05/">${content}</${name}>`;

function memberOf(name: string, value: unknown, action: string): string {
  if (Array.isArray(value)) {
    const as = name === "Successful" ? `${action}ResultEntry` : (ELEMENTS[name] ?? name);
    return value.map((one) => `<${as}>${contentOf(one, action)}</${as}>`).join("");
  }
  const { as, pair } = SPELLINGS[name] ?? {};
  if (as === undefined || pair === undefined) {
    return `<${name}>${contentOf(value, action)}</${name}>`;
  }
  return Object.entries(value as object)
    .map(
      ([key, one]) =>
        `<${as}>${element(pair[0], key)}<${pair[1]}>${contentOf(one, action)}</${pair[1]}></${as}>`,
    )
    .join("");
}

const contentOf = (value: unknown, action: string): string =>
  typeof value === "object" && value !== null
    ? Object.entries(value)
        .map(([name, one]) => memberOf(name, one, action))
        .join("")
    : escaped(String(value));

const element = (name: string, text: string): string => `<${name}>${escaped(text)}</${name}>`;

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  // A reader would take it for a line feed.
  "\r": "&#xD;",
};

const escaped = (text: string): string =>
  text.replaceAll(/[&<>"\r]/g, (one) => ESCAPES[one] ?? one);
