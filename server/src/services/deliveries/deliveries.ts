/**
 * Delivers messages of topics to urls.
 *
 * A sandbox has no deliveries: `_publish_to_url.sql` captures them. Any number of servers may deliver at the same time: each
 * receives from the same queue. Promises:
 *   E1  A delivery is deleted after its target has answered 2xx. Until then it is repeated, at growing intervals, so that
 *       it is made at least once. The lease outlasts the request, so that no other server sends it at the same time.
 *   E2  After as many attempts as there are intervals, or after a failure that is final, a delivery becomes a dead letter
 *       of topics, in one transaction, with the reason. A redrive sends it again, with the same webhook id.
 *   E3  A subscription whose target has failed for too long is disabled, and its deliveries become dead letters.
 *   E4  Deliveries beyond the concurrency of a subscription are given back uncounted, with a delay, so that slow targets
 *       neither occupy all senders nor block other subscriptions.
 *   E5  When the service stops, it receives nothing more, gives requests some time to end, and gives back the rest.
 *   E6  Url, format and concurrency come from the row of the subscription when the delivery is received;
 *       `queue.deliveries_receive()` has checked that they match the message. Nothing else is signed and sent.
 *   E7  What came of each attempt is logged by the statement that settles it, so that the log costs no commit and can't
 *       differ from the queue.
 *   E8  It waits for a database that can't be reached, and for the queue, which the first subscription creates.
 */
import { OxbowError, QueueNotFound } from "@oxbow/sdk";
import {
  askPersistently,
  type DeliveryReport,
  type Emitter,
  type Transport,
  unlessAborted,
  type UrlDelivery,
  within,
} from "@oxbow/sdk/internal/server";
import { setMaxListeners } from "node:events";
import type { DeliveryAttempt, ServerEvents } from "../../events.ts";
import type { Task } from "../service.ts";
import { DeliveryPace } from "./pace.ts";
import { toRequest } from "./webhook-request.ts";
import type { WebhookOutcome, WebhookSender } from "./webhook-sender.ts";
import type { WebhookSecrets } from "./webhook-secrets.ts";
import { track } from "../track.ts";

const QUEUE = "__http";
/** The first subscription of a url creates the queue. */
const LOOK_FOR_QUEUE_MS = 1_000;
const LONGEST_WAIT_MS = 20_000;
/** From the end of a request until its outcome is written. */
const LEASE_MARGIN_MS = 30_000;
/** How long to retry writing the outcome. */
const SETTLE_WITHIN_MS = 25_000;
const STOP_WITHIN_MS = 10_000;
const LONGEST_RETRY_AFTER_MS = 86_400_000;
const JITTER = 0.2;

export interface DeliveriesOptions {
  readonly transport: NonNullable<Transport["deliveries"]>;
  readonly queues: Pick<Transport["queues"], "get">;
  readonly sender: WebhookSender;
  readonly secrets: WebhookSecrets;
  readonly events: Pick<Emitter<ServerEvents>, "emit">;
  /** Concurrent requests. */
  readonly senders: number;
  /** Concurrent requests of a subscription without a concurrency. */
  readonly perSubscription: number;
  readonly timeoutMs: number;
  /** Delays between attempts: one fewer than there are attempts. */
  readonly retryDelaysMs: readonly number[];
  /** How long a target may fail before its subscription is disabled; undefined for ever. */
  readonly disableAfterMs: number | undefined;
  /** Whether attempts are logged. */
  readonly logs: boolean;
  readonly userAgent: string;
}

export class Deliveries implements Task {
  readonly doing = "receiving deliveries";
  readonly #options: DeliveriesOptions;
  readonly #pace = new DeliveryPace();
  readonly #running = new Set<Promise<void>>();
  /** Aborts when requests have had the time that `drain()` gives them. */
  readonly #cutOff = new AbortController();
  #hasQueue = false;

  constructor(options: DeliveriesOptions) {
    this.#options = options;
    // Each request in progress has one.
    setMaxListeners(0, this.#cutOff.signal);
  }

  async tick(signal: AbortSignal): Promise<number> {
    this.#hasQueue = this.#hasQueue || (await this.#findQueue());
    if (!this.#hasQueue) return LOOK_FOR_QUEUE_MS;
    const deliveries = await this.#receive(signal).catch((error: unknown) => {
      this.#hasQueue = false;
      throw error;
    });
    if (signal.aborted) await this.#giveBack(deliveries, 0);
    else await this.#begin(deliveries);
    if (this.#freeSenders === 0) await this.#waitForSender(signal);
    return 0;
  }

  /** A stop doesn't wait: `drain()` gives the requests their time. */
  async #waitForSender(signal: AbortSignal): Promise<void> {
    try {
      await unlessAborted(Promise.race(this.#running), signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /** Gives requests time to end. */
  async drain(): Promise<void> {
    const timer = setTimeout(() => this.#cutOff.abort(), STOP_WITHIN_MS);
    // Without a database, outcomes are lost, and other servers repeat the deliveries.
    await within(STOP_WITHIN_MS * 1.5, Promise.all(this.#running));
    clearTimeout(timer);
    this.#options.sender.close();
  }

  get #freeSenders(): number {
    return this.#options.senders - this.#running.size;
  }

  #findQueue(): Promise<boolean> {
    return this.#options.queues.get(QUEUE).then(
      () => true,
      (error: unknown) => {
        if (error instanceof QueueNotFound) return false;
        throw error;
      },
    );
  }

  #receive(signal: AbortSignal): Promise<UrlDelivery[]> {
    return this.#options.transport.receive({
      max: this.#freeSenders,
      leaseMs: this.#options.timeoutMs + LEASE_MARGIN_MS,
      waitMs: LONGEST_WAIT_MS,
      signal,
    });
  }

  /** Sends what the concurrency of subscriptions allows, and gives the rest back with a delay. */
  async #begin(deliveries: readonly UrlDelivery[]): Promise<void> {
    const excess = new Map<string, UrlDelivery[]>();
    for (const delivery of deliveries) {
      const { subscriptionId, concurrency = this.#options.perSubscription } = delivery;
      if (this.#pace.enter(subscriptionId, concurrency)) {
        track(this.#running, this.#deliver(delivery), this.#onUnsettled);
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

  readonly #onUnsettled = (error: unknown): void => {
    this.#options.events.emit("trouble", { doing: "settling a delivery", error });
  };

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
    // A request that was cut off is no failed attempt: another server repeats it.
    if (outcome.status === undefined && this.#cutOff.signal.aborted) {
      await this.#giveBack([delivery], 0);
      return;
    }
    const report = this.#options.logs ? reportOf(outcome, durationMs) : undefined;
    this.#options.events.emit("deliveryAttempted", {
      subscriptionId: delivery.subscriptionId,
      messageId: delivery.messageId,
      attempt: delivery.attempt,
      durationMs,
      outcome: await askPersistently(() => this.#settle(delivery, outcome, report), {
        forMs: SETTLE_WITHIN_MS,
        signal: this.#cutOff.signal,
        onFailure: this.#onUnsettled,
        isFinal: (error) => error instanceof OxbowError,
      }),
      failure: outcome.failure,
    });
  }

  async #settle(
    { receipt, subscriptionId, attempt }: UrlDelivery,
    { failure, isFinal = false, retryAfterMs = 0 }: WebhookOutcome,
    report: DeliveryReport | undefined,
  ): Promise<DeliveryAttempt["outcome"]> {
    const { transport } = this.#options;
    if (failure === undefined) {
      await transport.succeeded(subscriptionId, receipt, report);
      return "delivered";
    }
    const isDisabled = await transport.failed(
      subscriptionId,
      failure,
      this.#options.disableAfterMs,
    );
    const delayMs = this.#options.retryDelaysMs[attempt - 1];
    if (isFinal || isDisabled || delayMs === undefined) {
      await transport.abandon(receipt, failure, report);
      return "dead_lettered";
    }
    const spread = 1 + JITTER * (2 * Math.random() - 1);
    const askedMs = Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS);
    const nextMs = Math.round(Math.max(delayMs * spread, askedMs));
    await transport.retry(receipt, nextMs, failure, report);
    return "retried";
  }

  async #giveBack(given: readonly UrlDelivery[], delayMs: number): Promise<void> {
    if (given.length === 0) return;
    const receipts = given.map(({ receipt }) => receipt);
    await this.#options.transport.giveBack(receipts, delayMs);
  }
}

const reportOf = ({ status, response }: WebhookOutcome, durationMs: number): DeliveryReport => ({
  statusCode: status,
  durationMs: Math.round(durationMs),
  response,
});
