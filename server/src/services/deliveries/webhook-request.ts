/** The HTTP request of a delivery. */
import type { UrlDelivery } from "@oxbow/sdk/internal/server";
import type { WebhookRequest } from "./webhook-sender.ts";
import type { WebhookSecrets } from "./webhook-secrets.ts";

const TRACE_PARENT = /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/;

export function toRequest(
  delivery: UrlDelivery,
  secrets: WebhookSecrets,
  userAgent: string,
): WebhookRequest {
  const { webhookId: id, url, topic, format, attempt } = delivery;
  const body = JSON.stringify(format === "cloudevents" ? cloudEventOf(delivery) : delivery.message);
  const timestamp = Math.floor(Date.now() / 1_000);
  const signature = secrets.sign(delivery, { id, timestamp, body });
  const traceParent = delivery.headers["traceparent"];
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
      // Topics may contain characters that headers can't.
      "oxbow-topic": encodeURI(topic),
      "oxbow-attempt": String(attempt),
      ...(typeof traceParent === "string" && TRACE_PARENT.test(traceParent)
        ? { traceparent: traceParent }
        : {}),
    },
  };
}

/** CloudEvents 1.0, in structured mode. */
const cloudEventOf = ({ webhookId, topic, subscriptionId, publishedAt, message }: UrlDelivery) => ({
  specversion: "1.0",
  id: webhookId,
  source: `/oxbow/subscriptions/${subscriptionId}`,
  type: topic,
  time: publishedAt.toISOString(),
  datacontenttype: "application/json",
  data: message,
});
