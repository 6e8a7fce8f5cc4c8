/** Topics, straight to the database. */
import type {
  CapturedDelivery,
  DeadLettersRequest,
  PublishRequest,
  SubscribeRequest,
  Subscription,
  TopicDeadLetter,
  TopicTransport,
} from "../../../protocol/topics.ts";
import type { TransactionClient } from "../../../protocol/transaction.ts";
import type { Pool } from "../connection/pool.ts";
import {
  capturedDeliveries,
  deleteTopicDeadLetters,
  enableSubscription,
  getSubscription,
  listSubscriptions,
  redriveTopicDeadLetters,
  sendTopic,
  subscribe,
  topicDeadLetters,
  unsubscribe,
} from "./functions.ts";

export class PostgresTopicTransport implements TopicTransport {
  readonly #pool: Pool;
  readonly #reads: Pool;

  constructor(pool: Pool, reads: Pool) {
    this.#pool = pool;
    this.#reads = reads;
  }

  subscribe(request: SubscribeRequest, tx?: TransactionClient): Promise<string> {
    const { pattern, targetType, target, filter, options } = request;
    const values = [pattern, targetType, target, filter ?? null, options ?? null] as const;
    return this.#pool.value(subscribe, values, { tx });
  }

  unsubscribe(id: string, tx?: TransactionClient): Promise<boolean> {
    return this.#pool.value(unsubscribe, [id], { tx });
  }

  enable(id: string): Promise<boolean> {
    return this.#pool.value(enableSubscription, [id]);
  }

  list(pattern: string | undefined): Promise<Subscription[]> {
    return this.#pool.query(listSubscriptions, [pattern ?? null]);
  }

  async get(id: string): Promise<Subscription | undefined> {
    const [subscription] = await this.#pool.query(getSubscription, [id]);
    return subscription;
  }

  captured(after: string | undefined, max: number): Promise<CapturedDelivery[]> {
    return this.#pool.query(capturedDeliveries, [after ?? null, max]);
  }

  deadLetters({ after, max, subscriptionId }: DeadLettersRequest): Promise<TopicDeadLetter[]> {
    return this.#reads.query(topicDeadLetters, [after ?? null, max, subscriptionId ?? null]);
  }

  redrive(max: number, subscriptionId: string | undefined): Promise<number> {
    return this.#pool.value(redriveTopicDeadLetters, [max, subscriptionId ?? null]);
  }

  async deleteDeadLetters(ids: readonly string[]): Promise<string[]> {
    const deleted = await this.#pool.query(deleteTopicDeadLetters, [ids]);
    return deleted.map(({ value }) => value);
  }

  publish({ topic, message, headers }: PublishRequest, tx?: TransactionClient): Promise<number> {
    return this.#pool.value(sendTopic, [topic, message, headers ?? null], { tx });
  }
}
