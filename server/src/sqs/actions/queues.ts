/** Queues themselves: create, find, list, look, set, purge, drop, tag. */
import { type Action, type SqsContext, withQueue } from "../action.ts";
import { invalid, invalidValue, SqsError } from "../errors.ts";
import { nameInUrl, urlOf } from "../names.ts";
import {
  asksForCounts,
  checkAttributeNames,
  parseAttributes,
  shownAttributes,
} from "../queue-attributes.ts";
import type { SqsQueue } from "../queues.ts";
import { defined } from "../../defined.ts";

const MOST_LISTED = 1_000;
const MOST_TAGS = 50;
const LONGEST_NAME = 80;
const NAME = /^[A-Za-z0-9_-]+(\.fifo)?$/;

export const createQueue: Action<"CreateQueue"> = {
  scope: "admin",
  isAudited: true,
  handle: async (
    { QueueName: name, Attributes: given = {}, tags = {} },
    { calls, known, addresses },
  ) => {
    if (!NAME.test(name) || name.length > LONGEST_NAME) {
      throw invalid(
        `Can only include alphanumeric characters, hyphens, or underscores. 1 to ${LONGEST_NAME} in length: "${name.slice(0, 100)}".`,
      );
    }
    if (name.endsWith(".fifo") && given["FifoQueue"] !== "true") {
      throw invalid(
        "The name of a FIFO queue ends with .fifo, and its attribute FifoQueue is true.",
      );
    }
    checkTags(tags);
    const find = (one: string): Promise<SqsQueue> => calls.find(one);
    const { settings, attributes } = await parseAttributes(
      given,
      { sqsName: name, isNew: true },
      find,
    );
    const queue = await calls.create(name, settings, withoutNulls(attributes), tags);
    known.forget(name);
    return { QueueUrl: urlOf(queue.sqsName, addresses) };
  },
};

const withoutNulls = (texts: Readonly<Record<string, string | null>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(texts).filter((entry): entry is [string, string] => entry[1] !== null),
  );

export const getQueueUrl: Action<"GetQueueUrl"> = {
  scope: "read",
  handle: async ({ QueueName: name }, { known, addresses }) => ({
    QueueUrl: urlOf((await known.find(name)).sqsName, addresses),
  }),
};

export const listQueues: Action<"ListQueues"> = {
  scope: "read",
  handle: async (input, context) => {
    const { urls, next } = await list(input, input.QueueNamePrefix, undefined, context);
    return defined({ QueueUrls: urls, NextToken: next });
  },
};

export const listDeadLetterSourceQueues: Action<"ListDeadLetterSourceQueues"> = {
  scope: "read",
  handle: (input, context) =>
    withQueue(input, context, async ({ sqsName }) => {
      const { urls, next } = await list(input, undefined, sqsName, context);
      return defined({ queueUrls: urls, NextToken: next });
    }),
};

interface Page {
  readonly MaxResults?: number;
  readonly NextToken?: string;
}

/** A page of urls. Without a size, the first thousand. */
async function list(
  { MaxResults: size, NextToken: token }: Page,
  prefix: string | undefined,
  deadLetterTo: string | undefined,
  { calls, addresses }: SqsContext,
): Promise<{ urls: string[]; next: string | undefined }> {
  if (size !== undefined && (size < 1 || size > MOST_LISTED)) {
    throw invalidValue(
      size,
      "MaxResults",
      `MaxResults must be an integer between 1 and ${MOST_LISTED}`,
    );
  }
  const after = token === undefined ? undefined : Buffer.from(token, "base64url").toString();
  if (after !== undefined && !NAME.test(after)) {
    throw invalidValue(token?.slice(0, 100), "NextToken", "It is no token of an earlier answer");
  }
  const most = size ?? MOST_LISTED;
  const found = await calls.list(prefix, deadLetterTo, most + 1, after);
  const page = found.slice(0, most);
  const last = page.at(-1);
  return {
    urls: page.map(({ sqsName }) => urlOf(sqsName, addresses)),
    next:
      size !== undefined && found.length > most && last !== undefined
        ? Buffer.from(last.sqsName).toString("base64url")
        : undefined,
  };
}

export const getQueueAttributes: Action<"GetQueueAttributes"> = {
  scope: "read",
  handle: (input, context) =>
    withQueue(input, context, async (queue) => {
      const names = input.AttributeNames ?? [];
      checkAttributeNames(names);
      const counts = asksForCounts(names) ? await context.queues.stats(queue.name) : undefined;
      const attributes = shownAttributes(queue, names, counts, context.addresses);
      return Object.keys(attributes).length === 0 ? {} : { Attributes: attributes };
    }),
};

export const setQueueAttributes: Action<"SetQueueAttributes"> = {
  scope: "admin",
  isAudited: true,
  handle: (input, context) =>
    withQueue(input, context, async ({ sqsName }) => {
      const { calls, known } = context;
      const find = (name: string): Promise<SqsQueue> => calls.find(name);
      const { settings, attributes } = await parseAttributes(
        input.Attributes,
        { sqsName, isNew: false },
        find,
      );
      await calls.set(sqsName, settings, attributes);
      known.forget(sqsName);
      return {};
    }),
};

export const purgeQueue: Action<"PurgeQueue"> = {
  scope: "admin",
  isAudited: true,
  handle: (input, context) =>
    withQueue(input, context, async ({ sqsName }) => {
      if (await context.calls.purge(sqsName)) return {};
      throw new SqsError(
        "PurgeQueueInProgress",
        `Only one PurgeQueue operation on ${sqsName} is allowed every 60 seconds.`,
      );
    }),
};

export const deleteQueue: Action<"DeleteQueue"> = {
  scope: "admin",
  isAudited: true,
  handle: async (input, { queues, known, calls }) => {
    const { name, sqsName } = await calls.find(nameInUrl(input.QueueUrl));
    await queues.drop(name);
    known.forget(sqsName);
    return {};
  },
};

export const tagQueue: Action<"TagQueue"> = {
  scope: "admin",
  isAudited: true,
  handle: (input, context) =>
    withQueue(input, context, async ({ sqsName }) => {
      checkTags(input.Tags);
      await context.calls.tag(sqsName, input.Tags, []);
      context.known.forget(sqsName);
      return {};
    }),
};

export const untagQueue: Action<"UntagQueue"> = {
  scope: "admin",
  isAudited: true,
  handle: (input, context) =>
    withQueue(input, context, async ({ sqsName }) => {
      await context.calls.tag(sqsName, {}, input.TagKeys);
      context.known.forget(sqsName);
      return {};
    }),
};

export const listQueueTags: Action<"ListQueueTags"> = {
  scope: "read",
  handle: (input, context) =>
    withQueue(input, context, async ({ tags }) =>
      Object.keys(tags).length === 0 ? {} : { Tags: tags },
    ),
};

function checkTags(tags: Readonly<Record<string, string>>): void {
  const entries = Object.entries(tags);
  if (entries.length > MOST_TAGS) {
    throw invalid(
      `Too many tags added for queue: ${entries.length}. At most ${MOST_TAGS} are allowed.`,
    );
  }
  const wrong = entries.find(
    ([key, value]) =>
      key.length === 0 || key.length > 128 || value.length > 256 || /^aws:/i.test(key),
  );
  if (wrong === undefined) return;
  throw invalid(
    `Tag "${wrong[0].slice(0, 130)}" is invalid: keys have 1 to 128 characters and don't begin with aws:, values have up to 256.`,
  );
}

const refused = {
  scope: "admin",
  handle: async (): Promise<object> => {
    throw new SqsError(
      "UnsupportedOperation",
      "Access is in OXBOW_ACCESS_KEYS: queues have no policies.",
    );
  },
} as const;

export const addPermission: Action<"AddPermission"> = refused;
export const removePermission: Action<"RemovePermission"> = refused;
