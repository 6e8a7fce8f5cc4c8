/** The SQL text that the SDK sends for topics: one constant a function. */
import { call } from "../connection/call.ts";

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

export const deliveriesReceive = call(
  "deliveries_receive",
  `select msg_id, receipt, read_ct, enqueued_at, subscription_id, url, topic, webhook_id, format, concurrency,
     message, headers
   from queue.deliveries_receive(max_deliveries => $1, visibility_timeout => $2)`,
);

export const deliveriesGiveBack = call(
  "deliveries_give_back",
  `select count(*) from queue.deliveries_give_back(receipts => $1::bigint[], delay_seconds => $2)`,
);

export const deliveryRetry = call(
  "delivery_retry",
  `select queue.delivery_retry(receipt => $1, delay_seconds => $2) as is_alive`,
);

export const deliveryAbandon = call(
  "delivery_abandon",
  `select queue.delivery_abandon(receipt => $1, reason => $2) as is_alive`,
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

export const getSubscription = call(
  "get_subscription",
  `select subscription_id, pattern, target_type, target, filter, options, created_at,
     failing_since, disabled_at, disabled_reason
   from queue.get_subscription(id => $1)`,
);

export const capturedDeliveries = call(
  "captured_deliveries",
  `select capture_id as id, captured_at as "capturedAt", subscription_id as "subscriptionId", url, topic, message,
     headers
   from queue.captured_deliveries(after => coalesce($1::bigint, 0), max_deliveries => $2)`,
);

export const topicDeadLetters = call(
  "topic_dead_letters",
  `select letter_id as id, dead_lettered_at as "deadLetteredAt", subscription_id as "subscriptionId",
     target_type as "targetType", target, topic, reason, attempts, message, headers
   from queue.topic_dead_letters(after => coalesce($1::bigint, 0), max_letters => $2, subscription_id => $3)`,
);

export const redriveTopicDeadLetters = call(
  "redrive_topic_dead_letters",
  `select queue.redrive_topic_dead_letters(max_letters => $1, subscription_id => $2)::float8 as redriven`,
);

export const deleteTopicDeadLetters = call(
  "delete_topic_dead_letters",
  `select id::text from queue.delete_topic_dead_letters(letter_ids => $1::bigint[]) as id`,
);

export const sendTopic = call(
  "send_topic",
  `select queue.send_topic(topic => $1::text, message => $2::jsonb, headers => $3::jsonb) as reached`,
);
