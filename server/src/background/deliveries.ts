/**
 * Sends what topics have queued for urls, from `start()` until `stop()`.
 *
 * Any number of servers may do it at once: each receives from the same queue, and knows nothing of the others. Promises:
 *   E1  A delivery is deleted once its target has answered 2xx; until then it is tried again, at ever longer intervals,
 *       at least once each. The receipt's lease outlasts the request, so that nobody else sends it meanwhile.
 *   E2  What has been tried as often as there are intervals, or can't ever succeed, becomes a dead letter of topics, in
 *       one transaction, with the reason. `redrive()` sends it again, under the same webhook id.
 *   E3  A subscription whose target has only failed for so long is disabled: its deliveries become dead letters, and what
 *       is queued already is tried once more.
 *   E4  What a subscription's concurrency has no place for is given back uncounted, with a delay. So slow targets
 *       fill neither the senders nor the way of the others.
 *   E5  `stop()` receives nothing more, lets requests end for a while, and gives back what has not begun or not ended.
 *   E6  A database that can't be reached is waited for; so is the queue, which the first subscription makes.
 */
import { type MessageDelivery, sleep, type Transport, within } from "@oxbow/sdk/internal";
import { DeliveryPace } from "./delivery-pace.ts";
import { type Parcel, toParcel, toRequest } from "./parcel.ts";
import type { WebhookOutcome, WebhookSender } from "./webhook-sender.ts";
import type { WebhookSecrets } from "./webhook-secrets.ts";

const QUEUE = "__http";
const DEAD_LETTERS = "__topic_dead_letters";
/** The queue is there once somebody has subscribed a url. */
const LOOK_FOR_QUEUE_MS = 1_000;
const LONGEST_WAIT_MS = 20_000;
const AFTER_TROUBLE_MS = 1_000;
/** From the end of a request until its outcome is written. */
const LEASE_MARGIN_MS = 30_000;
const STOP_WITHIN_MS = 10_000;
const LONGEST_RETRY_AFTER_MS = 86_400_000;
const JITTER = 0.2;

export interface DeliveryFacts {
  readonly subscriptionId: string;
  readonly messageId: string;
  readonly attempt: number;
  readonly durationMs: number;
  readonly outcome: "delivered" | "retried" | "dead_lettered";
  readonly failure: string | undefined;
}

export interface DeliveriesOptions {
  readonly transport: Pick<Transport, "queues" | "deliveries" | "transaction">;
  readonly sender: WebhookSender;
  readonly secrets: WebhookSecrets;
  /** Requests at the same time. */
  readonly senders: number;
  /** Of one subscription that doesn't say otherwise. */
  readonly perSubscription: number;
  readonly timeoutMs: number;
  /** From one attempt to the next; after the last of them there is one more. */
  readonly retryDelaysMs: readonly number[];
  /** How long a target may fail before its subscription is disabled; undefined: for ever. */
  readonly disableAfterMs: number | undefined;
  readonly userAgent: string;
  readonly onAttempt: (facts: DeliveryFacts) => void;
  readonly onTrouble: (doing: string, error: unknown) => void;
}

export class Deliveries {
  readonly #options: DeliveriesOptions;
  readonly #pace = new DeliveryPace();
  readonly #running = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  /** Aborts when requests have had the time that `stop()` gives them. */
  readonly #cutOff = new AbortController();
  #loop: Promise<void> | undefined;

  constructor(options: DeliveriesOptions) {
    this.#options = options;
  }

  start(): void {
    this.#loop ??= this.#receiveAll();
  }

  /** Resolves when nothing is being sent any more. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error("The server is stopping."));
    await this.#loop;
    const timer = setTimeout(() => this.#cutOff.abort(), STOP_WITHIN_MS);
    // Outcomes that a lost database keeps from being written are lost: they are tried again.
    await within(STOP_WITHIN_MS * 1.5, Promise.all(this.#running));
    clearTimeout(timer);
    this.#options.sender.close();
  }

  async #receiveAll(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        if (await this.#isQueueThere()) await this.#receiveWhileThere();
        else await sleep(LOOK_FOR_QUEUE_MS, signal);
      } catch (error) {
        if (signal.aborted) return;
        this.#options.onTrouble("receiving deliveries", error);
        await sleep(AFTER_TROUBLE_MS, signal);
      }
    }
  }

  async #isQueueThere(): Promise<boolean> {
    const queues = await this.#options.transport.queues.list();
    return queues.some(({ name }) => name === QUEUE);
  }

  async #receiveWhileThere(): Promise<void> {
    const { transport, senders, timeoutMs } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const free = senders - this.#running.size;
      if (free === 0) {
        await Promise.race(this.#running);
        continue;
      }
      const deliveries = await transport.queues.receive({
        queue: QUEUE,
        max: free,
        visibilityTimeoutMs: Math.ceil((timeoutMs + LEASE_MARGIN_MS) / 1_000) * 1_000,
        matching: undefined,
        waitMs: LONGEST_WAIT_MS,
        signal,
      });
      if (signal.aborted) await this.#giveBack(deliveries, 0);
      else await this.#begin(deliveries);
    }
  }

  /** Sends what there is a place for, and puts the rest off. */
  async #begin(deliveries: readonly MessageDelivery[]): Promise<void> {
    const excess = new Map<string, MessageDelivery[]>();
    for (const delivery of deliveries) {
      const parcel = toParcel(delivery);
      if (parcel === undefined) {
        this.#run(this.#bury(delivery, undefined, "it is no delivery of a subscription"));
        continue;
      }
      const { subscriptionId, concurrency = this.#options.perSubscription } = parcel;
      if (this.#pace.enter(subscriptionId, concurrency)) {
        this.#run(this.#deliver(delivery, parcel));
      } else {
        excess.set(subscriptionId, [...(excess.get(subscriptionId) ?? []), delivery]);
      }
    }
    await Promise.all(
      [...excess].map(([subscriptionId, put]) =>
        this.#giveBack(put, this.#pace.putOff(subscriptionId, put.length)),
      ),
    );
  }

  #run(work: Promise<void>): void {
    const running = work
      .catch((error: unknown) => this.#options.onTrouble("settling a delivery", error))
      .finally(() => void this.#running.delete(running));
    this.#running.add(running);
  }

  async #deliver(delivery: MessageDelivery, parcel: Parcel): Promise<void> {
    const { sender, secrets, userAgent } = this.#options;
    const startedAt = performance.now();
    const request = toRequest(parcel, delivery.receiveCount, secrets, userAgent);
    const outcome = await sender.post(request, this.#cutOff.signal);
    const durationMs = performance.now() - startedAt;
    this.#pace.leave(parcel.subscriptionId, {
      durationMs,
      failed: outcome.failure !== undefined,
      retryAfterMs: outcome.retryAfterMs,
    });
    // Cut off, it has not failed: another server begins anew.
    if (outcome.status === undefined && this.#cutOff.signal.aborted) {
      await this.#giveBack([delivery], 0);
      return;
    }
    this.#options.onAttempt({
      subscriptionId: parcel.subscriptionId,
      messageId: delivery.id,
      attempt: delivery.receiveCount,
      durationMs,
      outcome: await this.#settle(delivery, parcel, outcome),
      failure: outcome.failure,
    });
  }

  async #settle(
    delivery: MessageDelivery,
    parcel: Parcel,
    { failure, isFinal = false, retryAfterMs = 0 }: WebhookOutcome,
  ): Promise<DeliveryFacts["outcome"]> {
    const { queues, deliveries } = this.#options.transport;
    if (failure === undefined) {
      await deliveries?.succeeded(parcel.subscriptionId, delivery.receipt);
      return "delivered";
    }
    const isDisabled = await deliveries?.failed(
      parcel.subscriptionId,
      failure,
      this.#options.disableAfterMs,
    );
    const delayMs = this.#options.retryDelaysMs[delivery.receiveCount - 1];
    if (isFinal || isDisabled === true || delayMs === undefined) {
      await this.#bury(delivery, parcel, failure);
      return "dead_lettered";
    }
    const spread = 1 + JITTER * (2 * Math.random() - 1);
    const askedMs = Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS);
    await queues.changeVisibility(
      QUEUE,
      delivery.receipt,
      Math.round(Math.max(delayMs * spread, askedMs)),
      { repeatable: true },
    );
    return "retried";
  }

  /** Makes it a dead letter of its subscription, as those are that could not take a message at all. */
  async #bury(
    { id, receipt, body, headers, receiveCount }: MessageDelivery,
    parcel: Parcel | undefined,
    reason: string,
  ): Promise<void> {
    const { transport } = this.#options;
    const letter =
      parcel === undefined
        ? { ...headers, dead_letter: { reason } }
        : {
            ...parcel.headers,
            topic: parcel.topic,
            webhook_id: parcel.webhookId,
            dead_letter: {
              topic: parcel.topic,
              subscription_id: Number(parcel.subscriptionId),
              target_type: "http",
              target: parcel.url,
              reason,
              attempts: receiveCount,
              msg_id: Number(id),
              dead_lettered_at: new Date().toISOString(),
            },
          };
    await transport.transaction(async (tx) => {
      if (!(await transport.queues.delete(QUEUE, receipt, { tx }))) return;
      await transport.queues.sendBatch(
        {
          queue: DEAD_LETTERS,
          messages: [JSON.stringify(body)],
          headers: [JSON.stringify(letter)],
          delayMs: 0,
        },
        tx,
      );
    });
  }

  async #giveBack(deliveries: readonly MessageDelivery[], delayMs: number): Promise<void> {
    if (deliveries.length === 0) return;
    const receipts = deliveries.map(({ receipt }) => receipt);
    await this.#options.transport.queues.giveBack(QUEUE, receipts, delayMs);
  }
}
