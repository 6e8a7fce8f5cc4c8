-- Reports of trigger types by workers, and requests of definitions that sandboxes capture.

alter table queue.trigger_type add column last_seen_at timestamptz;

comment on column queue.trigger_type.last_seen_at is
  'When a worker reported this declaration last; up to 15 minutes less than the truth. Null: before reports.';

alter table queue.captured_delivery
  add column run_id bigint,
  add column request_key text;

create unique index captured_request on queue.captured_delivery (request_key) where request_key is not null;

comment on table queue.captured_delivery is
  'One row per delivery to a url, or request of a definition, that a sandbox did not send.';
comment on column queue.captured_delivery.subscription_id is
  'The subscription; null for a request.';
comment on column queue.captured_delivery.message is
  'The message; of a request, its body.';
comment on column queue.captured_delivery.headers is
  'Headers of the message, including topic; of a request: method, url and headers.';
comment on column queue.captured_delivery.run_id is
  'The run that made the request; null for a delivery.';
comment on column queue.captured_delivery.request_key is
  'The idempotency key of the request, by which attempts are one; null for a delivery.';
