/** Receiving messages, and settling them: delete, give back, or change how long they are in flight. */
import { Type } from "typebox";
import { receiveForClient } from "../../http/receive-for-client.ts";
import { route, type Route } from "../../http/route.ts";
import { Closed, Id, Independent, WaitSeconds } from "../../http/schemas.ts";
import { toText } from "../../http/values.ts";
import { Delivery, Named, OneReceipt, shownDelivery, toMs } from "./shapes.ts";

export const receiveMessages: Route = route({
  method: "POST",
  path: "/v1/queues/:name/receive",
  scope: "work",
  summary: "Receive messages",
  description: "With waitSeconds, answers as soon as a message is visible.",
  params: Named,
  body: Closed({
    maxMessages: Type.Integer({ minimum: 1, maximum: 1_000, default: 1 }),
    visibilityTimeout: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 43_200,
        description: "Seconds for which the messages are in flight. Default: that of the queue.",
      }),
    ),
    waitSeconds: WaitSeconds,
    matching: Type.Optional(Type.Unknown({ description: "JSON that the messages must contain." })),
    maxPerGroup: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 10,
        description:
          "Messages of one group of a FIFO queue: its oldest ones, in order. Default: 1.",
      }),
    ),
    suspects: Type.Optional(
      Type.Union([Type.Literal(0), Type.Literal(1)], {
        description:
          "How many messages that may have ended their consumers to return. Default: one, for consumers that don't keep track.",
      }),
    ),
  }),
  response: { 200: Type.Object({ messages: Type.Array(Delivery) }) },
  handler: async ({ params: { name }, body }, { transport: { queues } }, reply) => {
    const { maxMessages, visibilityTimeout, waitSeconds, matching, suspects, maxPerGroup } = body;
    const deliveries = await receiveForClient(
      queues,
      {
        queue: name,
        max: maxMessages,
        visibilityTimeoutMs: toMs(visibilityTimeout),
        matching: toText(matching, "matching"),
        suspects,
        maxPerGroup,
        waitMs: waitSeconds * 1_000,
      },
      reply,
    );
    return { messages: deliveries.map(shownDelivery) };
  },
});

export const deleteMessage: Route = route({
  method: "DELETE",
  path: "/v1/queues/:name/messages/:receipt",
  scope: "work",
  summary: "Delete a received message",
  description: "Acknowledges the message: it is not delivered again.",
  params: OneReceipt,
  response: {
    200: Type.Object({
      deleted: Type.Boolean({ description: "False if the receipt is dead." }),
    }),
  },
  handler: async ({ params: { name, receipt } }, { transport: { queues } }) => ({
    deleted: await queues.delete(name, receipt),
  }),
});

export const deleteMessages: Route = route({
  method: "POST",
  path: "/v1/queues/:name/delete",
  scope: "work",
  summary: "Delete received messages",
  params: Named,
  querystring: Independent,
  body: Closed({
    receipts: Type.Array(Id, { minItems: 1, maxItems: 10_000 }),
    inFlightOnly: Type.Optional(
      Type.Boolean({
        description:
          "Whether to skip receipts whose visibility timeout has ended, though their messages were not received again. Default: false.",
      }),
    ),
  }),
  response: {
    200: Type.Object({
      deleted: Type.Array(Id, { description: "The receipts that were alive." }),
    }),
  },
  handler: async (
    { params: { name }, body: { receipts, inFlightOnly = false }, query: { independent = false } },
    { transport: { queues } },
  ) => {
    const [first, ...others] = receipts;
    if (!independent || inFlightOnly || first === undefined || others.length > 0) {
      const options = { isPatient: !independent, isInFlightOnly: inFlightOnly };
      return { deleted: await queues.deleteBatch(name, receipts, options) };
    }
    return { deleted: (await queues.delete(name, first)) ? receipts : [] };
  },
});

export const giveBackMessages: Route = route({
  method: "POST",
  path: "/v1/queues/:name/give-back",
  scope: "work",
  summary: "Give received messages back",
  description: "Makes messages visible again, as if they had not been received.",
  params: Named,
  body: Closed({
    receipts: Type.Array(Id, { minItems: 1, maxItems: 10_000 }),
    delaySeconds: Type.Number({
      minimum: 0,
      maximum: 3_153_600_000,
      default: 0,
      description: "Time until the messages are visible.",
    }),
  }),
  response: {
    200: Type.Object({
      givenBack: Type.Array(Id, { description: "The receipts that were alive." }),
    }),
  },
  handler: async (
    { params: { name }, body: { receipts, delaySeconds } },
    { transport: { queues } },
  ) => ({ givenBack: await queues.giveBack(name, receipts, delaySeconds * 1_000) }),
});

export const changeMessageVisibility: Route = route({
  method: "PATCH",
  path: "/v1/queues/:name/messages/:receipt",
  scope: "work",
  summary: "Change the visibility timeout of a message",
  description: "The message is in flight for this many seconds from now.",
  params: OneReceipt,
  body: Closed({
    visibilityTimeout: Type.Number({ minimum: 0, maximum: 43_200, description: "Seconds." }),
    heartbeat: Type.Boolean({
      default: false,
      description:
        "True if the consumer is still handling the message. Otherwise the delivery counts towards maxReceives.",
    }),
    inFlightOnly: Type.Boolean({
      default: false,
      description:
        "Whether a receipt is dead once its visibility timeout has ended, though its message was not received again.",
    }),
  }),
  response: {
    200: Type.Object({
      changed: Type.Boolean({ description: "False if the receipt is dead." }),
    }),
  },
  handler: async (
    { params: { name, receipt }, body: { visibilityTimeout, heartbeat, inFlightOnly } },
    { transport: { queues } },
  ) => ({
    changed: await queues.changeVisibility(name, receipt, visibilityTimeout * 1_000, {
      isHeartbeat: heartbeat,
      isInFlightOnly: inFlightOnly,
    }),
  }),
});
