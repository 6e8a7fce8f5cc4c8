/** Tools for queues. */
import type { PeekedMessage, Transport } from "@oxbow/sdk/internal/server";
import { Type } from "typebox";
import { Closed, Id, QueueName } from "../../http/schemas.ts";
import { ConfirmationArgument, confirmed, MOST_NAMED, SAMPLE, TWICE } from "../guarded.ts";
import { payload } from "../payloads.ts";
import { ToolFailure } from "../tool-failure.ts";
import { changing, reading } from "../tool.ts";

const MOST_LETTERS = 50;
const MOST_REDRIVEN = 1_000;
const MOST_DEAD_LETTER_QUEUES = 100;

export const listQueues = reading({
  name: "list_queues",
  title: "List queues",
  description:
    "Lists queues with their settings, and the queues that hold dead letters with how many. With the name of a queue: its settings and the number of its messages.",
  input: Closed({ queue: Type.Optional(QueueName) }),
  handle: async ({ queue }, { transport: { queues } }) => {
    if (queue !== undefined) {
      const [settings, statistics] = await Promise.all([queues.get(queue), queues.stats(queue)]);
      return { settings, statistics };
    }
    const [settings, deadLetterQueues] = await Promise.all([
      queues.list(),
      queues.deadLetterQueues(MOST_DEAD_LETTER_QUEUES, undefined),
    ]);
    return { queues: settings, deadLetterQueues };
  },
});

export const peekDeadLetters = reading({
  name: "peek_dead_letters",
  title: "Look at dead letters",
  description:
    "Returns messages of a dead letter queue, oldest first, without receiving them. list_queues names the queues that hold dead letters. Pass the id of the last message as after to continue behind it.",
  input: Closed({
    queue: QueueName,
    after: Type.Optional(
      Type.String({ pattern: "^[0-9]{1,18}$", description: "Id of a message." }),
    ),
    limit: Type.Integer({ minimum: 1, maximum: MOST_LETTERS, default: 10 }),
  }),
  handle: async ({ queue, after, limit }, { transport }) => {
    const found = await transport.queues.peek({ queue, max: limit, after, matching: undefined });
    return { messages: found.map(shownMessage), hasMore: found.length === limit };
  },
});

const shownMessage = ({ body, headers, ...message }: PeekedMessage): object => ({
  ...message,
  body: payload(body),
  headers: payload(headers),
});

export const redrive = changing({
  name: "redrive",
  title: "Redrive dead letters",
  description: `Sends dead letters of a queue back to the queues that they came from: those in messageIds, or the oldest ones. ${TWICE}`,
  scope: "admin",
  isDestructive: true,
  isIdempotent: false,
  input: Closed({
    queue: QueueName,
    messageIds: Type.Optional(
      Type.Array(Id, {
        minItems: 1,
        maxItems: MOST_NAMED,
        description: "Only these letters, as peek_dead_letters returns them.",
      }),
    ),
    limit: Type.Integer({
      minimum: 1,
      maximum: MOST_REDRIVEN,
      default: 100,
      description: "At most this many, without messageIds.",
    }),
    confirmation: ConfirmationArgument,
  }),
  handle: (input, operator) => {
    const { queue, messageIds, limit } = input;
    const { queues } = operator.transport;
    return confirmed(
      {
        tool: "redrive",
        input,
        select: async () => {
          const found =
            messageIds === undefined
              ? await queues.peek({ queue, max: limit, after: undefined, matching: undefined })
              : await Promise.all([...new Set(messageIds)].map((id) => peekOne(queues, queue, id)));
          return {
            objects: found.map(({ id }) => id),
            count: found.length,
            end: undefined,
            hasMore: messageIds === undefined && found.length === limit,
            sample: found.slice(0, SAMPLE).map(shownMessage),
          };
        },
        act: async ({ objects }) => ({
          changed: await queues.redrive(queue, objects.length, objects),
        }),
      },
      operator,
    );
  },
});

async function peekOne(
  queues: Pick<Transport["queues"], "peek">,
  queue: string,
  id: string,
): Promise<PeekedMessage> {
  const after = String(BigInt(id) - 1n);
  const [found] = await queues.peek({ queue, max: 1, after, matching: undefined });
  if (found?.id === id) return found;
  throw new ToolFailure(
    `Queue ${queue} has no message ${id}. peek_dead_letters returns the ids of messages.`,
  );
}
