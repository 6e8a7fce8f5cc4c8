create type queue.url_delivery as (
  msg_id          bigint,
  receipt         bigint,
  read_ct         integer,
  enqueued_at     timestamptz,
  subscription_id bigint,
  url             text,
  topic           text,
  webhook_id      text,
  format          text,        -- plain | cloudevents
  concurrency     integer,     -- may be null
  message         jsonb,
  headers         jsonb
);

comment on type queue.url_delivery is
  'One attempt to deliver a message to a url. url, format, concurrency: of the subscription. read_ct: counts attempts, including this one. headers: of the publisher.';
