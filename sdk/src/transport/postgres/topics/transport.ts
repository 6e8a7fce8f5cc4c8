/** Topics, straight to the database. */
import type { JsonText } from "../../../core/json.ts";
import type {
  CapturedDelivery,
  DeadLettersRequest,
  DeliveriesRequest,
  DeliveryOutcome,
  LoggedDelivery,
  LoggedDeliveryDetails,
  PublishRequest,
  ResentDelivery,
  SubscribeRequest,
  Subscription,
  TopicDeadLetter,
  TopicRedriveRequest,
  TopicTarget,
  TopicTransport,
} from "../../../protocol/topics.ts";
import type { TransactionClient } from "../../../protocol/transaction.ts";
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

export class PostgresTopicTransport implements TopicTransport {
  readonly #queries: Queries;
  readonly #reads: Queries;

  constructor(queries: Queries, reads: Queries) {
    this.#queries = queries;
    this.#reads = reads;
  }

  subscribe(request: SubscribeRequest, tx?: TransactionClient): Promise<string> {
    const { pattern, targetType, target, filter, options } = request;
    const values = [pattern, targetType, target, filter ?? null, options ?? null] as const;
    return this.#queries.value(subscribe, values, { tx });
  }

  unsubscribe(id: string, tx?: TransactionClient): Promise<boolean> {
    return this.#queries.value(unsubscribe, [id], { tx });
  }

  enable(id: string): Promise<boolean> {
    return this.#queries.value(enableSubscription, [id]);
  }

  list(pattern: string | undefined): Promise<Subscription[]> {
    return this.#queries.query(listSubscriptions, [pattern ?? null]);
  }

  async get(id: string): Promise<Subscription | undefined> {
    const [subscription] = await this.#queries.query(getSubscription, [id]);
    return subscription;
  }

  captured(after: string | undefined, max: number): Promise<CapturedDelivery[]> {
    return this.#queries.query(capturedDeliveries, [after ?? null, max]);
  }

  deadLetters({ after, max, subscriptionId }: DeadLettersRequest): Promise<TopicDeadLetter[]> {
    return this.#reads.query(topicDeadLetters, [after ?? null, max, subscriptionId ?? null]);
  }

  redrive({ max, subscriptionId, ids }: TopicRedriveRequest): Promise<number> {
    return this.#queries.value(redriveTopicDeadLetters, [max, subscriptionId ?? null, ids ?? null]);
  }

  targets(topic: string, message: JsonText): Promise<TopicTarget[]> {
    return this.#reads.query(topicTargets, [topic, message]);
  }

  async deleteDeadLetters(ids: readonly string[]): Promise<string[]> {
    const deleted = await this.#queries.query(deleteTopicDeadLetters, [ids]);
    return deleted.map(({ value }) => value);
  }

  deliveries({
    before,
    max,
    subscriptionId,
    status,
  }: DeliveriesRequest): Promise<LoggedDelivery[]> {
    const values = [before ?? null, max, subscriptionId ?? null, status ?? null] as const;
    return this.#reads.query(deliveriesList, values);
  }

  async delivery(id: string): Promise<LoggedDeliveryDetails | undefined> {
    const [row] = await this.#queries.query(deliveriesGet, [id]);
    return row && { ...row, earlierAttempts: row.earlierAttempts.map(toOutcome) };
  }

  resend(ids: readonly string[]): Promise<ResentDelivery[]> {
    return this.#queries.query(deliveriesResend, [ids]);
  }

  publish({ topic, message, headers }: PublishRequest, tx?: TransactionClient): Promise<number> {
    return this.#queries.value(sendTopic, [topic, message, headers ?? null], { tx });
  }
}

/** An earlier attempt, as the log keeps it. */
const toOutcome = (kept: Readonly<Record<string, unknown>>): DeliveryOutcome => ({
  attempt: Number(kept["attempt"]),
  attemptedAt: new Date(String(kept["attempted_at"])),
  durationMs: kept["duration_ms"] as number | null,
  statusCode: kept["status_code"] as number | null,
  failure: kept["failure"] as string | null,
  response: kept["response"] as string | null,
});
