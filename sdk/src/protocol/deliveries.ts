/** Deliveries to urls, as servers carry them out: one method a SQL function. */

/** One attempt to deliver a message. The database has checked it against its subscription. */
export interface UrlDelivery {
  readonly messageId: string;
  readonly receipt: string;
  readonly subscriptionId: string;
  readonly url: string;
  readonly topic: string;
  /** The same at every attempt, and after a redrive: receivers recognize a repeated delivery by it. */
  readonly webhookId: string;
  readonly format: "plain" | "cloudevents";
  /** Maximum of concurrent requests; undefined for that of the server. */
  readonly concurrency: number | undefined;
  readonly message: unknown;
  /** Those of the publisher. */
  readonly headers: Readonly<Record<string, unknown>>;
  readonly publishedAt: Date;
  /** Attempts, this one included. */
  readonly attempt: number;
}

/** What the log of deliveries keeps of an attempt. */
export interface DeliveryReport {
  /** HTTP status; undefined without a response. */
  readonly statusCode: number | undefined;
  readonly durationMs: number;
  /** The beginning of the body of the response. */
  readonly response: string | undefined;
}

interface ReceiveDeliveriesRequest {
  readonly max: number;
  readonly leaseMs: number;
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

export interface DeliveryTransport {
  /** Waits until deliveries are due, for `waitMs` at most. The list is empty after that. */
  receive(request: ReceiveDeliveriesRequest): Promise<UrlDelivery[]>;
  /**
   * Deletes it from the queue. Reports go into the log of deliveries; undefined logs nothing.
   *
   * @returns False: the receipt is dead, and another server delivers it again.
   */
  succeeded(
    subscriptionId: string,
    receipt: string,
    report: DeliveryReport | undefined,
  ): Promise<boolean>;
  /**
   * @param disableAfterMs From the first of the consecutive failures; undefined for never.
   * @returns Whether the subscription is disabled.
   */
  failed(
    subscriptionId: string,
    reason: string,
    disableAfterMs: number | undefined,
  ): Promise<boolean>;
  /** Attempts it again later. False: the receipt is dead. */
  retry(
    receipt: string,
    delayMs: number,
    reason: string,
    report: DeliveryReport | undefined,
  ): Promise<boolean>;
  /** Makes it a dead letter. False: the receipt is dead. */
  abandon(receipt: string, reason: string, report: DeliveryReport | undefined): Promise<boolean>;
  /** Gives deliveries back that were not attempted. */
  giveBack(receipts: readonly string[], delayMs: number): Promise<void>;
  /**
   * Deletes deliveries from the log that ended longer ago. Reads `max` behind `after`, and returns where to continue,
   * or undefined at the end.
   */
  sweep(
    retentionHours: number,
    max: number,
    after: string | undefined,
  ): Promise<string | undefined>;
}
