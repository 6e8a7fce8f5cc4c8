/** Topics, through the server. */
import type { JsonText } from "../../core/json.ts";
import type {
  CapturedDelivery,
  DeadLettersRequest,
  PublishRequest,
  SubscribeRequest,
  Subscription,
  TopicDeadLetter,
  TopicRedriveRequest,
  TopicTarget,
  TopicTransport,
} from "../../protocol/topics.ts";
import type { TransactionClient } from "../../protocol/transaction.ts";
import { type HttpConnection, jsonOf } from "./connection.ts";
import { orUndefined } from "./problems.ts";
import { refuseTx } from "./no-tx.ts";
import { toDate } from "./shown.ts";

interface ShownSubscription {
  readonly subscriptionId: string;
  readonly pattern: string;
  readonly type: Subscription["targetType"];
  readonly target: string;
  readonly filter: unknown;
  readonly options: unknown;
  readonly createdAt: string;
  readonly failingSince: string | null;
  readonly disabledAt: string | null;
  readonly disabledReason: string | null;
}

const toSubscription = (one: ShownSubscription): Subscription => ({
  id: one.subscriptionId,
  pattern: one.pattern,
  targetType: one.type,
  target: one.target,
  filter: one.filter,
  options: one.options,
  createdAt: new Date(one.createdAt),
  failingSince: toDate(one.failingSince),
  disabledAt: toDate(one.disabledAt),
  disabledReason: one.disabledReason,
});

export class HttpTopicTransport implements TopicTransport {
  readonly #connection: HttpConnection;

  constructor(connection: HttpConnection) {
    this.#connection = connection;
  }

  async subscribe(request: SubscribeRequest, tx?: TransactionClient): Promise<string> {
    refuseTx(tx);
    const { pattern, targetType: type, target, filter, options } = request;
    const { subscriptionId } = await this.#connection.ask<{ subscriptionId: string }>(
      `${pathOf(pattern)}/subscriptions`,
      { body: jsonOf({ type, target }, { filter, options }) },
    );
    return subscriptionId;
  }

  async unsubscribe(id: string, tx?: TransactionClient): Promise<boolean> {
    refuseTx(tx);
    const { ended } = await this.#connection.ask<{ ended: boolean }>(`/v1/subscriptions/${id}`, {
      method: "DELETE",
    });
    return ended;
  }

  async enable(id: string): Promise<boolean> {
    const { enabled } = await this.#connection.ask<{ enabled: boolean }>(
      `/v1/subscriptions/${id}/enable`,
      { method: "POST" },
    );
    return enabled;
  }

  async list(pattern: string | undefined): Promise<Subscription[]> {
    const path = pattern === undefined ? "/v1/subscriptions" : `${pathOf(pattern)}/subscriptions`;
    const { subscriptions } = await this.#connection.ask<{ subscriptions: ShownSubscription[] }>(
      path,
      { method: "GET" },
    );
    return subscriptions.map(toSubscription);
  }

  async get(id: string): Promise<Subscription | undefined> {
    const shown = await orUndefined(
      this.#connection.ask<ShownSubscription>(`/v1/subscriptions/${id}`, { method: "GET" }),
      "SUBSCRIPTION_NOT_FOUND",
    );
    return shown && toSubscription(shown);
  }

  async captured(after: string | undefined, max: number): Promise<CapturedDelivery[]> {
    const { deliveries } = await this.#connection.ask<{
      deliveries: (Omit<CapturedDelivery, "capturedAt"> & { readonly capturedAt: string })[];
    }>(`/v1/captured-deliveries?max=${max}${after === undefined ? "" : `&after=${after}`}`, {
      method: "GET",
    });
    return deliveries.map((one) => ({ ...one, capturedAt: new Date(one.capturedAt) }));
  }

  async deadLetters({
    after,
    max,
    subscriptionId,
  }: DeadLettersRequest): Promise<TopicDeadLetter[]> {
    const query = new URLSearchParams({
      max: String(max),
      ...(after === undefined ? {} : { after }),
      ...(subscriptionId === undefined ? {} : { subscriptionId }),
    });
    const { letters } = await this.#connection.ask<{
      letters: (Omit<TopicDeadLetter, "deadLetteredAt"> & { readonly deadLetteredAt: string })[];
    }>(`/v1/topic-dead-letters?${query.toString()}`, { method: "GET" });
    return letters.map((one) => ({ ...one, deadLetteredAt: new Date(one.deadLetteredAt) }));
  }

  async redrive({ max, subscriptionId, ids }: TopicRedriveRequest): Promise<number> {
    const { redriven } = await this.#connection.ask<{ redriven: number }>(
      "/v1/topic-dead-letters/redrive",
      { body: JSON.stringify({ maxMessages: max, subscriptionId, ids }) },
    );
    return redriven;
  }

  async targets(topic: string, message: JsonText): Promise<TopicTarget[]> {
    const { targets } = await this.#connection.ask<{ targets: TopicTarget[] }>(
      `/v1/topics/${encodeURIComponent(topic)}/targets`,
      { body: `{"message":${message}}`, isRead: true },
    );
    return targets;
  }

  async deleteDeadLetters(ids: readonly string[]): Promise<string[]> {
    const { deleted } = await this.#connection.ask<{ deleted: string[] }>(
      "/v1/topic-dead-letters/delete",
      { body: JSON.stringify({ ids }) },
    );
    return deleted;
  }

  async publish(request: PublishRequest, tx?: TransactionClient): Promise<number> {
    refuseTx(tx);
    const { topic, message, headers } = request;
    const { targets } = await this.#connection.ask<{ targets: number }>(
      `${pathOf(topic)}/messages`,
      { body: jsonOf({}, { message, headers }) },
    );
    return targets;
  }
}

const pathOf = (topic: string): string => `/v1/topics/${encodeURIComponent(topic)}`;
