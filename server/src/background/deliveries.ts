/**
 * Sends what topics have queued for urls, from `start()` until `stop()`.
 *
 * Any number of servers may do it at once: each receives from the same queue, and knows nothing of the others. Promises:
 *   E1  A delivery is deleted once its target has answered 2xx; until then it is tried again, at ever longer intervals,
 *       at least once each. The receipt's lease outlasts the request, so that no other server sends it at the same time.
 *   E2  What has been tried as often as there are intervals, or can't ever succeed, becomes a dead letter of topics, in
 *       one transaction, with the reason. A redrive sends it again, under the same webhook id.
 *   E3  A subscription whose target has failed for so long is disabled: its deliveries become dead letters, queued ones
 *       too.
 *   E4  What a subscription's concurrency has no place for is given back uncounted, with a delay. So slow targets
 *       fill neither the senders nor the way of the others.
 *   E5  `stop()` receives nothing more, lets requests end for a while, and gives back what has not begun or not ended.
 *   E6  Url, format and concurrency are those of the subscription's row when the delivery is received, which
 *       `queue.deliveries_receive()` has checked to match the message: nothing else is signed and sent.
 *   E7  A database that can't be reached is waited for; so is the queue, which the first subscription makes.
 */
import { OxbowError } from "@oxbow/sdk";
import {
  askPersistently,
  sleep,
  type Transport,
  type UrlDelivery,
  within,
} from "@oxbow/sdk/internal";
import { DeliveryPace } from "./delivery-pace.ts";
import { toRequest } from "./webhook-request.ts";
import type { WebhookOutcome, WebhookSender } from "./webhook-sender.ts";
import type { WebhookSecrets } from "./webhook-secrets.ts";

const QUEUE = "__http";
/** The queue is there once somebody has subscribed a url. */
const LOOK_FOR_QUEUE_MS = 1_000;
const LONGEST_WAIT_MS = 20_000;
const AFTER_TROUBLE_MS = 1_000;
/** From the end of a request until its outcome is written. */
const LEASE_MARGIN_MS = 30_000;
/** How long a database that can't write the outcome at present is asked again. */
const SETTLE_WITHIN_MS = 25_000;
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
  readonly transport: Pick<Transport, "queues"> & {
    readonly deliveries: NonNullable<Transport["deliveries"]>;
  };
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
      const deliveries = await transport.deliveries.receive({
        max: free,
        leaseMs: timeoutMs + LEASE_MARGIN_MS,
        waitMs: LONGEST_WAIT_MS,
        signal,
      });
      if (signal.aborted) await this.#giveBack(deliveries, 0);
      else await this.#begin(deliveries);
    }
  }

  /** Sends what there is a place for, and puts the rest off. */
  async #begin(deliveries: readonly UrlDelivery[]): Promise<void> {
    const excess = new Map<string, UrlDelivery[]>();
    for (const delivery of deliveries) {
      const { subscriptionId, concurrency = this.#options.perSubscription } = delivery;
      if (this.#pace.enter(subscriptionId, concurrency)) {
        this.#run(this.#deliver(delivery));
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

  async #deliver(delivery: UrlDelivery): Promise<void> {
    const { sender, secrets, userAgent } = this.#options;
    const startedAt = performance.now();
    const request = toRequest(delivery, secrets, userAgent);
    const outcome = await sender.post(request, this.#cutOff.signal);
    const durationMs = performance.now() - startedAt;
    this.#pace.leave(delivery.subscriptionId, {
      durationMs,
      failed: outcome.failure !== undefined,
      retryAfterMs: outcome.retryAfterMs,
    });
    // A request that was cut off has not failed: another server repeats it.
    if (outcome.status === undefined && this.#cutOff.signal.aborted) {
      await this.#giveBack([delivery], 0);
      return;
    }
    this.#options.onAttempt({
      subscriptionId: delivery.subscriptionId,
      messageId: delivery.messageId,
      attempt: delivery.attempt,
      durationMs,
      outcome: await askPersistently(() => this.#settle(delivery, outcome), {
        forMs: SETTLE_WITHIN_MS,
        signal: this.#cutOff.signal,
        onFailure: (error) => this.#options.onTrouble("settling a delivery", error),
        isFinal: (error) => error instanceof OxbowError,
      }),
      failure: outcome.failure,
    });
  }

  async #settle(
    { receipt, subscriptionId, attempt }: UrlDelivery,
    { failure, isFinal = false, retryAfterMs = 0 }: WebhookOutcome,
  ): Promise<DeliveryFacts["outcome"]> {
    const { deliveries } = this.#options.transport;
    if (failure === undefined) {
      await deliveries.succeeded(subscriptionId, receipt);
      return "delivered";
    }
    const isDisabled = await deliveries.failed(
      subscriptionId,
      failure,
      this.#options.disableAfterMs,
    );
    const delayMs = this.#options.retryDelaysMs[attempt - 1];
    if (isFinal || isDisabled || delayMs === undefined) {
      await deliveries.abandon(receipt, failure);
      return "dead_lettered";
    }
    const spread = 1 + JITTER * (2 * Math.random() - 1);
    const askedMs = Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS);
    await deliveries.retry(receipt, Math.round(Math.max(delayMs * spread, askedMs)));
    return "retried";
  }

  async #giveBack(given: readonly UrlDelivery[], delayMs: number): Promise<void> {
    if (given.length === 0) return;
    const receipts = given.map(({ receipt }) => receipt);
    await this.#options.transport.deliveries.giveBack(receipts, delayMs);
  }
}
