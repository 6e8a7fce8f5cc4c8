/** The SQL functions of this room. Made by `npm run build:seam` of extension-sql: change the sources there. */
import type { Call } from "../../../protocol/rooms.ts";
import { call, type Texts } from "../connection/call.ts";

export const subscribe: Call<
  readonly [
    pattern: string | null,
    targetType: string | null,
    target: string | null,
    filter: string | null,
    options: string | null,
  ],
  { readonly value: string }
> = call(
  "subscribe",
  `select queue.subscribe(
    pattern => $1::text, target_type => $2::text, target => $3::text, filter => $4::jsonb,
    options => $5::jsonb)::text as value`,
);

export const unsubscribe: Call<readonly [id: string | null], { readonly value: boolean }> = call(
  "unsubscribe",
  `select queue.unsubscribe(id => $1::bigint) as value`,
);

export const enableSubscription: Call<readonly [id: string | null], { readonly value: boolean }> =
  call("enable_subscription", `select queue.enable_subscription(id => $1::bigint) as value`);

export interface SubscriptionInfoRow {
  readonly id: string;
  readonly pattern: string;
  readonly targetType: "queue" | "workflow" | "http";
  readonly target: string;
  readonly filter: unknown;
  readonly options: unknown;
  readonly createdAt: Date;
  readonly failingSince: Date | null;
  readonly disabledAt: Date | null;
  readonly disabledReason: string | null;
}

const subscriptionInfoColumns = `subscription_id::text as "id", pattern, target_type as "targetType", target, filter, options,
    created_at as "createdAt", failing_since as "failingSince", disabled_at as "disabledAt",
    disabled_reason as "disabledReason"`;

export const listSubscriptions: Call<readonly [pattern: string | null], SubscriptionInfoRow> = call(
  "list_subscriptions",
  `select ${subscriptionInfoColumns}
  from queue.list_subscriptions(pattern => $1::text) as answer`,
);

export const getSubscription: Call<readonly [id: string | null], SubscriptionInfoRow> = call(
  "get_subscription",
  `select ${subscriptionInfoColumns}
  from queue.get_subscription(id => $1::bigint) as answer`,
);

export interface CapturedMessageRow {
  readonly id: string;
  readonly capturedAt: Date;
  readonly subscriptionId: string | null;
  readonly url: string | null;
  readonly topic: string | null;
  readonly message: unknown;
  readonly headers: unknown;
  readonly runId: string | null;
}

export const capturedDeliveries: Call<
  readonly [after: string | null, maxDeliveries: number | null],
  CapturedMessageRow
> = call(
  "captured_deliveries",
  `select capture_id::text as "id", captured_at as "capturedAt", subscription_id::text as "subscriptionId",
    url, topic, message, headers, run_id::text as "runId"
  from queue.captured_deliveries(
    after => coalesce($1::bigint, 0), max_deliveries => coalesce($2::integer, 100)) as answer`,
);

export interface TopicDeadLetterRow {
  readonly id: string;
  readonly deadLetteredAt: Date;
  readonly subscriptionId: string | null;
  readonly targetType: "queue" | "workflow" | "http" | null;
  readonly target: string | null;
  readonly topic: string | null;
  readonly reason: string | null;
  readonly attempts: number | null;
  readonly message: unknown;
  readonly headers: unknown;
}

export const topicDeadLetters: Call<
  readonly [after: string | null, maxLetters: number | null, subscriptionId: string | null],
  TopicDeadLetterRow
> = call(
  "topic_dead_letters",
  `select letter_id::text as "id", dead_lettered_at as "deadLetteredAt",
    subscription_id::text as "subscriptionId", target_type as "targetType", target, topic, reason,
    attempts, message, headers
  from queue.topic_dead_letters(
    after => coalesce($1::bigint, 0), max_letters => coalesce($2::integer, 100),
    subscription_id => $3::bigint) as answer`,
);

export interface TopicTargetRow {
  readonly subscriptionId: string;
  readonly pattern: string;
  readonly targetType: "queue" | "workflow" | "http" | "run" | "definition";
  readonly target: string;
  readonly input: unknown;
  readonly key: string | null;
  readonly problem: string | null;
  readonly isStrict: boolean;
}

export const topicTargets: Call<
  readonly [topic: string | null, message: string | null],
  TopicTargetRow
> = call(
  "topic_targets",
  `select subscription_id::text as "subscriptionId", pattern, target_type as "targetType", target, input,
    key, problem, is_strict as "isStrict"
  from queue.topic_targets(topic => $1::text, message => $2::jsonb) as answer`,
);

export const redriveTopicDeadLetters: Call<
  readonly [maxLetters: number | null, subscriptionId: string | null, letterIds: Texts | null],
  { readonly value: number }
> = call(
  "redrive_topic_dead_letters",
  `select queue.redrive_topic_dead_letters(
    max_letters => $1::integer, subscription_id => $2::bigint, letter_ids => $3::bigint[])::float8 as value`,
);

export const deleteTopicDeadLetters: Call<
  readonly [letterIds: Texts | null],
  { readonly value: string }
> = call(
  "delete_topic_dead_letters",
  `select value::text
  from queue.delete_topic_dead_letters(letter_ids => $1::bigint[]) as answer (value)`,
);

export const sendTopic: Call<
  readonly [topic: string | null, message: string | null, headers: string | null],
  { readonly value: number }
> = call(
  "send_topic",
  `select queue.send_topic(topic => $1::text, message => $2::jsonb, headers => $3::jsonb) as value`,
);

export interface UrlDeliveryRow {
  readonly messageId: string;
  readonly receipt: string;
  readonly attempt: number;
  readonly publishedAt: Date;
  readonly subscriptionId: string;
  readonly url: string;
  readonly topic: string;
  readonly webhookId: string;
  readonly format: "plain" | "cloudevents";
  readonly concurrency: number | null;
  readonly message: unknown;
  readonly headers: Readonly<Record<string, unknown>>;
}

export const deliveriesReceive: Call<
  readonly [maxDeliveries: number | null, visibilityTimeout: number | null],
  UrlDeliveryRow
> = call(
  "deliveries_receive",
  `select msg_id::text as "messageId", receipt::text as "receipt", read_ct as "attempt",
    enqueued_at as "publishedAt", subscription_id::text as "subscriptionId", url, topic,
    webhook_id as "webhookId", format, concurrency, message, headers
  from queue.deliveries_receive(
    max_deliveries => $1::integer, visibility_timeout => $2::integer) as answer`,
);

export const deliveriesSucceeded: Call<
  readonly [subscriptionIds: Texts | null, receipts: Texts | null, reports: Texts | null],
  { readonly value: string }
> = call(
  "deliveries_succeeded",
  `select value::text
  from queue.deliveries_succeeded(
    subscription_ids => $1::bigint[], receipts => $2::bigint[], reports => $3::jsonb[]) as answer (value)`,
);

export const deliveriesGiveBack: Call<
  readonly [receipts: Texts | null, delaySeconds: number | null],
  { readonly value: string }
> = call(
  "deliveries_give_back",
  `select value::text
  from queue.deliveries_give_back(
    receipts => $1::bigint[], delay_seconds => $2::numeric) as answer (value)`,
);

export interface DeliveryEntryRow {
  readonly id: string;
  readonly subscriptionId: string;
  readonly pattern: string | null;
  readonly url: string | null;
  readonly topic: string;
  readonly webhookId: string;
  readonly status: "waiting" | "delivered" | "failed";
  readonly attempts: number;
  readonly publishedAt: Date;
  readonly attemptedAt: Date;
  readonly nextAttemptAt: Date | null;
  readonly durationMs: number | null;
  readonly statusCode: number | null;
  readonly failure: string | null;
}

export const deliveriesList: Call<
  readonly [
    before: string | null,
    maxDeliveries: number | null,
    subscriptionId: string | null,
    status: string | null,
  ],
  DeliveryEntryRow
> = call(
  "deliveries_list",
  `select delivery_id::text as "id", subscription_id::text as "subscriptionId", pattern, url, topic,
    webhook_id as "webhookId", status, attempts, published_at as "publishedAt",
    attempted_at as "attemptedAt", next_attempt_at as "nextAttemptAt", duration_ms as "durationMs",
    status_code as "statusCode", failure
  from queue.deliveries_list(
    before => $1::bigint, max_deliveries => $2::integer, subscription_id => $3::bigint,
    status => $4::text) as answer`,
);

export interface DeliveryDetailsRow {
  readonly id: string;
  readonly subscriptionId: string;
  readonly pattern: string | null;
  readonly url: string | null;
  readonly topic: string;
  readonly webhookId: string;
  readonly status: "waiting" | "delivered" | "failed";
  readonly attempts: number;
  readonly publishedAt: Date;
  readonly attemptedAt: Date;
  readonly nextAttemptAt: Date | null;
  readonly durationMs: number | null;
  readonly statusCode: number | null;
  readonly failure: string | null;
  readonly response: string | null;
  readonly message: unknown;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly earlierAttempts: readonly Readonly<Record<string, unknown>>[];
}

export const deliveriesGet: Call<readonly [deliveryId: string | null], DeliveryDetailsRow> = call(
  "deliveries_get",
  `select delivery_id::text as "id", subscription_id::text as "subscriptionId", pattern, url, topic,
    webhook_id as "webhookId", status, attempts, published_at as "publishedAt",
    attempted_at as "attemptedAt", next_attempt_at as "nextAttemptAt", duration_ms as "durationMs",
    status_code as "statusCode", failure, response, message, headers,
    earlier_attempts as "earlierAttempts"
  from queue.deliveries_get(delivery_id => $1::bigint) as answer`,
);

export interface ResentDeliveryRow {
  readonly id: string;
  readonly problem: string | null;
}

export const deliveriesResend: Call<readonly [deliveryIds: Texts | null], ResentDeliveryRow> = call(
  "deliveries_resend",
  `select delivery_id::text as "id", problem
  from queue.deliveries_resend(delivery_ids => $1::bigint[]) as answer`,
);

export interface SweptDeliveriesRow {
  readonly swept: number;
  readonly until: string | null;
}

export const deliveriesSweep: Call<
  readonly [retentionHours: number | null, maxDeliveries: number | null, after: string | null],
  SweptDeliveriesRow
> = call(
  "deliveries_sweep",
  `select swept, until::text as "until"
  from queue.deliveries_sweep(
    retention_hours => $1::integer, max_deliveries => $2::integer, after => $3::bigint) as answer`,
);

export const deliveryFailed: Call<
  readonly [subscriptionId: string | null, reason: string | null, disableAfter: number | null],
  { readonly value: boolean }
> = call(
  "delivery_failed",
  `select queue.delivery_failed(
    subscription_id => $1::bigint, reason => $2::text,
    disable_after => $3::float8 * interval '1 second') as value`,
);

export const deliveryRetry: Call<
  readonly [
    receipt: string | null,
    delaySeconds: number | null,
    reason: string | null,
    report: string | null,
  ],
  { readonly value: boolean }
> = call(
  "delivery_retry",
  `select queue.delivery_retry(
    receipt => $1::bigint, delay_seconds => $2::numeric, reason => $3::text, report => $4::jsonb) as value`,
);

export const deliveryAbandon: Call<
  readonly [receipt: string | null, reason: string | null, report: string | null],
  { readonly value: boolean }
> = call(
  "delivery_abandon",
  `select queue.delivery_abandon(
    receipt => $1::bigint, reason => $2::text, report => $3::jsonb) as value`,
);
