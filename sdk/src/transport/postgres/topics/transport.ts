/** Topics, straight to the database. */
import type { DeliveryOutcome, TopicTransport } from "../../../protocol/topics.ts";
import type { Queries } from "../connection/queries.ts";
import {
  capturedDeliveries,
  deleteTopicDeadLetters,
  deliveriesGet,
  deliveriesList,
  deliveriesResend,
  enableSubscription,
  getSubscription,
  listSubscriptions,
  redriveTopicDeadLetters,
  sendTopic,
  subscribe,
  topicDeadLetters,
  topicTargets,
  unsubscribe,
} from "./functions.ts";

export const topicsOverPostgres = (queries: Queries, reads: Queries): TopicTransport => ({
  subscribe: ({ pattern, targetType, target, filter, options }, tx) => {
    const values = [pattern, targetType, target, filter ?? null, options ?? null] as const;
    return queries.value(subscribe, values, { tx });
  },

  unsubscribe: (id, tx) => queries.value(unsubscribe, [id], { tx }),

  enable: (id) => queries.value(enableSubscription, [id]),

  list: (pattern) => queries.query(listSubscriptions, [pattern ?? null]),

  get: async (id) => (await queries.query(getSubscription, [id]))[0],

  captured: (after, max) => queries.query(capturedDeliveries, [after ?? null, max]),

  deadLetters: ({ after, max, subscriptionId }) =>
    reads.query(topicDeadLetters, [after ?? null, max, subscriptionId ?? null]),

  redrive: ({ max, subscriptionId, ids }) =>
    queries.value(redriveTopicDeadLetters, [max, subscriptionId ?? null, ids ?? null]),

  targets: (topic, message) => reads.query(topicTargets, [topic, message]),

  deleteDeadLetters: async (ids) => {
    const deleted = await queries.query(deleteTopicDeadLetters, [ids]);
    return deleted.map(({ value }) => value);
  },

  deliveries: ({ before, max, subscriptionId, status }) => {
    const values = [before ?? null, max, subscriptionId ?? null, status ?? null] as const;
    return reads.query(deliveriesList, values);
  },

  delivery: async (id) => {
    const [row] = await queries.query(deliveriesGet, [id]);
    return row && { ...row, earlierAttempts: row.earlierAttempts.map(toOutcome) };
  },

  resend: (ids) => queries.query(deliveriesResend, [ids]),

  publish: ({ topic, message, headers }, tx) =>
    queries.value(sendTopic, [topic, message, headers ?? null], { tx }),
});

/** An earlier attempt, as the log keeps it. */
const toOutcome = (kept: Readonly<Record<string, unknown>>): DeliveryOutcome => ({
  attempt: Number(kept["attempt"]),
  attemptedAt: new Date(String(kept["attempted_at"])),
  durationMs: kept["duration_ms"] as number | null,
  statusCode: kept["status_code"] as number | null,
  failure: kept["failure"] as string | null,
  response: kept["response"] as string | null,
});
