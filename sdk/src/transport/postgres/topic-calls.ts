/** The SQL text that the SDK sends for topics: one constant a function. */
import { call } from "./calls.ts";

export const subscribe = call(
  "subscribe",
  `select queue.subscribe(
     pattern => $1::text, target_type => $2::text, target => $3::text, filter => $4::jsonb, options => $5::jsonb)::text as id`,
);

export const unsubscribe = call(
  "unsubscribe",
  `select queue.unsubscribe(id => $1::bigint) as was_there`,
);

export const enableSubscription = call(
  "enable_subscription",
  `select queue.enable_subscription(id => $1) as was_there`,
);

export const deliveriesSucceeded = call(
  "deliveries_succeeded",
  `select d.receipt
   from queue.deliveries_succeeded(subscription_ids => $1::bigint[], receipts => $2::bigint[]) as d (receipt)`,
);

export const deliveryFailed = call(
  "delivery_failed",
  `select queue.delivery_failed(
     subscription_id => $1, reason => $2, disable_after => $3::float8 * interval '1 second') as is_disabled`,
);

export const listSubscriptions = call(
  "list_subscriptions",
  `select subscription_id, pattern, target_type, target, filter, options, created_at,
     failing_since, disabled_at, disabled_reason
   from queue.list_subscriptions(pattern => $1)`,
);

export const capturedDeliveries = call(
  "captured_deliveries",
  `select capture_id as id, captured_at as "capturedAt", subscription_id as "subscriptionId", url, topic, message,
     headers
   from queue.captured_deliveries(after => coalesce($1::bigint, 0), max_deliveries => $2)`,
);

export const sendTopic = call(
  "send_topic",
  `select queue.send_topic(topic => $1::text, message => $2::jsonb, headers => $3::jsonb) as reached`,
);
