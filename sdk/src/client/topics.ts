import { InvalidArgument } from "../core/errors.ts";
import { toStorableText } from "../core/json.ts";
import { type OptionNames, checkOptions } from "../core/options.ts";
import type {
  CapturedDelivery,
  DeliveryStatus,
  LoggedDelivery,
  LoggedDeliveryDetails,
  ResentDelivery,
  SubscribeRequest,
  Subscription,
  SubscriptionTarget,
  TopicDeadLetter,
  TopicTarget,
  TopicTransport,
} from "../protocol/topics.ts";
import type { TransactionClient } from "../protocol/transaction.ts";
import { withTrace } from "../telemetry/tracer.ts";
import { type Headers, headersText, messageText } from "./message.ts";
import { type TransactionOptions, txOf } from "./transaction.ts";

/** The target of a subscription: exactly one of a queue or a workflow, by its name, and a url. */
export type SubscriptionTo =
  | { readonly queue: string }
  | { readonly workflow: string }
  | { readonly http: string };

export type SubscribeOptions = SubscriptionTo & {
  /** Delivers only messages that contain this JSON (`message @> filter`). Default: all messages. */
  readonly filter?: unknown;
  /** Options of the target: see `queue.subscribe()` in the SQL reference. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** A connection with an open transaction of the caller: the subscription begins if and when that commits. */
  readonly tx?: TransactionClient;
};

export interface PublishOptions {
  /** Metadata of the message; a JSON object. */
  readonly headers?: Headers;
  /** A connection with an open transaction of the caller: the message is published if and when that commits. */
  readonly tx?: TransactionClient;
}

export interface DeliveriesOptions {
  /** The id of the last delivery of the previous page. */
  readonly before?: string;
  /** Default 100. */
  readonly max?: number;
  /** Only deliveries of this subscription. */
  readonly subscriptionId?: string;
  /** Only deliveries that wait for another attempt, were delivered, or have failed for good. */
  readonly status?: DeliveryStatus;
}

/** Options of all targets together; `targetOf` checks that one is given. */
const SUBSCRIBE_OPTIONS = {
  queue: true,
  workflow: true,
  http: true,
  filter: true,
  options: true,
  tx: true,
} as const;
const PUBLISH_OPTIONS: OptionNames<PublishOptions> = { headers: true, tx: true };
const CAPTURED_OPTIONS = { after: true, max: true } as const;
const DELIVERIES_OPTIONS: OptionNames<DeliveriesOptions> = {
  before: true,
  max: true,
  subscriptionId: true,
  status: true,
};

/** `client.topics`: publishes messages to subscribers. */
export class Topics {
  readonly #transport: TopicTransport;

  constructor(transport: TopicTransport) {
    this.#transport = transport;
  }

  /**
   * Subscribes a queue, a workflow or a url to the topics that match a pattern.
   *
   * @param pattern - Words separated by "."; `*` matches one word, `#` any number of them.
   * @returns The subscription's id.
   * @throws QueueNotFound, InvalidName, InvalidArgument
   * @example
   * await client.topics.subscribe("order.*.paid", { queue: "invoices", filter: { currency: "EUR" } });
   */
  async subscribe(pattern: string, options: SubscribeOptions): Promise<string> {
    const about = `the subscription of "${pattern}"`;
    checkOptions<object>(options, SUBSCRIBE_OPTIONS, about);
    const request: SubscribeRequest = {
      pattern,
      ...targetOf(options, about),
      filter: toStorableText(options.filter, `the filter of ${about}`),
      options: toStorableText(options.options, `the options of ${about}`),
    };
    return this.#transport.subscribe(request, options.tx);
  }

  /**
   * Returns a page of the deliveries to urls that a sandbox has captured instead of sending, oldest first.
   *
   * @param options - `after`: the last id of the previous page. `max`: maximum number, default 100.
   */
  async captured(
    options: { readonly after?: string; readonly max?: number } = {},
  ): Promise<CapturedDelivery[]> {
    checkOptions(options, CAPTURED_OPTIONS, "captured()");
    const { after, max = 100 } = options;
    return this.#transport.captured(after, max);
  }

  /** Ends a subscription. @returns False if no subscription has this id. */
  async unsubscribe(id: string, options?: TransactionOptions): Promise<boolean> {
    return this.#transport.unsubscribe(checkSubscriptionId(id), txOf(options, "unsubscribe()"));
  }

  /**
   * Enables a subscription that was disabled because its url had failed for too long. `redrive()` delivers the dead
   * letters since then.
   *
   * @returns False if no subscription has this id.
   */
  async enable(id: string): Promise<boolean> {
    return this.#transport.enable(checkSubscriptionId(id));
  }

  /**
   * Returns a page of dead letters, oldest first: messages that a subscription rejected, and deliveries to urls that
   * failed permanently.
   *
   * @param options - `after`: the last id of the previous page. `max`: maximum number, default 100. `subscriptionId`:
   *   only letters of this subscription.
   */
  async deadLetters({
    after,
    max = 100,
    subscriptionId,
  }: {
    readonly after?: string;
    readonly max?: number;
    readonly subscriptionId?: string;
  } = {}): Promise<TopicDeadLetter[]> {
    return this.#transport.deadLetters({
      after,
      max,
      subscriptionId:
        subscriptionId === undefined ? undefined : checkSubscriptionId(subscriptionId),
    });
  }

  /**
   * Publishes dead letters again, each to its subscription only, oldest first. Letters of disabled and ended
   * subscriptions stay.
   *
   * @param options - `max`: maximum number, default 1000. `subscriptionId`: only letters of this subscription. `ids`: only
   *   these letters.
   * @returns The number of published letters.
   */
  async redrive({
    max = 1_000,
    subscriptionId,
    ids,
  }: {
    readonly max?: number;
    readonly subscriptionId?: string;
    readonly ids?: readonly string[];
  } = {}): Promise<number> {
    return this.#transport.redrive({
      max,
      subscriptionId:
        subscriptionId === undefined ? undefined : checkSubscriptionId(subscriptionId),
      ids: ids?.map(checkLetterId),
    });
  }

  /** Deletes dead letters permanently. @returns The ids of the letters that existed. */
  async deleteDeadLetters(ids: readonly string[]): Promise<string[]> {
    return this.#transport.deleteDeadLetters(ids.map(checkLetterId));
  }

  /**
   * Returns a page of the log of deliveries to urls, newest first, with the outcome of the last attempt of each. A
   * server writes the log, and keeps it for a day unless OXBOW_WEBHOOK_LOG_HOURS differs.
   *
   * @throws InvalidArgument
   */
  async deliveries(options: DeliveriesOptions = {}): Promise<LoggedDelivery[]> {
    checkOptions(options, DELIVERIES_OPTIONS, "deliveries()");
    const { before, max = 100, subscriptionId, status } = options;
    return this.#transport.deliveries({
      before: before === undefined ? undefined : checkDeliveryId(before),
      max,
      subscriptionId:
        subscriptionId === undefined ? undefined : checkSubscriptionId(subscriptionId),
      status,
    });
  }

  /** Returns a delivery of the log, with its message and all attempts; undefined if the log doesn't have it. */
  async delivery(id: string): Promise<LoggedDeliveryDetails | undefined> {
    return this.#transport.delivery(checkDeliveryId(id));
  }

  /**
   * Sends deliveries of the log again, with the same webhook id, by which their receivers recognize them. Waiting
   * deliveries become due immediately. Failed ones are sent again once, unless their dead letters were redriven or
   * deleted.
   *
   * @returns A result for each id, with the reason if it is not sent again.
   * @throws InvalidArgument
   */
  async resend(ids: readonly string[]): Promise<ResentDelivery[]> {
    for (const id of ids) checkDeliveryId(id);
    return this.#transport.resend(ids);
  }

  /** Returns the subscriptions of one pattern, or all subscriptions. */
  async list(pattern?: string): Promise<Subscription[]> {
    return this.#transport.list(pattern);
  }

  /**
   * Returns what a message would go to if it were published, and publishes nothing.
   *
   * @throws InvalidArgument, SerializationError, PayloadTooLarge
   * @example
   * const targets = await client.topics.targets("order.paid", { total: 5 });
   * const lost = targets.filter(({ problem }) => problem !== null);
   */
  async targets(topic: string, message: unknown): Promise<TopicTarget[]> {
    return this.#transport.targets(topic, messageText(message, `topic "${topic}"`));
  }

  /**
   * Sends a message to all subscriptions that match its topic, in one transaction.
   *
   * @param topic - Words separated by ".".
   * @returns The number of targets.
   * @throws InvalidArgument, SerializationError, PayloadTooLarge
   */
  async publish(topic: string, message: unknown, options: PublishOptions = {}): Promise<number> {
    const where = `topic "${topic}"`;
    checkOptions(options, PUBLISH_OPTIONS, `publish() to ${where}`);
    return this.#transport.publish(
      {
        topic,
        message: messageText(message, where),
        headers: headersText(await withTrace(options.headers), where),
      },
      options.tx,
    );
  }
}

function checkId(id: string, what: string, remedy: string): string {
  if (typeof id === "string" && /^\d{1,18}$/.test(id)) return id;
  throw new InvalidArgument(`Invalid ${what} id ${JSON.stringify(id)}: ${remedy}.`);
}

const checkSubscriptionId = (id: string): string =>
  checkId(id, "subscription", "give it as subscribe() returned it");

const checkLetterId = (id: string): string =>
  checkId(id, "dead letter", "give ids as deadLetters() returned them");

const checkDeliveryId = (id: string): string =>
  checkId(id, "delivery", "give ids as deliveries() returned them");

const TARGETS: readonly SubscriptionTarget[] = ["queue", "workflow", "http"];

function targetOf(
  options: SubscribeOptions,
  about: string,
): Pick<SubscribeRequest, "targetType" | "target"> {
  const given = TARGETS.flatMap((targetType) => {
    const target: unknown = Reflect.get(options, targetType);
    return typeof target === "string" ? [{ targetType, target }] : [];
  });
  const [only] = given;
  if (only !== undefined && given.length === 1) return only;
  throw new InvalidArgument(
    `Invalid target of ${about}: give one of queue, workflow and http, as text.`,
  );
}
