/** Tools that read queues. */
import { Type } from "typebox";
import { closed, QueueName } from "../../http/schemas.ts";
import { payload } from "../payloads.ts";
import { tool } from "../tool.ts";

const MOST_LETTERS = 50;
const MOST_DEAD_LETTER_QUEUES = 100;

export const listQueues = tool({
  name: "list_queues",
  title: "List queues",
  description:
    "Lists queues with their settings, and the queues that hold dead letters with how many. With the name of a queue: its settings and the number of its messages.",
  input: Type.Object({ queue: Type.Optional(QueueName) }, closed),
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

export const peekDeadLetters = tool({
  name: "peek_dead_letters",
  title: "Look at dead letters",
  description:
    "Returns messages of a dead letter queue, oldest first, without receiving them. list_queues names the queues that hold dead letters. Pass the id of the last message as after to continue behind it.",
  input: Type.Object(
    {
      queue: QueueName,
      after: Type.Optional(
        Type.String({ pattern: "^[0-9]{1,18}$", description: "Id of a message." }),
      ),
      limit: Type.Integer({ minimum: 1, maximum: MOST_LETTERS, default: 10 }),
    },
    closed,
  ),
  handle: async ({ queue, after, limit }, { transport }) => {
    const found = await transport.queues.peek({ queue, max: limit, after, matching: undefined });
    return {
      messages: found.map(({ body, headers, ...message }) => ({
        ...message,
        body: payload(body),
        headers: payload(headers),
      })),
      hasMore: found.length === limit,
    };
  },
});
