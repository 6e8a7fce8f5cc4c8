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
import { type Shown, toDates } from "./shown.ts";

type ShownSubscription = Shown<Omit<Subscription, "id" | "targetType">> & {
  readonly subscriptionId: string;
  readonly type: Subscription["targetType"];
};

type ShownDetails = Omit<Shown<LoggedDeliveryDetails>, "earlierAttempts"> & {
  readonly earlierAttempts: readonly Shown<DeliveryOutcome>[];
};

const toSubscription = ({
  subscriptionId: id,
  type: targetType,
  ...shown
}: ShownSubscription): Subscription =>
  toDates<Subscription>({ id, targetType, ...shown }, ["createdAt", "failingSince", "disabledAt"]);

const DELIVERY_INSTANTS = ["publishedAt", "attemptedAt", "nextAttemptAt"] as const;

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
    );
    return enabled;
  }

  async list(pattern: string | undefined): Promise<Subscription[]> {
    const path = pattern === undefined ? "/v1/subscriptions" : `${pathOf(pattern)}/subscriptions`;
    const { subscriptions } = await this.#connection.get<{ subscriptions: ShownSubscription[] }>(
      path,
    );
    return subscriptions.map(toSubscription);
  }

  async get(id: string): Promise<Subscription | undefined> {
    const shown = await orUndefined(
      this.#connection.get<ShownSubscription>(`/v1/subscriptions/${id}`),
      "SUBSCRIPTION_NOT_FOUND",
    );
    return shown && toSubscription(shown);
  }

  async captured(after: string | undefined, max: number): Promise<CapturedDelivery[]> {
    const { deliveries } = await this.#connection.get<{ deliveries: Shown<CapturedDelivery>[] }>(
      "/v1/captured-deliveries",
      { max, after },
    );
    return deliveries.map((one) => toDates<CapturedDelivery>(one, ["capturedAt"]));
  }

  async deadLetters(request: DeadLettersRequest): Promise<TopicDeadLetter[]> {
    const { letters } = await this.#connection.get<{ letters: Shown<TopicDeadLetter>[] }>(
      "/v1/topic-dead-letters",
      { ...request },
    );
    return letters.map((one) => toDates<TopicDeadLetter>(one, ["deadLetteredAt"]));
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

  async deliveries(request: DeliveriesRequest): Promise<LoggedDelivery[]> {
    const { deliveries } = await this.#connection.get<{ deliveries: Shown<LoggedDelivery>[] }>(
      "/v1/deliveries",
      { ...request },
    );
    return deliveries.map((one) => toDates<LoggedDelivery>(one, DELIVERY_INSTANTS));
  }

  async delivery(id: string): Promise<LoggedDeliveryDetails | undefined> {
    const shown = await orUndefined(
      this.#connection.get<ShownDetails>(`/v1/deliveries/${id}`),
      "DELIVERY_NOT_FOUND",
    );
    if (shown === undefined) return undefined;
    const earlierAttempts = shown.earlierAttempts.map((one) =>
      toDates<DeliveryOutcome>(one, ["attemptedAt"]),
    );
    return toDates<LoggedDeliveryDetails>({ ...shown, earlierAttempts }, DELIVERY_INSTANTS);
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
