/** Topics, through the server. */
import type { JsonText } from "../../core/json.ts";
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
} from "../../protocol/topics.ts";
import type { TransactionClient } from "../../protocol/transaction.ts";
import type { HttpConnection } from "./connection.ts";
import { jsonOf } from "./json-of.ts";
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

type ShownDelivery = Omit<LoggedDelivery, "publishedAt" | "attemptedAt" | "nextAttemptAt"> & {
  readonly publishedAt: string;
  readonly attemptedAt: string;
  readonly nextAttemptAt: string | null;
};

interface ShownDetails extends ShownDelivery {
  readonly response: string | null;
  readonly message: unknown;
  readonly headers: unknown;
  readonly earlierAttempts: readonly (Omit<DeliveryOutcome, "attemptedAt"> & {
    readonly attemptedAt: string;
  })[];
}

const toDelivery = (one: ShownDelivery): LoggedDelivery => ({
  id: one.id,
  subscriptionId: one.subscriptionId,
  pattern: one.pattern,
  url: one.url,
  topic: one.topic,
  webhookId: one.webhookId,
  status: one.status,
  attempts: one.attempts,
  publishedAt: new Date(one.publishedAt),
  attemptedAt: new Date(one.attemptedAt),
  nextAttemptAt: toDate(one.nextAttemptAt),
  durationMs: one.durationMs,
  statusCode: one.statusCode,
  failure: one.failure,
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

  async deliveries({
    before,
    max,
    subscriptionId,
    status,
  }: DeliveriesRequest): Promise<LoggedDelivery[]> {
    const query = new URLSearchParams({
      max: String(max),
      ...(before === undefined ? {} : { before }),
      ...(subscriptionId === undefined ? {} : { subscriptionId }),
      ...(status === undefined ? {} : { status }),
    });
    const { deliveries } = await this.#connection.ask<{ deliveries: ShownDelivery[] }>(
      `/v1/deliveries?${query.toString()}`,
      { method: "GET" },
    );
    return deliveries.map(toDelivery);
  }

  async delivery(id: string): Promise<LoggedDeliveryDetails | undefined> {
    const shown = await orUndefined(
      this.#connection.ask<ShownDetails>(`/v1/deliveries/${id}`, { method: "GET" }),
      "DELIVERY_NOT_FOUND",
    );
    return (
      shown && {
        ...toDelivery(shown),
        response: shown.response,
        message: shown.message,
        headers: shown.headers,
        earlierAttempts: shown.earlierAttempts.map((one) => ({
          ...one,
          attemptedAt: new Date(one.attemptedAt),
        })),
      }
    );
  }

  async resend(ids: readonly string[]): Promise<ResentDelivery[]> {
    const { deliveries } = await this.#connection.ask<{ deliveries: ResentDelivery[] }>(
      "/v1/deliveries/resend",
      { body: JSON.stringify({ ids }) },
    );
    return deliveries;
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
