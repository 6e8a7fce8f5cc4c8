/** Sending messages, and peeking at them. */
import type { TransactionClient } from "@oxbow/sdk";
import type { Transport } from "@oxbow/sdk/internal/server";
import { type Static, Type } from "typebox";
import { MANY_VALUES_BYTES } from "../../http/body-limits.ts";
import { IdempotencyHeader, idempotencyKeyOf } from "../../http/idempotency.ts";
import { invalidRequest } from "../../http/problems.ts";
import { route, type Route } from "../../http/route.ts";
import { Closed, Id, Json, nonEmpty, Nullable } from "../../http/schemas.ts";
import { toJsonText, toRequiredText, toText } from "../../http/values.ts";
import { Named, Peeked, shownPeek, toMs } from "./shapes.ts";

const Message = Closed({
  message: Json,
  headers: Type.Optional(
    Type.Object({}, { additionalProperties: true, description: "Headers of the message." }),
  ),
  delaySeconds: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 3_155_760_000,
      description: "Time until the message is visible. Default: the delay of the queue.",
    }),
  ),
  messageGroupId: Type.Optional(
    nonEmpty(512, "Messages of a group are delivered in order. Required in FIFO queues."),
  ),
  deduplicationId: Type.Optional(
    nonEmpty(512, "A FIFO queue drops a later message with the same id."),
  ),
});
type Given = Static<typeof Message>;

const MOST_MESSAGES = 1_000;
const Messages = Type.Array(Message, { minItems: 1, maxItems: MOST_MESSAGES });

export const sendMessages: Route = route({
  method: "POST",
  path: "/v1/queues/:name/messages",
  scope: "produce",
  bodyLimit: MANY_VALUES_BYTES,
  summary: "Send messages",
  description:
    "Sends one message, or an array of messages atomically. Messages to a FIFO queue require a messageGroupId.",
  headers: IdempotencyHeader,
  params: Named,
  body: Type.Union([Message, Closed({ messages: Messages }), Messages]),
  response: {
    201: Type.Union([
      Type.Object({ messageId: Id }),
      Type.Object({
        messageIds: Type.Array(Id),
        duplicates: Type.Optional(
          Type.Array(Type.Boolean(), {
            description:
              "If all messages have a messageGroupId: whether each was not sent, because its id is that of an earlier message with its deduplicationId.",
          }),
        ),
      }),
    ]),
  },
  handler: async ({ params: { name }, body, headers }, { transport }, reply) => {
    if (!("message" in body)) {
      const messages = Array.isArray(body) ? body : body.messages;
      return reply.code(201).send(await sendAll(transport, name, messages));
    }
    const { messageGroupId, deduplicationId } = body;
    // Only FIFO queues deduplicate.
    const key =
      messageGroupId === undefined
        ? deduplicationId
        : idempotencyKeyOf(headers, deduplicationId, "deduplicationId");
    const message = key === undefined ? body : { ...body, deduplicationId: key };
    return reply.code(201).send({ messageId: await send(transport.queues, name, message) });
  },
});

function send(
  queues: Transport["queues"],
  queue: string,
  given: Given,
  tx?: TransactionClient,
): Promise<string> {
  const request = {
    queue,
    message: toRequiredText(given.message, "message"),
    headers: toText(given.headers, "headers"),
    delayMs: toMs(given.delaySeconds),
  };
  const { messageGroupId: groupId, deduplicationId } = given;
  if (groupId !== undefined) return queues.sendFifo({ ...request, groupId, deduplicationId }, tx);
  if (deduplicationId === undefined) return queues.send(request, tx);
  throw invalidRequest(
    "Only FIFO queues deduplicate: give a messageGroupId with the deduplicationId.",
  );
}

/** Sends all or nothing: in one statement if possible, otherwise one by one in a transaction. */
async function sendAll(
  transport: Transport,
  queue: string,
  messages: readonly Given[],
): Promise<{ messageIds: string[]; duplicates?: boolean[] }> {
  const items = messages.flatMap((one) => toFifoItem(one) ?? []);
  if (items.length === messages.length) {
    const sent = await transport.queues.sendFifoBatch(queue, items);
    return {
      messageIds: sent.map(({ id }) => id),
      duplicates: sent.map(({ duplicate }) => duplicate),
    };
  }
  const isPlain = ({ messageGroupId, deduplicationId }: Given): boolean =>
    messageGroupId === undefined && deduplicationId === undefined;
  if (messages.every(isPlain)) {
    const [delayMs, ...others] = new Set(messages.map((one) => toMs(one.delaySeconds)));
    const messageIds = await transport.queues.sendBatch({
      queue,
      messages: messages.map((one) => toRequiredText(one.message, "message")),
      headers: messages.map((one) => toText(one.headers, "headers")),
      delayMs: others.length === 0 ? delayMs : messages.map((one) => toMs(one.delaySeconds)),
    });
    return { messageIds };
  }
  const ids: string[] = [];
  await transport.transaction(async (tx) => {
    for (const one of messages) ids.push(await send(transport.queues, queue, one, tx));
  });
  return { messageIds: ids };
}

const toFifoItem = (given: Given) =>
  given.messageGroupId === undefined
    ? undefined
    : {
        message: toRequiredText(given.message, "message"),
        headers: toText(given.headers, "headers"),
        delayMs: toMs(given.delaySeconds),
        groupId: given.messageGroupId,
        deduplicationId: given.deduplicationId,
      };

export const peekMessages: Route = route({
  method: "GET",
  path: "/v1/queues/:name/messages",
  scope: "read",
  summary: "Peek at messages",
  description: "Returns messages without receiving them, oldest first.",
  params: Named,
  querystring: Closed({
    limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 10 }),
    after: Type.Optional(Id),
    matching: Type.Optional(Type.String({ description: "JSON that the messages must contain." })),
  }),
  response: {
    200: Type.Object({
      messages: Type.Array(Peeked),
      after: Nullable(
        Type.String({ description: "Pass it to get the next page; null on the last page." }),
      ),
    }),
  },
  handler: async (
    { params: { name }, query: { limit, after, matching } },
    { transport: { queues } },
  ) => {
    const messages = await queues.peek({
      queue: name,
      max: limit,
      after,
      matching: matching === undefined ? undefined : toJsonText(matching, "matching"),
    });
    const last = messages.length === limit ? messages.at(-1) : undefined;
    return { messages: messages.map(shownPeek), after: last?.id ?? null };
  },
});
