create type queue.delivery_details as (
  delivery_id      bigint,      -- not null
  subscription_id  bigint,      -- not null
  pattern          text,        -- may be null
  url              text,        -- may be null
  topic            text,        -- not null
  webhook_id       text,        -- not null
  status           text,        -- waiting | delivered | failed
  attempts         integer,     -- not null
  published_at     timestamptz, -- not null
  attempted_at     timestamptz, -- not null
  next_attempt_at  timestamptz, -- may be null
  duration_ms      integer,     -- may be null
  status_code      integer,     -- may be null
  failure          text,        -- may be null
  response         text,        -- may be null
  message          jsonb,       -- may be null
  headers          jsonb,       -- not null
  earlier_attempts jsonb        -- not null
);

comment on type queue.delivery_details is
  'A delivery to a url, as deliveries_get() returns it: the columns of queue.delivery_entry, and more. response: the beginning of the body of the last response. message: null if it has more than 64 KiB and does not wait any more. headers: of the publisher. earlier_attempts: before the last, oldest first, at most 20: an array of objects with attempt, attempted_at, duration_ms, status_code, failure and response.';
