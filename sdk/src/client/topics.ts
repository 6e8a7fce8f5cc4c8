import { InvalidArgument } from "../core/errors.ts";
import { toStorableText } from "../core/json.ts";
import { type OptionNames, checkOptions } from "../core/options.ts";
import type {
  CapturedDelivery,
  SubscribeRequest,
  Subscription,
  SubscriptionTarget,
  TopicDeadLetter,
  TopicTransport,
} from "../protocol/topics.ts";
import type { TransactionClient } from "../protocol/transaction.ts";
import { withTrace } from "../telemetry/tracer.ts";
import { type Headers, headersText, messageText } from "./message.ts";
import { type TransactionOptions, txOf } from "./transaction.ts";

/** What messages go to: exactly one of a queue, a workflow, each by its name, and a url. */
export type SubscriptionTo =
  { readonly queue: string } | { readonly workflow: string } | { readonly http: string };

export type SubscribeOptions = SubscriptionTo & {
  /** Only messages that contain this JSON (`message @> filter`). Default: all. */
  readonly filter?: unknown;
  /** What the target needs besides: see `queue.subscribe()` in the SQL reference. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** The caller's own connection, inside a transaction. */
  readonly tx?: TransactionClient;
};

export interface PublishOptions {
  /** Describes the message; a JSON object. */
  readonly headers?: Headers;
  /** The caller's own connection, inside a transaction: it is published if, and when, that commits. */
  readonly tx?: TransactionClient;
}

/** Of all targets together: which one is given is checked apart. */
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

/** `client.topics`: messages to whoever has subscribed. */
export class Topics {
  readonly #transport: TopicTransport;

  constructor(transport: TopicTransport) {
    this.#transport = transport;
  }

  /**
   * Sends the messages of some topics to a queue, a workflow or a url.
   *
   * @param pattern Words split by "."; `*` is one word, `#` any number of them.
   * @returns The subscription's id.
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
   * What a sandbox would have sent to urls, oldest first: a page.
   *
   * @param options.after The id that the page before ended with. `max`: of a page, default 100.
   */
  async captured(
    options: { readonly after?: string; readonly max?: number } = {},
  ): Promise<CapturedDelivery[]> {
    checkOptions(options, CAPTURED_OPTIONS, "captured()");
    const { after, max = 100 } = options;
    return this.#transport.captured(after, max);
  }

  /** Ends a subscription. @returns False when there is none with this id. */
  async unsubscribe(id: string, options?: TransactionOptions): Promise<boolean> {
    return this.#transport.unsubscribe(checkId(id), txOf(options, "unsubscribe()"));
  }

  /**
   * Delivers again to a url that had failed for so long that its subscription was disabled. `redrive()` sends what
   * has become a dead letter since.
   *
   * @returns False when there is no subscription with this id.
   */
  async enable(id: string): Promise<boolean> {
    return this.#transport.enable(checkId(id));
  }

  /**
   * Messages that subscriptions could not take, and deliveries to urls that failed for good: a page, oldest first.
   *
   * @param options.after The id of the last letter of the previous page. `max`: of a page, default 100.
   *   `subscriptionId`: only letters of this subscription.
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
      subscriptionId: subscriptionId === undefined ? undefined : checkId(subscriptionId),
    });
  }

  /**
   * Publishes dead letters again, each to its own subscription, oldest first. Letters of a subscription that is
   * disabled or has ended stay.
   *
   * @param options.max At most this many, default 1000. `subscriptionId`: only letters of this subscription.
   * @returns How many were published.
   */
  async redrive({
    max = 1_000,
    subscriptionId,
  }: { readonly max?: number; readonly subscriptionId?: string } = {}): Promise<number> {
    return this.#transport.redrive(
      max,
      subscriptionId === undefined ? undefined : checkId(subscriptionId),
    );
  }

  /** Deletes dead letters for good. @returns The ids of those that existed. */
  async deleteDeadLetters(ids: readonly string[]): Promise<string[]> {
    for (const id of ids) {
      if (typeof id !== "string" || !/^\d{1,18}$/.test(id)) {
        throw new InvalidArgument(
          `Invalid dead letter id ${JSON.stringify(id)}: give ids as deadLetters() returned them.`,
        );
      }
    }
    return this.#transport.deleteDeadLetters(ids);
  }

  /** Subscriptions of one pattern, or all. */
  async list(pattern?: string): Promise<Subscription[]> {
    return this.#transport.list(pattern);
  }

  /**
   * Sends a message to everybody who has subscribed to its topic, in one transaction.
   *
   * @param topic Words split by ".".
   * @returns How many targets it was sent to.
   */
  async publish(topic: string, message: unknown, options: PublishOptions = {}): Promise<number> {
    const where = `topic "${topic}"`;
    checkOptions(options, PUBLISH_OPTIONS, `publish() to ${where}`);
    return this.#transport.publish(
      {
        topic,
        message: messageText(message, where),
        headers: headersText(withTrace(options.headers), where),
      },
      options.tx,
    );
  }
}

function checkId(id: string): string {
  if (typeof id === "string" && /^\d{1,18}$/.test(id)) return id;
  throw new InvalidArgument(
    `Invalid subscription id ${JSON.stringify(id)}: give it as subscribe() returned it.`,
  );
}

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
