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
} from "./calls.ts";

interface SubscriptionRow {
  readonly subscription_id: string;
  readonly pattern: string;
  readonly target_type: Subscription["targetType"];
  readonly target: string;
  readonly filter: unknown;
  readonly options: unknown;
  readonly created_at: Date;
  readonly failing_since: Date | null;
  readonly disabled_at: Date | null;
  readonly disabled_reason: string | null;
}

const toSubscription = (row: SubscriptionRow): Subscription => ({
  id: row.subscription_id,
  pattern: row.pattern,
  targetType: row.target_type,
  target: row.target,
  filter: row.filter,
  options: row.options,
  createdAt: row.created_at,
  failingSince: row.failing_since,
  disabledAt: row.disabled_at,
  disabledReason: row.disabled_reason,
});

export class PostgresTopicTransport implements TopicTransport {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async subscribe(request: SubscribeRequest, tx?: TransactionClient): Promise<string> {
    const { pattern, targetType, target, filter, options } = request;
    const row = await this.#pool.queryOne<{ id: string }>(
      subscribe,
      [pattern, targetType, target, filter ?? null, options ?? null],
      { tx },
    );
    return row.id;
  }

  async unsubscribe(id: string, tx?: TransactionClient): Promise<boolean> {
    const row = await this.#pool.queryOne<{ was_there: boolean }>(unsubscribe, [id], { tx });
    return row.was_there;
  }

  async enable(id: string): Promise<boolean> {
    const row = await this.#pool.queryOne<{ was_there: boolean }>(enableSubscription, [id]);
    return row.was_there;
  }

  async list(pattern: string | undefined): Promise<Subscription[]> {
    const rows = await this.#pool.query<SubscriptionRow>(listSubscriptions, [pattern ?? null]);
    return rows.map(toSubscription);
  }

  async get(id: string): Promise<Subscription | undefined> {
    const [row] = await this.#pool.query<SubscriptionRow>(getSubscription, [id]);
    return row && toSubscription(row);
  }

  captured(after: string | undefined, max: number): Promise<CapturedDelivery[]> {
    return this.#pool.query<CapturedDelivery>(capturedDeliveries, [after ?? null, max]);
  }

  deadLetters({ after, max, subscriptionId }: DeadLettersRequest): Promise<TopicDeadLetter[]> {
    return this.#pool.query<TopicDeadLetter>(topicDeadLetters, [
      after ?? null,
      max,
      subscriptionId ?? null,
    ]);
  }

  async redrive(max: number, subscriptionId: string | undefined): Promise<number> {
    const row = await this.#pool.queryOne<{ redriven: number }>(redriveTopicDeadLetters, [
      max,
      subscriptionId ?? null,
    ]);
    return row.redriven;
  }

  async deleteDeadLetters(ids: readonly string[]): Promise<string[]> {
    const rows = await this.#pool.query<{ id: string }>(deleteTopicDeadLetters, [ids]);
    return rows.map(({ id }) => id);
  }

  async publish(request: PublishRequest, tx?: TransactionClient): Promise<number> {
    const { topic, message, headers } = request;
    const row = await this.#pool.queryOne<{ reached: number }>(
      sendTopic,
      [topic, message, headers ?? null],
      { tx },
    );
    return row.reached;
  }
}
