/** A queued delivery, as the request that it becomes. */
import type { MessageDelivery } from "@oxbow/sdk/internal";
import type { WebhookRequest } from "./webhook-sender.ts";
import type { WebhookSecrets } from "./webhook-secrets.ts";

/** What `queue.send_topic()` has put into the queue. */
export interface Parcel {
  readonly subscriptionId: string;
  readonly url: string;
  readonly topic: string;
  /** The same at every attempt, after a redrive too: receivers tell by it what they have already. */
  readonly webhookId: string;
  readonly format: "plain" | "cloudevents";
  /** Undefined: the server's. */
  readonly concurrency: number | undefined;
  /** Those of the publisher. */
  readonly headers: Readonly<Record<string, unknown>>;
  readonly message: unknown;
  readonly publishedAt: Date;
}

/** Undefined where somebody else has put something else into the queue. */
export function toParcel({ id, body, headers, enqueuedAt }: MessageDelivery): Parcel | undefined {
  const { subscription_id, url, topic, http, webhook_id, ...others } = headers ?? {};
  const isWhole =
    /^\d{1,18}$/.test(String(subscription_id)) &&
    typeof url === "string" &&
    typeof topic === "string";
  if (!isWhole) return undefined;
  const { format, concurrency } = { ...(http as Record<string, unknown> | undefined) };
  const isKnown = typeof webhook_id === "string" && /^[\w.:-]{1,128}$/.test(webhook_id);
  return {
    subscriptionId: String(subscription_id),
    url,
    topic,
    // A database that was restored draws the same numbers again, but not in the same millisecond.
    webhookId: isKnown ? webhook_id : `msg_${enqueuedAt.getTime().toString(36)}_${id}`,
    format: format === "cloudevents" ? format : "plain",
    concurrency: typeof concurrency === "number" ? concurrency : undefined,
    headers: others,
    message: body,
    publishedAt: enqueuedAt,
  };
}

const TRACE_PARENT = /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/;

export function toRequest(
  parcel: Parcel,
  attempt: number,
  secrets: WebhookSecrets,
  userAgent: string,
): WebhookRequest {
  const { webhookId: id, url, topic, format } = parcel;
  const body = JSON.stringify(format === "cloudevents" ? cloudEventOf(parcel) : parcel.message);
  const timestamp = Math.floor(Date.now() / 1_000);
  const signature = secrets.sign(parcel, { id, timestamp, body });
  const traceParent = parcel.headers["traceparent"];
  return {
    url,
    body,
    headers: {
      "content-type":
        format === "cloudevents" ? "application/cloudevents+json" : "application/json",
      "user-agent": userAgent,
      "webhook-id": id,
      "webhook-timestamp": String(timestamp),
      ...(signature === undefined ? {} : { "webhook-signature": signature }),
      // Headers hold less than topics do.
      "oxbow-topic": encodeURI(topic),
      "oxbow-attempt": String(attempt),
      ...(typeof traceParent === "string" && TRACE_PARENT.test(traceParent)
        ? { traceparent: traceParent }
        : {}),
    },
  };
}

/** CloudEvents 1.0, in structured mode. */
const cloudEventOf = ({ webhookId, topic, subscriptionId, publishedAt, message }: Parcel) => ({
  specversion: "1.0",
  id: webhookId,
  source: `/oxbow/subscriptions/${subscriptionId}`,
  type: topic,
  time: publishedAt.toISOString(),
  datacontenttype: "application/json",
  data: message,
});
