create type queue.topic_dead_letter as (
  letter_id        bigint,
  dead_lettered_at timestamptz,
  subscription_id  bigint,
  target_type      text,
  target           text,
  topic            text,
  reason           text,
  attempts         integer,
  message          jsonb,
  headers          jsonb
);

comment on type queue.topic_dead_letter is
  'A message that a subscription could not take, with the reason. attempts: requests to a url; null for other targets.';
