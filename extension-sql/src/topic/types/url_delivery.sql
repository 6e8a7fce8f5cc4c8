create type queue.url_delivery as (
  msg_id          bigint,      -- not null
  receipt         bigint,      -- not null
  read_ct         integer,     -- not null
  enqueued_at     timestamptz, -- not null
  subscription_id bigint,      -- not null
  url             text,        -- not null
  topic           text,        -- not null
  webhook_id      text,        -- not null
  format          text,        -- plain | cloudevents
  concurrency     integer,     -- may be null
  message         jsonb,       -- not null
  headers         jsonb        -- not null
);

comment on type queue.url_delivery is
  'One attempt to deliver a message to a url. url, format, concurrency: of the subscription. read_ct: counts attempts, including this one. headers: of the publisher.';
