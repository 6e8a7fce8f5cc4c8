create type queue.delivery_entry as (
  delivery_id     bigint,      -- not null
  subscription_id bigint,      -- not null
  pattern         text,        -- may be null
  url             text,        -- may be null
  topic           text,        -- not null
  webhook_id      text,        -- not null
  status          text,        -- waiting | delivered | failed
  attempts        integer,     -- not null
  published_at    timestamptz, -- not null
  attempted_at    timestamptz, -- not null
  next_attempt_at timestamptz, -- may be null
  duration_ms     integer,     -- may be null
  status_code     integer,     -- may be null
  failure         text         -- may be null
);

comment on type queue.delivery_entry is
  'A delivery to a url, as deliveries_list() returns it, with the outcome of its last attempt. pattern, url: of the subscription; null if it has ended. webhook_id: the header by which receivers recognize a repeated delivery. next_attempt_at: null unless the delivery waits; null while an attempt is being made. status_code: null if there was no response. failure: null if the attempt succeeded.';
