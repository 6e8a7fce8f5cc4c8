/**
 * Deliveries to urls that are settled with a report, as a server does, and their log, by nothing but the SQL functions.
 */
import { only, type Queryable } from "./queues.ts";
import { publish, subscribe } from "./topics.ts";

export interface Received {
  readonly msg_id: string;
  readonly receipt: string;
  readonly webhook_id: string;
}

export interface Entry {
  readonly delivery_id: string;
  readonly status: string;
  readonly [column: string]: unknown;
}

export interface TestSubscription {
  readonly id: string;
  readonly topic: string;
  /** Publishes a message and receives it. */
  readonly next: (message: unknown) => Promise<Received>;
}

export const report = (statusCode: number, response?: string): string =>
  JSON.stringify({ status_code: statusCode, duration_ms: 12, response });

let subscriptions = 0;

export class DeliveryLog {
  readonly #on: Queryable;

  constructor(on: Queryable) {
    this.#on = on;
  }

  /** Subscribes a url to a topic of its own. */
  async subscribe(options?: Record<string, unknown>): Promise<TestSubscription> {
    subscriptions += 1;
    const topic = `logged.t${subscriptions}`;
    const http = `https://u:secret@example.org/${topic}`;
    const id = await subscribe(this.#on, topic, { http }, options === undefined ? {} : { options });
    return {
      id,
      topic,
      next: async (message) => {
        await publish(this.#on, topic, message, { source: "test" });
        return this.receive(id);
      },
    };
  }

  /** Receives the only delivery of a subscription that is due. */
  async receive(id: string, leaseSeconds = 30): Promise<Received> {
    const rows = await this.#on.query<Received & { subscription_id: string }>(
      "select msg_id, receipt, webhook_id, subscription_id from queue.deliveries_receive(10, $1)",
      [leaseSeconds],
    );
    return only(rows.filter(({ subscription_id: of }) => of === id));
  }

  /** Returns the receipts that were alive. */
  async succeed(id: string, { receipt }: Received, given: string | null): Promise<string[]> {
    const rows = await this.#on.query<{ receipt: string }>(
      "select receipt from queue.deliveries_succeeded($1, $2, $3) as s (receipt)",
      [[id], [receipt], given === null ? null : [given]],
    );
    return rows.map(({ receipt: alive }) => alive);
  }

  retry({ receipt }: Received, seconds: number, given: string | null): Promise<unknown> {
    return this.#on.query("select queue.delivery_retry($1, $2, 'status 503', $3)", [
      receipt,
      seconds,
      given,
    ]);
  }

  abandon({ receipt }: Received, given: string | null): Promise<unknown> {
    return this.#on.query("select queue.delivery_abandon($1, 'status 410', $2)", [receipt, given]);
  }

  list(id: string): Promise<Entry[]> {
    return this.#on.query<Entry>("select * from queue.deliveries_list(subscription_id => $1)", [
      id,
    ]);
  }

  async get(deliveryId: string): Promise<Entry> {
    return only(
      await this.#on.query<Entry>("select * from queue.deliveries_get($1)", [deliveryId]),
    );
  }

  /** Returns why it isn't sent again; null if it is. */
  async resend(deliveryId: string): Promise<string | null> {
    const rows = await this.#on.query<{ problem: string | null }>(
      "select problem from queue.deliveries_resend($1)",
      [[deliveryId]],
    );
    return only(rows).problem;
  }

  /** Ids of the dead letters of a subscription, oldest first. */
  async letters(id: string): Promise<string[]> {
    const rows = await this.#on.query<{ letter_id: string }>(
      "select letter_id from queue.topic_dead_letters(subscription_id => $1)",
      [id],
    );
    return rows.map(({ letter_id: letter }) => letter);
  }
}
