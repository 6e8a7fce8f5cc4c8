-- A log of deliveries to urls, and a history of the depth of queues.

create table queue.logged_delivery (
  delivery_id      bigint not null,
  subscription_id  bigint not null,
  published_at     timestamptz not null,
  attempted_at     timestamptz not null,
  receipt          bigint not null,
  letter_id        bigint,
  attempts         integer not null,
  duration_ms      integer,
  status_code      integer,
  status           text not null,
  failure          text,
  response         text,
  headers          jsonb not null,
  message          jsonb,
  earlier_attempts jsonb,
  constraint logged_delivery_pkey primary key (delivery_id)
);

create index logged_delivery_subscription_idx on queue.logged_delivery (subscription_id, delivery_id);
create index logged_delivery_not_delivered_idx on queue.logged_delivery (status, delivery_id) where status <> 'delivered';

comment on table queue.logged_delivery is
  'One row per delivery to a url with an attempt, written by the transaction that settles the attempt, and kept for the retention of the server. Deliveries that were never attempted are in queue __http alone.';
comment on column queue.logged_delivery.delivery_id is 'Id of the message in queue __http.';
comment on column queue.logged_delivery.subscription_id is 'Subscription whose url the delivery is for; it may have ended since.';
comment on column queue.logged_delivery.published_at is 'When the message was queued for the url.';
comment on column queue.logged_delivery.attempted_at is 'When the outcome of the last attempt was written.';
comment on column queue.logged_delivery.receipt is 'Receipt of the last attempt. A repeated call has the same one; a message in queue __http with another one is being sent.';
comment on column queue.logged_delivery.letter_id is 'Its dead letter; null unless the delivery failed for good. The letter may have been sent again, redriven or deleted since.';
comment on column queue.logged_delivery.attempts is 'Number of attempts, the last included.';
comment on column queue.logged_delivery.duration_ms is 'Duration of the last attempt; null if no request was made.';
comment on column queue.logged_delivery.status_code is 'HTTP status of the last response; null: there was no response.';
comment on column queue.logged_delivery.status is 'waiting (for another attempt), delivered, or failed (for good).';
comment on column queue.logged_delivery.failure is 'Why the last attempt failed; null: it succeeded.';
comment on column queue.logged_delivery.response is 'The beginning of the body of the last response.';
comment on column queue.logged_delivery.headers is 'Those of the publisher, and the topic.';
comment on column queue.logged_delivery.message is 'The message, for a resend; null while it is still in queue __http, and if it has more than 64 KiB.';
comment on column queue.logged_delivery.earlier_attempts is
  'The attempts before the last, oldest first, the latest 20 of them: an array of objects with attempt, attempted_at, duration_ms, status_code, failure and response. Null: there were none.';

create table queue.queue_depth (
  sampled_at  timestamptz not null,
  visible     bigint,
  in_flight   bigint,
  delayed     bigint,
  oldest_at   timestamptz,
  is_estimate boolean not null,
  queue_name  text not null,
  constraint queue_depth_pkey primary key (queue_name, sampled_at)
);

create index queue_depth_sampled_at_idx on queue.queue_depth (sampled_at);

comment on table queue.queue_depth is
  'The depth of queues over time, a row per change: the depth is that of a row until the next row of the queue. Rows that another has replaced for a day are deleted.';
comment on column queue.queue_depth.sampled_at is 'When the sample of all queues began that has found the change.';
comment on column queue.queue_depth.visible is
  'Messages that could be received, and those behind the head of their group. Null, like the other two: from then on the queue was not looked at, because others were deeper or its table was locked.';
comment on column queue.queue_depth.in_flight is 'Messages that were leased.';
comment on column queue.queue_depth.delayed is 'Messages whose delay had not passed.';
comment on column queue.queue_depth.oldest_at is 'When the oldest message was sent; null: there was none.';
comment on column queue.queue_depth.is_estimate is 'Whether the numbers are estimates, because the queue was too large to count.';
comment on column queue.queue_depth.queue_name is 'Name of the queue.';

create table queue.depth_span (
  began_at timestamptz not null,
  last_at  timestamptz not null,
  constraint depth_span_pkey primary key (began_at)
);

comment on table queue.depth_span is
  'Spans of time in which servers sampled the depth of queues without interruption. Between two of them, no depth is known.';
comment on column queue.depth_span.began_at is 'When the first sample began.';
comment on column queue.depth_span.last_at is 'When the last sample began. Not indexed, so that each sample is a heap-only update.';
